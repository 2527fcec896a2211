/*
 * What the tables of a series share: names of rows, and lines whose names stand above them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/series_screen.h"
#include "report/words/number.h"
#include "report/words/shorten.h"
#include "report/words/width.h"

#define GAP_COLUMNS 2

const char *hsd_series_heading(hsd_report_table table)
{
    return table == HSD_TABLE_TYPES ? "TYPE" : table == HSD_TABLE_ROOTS ? "ROOT" : "WHAT KEEPS IT ALIVE";
}

void hsd_series_put_row_name(hsd_series_screen *screen, hsd_table *table, hsd_report_table which,
                             const hsd_series_row *row)
{
    hsd_buffer name = {0};
    hsd_out *out = &screen->page.out;
    if (which != HSD_TABLE_HOLDERS) {
        hsd_page_put_name(&screen->page, table, 0, row->name);
        return;
    }
    if (out->status == HSD_OK) out->status = hsd_series_append_holder(&name, row, out->err);
    hsd_page_put_name(&screen->page, table, 0, (hsd_text){(const char *)name.data, name.size});
    hsd_buffer_release(&name);
}

void hsd_series_put_others_name(hsd_series_screen *screen, hsd_table *table, hsd_report_table which, uint64_t count)
{
    static const char *const nouns[] = {
        [HSD_TABLE_TYPES] = "type", [HSD_TABLE_ROOTS] = "root", [HSD_TABLE_HOLDERS] = "holder"};
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    hsd_format_count(number, count);
    snprintf(text, sizeof text, "%s other %s%s", number, nouns[which], count == 1 ? "" : "s");
    hsd_page_put(&screen->page, table, 0, text, HSD_PAINT_NONE);
}

char *hsd_series_growth_size(const hsd_series_screen *screen, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    if (bytes == 0) {
        snprintf(out, HSD_NUMBER_CHARS, "[ = ]");
        return out;
    }
    return screen->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

/* ---- names on lines of their own ---- */

static const hsd_cell *cell_at(const hsd_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

/* Of the line that needs most; the first two columns share their room. */
static size_t width_of_line(const hsd_table *table)
{
    size_t line = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t width = cell_at(table, row, 0)->width + GAP_COLUMNS + cell_at(table, row, 1)->width;
        if (width > line) line = width;
    }
    for (size_t column = 2; column < table->columns; column++) {
        size_t widest = 0;
        for (size_t row = 0; row < table->rows; row++)
            if (cell_at(table, row, column)->width > widest) widest = cell_at(table, row, column)->width;
        line += GAP_COLUMNS + widest;
    }
    return line;
}

/* "1,206 others": a number is not to be cut, so a word goes. */
static void shorten_others(hsd_series_screen *screen, hsd_table *table, size_t row, uint64_t count)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    const size_t rows = table->rows;
    snprintf(text, sizeof text, "%s other%s", hsd_format_count(number, count), count == 1 ? "" : "s");
    table->rows = row + 1; /* cells are put into the newest line */
    hsd_page_put(&screen->page, table, 0, text, HSD_PAINT_NONE);
    table->rows = rows;
}

static hsd_status gather(void *buffer, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(buffer, data, size, err);
}

/* A name, cut in the middle to fit the terminal. */
static void print_name(hsd_series_screen *screen, const hsd_cell *cell)
{
    hsd_out *out = &screen->page.out;
    hsd_arena arena = {0};
    hsd_short_name name = {.full = cell->text, .full_size = cell->size, .text = cell->text, .size = cell->size};
    if (out->status == HSD_OK && cell->width > screen->options->width)
        out->status = hsd_shorten_names(&name, 1, screen->options->width, screen->options->use_utf8, &arena, out->err);
    if (out->status == HSD_OK) hsd_out_bytes(out, name.text, name.size);
    hsd_out_text(out, "\n");
    hsd_arena_release(&arena);
}

/* `lines`: the table as it is printed without the names; one for each row. */
static void print_interleaved(hsd_series_screen *screen, const hsd_cell *names, size_t count, const hsd_buffer *lines)
{
    const char *line = (const char *)lines->data, *end = line + lines->size;
    for (size_t row = 0; line < end; row++) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        if (row < count && names[row].size > 0) print_name(screen, &names[row]);
        hsd_out_bytes(&screen->page.out, line, (size_t)(next - line));
        line = next;
    }
}

static void print_stacked(hsd_series_screen *screen, hsd_table *table, size_t rows)
{
    hsd_out *out = &screen->page.out, lines_out;
    hsd_buffer lines = {0};
    hsd_cell *names = calloc(rows, sizeof *names);
    hsd_page_part(&screen->page);
    if (!names) {
        out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table of %zu rows", rows);
        return;
    }
    for (size_t row = 1; row < rows; row++) { /* row 0 is the heading */
        names[row] = table->cells[row * table->columns];
        table->cells[row * table->columns] = (hsd_cell){0};
    }
    hsd_out_init(&lines_out, gather, &lines, out->err);
    hsd_table_print(table, &lines_out, screen->options->use_color);
    out->status = hsd_out_finish(&lines_out);
    if (out->status == HSD_OK) print_interleaved(screen, names, rows, &lines);
    hsd_buffer_release(&lines);
    free(names);
}

void hsd_series_end_table(hsd_series_screen *screen, hsd_table *table, hsd_report_table which, uint64_t other_count)
{
    const unsigned width = screen->options->width;
    const bool has_total = which == HSD_TABLE_TYPES, is_stacked = which != HSD_TABLE_TYPES;
    const size_t own = (size_t)has_total + (other_count > 0);
    const bool is_wide = screen->page.out.status == HSD_OK && width > 0 && width_of_line(table) > width;
    if (is_wide && other_count > 0) shorten_others(screen, table, table->rows - own, other_count);
    if (!is_wide || !is_stacked || width_of_line(table) <= width) {
        hsd_page_end_table(&screen->page, table);
        return;
    }
    print_stacked(screen, table, table->rows - own);
    hsd_table_release(table);
}
