/*
 * The screen of hsdiff paths: each way to the objects that were asked for with what is reached over it, the root first
 * and a line for each step below it. The last line is the object.
 *
 *      PATH                                    OBJECTS       BYTES  REFERENCES
 *      global.sessions: Map                    412,310   163.9 MiB           3
 *        .entries: Entry<string,Session>[]
 *        [*].value: Session
 */
#include <stdio.h>
#include <string.h>

#include "report/model/paths_rows.h"
#include "report/model/say.h"
#include "report/text/page.h"
#include "report/write/plain.h"
#include "report/write/text_table.h"
#include "report/write/write.h"

#define INDENT     2
#define STEPS_HEAD 10 /* lines of a long path: so many at its beginning, */
#define STEPS_TAIL 9  /* and at its end */

enum column { PATH, LENGTH, OBJECTS, BYTES, COLUMNS };

/* Lines that a path takes at most: its start, its steps, what is left out. */
static size_t lines_of(const hsd_path_row *row)
{
    const size_t most = STEPS_HEAD + STEPS_TAIL + 3;
    return row->step_count + 2 < most ? row->step_count + 2 : most;
}

static void put_line(hsd_page *page, hsd_table *table, hsd_buffer *line, size_t indent)
{
    static const char blanks[INDENT + 1] = "  ";
    hsd_buffer escaped = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&escaped, blanks, indent, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_escape_append(&escaped, page->form, (char *)line->data, line->size, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_table_put(table, PATH, (char *)escaped.data, escaped.size, HSD_PAINT_NONE, out->err);
    hsd_buffer_release(&escaped);
    hsd_buffer_clear(line);
}

/* The lower steps; references that are not shown have a line, whoever left them out. */
static void put_steps(hsd_page *page, hsd_table *table, const hsd_path_row *row, hsd_buffer *line)
{
    const size_t first = hsd_path_first_step(row), count = row->step_count - first;
    const bool is_long = count > STEPS_HEAD + STEPS_TAIL + 1;
    const size_t head_end = is_long ? first + STEPS_HEAD : row->step_count / 2,
                 tail = is_long ? row->step_count - STEPS_TAIL : head_end;
    uint64_t hidden = row->step_cut;
    for (size_t i = head_end; i < tail; i++)
        hidden += row->steps[i].repeat > 1 ? row->steps[i].repeat : 1;
    hsd_out *out = &page->out;
    for (size_t i = first; i < row->step_count; i++) {
        if (i == head_end && hidden > 0) {
            hsd_table_add_row(table);
            if (out->status == HSD_OK) out->status = hsd_path_append_cut(line, hidden, out->err);
            put_line(page, table, line, INDENT);
        }
        if (i >= head_end && i < tail) continue;
        hsd_table_add_row(table);
        if (out->status == HSD_OK) out->status = hsd_step_append_with_type(line, &row->steps[i], out->err);
        put_line(page, table, line, INDENT);
    }
}

static void put_row(hsd_page *page, hsd_table *table, const hsd_path_row *row)
{
    hsd_buffer line = {0};
    hsd_out *out = &page->out;
    hsd_table_add_row(table);
    if (out->status == HSD_OK) out->status = hsd_path_append_start(&line, row, out->err);
    put_line(page, table, &line, 0);
    hsd_page_put_count(page, table, LENGTH, row->length);
    if (table->columns > OBJECTS) {
        hsd_page_put_count(page, table, OBJECTS, row->objects.objects);
        hsd_page_put_size(page, table, BYTES, row->objects.bytes);
    }
    put_steps(page, table, row, &line);
    hsd_buffer_release(&line);
}

static void put_sum(hsd_page *page, hsd_table *table, const char *name, hsd_paint paint, hsd_amount amount)
{
    hsd_table_add_row(table);
    hsd_page_put(page, table, PATH, name, paint);
    if (table->columns == LENGTH + 1) return;
    hsd_page_put_count(page, table, OBJECTS, amount.objects);
    hsd_page_put_size(page, table, BYTES, amount.bytes);
}

static void put_sums(hsd_page *page, hsd_table *table, const hsd_paths *paths)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (paths->other_rows > 0) {
        snprintf(text, sizeof text, "%s other path%s", hsd_format_count(count, paths->other_rows),
                 paths->other_rows == 1 ? "" : "s");
        put_sum(page, table, text, HSD_PAINT_NONE, paths->others);
    }
    if (!paths->is_id) put_sum(page, table, "TOTAL", HSD_PAINT_HEADING, paths->live);
}

static void print_table(hsd_page *page, const hsd_paths *paths)
{
    static const char *const headings[] = {"PATH", "REFERENCES", "OBJECTS", "BYTES"};
    hsd_table table;
    size_t lines = 3;
    for (size_t i = 0; i < paths->row_count; i++)
        lines += lines_of(&paths->rows[i]);
    if (paths->row_count == 0 || !hsd_page_begin_table(page, &table, paths->is_id ? OBJECTS : COLUMNS, lines)) return;
    hsd_page_headings(page, &table, headings);
    for (size_t i = 0; i < paths->row_count; i++)
        put_row(page, &table, &paths->rows[i]);
    put_sums(page, &table, paths);
    hsd_page_end_table(page, &table);
}

static void print_next(hsd_page *page, const hsd_paths *paths)
{
    hsd_next list[3];
    char id[HSD_NUMBER_CHARS];
    size_t count = 0;
    hsd_format_id(id, &paths->side.info, paths->id);
    if (paths->other_rows > 0)
        list[count++] = (hsd_next){"hsdiff paths", "--top 100", paths->is_id ? (hsd_text){id, strlen(id)} : paths->type,
                                   "more of them"};
    list[count++] = (hsd_next){"hsdiff top", "", {"", 0}, "what holds most"};
    if (page->options->before_is_foreign && page->options->before_command && page->options->before_command[0] != '-')
        list[count++] = (hsd_next){"hsdiff import", "-o heap.hs", {"", 0}, "to read the dump only once"};
    hsd_page_next(page, list, count);
}

/* The table is not that of the model: a path takes a line for each of its steps. */
static void put_screen(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    const hsd_paths *paths = model->result;
    hsd_page page;
    hsd_page_begin(&page, options, out);
    hsd_out_warnings(&page.out, page.form, paths->warnings, paths->warning_count);
    hsd_page_capture(&page, &paths->side);
    hsd_text_put_part(&page, model, &(hsd_part){.kind = HSD_PART_SENTENCE, .say = hsd_say_paths});
    print_table(&page, paths);
    print_next(&page, paths);
    hsd_page_finish(&page, out);
}

hsd_status hsd_text_paths(const hsd_paths *paths, const hsd_report_options *options, hsd_write_fn write, void *context,
                          hsd_error *err)
{
    const hsd_reported result = {.paths = paths};
    if (options->plain) return hsd_plain_write(&result, options, write, context, err);
    return hsd_write_model(&result, HSD_AS_TEXT, put_screen, options, write, context, err);
}
