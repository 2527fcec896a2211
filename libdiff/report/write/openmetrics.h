/*
 * The pieces of an OpenMetrics text (openmetrics.io, version 1.0): families of gauges, one after the other, then "#
 * EOF". All values are integers. Samples of one family stand together, and no two of a family may have the same labels:
 * the caller sees to both.
 */
#ifndef HSD_REPORT_OPENMETRICS_H
#define HSD_REPORT_OPENMETRICS_H

#include "report/write/out.h"

/* What one family has at most: each combination of labels is a series in somebody's store. */
#define HSD_METRICS_MOST 500u

typedef struct hsd_metric_label {
    const char *key; /* [a-zA-Z_][a-zA-Z0-9_]* */
    hsd_text value;  /* of any bytes */
} hsd_metric_label;

/* Starts a family: TYPE gauge, UNIT (NULL = none, else the name must end in it, behind an underscore), HELP. */
void hsd_metrics_family(hsd_out *out, const char *name, const char *unit, const char *help);

void hsd_metrics_sample(hsd_out *out, const char *name, const hsd_metric_label *labels, size_t label_count,
                        int64_t value);
void hsd_metrics_sample_count(hsd_out *out, const char *name, const hsd_metric_label *labels, size_t label_count,
                              uint64_t value);

/* A label of text of ours. */
hsd_metric_label hsd_metrics_label(const char *key, const char *value);

/* "# EOF". */
void hsd_metrics_end(hsd_out *out);

#endif
