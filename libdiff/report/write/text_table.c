/*
 * A table of a model as text: headings in capitals, rows, others, the total. Pictures take the room that names and
 * numbers leave. Where a terminal is too narrow, the row of others loses a word, names are cut, or stand on lines of
 * their own above their numbers; where that does not do, columns are left out.
 */
#include "report/write/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/table.h"
#include "report/words/number.h"
#include "report/words/shorten.h"
#include "report/words/sparkline.h"
#include "report/write/cells.h"

#define GAP_COLUMNS          2
#define INDENT_STEP          2u
#define NAME_COLUMNS         16 /* a name is given so many before a picture gets more than the least */
#define NAME_COLUMNS_STACKED 13 /* of a table whose names stand above their rows: "TOTAL", "12 others" */
#define NAME_COLUMNS_GIVEN   4  /* a name is given so many more when a column is left out for it */
#define TREND_LEAST          6
#define NAME_COLUMNS_IN_LOGS 60 /* of a loose table: a wider name stands out, so that all other lines stay short */
#define TREND_USUAL          12

typedef struct drawing {
    hsd_page *page;
    const hsd_model *model;
    const hsd_part *part;
    hsd_cells cells;
    hsd_table table;
    bool is_shared;       /* the first two columns share their room */
    size_t trend_columns; /* of the picture that is drawn */
} drawing;

void hsd_page_part(hsd_page *page)
{
    if (page->is_begun) hsd_out_text(page->out, "\n");
    page->is_begun = true;
}

/* ---- cells ---- */

/* Text of ours in the first column of the newest row. */
static void put_first(drawing *s, const char *text, hsd_paint paint)
{
    hsd_out *out = s->page->out;
    if (out->status == HSD_OK) out->status = hsd_table_put(&s->table, 0, text, strlen(text), paint, out->err);
}

static hsd_paint paint_of(const hsd_column *column, const hsd_scope *scope)
{
    if (!column->sign || !scope->row || (column->is_known && !column->is_known(scope))) return HSD_PAINT_NONE;
    return hsd_paint_of(column->sign(scope));
}

static void put_own(drawing *s, size_t i, const hsd_scope *scope, size_t columns)
{
    const hsd_column *column = s->cells.columns[i];
    hsd_buffer text = {0};
    hsd_out *out = s->page->out;
    if (out->status == HSD_OK)
        out->status = hsd_cell_own(&text, column, scope, columns, s->page->options->use_utf8, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_table_put(&s->table, i, text.size > 0 ? (const char *)text.data : "", text.size,
                                    paint_of(column, scope), out->err);
    hsd_buffer_release(&text);
}

static size_t depth_of(const drawing *s, size_t i, const hsd_scope *scope)
{
    const hsd_sheet *sheet = &s->part->sheet;
    return i == 0 && sheet->depth && !scope->is_rest ? sheet->depth(scope) : 0;
}

/* What is deeper than there are blanks for is indented no further. */
static void put_name(drawing *s, size_t i, size_t depth, hsd_text name)
{
    static const char blanks[] = "                        ";
    const size_t indent = INDENT_STEP * depth < sizeof blanks - 1 ? INDENT_STEP * depth : sizeof blanks - 1;
    hsd_buffer text = {0};
    hsd_out *out = s->page->out;
    if (name.size == 0) name = (hsd_text){"(no name)", strlen("(no name)")};
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&text, blanks, indent, out->err);
    if (out->status == HSD_OK) out->status = hsd_escape_append(&text, s->page->form, name.data, name.size, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_table_put(&s->table, i, (const char *)text.data, text.size, HSD_PAINT_NONE, out->err);
    hsd_buffer_release(&text);
}

static void put_cell(drawing *s, size_t i, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = s->page->out;
    if (s->cells.columns[i]->kind == HSD_KIND_TREND) return; /* when all else is there to be measured */
    if (!hsd_cell_is_text(s->cells.columns[i])) {
        put_own(s, i, scope, 0);
        return;
    }
    if (out->status == HSD_OK) out->status = hsd_cell_append(&text, s->cells.columns[i], scope, out->err);
    put_name(s, i, depth_of(s, i, scope), (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
}

static void put_row(drawing *s, size_t from, const hsd_scope *scope)
{
    for (size_t i = from; i < s->cells.count; i++)
        put_cell(s, i, scope);
}

static void put_sum(drawing *s, const char *name, hsd_paint paint, const hsd_scope *scope)
{
    hsd_table_add_row(&s->table);
    put_first(s, name, paint);
    put_row(s, 1, scope);
}

/* In capitals. */
static void put_headings(drawing *s)
{
    hsd_out *out = s->page->out;
    hsd_table_add_row(&s->table);
    for (size_t i = 0; i < s->cells.count; i++) {
        hsd_buffer title = {0};
        if (out->status == HSD_OK) out->status = hsd_cell_title(&title, s->cells.columns[i], s->model, out->err);
        const bool stays = (s->cells.columns[i]->flags & HSD_TITLE_STAYS) != 0;
        for (size_t k = 0; !stays && k < title.size; k++)
            if (title.data[k] >= 'a' && title.data[k] <= 'z')
                title.data[k] = (unsigned char)(title.data[k] - 'a' + 'A');
        if (out->status == HSD_OK)
            out->status = hsd_table_put(&s->table, i, title.size > 0 ? (const char *)title.data : "", title.size,
                                        HSD_PAINT_HEADING, out->err);
        hsd_buffer_release(&title);
    }
}

/* ---- rows ---- */

static hsd_scope scope_of_total(const drawing *s)
{
    hsd_scope sum = hsd_sheet_others(s->model, &s->part->sheet);
    sum.row = s->part->sheet.total;
    return sum;
}

static void put_aside(drawing *s)
{
    hsd_scope scope = hsd_sheet_others(s->model, &s->part->sheet);
    scope.row = s->part->sheet.aside;
    if (s->part->sheet.aside_name) {
        put_sum(s, s->part->sheet.aside_name, HSD_PAINT_NONE, &scope);
        return;
    }
    hsd_table_add_row(&s->table);
    put_row(s, 0, &scope);
}

static void put_rows(drawing *s)
{
    const hsd_sheet *sheet = &s->part->sheet;
    char name[HSD_OTHERS_CHARS];
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(s->model, sheet, i);
        hsd_table_add_row(&s->table);
        put_row(s, 0, &scope);
    }
    const hsd_scope others = hsd_sheet_others(s->model, sheet), total = scope_of_total(s);
    if (sheet->other_count > 0) put_sum(s, hsd_others_name(name, s->part), HSD_PAINT_NONE, &others);
    if (sheet->aside) put_aside(s);
    if (sheet->total) put_sum(s, "TOTAL", HSD_PAINT_HEADING, &total);
}

/* ---- pictures ---- */

static size_t width_of_column(const hsd_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t width = table->cells[row * table->columns + column].width;
        if (width > widest) widest = width;
    }
    return widest;
}

/* Columns of the terminal for a picture of `count` values: all of them if there is room beside the names. */
static size_t columns_of_trend(const drawing *s, size_t trend, size_t count)
{
    const size_t width = s->page->options->width,
                 most = count < HSD_SPARKLINE_COLUMNS_MAX ? count : HSD_SPARKLINE_COLUMNS_MAX;
    size_t taken = GAP_COLUMNS, name = width_of_column(&s->table, 0);
    if (width == 0 || most <= TREND_LEAST) return most;
    for (size_t column = 1; column < s->table.columns; column++)
        if (column != trend) taken += width_of_column(&s->table, column) + GAP_COLUMNS;
    const size_t room = width > taken ? width - taken : 0;
    if (room >= name + TREND_USUAL) return most < room - name ? most : room - name;
    if (name > NAME_COLUMNS) name = NAME_COLUMNS;
    const size_t rest = room > name ? room - name : 0, usual = most < TREND_USUAL ? most : TREND_USUAL;
    return rest < TREND_LEAST ? TREND_LEAST : rest < usual ? rest : usual;
}

/* Of the table's row `row`. */
static void put_picture(drawing *s, size_t trend, size_t row, const hsd_scope *scope)
{
    const size_t rows = s->table.rows;
    s->table.rows = row + 1; /* cells are put into the newest line */
    put_own(s, trend, scope, s->trend_columns);
    s->table.rows = rows;
}

static void put_pictures_of(drawing *s, size_t trend)
{
    const hsd_sheet *sheet = &s->part->sheet;
    const hsd_scope others = hsd_sheet_others(s->model, sheet), total = scope_of_total(s);
    size_t row = 1;
    s->trend_columns = 0;
    for (size_t i = 0; i < sheet->rows.count + 1; i++) {
        const bool is_row = i < sheet->rows.count;
        const hsd_scope scope = is_row ? hsd_sheet_row(s->model, sheet, i) : sheet->other_count > 0 ? others : total;
        if (!scope.row) return;
        if (i == 0)
            s->trend_columns =
                columns_of_trend(s, trend, hsd_column_value(s->cells.columns[trend], &scope).items.count);
        put_picture(s, trend, row++, &scope);
    }
    if (sheet->other_count > 0 && sheet->total) put_picture(s, trend, row, &total);
}

static void put_pictures(drawing *s)
{
    for (size_t i = 0; i < s->cells.count; i++)
        if (s->cells.columns[i]->kind == HSD_KIND_TREND) put_pictures_of(s, i);
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
    for (size_t column = 2; column < table->columns; column++)
        line += GAP_COLUMNS + width_of_column(table, column);
    return line;
}

/* "1,206 others": a number is not to be cut, so a word goes. */
static void shorten_others(drawing *s, size_t row)
{
    const uint64_t count = s->part->sheet.other_count;
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    const size_t rows = s->table.rows;
    snprintf(text, sizeof text, "%s other%s", hsd_format_count(number, count), count == 1 ? "" : "s");
    s->table.rows = row + 1; /* cells are put into the newest line */
    put_first(s, text, HSD_PAINT_NONE);
    s->table.rows = rows;
}

static hsd_status gather_text_table_writer(void *buffer, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(buffer, data, size, err);
}

/* A name, cut in the middle to fit the terminal. */
static void print_name(hsd_page *page, const hsd_cell *cell)
{
    hsd_out *out = page->out;
    hsd_arena arena = {0};
    hsd_short_name name = {.full = cell->text, .full_size = cell->size, .text = cell->text, .size = cell->size};
    if (out->status == HSD_OK && cell->width > page->options->width)
        out->status = hsd_shorten_names(&name, 1, page->options->width, page->options->use_utf8, &arena, out->err);
    if (out->status == HSD_OK) hsd_out_bytes(out, name.text, name.size);
    hsd_out_text(out, "\n");
    hsd_arena_release(&arena);
}

/* `lines`: the table as it is printed without the names; one for each row. */
static void print_interleaved(hsd_page *page, const hsd_cell *names, size_t count, const hsd_buffer *lines)
{
    const char *line = (const char *)lines->data, *end = line + lines->size;
    for (size_t row = 0; line < end; row++) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        if (row < count && names[row].size > 0) print_name(page, &names[row]);
        hsd_out_bytes(page->out, line, (size_t)(next - line));
        line = next;
    }
}

/* Names of the first `rows` rows above them. */
static void print_stacked(hsd_page *page, hsd_table *table, size_t rows)
{
    hsd_out *out = page->out, lines_out;
    hsd_buffer lines = {0};
    hsd_cell *names = calloc(rows, sizeof *names);
    hsd_page_part(page);
    if (!names) {
        out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table of %zu rows", rows);
        return;
    }
    for (size_t row = 1; row < rows; row++) { /* row 0 is the heading */
        names[row] = table->cells[row * table->columns];
        table->cells[row * table->columns] = (hsd_cell){0};
    }
    hsd_out_init(&lines_out, gather_text_table_writer, &lines, out->err);
    hsd_table_print(table, &lines_out, page->options->use_color);
    out->status = hsd_out_finish(&lines_out);
    if (out->status == HSD_OK) print_interleaved(page, names, rows, &lines);
    hsd_buffer_release(&lines);
    free(names);
}

/* ---- the table ---- */

/* What stands below each row. */
static void print_with_lines(drawing *s)
{
    const hsd_sheet *sheet = &s->part->sheet;
    hsd_out *out = s->page->out;
    hsd_table_measure(&s->table);
    for (size_t row = 0; row < s->table.rows && out->status == HSD_OK; row++) {
        hsd_table_print_row(&s->table, row, out, s->page->options->use_color);
        if (row == 0 || row > sheet->rows.count) continue;
        const hsd_scope scope = hsd_sheet_row(s->model, sheet, row - 1);
        sheet->tell_below(out, &scope, s->page->form);
    }
}

/* Cuts names to the terminal, prints the table. */
static void print_cut(drawing *s)
{
    hsd_page *page = s->page;
    hsd_table *table = &s->table;
    hsd_out *out = page->out;
    const hsd_report_options *options = page->options;
    if (out->status == HSD_OK)
        out->status = hsd_table_cut_names(table, options->width, options->name_width, options->use_utf8, out->err);
    hsd_page_part(page);
    if (out->status == HSD_OK && s->part->sheet.tell_below)
        print_with_lines(s);
    else if (out->status == HSD_OK)
        hsd_table_print(table, out, options->use_color);
}

/* Rows below those with names. */
static size_t sums_of(const drawing *s)
{
    return (size_t)(s->part->sheet.other_count > 0) + (s->part->sheet.total != NULL);
}

static bool is_wide(const drawing *s)
{
    const unsigned width = s->page->options->width;
    return s->page->out->status == HSD_OK && width > 0 && width_of_line(&s->table) > width;
}

static void end_table(drawing *s)
{
    if (s->part->fit == HSD_FIT_STACKED && is_wide(s))
        print_stacked(s->page, &s->table, s->table.rows - sums_of(s));
    else
        print_cut(s);
}

/* The first columns that stand on the left: one, or a word before the name. */
static size_t left_columns(const hsd_cells *cells)
{
    return cells->count > 1 && !hsd_cell_is_text(cells->columns[0]) && hsd_cell_is_text(cells->columns[1]) ? 2 : 1;
}

/* ---- columns that are left out ---- */

static bool stays(const drawing *s, size_t i) { return (s->cells.columns[i]->flags & HSD_TO_THE_LAST) != 0; }

/* The last one that need not stay; of those before the first that does, which lead up to it, the first. 0 = all must.
 */
static size_t column_to_leave_out(const drawing *s)
{
    const size_t first = left_columns(&s->cells);
    size_t least = first, last = s->cells.count;
    while (least < s->cells.count && !stays(s, least))
        least++;
    while (last > least && stays(s, last - 1))
        last--;
    if (last > least) return last - 1;
    return least < s->cells.count && least > first ? first : 0;
}

static bool leave_one_out(drawing *s)
{
    const size_t which = column_to_leave_out(s);
    if (which == 0) return false;
    for (size_t i = which; i + 1 < s->cells.count; i++)
        s->cells.columns[i] = s->cells.columns[i + 1];
    s->cells.count--;
    s->is_shared = s->is_shared && s->cells.count > 1;
    return true;
}

/* The last columns that stand on the left. */
static size_t left_from(const hsd_cells *cells)
{
    size_t from = cells->count;
    while (from > 1 && hsd_cell_is_left(cells->columns[from - 1]) && !hsd_cell_is_text(cells->columns[from - 1]))
        from--;
    return from < cells->count ? from : 0;
}

static hsd_status fill_table(drawing *s)
{
    const hsd_part *part = s->part;
    HSD_TRY(hsd_table_init(&s->table, s->cells.count, part->sheet.rows.count + 4, s->page->out->err));
    s->table.has_ids = part->has_ids;
    s->table.is_shared = s->is_shared;
    s->table.left_from = left_from(&s->cells);
    s->table.left_columns = left_columns(&s->cells);
    s->table.name_column = s->table.left_columns - 1;
    s->table.is_loose = part->is_loose;
    s->table.name_columns = part->is_loose && s->page->options->width == 0 ? NAME_COLUMNS_IN_LOGS : 0;
    put_headings(s);
    put_rows(s);
    put_pictures(s);
    if (part->fit != HSD_FIT_NAMES && part->sheet.other_count > 0 && is_wide(s))
        shorten_others(s, s->table.rows - sums_of(s));
    return s->page->out->status;
}

/* With as many columns as the terminal has room for. */
static hsd_status fit_table(drawing *s)
{
    const unsigned width = s->page->options->width;
    size_t name = s->part->fit == HSD_FIT_STACKED ? NAME_COLUMNS_STACKED : NAME_COLUMNS;
    bool is_fit = false;
    for (bool is_first = true; !is_fit; is_first = false) {
        HSD_TRY(fill_table(s));
        is_fit = width == 0 || hsd_table_least_width(&s->table, name) <= width || !leave_one_out(s);
        if (is_first && s->part->fit != HSD_FIT_STACKED) name += NAME_COLUMNS_GIVEN;
        if (!is_fit) hsd_table_release(&s->table);
    }
    return HSD_OK;
}

void hsd_text_put_table(hsd_page *page, const hsd_model *model, const hsd_part *part)
{
    drawing s = {
        .page = page, .model = model, .part = part, .cells = hsd_cells_of(model, part), .is_shared = part->is_shared};
    hsd_out *out = page->out;
    if (part->sheet.is_unknown || out->status != HSD_OK) return;
    out->status = fit_table(&s);
    if (out->status == HSD_OK) end_table(&s);
    hsd_table_release(&s.table);
    page->has_just_said = false;
}
