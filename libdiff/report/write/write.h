/*
 * A format as one function over a model. HSD_WRITES_EVERY_RESULT makes of it the five functions that the registry
 * points at:
 *
 *      static void put(hsd_out *out, const hsd_model *model, const hsd_report_options *options) { … }
 *
 *      HSD_WRITES_EVERY_RESULT(json, HSD_IN_DOCUMENT, put)
 */
#ifndef HSD_REPORT_WRITE_WRITE_H
#define HSD_REPORT_WRITE_WRITE_H

#include "report/formats.h"
#include "report/model/open.h"
#include "report/write/out.h"

typedef void (*hsd_put_model_fn)(hsd_out *out, const hsd_model *model, const hsd_report_options *options);

/* Makes the model of a result, lets `put` write it, lets it go. The first failure. */
hsd_status hsd_write_model(const hsd_reported *subject, unsigned format, hsd_put_model_fn put,
                           const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err);

/* Appends what a part says or tells, escaped in `form`. */
hsd_status hsd_part_words(hsd_buffer *text, const hsd_model *model, const hsd_part *part, hsd_escape_form form,
                          hsd_error *err);

#define HSD_WRITES_ONE(result, format_name, format, put)                                                               \
    hsd_status hsd_##format_name##_##result(const hsd_##result *result, const hsd_report_options *options,             \
                                            hsd_write_fn write, void *context, hsd_error *err)                         \
    {                                                                                                                  \
        return hsd_write_model(&(hsd_reported){.result = result}, format, put, options, write, context, err);          \
    }

#define HSD_WRITES_EVERY_RESULT(format_name, format, put)                                                              \
    HSD_WRITES_ONE(diff, format_name, format, put)                                                                     \
    HSD_WRITES_ONE(series, format_name, format, put)                                                                   \
    HSD_WRITES_ONE(check, format_name, format, put)                                                                    \
    HSD_WRITES_ONE(top, format_name, format, put)                                                                      \
    HSD_WRITES_ONE(paths, format_name, format, put)

#endif
