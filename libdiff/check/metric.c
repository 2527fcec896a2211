/*
 * The measures of rules by their names in a file.
 */
#include "check/metric.h"

#include <string.h>

#define HEAP (1u << HSD_SUBJECT_HEAP)
#define TYPE (1u << HSD_SUBJECT_TYPE)
#define SITE (1u << HSD_SUBJECT_SITE)
#define ROWS (TYPE | 1u << HSD_SUBJECT_ROOT | 1u << HSD_SUBJECT_HOLDER)

static const hsd_metric_row capture_row = {"metric:NAME", HSD_MEASURE_CAPTURE, HEAP, false, "metric"};

const hsd_metric_row hsd_metrics[HSD_METRIC_COUNT] = {
    {"total.bytes", HSD_MEASURE_BYTES, HEAP, true, "bytes"},
    {"total.objects", HSD_MEASURE_OBJECTS, HEAP, false, "objects"},
    {"bytes", HSD_MEASURE_BYTES, HEAP | ROWS, true, "bytes"},
    {"objects", HSD_MEASURE_OBJECTS, HEAP | ROWS, false, "objects"},
    {"new.bytes", HSD_MEASURE_NEW_BYTES, HEAP | ROWS, true, "new bytes"},
    {"new.objects", HSD_MEASURE_NEW_OBJECTS, HEAP | ROWS, false, "new objects"},
    {"new.types", HSD_MEASURE_NEW_TYPES, HEAP, false, "new types"},
    {"unreached.bytes", HSD_MEASURE_UNREACHED_BYTES, HEAP | TYPE, true, "unreached bytes"},
    {"unreached.objects", HSD_MEASURE_UNREACHED_OBJECTS, HEAP | TYPE, false, "unreached objects"},
    {"survived.bytes", HSD_MEASURE_SURVIVED_BYTES, HEAP | TYPE, true, "survived bytes"},
    {"survived.objects", HSD_MEASURE_SURVIVED_OBJECTS, HEAP | TYPE, false, "survived objects"},
    {"lost.bytes", HSD_MEASURE_LOST_BYTES, HEAP | TYPE | SITE, true, "lost bytes"},
    {"lost.objects", HSD_MEASURE_LOST_OBJECTS, HEAP | TYPE | SITE, false, "lost objects"},
};

const hsd_metric_row *hsd_metric_find(hsd_text name, hsd_text *capture_metric)
{
    static const char own[] = "metric:";
    const size_t own_size = sizeof own - 1;
    for (size_t i = 0; i < HSD_METRIC_COUNT; i++) {
        const char *known = hsd_metrics[i].name;
        if (strlen(known) == name.size && memcmp(known, name.data, name.size) == 0) return &hsd_metrics[i];
    }
    if (name.size <= own_size || name.size > HSD_METRIC_NAME_MOST || memcmp(name.data, own, own_size) != 0) return NULL;
    *capture_metric = (hsd_text){name.data + own_size, name.size - own_size};
    return &capture_row;
}

const hsd_metric_row *hsd_metric_of(hsd_measure measure)
{
    for (size_t i = 0; i < HSD_METRIC_COUNT; i++)
        if (hsd_metrics[i].measure == measure) return &hsd_metrics[i];
    return &capture_row;
}

bool hsd_measure_is_bytes(hsd_measure measure) { return hsd_metric_of(measure)->is_bytes; }
