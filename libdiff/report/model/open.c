/*
 * Which model a result has.
 */
#include "report/model/open.h"

#include <stdlib.h>

#include <hsdiff/status.h>

#include "report/model/gauges.h"

static size_t bytes_of(const hsd_reported *subject, unsigned format)
{
    if (format == HSD_IN_GAUGES && subject->diff) return hsd_gauges_diff_bytes;
    if (format == HSD_IN_GAUGES && subject->series) return hsd_gauges_series_bytes;
    return subject->diff     ? hsd_model_diff_bytes
           : subject->series ? hsd_model_series_bytes
           : subject->check  ? hsd_model_check_bytes
           : subject->top    ? hsd_model_top_bytes
                             : hsd_model_paths_bytes;
}

static hsd_status fill_open_model(hsd_model *model, const hsd_reported *subject, const hsd_model_request *request)
{
    if (model->format == HSD_IN_GAUGES && subject->diff) return hsd_gauges_diff(model, subject->diff, request);
    if (model->format == HSD_IN_GAUGES && subject->series) return hsd_gauges_series(model, subject->series, request);
    if (subject->diff) return hsd_model_diff(model, subject->diff, request);
    if (subject->series) return hsd_model_series(model, subject->series, request);
    if (subject->check) return hsd_model_check(model, subject->check, request);
    if (subject->top) return hsd_model_top(model, subject->top, request);
    return hsd_model_paths(model, subject->paths, request);
}

hsd_status hsd_model_open(hsd_model **out, const hsd_reported *subject, const hsd_report_options *options,
                          const hsd_most *most, unsigned format, hsd_error *err)
{
    const hsd_model_request request = {options, most, err};
    hsd_model *model = calloc(1, bytes_of(subject, format));
    *out = NULL;
    if (!model) return hsd_fail(err, HSD_E_NOMEM, "no memory for a report");
    model->format = format;
    model->options = options;
    const hsd_status status = fill_open_model(model, subject, &request);
    if (status == HSD_OK)
        *out = model;
    else
        hsd_model_close(model);
    return status;
}

void hsd_gauges_add(hsd_model *model, const char *names, const hsd_column *columns, const void *rows, size_t count,
                    size_t stride)
{
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_GAUGES,
                                    .gauges = names,
                                    .columns = columns,
                                    .sheet = {.rows = {rows, count, stride, false}}});
}

void hsd_model_close(hsd_model *model)
{
    if (!model) return;
    if (model->release) model->release(model);
    free(model);
}
