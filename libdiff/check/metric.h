/*
 * The measures of rules by their names in a file: one table.
 */
#ifndef HSD_CHECK_METRIC_H
#define HSD_CHECK_METRIC_H

#include <hsdiff/check.h>

typedef struct hsd_metric_row {
    const char *name;
    hsd_measure measure;
    unsigned subjects; /* bits 1 << hsd_subject */
    bool is_bytes;
    const char *of_rows; /* as it is called behind a name: "objects", "new bytes" */
} hsd_metric_row;

#define HSD_METRIC_COUNT     13u
#define HSD_METRIC_NAME_MOST 200u /* bytes of the name of a rule or of a capture's own metric */
extern const hsd_metric_row hsd_metrics[HSD_METRIC_COUNT];

/* The row of a name; of "metric:NAME" the row of HSD_MEASURE_CAPTURE, and its name. NULL: unknown. */
const hsd_metric_row *hsd_metric_find(hsd_text name, hsd_text *capture_metric);

/* The row that names a measure for the rows of tables (for the heap: NEW_TYPES). Never NULL. */
const hsd_metric_row *hsd_metric_of(hsd_measure measure);

/* Of CAPTURE the unit of the metric says it: false here. */
bool hsd_measure_is_bytes(hsd_measure measure);

#endif
