/*
 * From a result to its model: which file makes the model of which result, and how long it lives.
 */
#ifndef HSD_REPORT_MODEL_OPEN_H
#define HSD_REPORT_MODEL_OPEN_H

#include "report/model/model.h"
#include <hsdiff/check.h>
#include <hsdiff/series.h>
#include <hsdiff/top.h>

typedef struct hsd_reported { /* one of them */
    const hsd_diff *diff;
    const hsd_series *series;
    const hsd_check *check;
    const hsd_top *top;
    const hsd_paths *paths;
} hsd_reported;

/*
 * The model of a result for one format (HSD_IN_…), with as many rows as `most` says. It points into the result and into
 * `options`. *out is NULL on failure: HSD_E_NOMEM, or HSD_E_UNSUPPORTED for a table that the result does not have.
 */
hsd_status hsd_model_open(hsd_model **out, const hsd_reported *subject, const hsd_report_options *options,
                          const hsd_most *most, unsigned format, hsd_error *err);
void hsd_model_close(hsd_model *model);

/* ---- one file each; they fill a model that is zero but for `format`; hsd_model_close follows a failure, too ---- */

typedef struct hsd_model_request {
    const hsd_report_options *options;
    const hsd_most *most;
    hsd_error *err;
} hsd_model_request;

/* The model and what its rows need, one allocation of the caller's; `release` lets go what the rows hold. */
#define HSD_MODEL_OF(result)                                                                                           \
    extern const size_t hsd_model_##result##_bytes;                                                                    \
    hsd_status hsd_model_##result(hsd_model *model, const hsd_##result *result, const hsd_model_request *request);

HSD_MODEL_OF(diff)
HSD_MODEL_OF(series)
HSD_MODEL_OF(check)
HSD_MODEL_OF(top)
HSD_MODEL_OF(paths)

#endif
