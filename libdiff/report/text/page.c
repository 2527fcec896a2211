/*
 * The pieces of a screen about one capture.
 */
#include "report/text/page.h"

#include <string.h>

#include "report/words/number.h"

void hsd_page_init(hsd_page *page, const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
{
    *page = (hsd_page){.options = options, .form = options->use_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII};
    hsd_out_init(&page->out, write, context, err);
}

char *hsd_page_size(const hsd_page *page, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return page->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

static hsd_text text_of(const char *text) { return (hsd_text){text ? text : "", text ? strlen(text) : 0}; }

static hsd_text name_of_input(const hsd_side *side)
{
    const hsd_text path = text_of(side->info.path);
    return strcmp(path.data, "-") == 0 ? text_of("standard input") : path;
}

/* ---- the head ---- */

void hsd_page_part(hsd_page *page)
{
    if (page->is_begun) hsd_out_text(&page->out, "\n");
    page->is_begun = true;
}

static void put_fact(hsd_page *page, const char **separator, const char *text)
{
    if (!text || !text[0]) return;
    hsd_out_text(&page->out, *separator);
    hsd_out_escaped(&page->out, page->form, text_of(text));
    *separator = ", ";
}

/* "  checkout-api, pid 4121, V8 11.3, complete" */
static void put_origin(hsd_page *page, const hsd_capture_info *info)
{
    const char *separator = "  ";
    hsd_out_begin_paragraph(&page->out);
    put_fact(page, &separator, info->process_name);
    if (info->pid > 0) {
        hsd_out_format(&page->out, "%spid %llu", separator, (unsigned long long)info->pid);
        separator = ", ";
    }
    put_fact(page, &separator, info->runtime);
    put_fact(page, &separator, info->is_complete ? "complete" : "incomplete");
    if (!info->is_complete && info->incomplete_reason && info->incomplete_reason[0]) {
        separator = ": ";
        put_fact(page, &separator, info->incomplete_reason);
    }
    hsd_out_end_paragraph(&page->out, 2);
}

void hsd_page_capture(hsd_page *page, const hsd_side *side)
{
    char number[HSD_NUMBER_CHARS];
    hsd_out *out = &page->out;
    hsd_page_part(page);
    hsd_out_escaped(out, page->form, name_of_input(side));
    if (side->info.taken_unix_ns > 0) hsd_out_format(out, "  %s", hsd_format_time(number, side->info.taken_unix_ns));
    hsd_out_format(out, "  %s", hsd_page_size(page, number, side->live.bytes));
    hsd_out_format(out, "  %s object%s\n", hsd_format_count(number, side->live.objects),
                   side->live.objects == 1 ? "" : "s");
    put_origin(page, &side->info);
}

/* ---- tables ---- */

bool hsd_page_begin_table(hsd_page *page, hsd_table *table, size_t columns, size_t rows)
{
    if (page->out.status == HSD_OK) page->out.status = hsd_table_init(table, columns, rows, page->out.err);
    return page->out.status == HSD_OK;
}

static void put_cell(hsd_page *page, hsd_table *table, size_t column, hsd_text text, hsd_paint paint)
{
    if (page->out.status == HSD_OK)
        page->out.status = hsd_table_put(table, column, text.data, text.size, paint, page->out.err);
}

void hsd_page_put(hsd_page *page, hsd_table *table, size_t column, const char *text, hsd_paint paint)
{
    put_cell(page, table, column, text_of(text), paint);
}

void hsd_page_headings(hsd_page *page, hsd_table *table, const char *const *headings)
{
    hsd_table_add_row(table);
    for (size_t column = 0; column < table->columns; column++)
        hsd_page_put(page, table, column, headings[column], HSD_PAINT_HEADING);
}

void hsd_page_put_name(hsd_page *page, hsd_table *table, size_t column, hsd_text name)
{
    hsd_buffer escaped = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_escape_append(&escaped, page->form, name.data, name.size, out->err);
    if (escaped.size > 0)
        put_cell(page, table, column, (hsd_text){(char *)escaped.data, escaped.size}, HSD_PAINT_NONE);
    else
        hsd_page_put(page, table, column, "(no name)", HSD_PAINT_NONE);
    hsd_buffer_release(&escaped);
}

void hsd_page_put_size(hsd_page *page, hsd_table *table, size_t column, uint64_t bytes)
{
    char number[HSD_NUMBER_CHARS];
    hsd_page_put(page, table, column, hsd_page_size(page, number, bytes), HSD_PAINT_NONE);
}

void hsd_page_put_count(hsd_page *page, hsd_table *table, size_t column, uint64_t count)
{
    char number[HSD_NUMBER_CHARS];
    hsd_page_put(page, table, column, hsd_format_count(number, count), HSD_PAINT_NONE);
}

void hsd_page_end_table(hsd_page *page, hsd_table *table)
{
    hsd_out *out = &page->out;
    const hsd_report_options *options = page->options;
    if (out->status == HSD_OK)
        out->status = hsd_table_cut_names(table, options->width, options->name_width, options->use_utf8, out->err);
    hsd_page_part(page);
    if (out->status == HSD_OK) hsd_table_print(table, out, options->use_color);
    hsd_table_release(table);
}

/* ---- plain ---- */

void hsd_page_field(hsd_page *page, hsd_text text)
{
    hsd_out_text(&page->out, "\t");
    hsd_out_escaped(&page->out, page->form, text);
}

void hsd_page_field_count(hsd_page *page, uint64_t value)
{
    hsd_out_format(&page->out, "\t%llu", (unsigned long long)value);
}

/* ---- parts of a model ---- */

void hsd_page_begin(hsd_page *page, const hsd_report_options *options, hsd_out *out)
{
    hsd_page_init(page, options, out->write, out->context, out->err);
    page->out = *out;
}

void hsd_page_finish(const hsd_page *page, hsd_out *out) { *out = page->out; }

/* ---- what to type next ---- */

#define LINE_COLUMNS 80

static hsd_status append_word(hsd_buffer *line, hsd_text word, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(line, " ", 1, err));
    return hsd_escape_append(line, HSD_ESCAPE_SHELL, word.data, word.size, err);
}

static hsd_status append_command(hsd_buffer *line, const char *input, const hsd_next *next, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(line, next->before, strlen(next->before), err));
    HSD_TRY(append_word(line, text_of(input), err));
    if (next->word.size > 0) HSD_TRY(append_word(line, next->word, err));
    if (!next->after[0]) return HSD_OK;
    HSD_TRY(hsd_buffer_append(line, " ", 1, err));
    return hsd_buffer_append(line, next->after, strlen(next->after), err);
}

/* Columns that "Next: " and the longest command and reason take beside each other. */
static size_t width_of(const hsd_page *page, const hsd_next *list, size_t count)
{
    size_t commands = 0, reasons = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t words = 1u + (list[i].word.size > 0) + (list[i].after[0] != 0);
        const size_t command = strlen(list[i].before) + strlen(list[i].after) + list[i].word.size +
                               strlen(page->options->before_command) + words;
        if (command > commands) commands = command;
        if (strlen(list[i].why) > reasons) reasons = strlen(list[i].why);
    }
    return strlen("Next:  ") + commands + 2 + reasons;
}

static void put_next(hsd_page *page, hsd_table *table, const hsd_next *next, bool is_stacked)
{
    hsd_buffer line = {0};
    hsd_out *out = &page->out;
    const char *lead = table->rows == 0 ? "Next:" : "";
    hsd_table_add_row(table);
    hsd_page_put(page, table, 0, lead, HSD_PAINT_NONE);
    hsd_page_put(page, table, is_stacked ? 1 : 2, next->why, HSD_PAINT_NONE);
    if (is_stacked) hsd_table_add_row(table);
    if (out->status == HSD_OK) out->status = append_command(&line, page->options->before_command, next, out->err);
    put_cell(page, table, 1, (hsd_text){(char *)line.data, line.size}, HSD_PAINT_NONE);
    hsd_buffer_release(&line);
}

void hsd_page_next(hsd_page *page, const hsd_next *list, size_t count)
{
    hsd_table table;
    if (!page->options->before_command || count == 0 || !hsd_page_begin_table(page, &table, 3, 2 * count)) return;
    const bool is_stacked = width_of(page, list, count) > LINE_COLUMNS;
    hsd_page_part(page);
    table.left_columns = 3;
    for (size_t i = 0; i < count; i++)
        put_next(page, &table, &list[i], is_stacked);
    if (page->out.status == HSD_OK) hsd_table_print(&table, &page->out, false);
    hsd_table_release(&table);
}
