/*
 * Any model as text, for a screen and for logs: what must be known before any number is believed, sentences as
 * paragraphs, tables. A blank line parts what is not close.
 */
#include "report/formats.h"
#include "report/write/plain.h"
#include "report/write/text_table.h"
#include "report/write/write.h"

static void put_sentence(hsd_page *page, const hsd_model *model, const hsd_part *part)
{
    hsd_buffer text = {0};
    hsd_out *out = page->out;
    if (out->status == HSD_OK) out->status = hsd_part_words(&text, model, part, page->form, out->err);
    if (text.size > 0) {
        if (!part->is_close || !page->has_just_said) hsd_page_part(page);
        hsd_out_begin_paragraph(out);
        hsd_out_bytes(out, text.data, text.size);
        hsd_out_end_paragraph(out, 0);
        page->has_just_said = true;
    }
    hsd_buffer_release(&text);
}

/* Those that are close bring their own blank lines. */
static void put_lines(hsd_page *page, const hsd_model *model, const hsd_part *part)
{
    hsd_buffer text = {0};
    hsd_out *out = page->out;
    if (part->is_close) {
        part->tell(out, model, page->form);
        page->is_begun = false;
        return;
    }
    if (out->status == HSD_OK) out->status = hsd_part_words(&text, model, part, page->form, out->err);
    if (text.size > 0) hsd_page_part(page);
    hsd_out_bytes(out, text.data, text.size);
    hsd_buffer_release(&text);
}

static void put_texts(hsd_page *page, const hsd_part *part)
{
    hsd_out *out = page->out;
    for (size_t i = 0; i < part->text_count; i++) {
        hsd_out_begin_paragraph(out);
        hsd_out_text(out, part->lead ? part->lead : "! ");
        hsd_out_escaped(out, page->form, part->texts[i]);
        hsd_out_end_paragraph(out, 2);
    }
    if (part->text_count > 0) hsd_out_text(out, "\n");
}

static void put_part(hsd_page *page, const hsd_model *model, const hsd_part *part)
{
    if (part->kind == HSD_PART_TEXTS) put_texts(page, part);
    if (part->kind == HSD_PART_TABLE) hsd_text_put_table(page, model, part);
    if (part->kind == HSD_PART_SENTENCE) put_sentence(page, model, part);
    if (part->kind == HSD_PART_LINES) put_lines(page, model, part);
    if (!part->is_set_off) return;
    hsd_out_text(page->out, "\n");
    page->is_begun = false;
}

static void put_screen(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    hsd_page page = {
        .out = out, .options = options, .form = options->use_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII};
    out->line_columns = options->width;
    for (size_t i = 0; i < model->part_count; i++)
        put_part(&page, model, &model->parts[i]);
}

#define WRITES(result)                                                                                                 \
    hsd_status hsd_text_##result(const hsd_##result *result, const hsd_report_options *options, hsd_write_fn write,    \
                                 void *context, hsd_error *err)                                                        \
    {                                                                                                                  \
        const hsd_reported subject = {.result = result};                                                               \
        if (options->plain) return hsd_plain_write(&subject, options, write, context, err);                            \
        return hsd_write_model(&subject, HSD_AS_TEXT, put_screen, options, write, context, err);                       \
    }

WRITES(diff)
WRITES(series)
WRITES(check)
WRITES(top)
WRITES(paths)
