/*
 * The head and the foot of a screen about one capture.
 */
#include "report/text/capture.h"

#include <stdio.h>
#include <string.h>

#include "report/text/table.h"
#include "report/words/number.h"

static hsd_text text_of(const char *text) { return (hsd_text){text ? text : "", text ? strlen(text) : 0}; }

static hsd_text name_of_input(const hsd_side *side)
{
    const hsd_text path = text_of(side->info.path);
    return strcmp(path.data, "-") == 0 ? text_of("standard input") : path;
}

static void put_fact(hsd_out *out, hsd_escape_form form, const char **separator, const char *text)
{
    if (!text || !text[0]) return;
    hsd_out_text(out, *separator);
    hsd_out_escaped(out, form, text_of(text));
    *separator = ", ";
}

/* "  checkout-api, pid 4121, V8 11.3, complete" */
static void put_origin(hsd_out *out, hsd_escape_form form, const hsd_capture_info *info)
{
    const char *separator = "  ";
    hsd_out_begin_paragraph(out);
    put_fact(out, form, &separator, info->process_name);
    if (info->pid > 0) {
        hsd_out_format(out, "%spid %llu", separator, (unsigned long long)info->pid);
        separator = ", ";
    }
    put_fact(out, form, &separator, info->runtime);
    put_fact(out, form, &separator, info->is_complete ? "complete" : "incomplete");
    if (!info->is_complete && info->incomplete_reason && info->incomplete_reason[0]) {
        separator = ": ";
        put_fact(out, form, &separator, info->incomplete_reason);
    }
    hsd_out_end_paragraph(out, 2);
}

void hsd_text_capture(hsd_out *out, const hsd_report_options *options, hsd_escape_form form, const hsd_side *side)
{
    char taken[HSD_NUMBER_CHARS] = "", size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS], facts[4 * HSD_NUMBER_CHARS];
    const hsd_text name = name_of_input(side);
    if (side->info.taken_unix_ns > 0) hsd_format_time(taken, side->info.taken_unix_ns);
    snprintf(facts, sizeof facts, "%s%s%s  %s object%s", taken, taken[0] ? "  " : "",
             options->exact_bytes ? hsd_format_exact(size, side->live.bytes) : hsd_format_bytes(size, side->live.bytes),
             hsd_format_count(count, side->live.objects), side->live.objects == 1 ? "" : "s");
    const bool is_wide = options->width > 0 && name.size + 2 + strlen(facts) > options->width;
    hsd_out_escaped(out, form, name);
    hsd_out_text(out, is_wide ? "\n" : "  ");
    hsd_out_begin_paragraph(out);
    hsd_out_format(out, "%s%s", is_wide ? "  " : "", facts);
    hsd_out_end_paragraph(out, 2);
    put_origin(out, form, &side->info);
}

/* ---- what to type next ---- */

static hsd_status append_word(hsd_buffer *line, hsd_text word, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(line, " ", 1, err));
    return hsd_escape_append(line, HSD_ESCAPE_SHELL, word.data, word.size, err);
}

static hsd_status append_command(hsd_buffer *line, const char *input, const hsd_next *next, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(line, next->before, strlen(next->before), err));
    HSD_TRY(append_word(line, (hsd_text){input, strlen(input)}, err));
    if (next->word.size > 0) HSD_TRY(append_word(line, next->word, err));
    if (!next->after[0]) return HSD_OK;
    HSD_TRY(hsd_buffer_append(line, " ", 1, err));
    return hsd_buffer_append(line, next->after, strlen(next->after), err);
}

/* Columns that "Next: " and the longest command and reason take beside each other. */
static size_t width_of(const hsd_report_options *options, const hsd_next *list, size_t count)
{
    size_t commands = 0, reasons = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t words = 1u + (list[i].word.size > 0) + (list[i].after[0] != 0);
        const size_t command = strlen(list[i].before) + strlen(list[i].after) + list[i].word.size +
                               strlen(options->before_command) + words;
        if (command > commands) commands = command;
        if (strlen(list[i].why) > reasons) reasons = strlen(list[i].why);
    }
    return strlen("Next:  ") + commands + 2 + reasons;
}

static void put_capture(hsd_out *out, hsd_table *table, size_t column, const char *text, size_t size)
{
    if (out->status == HSD_OK) out->status = hsd_table_put(table, column, text, size, HSD_PAINT_NONE, out->err);
}

static void put_next(hsd_out *out, hsd_table *table, const char *input, const hsd_next *next, bool is_stacked)
{
    hsd_buffer line = {0};
    const char *lead = table->rows == 0 ? "Next:" : "";
    hsd_table_add_row(table);
    put_capture(out, table, 0, lead, strlen(lead));
    put_capture(out, table, is_stacked ? 1 : 2, next->why, strlen(next->why));
    if (is_stacked) hsd_table_add_row(table);
    if (out->status == HSD_OK) out->status = append_command(&line, input, next, out->err);
    put_capture(out, table, 1, (char *)line.data, line.size);
    hsd_buffer_release(&line);
}

void hsd_text_next(hsd_out *out, const hsd_report_options *options, const hsd_next *list, size_t count)
{
    hsd_table table;
    if (!options->before_command || count == 0 || out->status != HSD_OK) return;
    out->status = hsd_table_init(&table, 3, 2 * count, out->err);
    if (out->status != HSD_OK) return;
    const bool is_stacked = width_of(options, list, count) > hsd_out_columns(out);
    table.left_columns = 3;
    for (size_t i = 0; i < count; i++)
        put_next(out, &table, options->before_command, &list[i], is_stacked);
    if (out->status == HSD_OK) hsd_table_print(&table, out, false);
    hsd_table_release(&table);
}

void hsd_text_suggest_import(const hsd_report_options *options, hsd_next *list, size_t *count)
{
    if (options->before_is_foreign && options->before_command && options->before_command[0] != '-')
        list[(*count)++] = (hsd_next){"hsdiff import", "-o heap.hs", {"", 0}, "to read the dump only once"};
}
