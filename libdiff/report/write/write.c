/*
 * A model from its making to its end.
 */
#include "report/write/write.h"

#include "report/words/address_names.h"

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

static hsd_status gather_write_writer(void *buffer, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(buffer, data, size, err);
}

hsd_status hsd_part_words(hsd_buffer *text, const hsd_model *model, const hsd_part *part, hsd_escape_form form,
                          hsd_error *err)
{
    hsd_buffer raw = {0};
    hsd_out out;
    if (part->tell) {
        hsd_out_init(&out, gather_write_writer, text, err);
        if (model->format == HSD_AS_TEXT) out.line_columns = model->options->width;
        part->tell(&out, model, form);
        return hsd_out_finish(&out);
    }
    hsd_status status = part->say(&raw, model, err);
    if (status == HSD_OK && raw.size > 0 && hsd_has_address_names((const char *)raw.data, raw.size))
        raw.size = hsd_plain_address_names((const char *)raw.data, raw.size, false, (char *)raw.data);
    if (status == HSD_OK && form == HSD_ESCAPE_MARKDOWN) form = HSD_ESCAPE_MARKDOWN_PROSE;
    if (status == HSD_OK) status = hsd_escape_append(text, form, (const char *)raw.data, raw.size, err);
    hsd_buffer_release(&raw);
    return status;
}
