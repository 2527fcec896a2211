/*
 * A model from its making to its end.
 */
#include "report/write/write.h"

hsd_status hsd_write_model(const hsd_reported *subject, unsigned format, hsd_put_model_fn put,
                           const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
{
    const hsd_most most = hsd_most_of(options, format);
    hsd_model *model;
    hsd_out out;
    HSD_TRY(hsd_model_open(&model, subject, options, &most, format, err));
    hsd_out_init(&out, write, context, err);
    put(&out, model, options);
    hsd_model_close(model);
    return hsd_out_finish(&out);
}
