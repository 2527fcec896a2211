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

#include "report/page.h"
#include "report/paths_rows.h"
#include "report/top_formats.h"

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
        out->status =
            hsd_escape_append(&escaped, page->form, (char *)line->data, line->size, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_table_put(table, PATH, (char *)escaped.data, escaped.size, HSD_PAINT_NONE,
                                    out->err);
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
        if (out->status == HSD_OK)
            out->status = hsd_step_append_with_type(line, &row->steps[i], out->err);
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

static void put_sum(hsd_page *page, hsd_table *table, const char *name, hsd_paint paint,
                    hsd_amount amount)
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
    if (paths->row_count == 0 ||
        !hsd_page_begin_table(page, &table, paths->is_id ? OBJECTS : COLUMNS, lines))
        return;
    hsd_page_headings(page, &table, headings);
    for (size_t i = 0; i < paths->row_count; i++)
        put_row(page, &table, &paths->rows[i]);
    put_sums(page, &table, paths);
    hsd_page_end_table(page, &table);
}

/* ---- the sentence ---- */

static void put_subject(hsd_page *page, const hsd_paths *paths)
{
    char id[HSD_NUMBER_CHARS];
    const hsd_path_row *row = paths->row_count > 0 ? &paths->rows[0] : NULL;
    hsd_text type = paths->type;
    if (paths->is_id && type.size == 0 && row && row->step_count > 0)
        type = row->steps[row->step_count - 1].type;
    if (paths->is_id) hsd_out_text(&page->out, hsd_format_id(id, &paths->side.info, paths->id));
    if (paths->is_id && type.size > 0) hsd_out_text(&page->out, " ");
    hsd_out_escaped(&page->out, page->form, type);
}

static void put_objects(hsd_page *page, const hsd_paths *paths, hsd_amount amount)
{
    char objects[HSD_NUMBER_CHARS], bytes[HSD_NUMBER_CHARS];
    if (!paths->is_id)
        hsd_out_format(&page->out, "%s object%s, ", hsd_format_count(objects, amount.objects),
                       amount.objects == 1 ? "" : "s");
    hsd_out_text(&page->out, hsd_page_size(page, bytes, amount.bytes));
}

/* "Session: 412,310 objects, 163.9 MiB, reached over 3 paths; 20 objects, 1.88 KiB, are unreached." */
static void print_sentence(hsd_page *page, const hsd_paths *paths)
{
    char count[HSD_NUMBER_CHARS];
    const uint64_t ways = paths->row_count + paths->other_rows;
    hsd_out *out = &page->out;
    hsd_page_part(page);
    hsd_out_begin_paragraph(out);
    put_subject(page, paths);
    hsd_out_text(out, ": ");
    if (paths->live.objects > 0) {
        put_objects(page, paths, paths->live);
        hsd_out_format(out, ", reached over %s path%s", hsd_format_count(count, ways),
                       ways == 1 ? "" : "s");
    }
    if (paths->unreached.objects > 0) {
        if (paths->live.objects > 0) hsd_out_text(out, "; ");
        put_objects(page, paths, paths->unreached);
        hsd_out_text(out, ", unreached: no root leads there over strong references");
    }
    hsd_out_text(out, ".");
    hsd_out_end_paragraph(out, 0);
}

static void print_next(hsd_page *page, const hsd_paths *paths)
{
    hsd_next list[3];
    char id[HSD_NUMBER_CHARS];
    size_t count = 0;
    hsd_format_id(id, &paths->side.info, paths->id);
    if (paths->other_rows > 0)
        list[count++] =
            (hsd_next){"hsdiff paths", "--top 100",
                       paths->is_id ? (hsd_text){id, strlen(id)} : paths->type, "more of them"};
    list[count++] = (hsd_next){"hsdiff top", "", {"", 0}, "what holds most"};
    if (page->options->is_foreign && page->options->command && page->options->command[0] != '-')
        list[count++] =
            (hsd_next){"hsdiff import", "-o heap.hs", {"", 0}, "to read the dump only once"};
    hsd_page_next(page, list, count);
}

/* ---- plain ---- */

static void print_plain(hsd_page *page, const hsd_paths *paths)
{
    hsd_buffer line = {0};
    hsd_out *out = &page->out;
    hsd_page_plain_head(page, &paths->side, paths->warnings, paths->warning_count);
    hsd_out_text(out, "# path, others\treferences\tobjects\tbytes\tpath\n");
    for (size_t i = 0; i < paths->row_count; i++) {
        const hsd_path_row *row = &paths->rows[i];
        hsd_out_text(out, "path");
        hsd_page_field_count(page, row->length);
        hsd_page_field_count(page, row->objects.objects);
        hsd_page_field_count(page, row->objects.bytes);
        if (out->status == HSD_OK) out->status = hsd_path_append(&line, row, out->err);
        hsd_page_field(page, (hsd_text){(char *)line.data, line.size});
        hsd_out_text(out, "\n");
        hsd_buffer_clear(&line);
    }
    hsd_buffer_release(&line);
    if (paths->other_rows == 0) return;
    hsd_out_text(out, "others\t");
    hsd_page_field_count(page, paths->others.objects);
    hsd_page_field_count(page, paths->others.bytes);
    hsd_out_text(out, "\t\n");
}

hsd_status hsd_paths_write_text(const hsd_paths *paths, const hsd_single_options *options,
                                hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_page page;
    hsd_page_init(&page, options, write, context, err);
    if (options->plain) {
        print_plain(&page, paths);
        return hsd_out_finish(&page.out);
    }
    hsd_out_warnings(&page.out, page.form, paths->warnings, paths->warning_count);
    hsd_page_capture(&page, &paths->side);
    print_sentence(&page, paths);
    print_table(&page, paths);
    print_next(&page, paths);
    return hsd_out_finish(&page.out);
}
