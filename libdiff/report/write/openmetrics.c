/*
 * OpenMetrics, line by line. Values of labels have the marks of a terminal for what cannot be seen, so that two names
 * differ wherever their bytes do.
 */
#include "report/write/openmetrics.h"

#include <string.h>

void hsd_metrics_family(hsd_out *out, const char *name, const char *unit, const char *help)
{
    hsd_out_format(out, "# TYPE %s gauge\n", name);
    if (unit) hsd_out_format(out, "# UNIT %s %s\n", name, unit);
    hsd_out_format(out, "# HELP %s %s\n", name, help);
}

static void put_series(hsd_out *out, const char *name, const hsd_metric_label *labels, size_t count)
{
    hsd_out_text(out, name);
    for (size_t i = 0; i < count; i++) {
        hsd_out_format(out, "%s%s=\"", i > 0 ? "," : "{", labels[i].key);
        hsd_out_escaped(out, HSD_ESCAPE_OPENMETRICS, labels[i].value);
        hsd_out_text(out, "\"");
    }
    hsd_out_text(out, count > 0 ? "} " : " ");
}

void hsd_metrics_sample(hsd_out *out, const char *name, const hsd_metric_label *labels, size_t label_count,
                        int64_t value)
{
    put_series(out, name, labels, label_count);
    hsd_out_format(out, "%lld\n", (long long)value);
}

void hsd_metrics_sample_count(hsd_out *out, const char *name, const hsd_metric_label *labels, size_t label_count,
                              uint64_t value)
{
    put_series(out, name, labels, label_count);
    hsd_out_format(out, "%llu\n", (unsigned long long)value);
}

hsd_metric_label hsd_metrics_label(const char *key, const char *value)
{
    return (hsd_metric_label){key, {value, strlen(value)}};
}

void hsd_metrics_end(hsd_out *out) { hsd_out_text(out, "# EOF\n"); }
