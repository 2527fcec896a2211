/*
 * Results as gauges. Each table is a part with `gauges`, the beginning of the names of its
 * families; what is left out, and what that adds up to, are parts of their own. No family has more than HSD_GAUGES_MOST
 * samples.
 */
#ifndef HSD_REPORT_MODEL_GAUGES_H
#define HSD_REPORT_MODEL_GAUGES_H

#include "report/model/open.h"

extern const size_t hsd_gauges_diff_bytes, hsd_gauges_series_bytes;
hsd_status hsd_gauges_diff(hsd_model *model, const hsd_diff *diff, const hsd_model_request *request);
hsd_status hsd_gauges_series(hsd_model *model, const hsd_series *series, const hsd_model_request *request);

/* A table of `count` rows that stand in an array. */
void hsd_gauges_add(hsd_model *model, const char *names, const hsd_column *columns, const void *rows, size_t count,
                    size_t stride);

#endif
