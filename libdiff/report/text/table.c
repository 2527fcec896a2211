/*
 * Laying out a table: measure, cut names, pad. Widths are columns of a terminal, never bytes.
 */
#include "report/text/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/words/address_names.h"
#include "report/words/shorten.h"
#include "report/words/width.h"

#define GAP_COLUMNS       2 /* between two columns */
#define LOOSE_GAP_COLUMNS 3
#define NAME_COLUMNS_MIN  16 /* narrower than that a name says nothing */

hsd_status hsd_table_init(hsd_table *table, size_t columns, size_t row_capacity, hsd_error *err)
{
    *table = (hsd_table){.columns = columns, .row_capacity = row_capacity, .left_columns = 1};
    size_t count, bytes;
    if (!hsd_mul_size(columns, row_capacity, &count) || !hsd_mul_size(count, sizeof(hsd_cell), &bytes) ||
        !(table->cells = calloc(count > 0 ? count : 1, sizeof(hsd_cell))))
        return hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", row_capacity);
    return HSD_OK;
}

void hsd_table_release(hsd_table *table)
{
    free(table->cells);
    hsd_arena_release(&table->arena);
    *table = (hsd_table){0};
}

void hsd_table_add_row(hsd_table *table) { table->rows++; }

static hsd_cell *cell_at(const hsd_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

hsd_status hsd_table_put(hsd_table *table, size_t column, const char *text, size_t size, hsd_paint paint,
                         hsd_error *err)
{
    char *copy = hsd_arena_copy(&table->arena, text, size);
    if (!copy) return hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", table->rows);
    *cell_at(table, table->rows - 1, column) =
        (hsd_cell){.text = copy, .size = size, .width = hsd_width_of_text(copy, size), .paint = paint};
    return HSD_OK;
}

/* Of column 0 with column 1 in it, when the two share their room. */
static size_t shared_width(const hsd_table *table, size_t row)
{
    const size_t name = cell_at(table, row, 0)->width, next = cell_at(table, row, 1)->width;
    return name + (next > 0 ? GAP_COLUMNS + next : 0);
}

static size_t gap_before(const hsd_table *table, size_t column)
{
    if (column == 0) return 0;
    return table->is_loose && column >= table->left_columns ? LOOSE_GAP_COLUMNS : GAP_COLUMNS;
}

static size_t column_width(const hsd_table *table, size_t column)
{
    size_t widest = 0;
    if (table->is_shared && column == 1) return 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t width =
            table->is_shared && column == 0 ? shared_width(table, row) : cell_at(table, row, column)->width;
        if (width > widest) widest = width;
    }
    if (column == table->name_column && table->name_columns > 0 && widest > table->name_columns)
        return table->name_columns;
    return widest;
}

/* Columns of the terminal that the name of a row may take, of `width` for all that shares them. */
static size_t room_for_name(const hsd_table *table, size_t row, size_t width)
{
    const size_t next = table->is_shared ? cell_at(table, row, 1)->width : 0, taken = next > 0 ? next + GAP_COLUMNS : 0;
    return width > taken + NAME_COLUMNS_MIN ? width - taken : NAME_COLUMNS_MIN;
}

/* Of all columns that are cut nowhere, and the gaps between them. */
static size_t width_beside_names(const hsd_table *table)
{
    const size_t name = table->name_column;
    size_t others = 0;
    for (size_t column = 0; column < table->columns; column++)
        if (column != name && !(table->is_shared && column == 1))
            others += column_width(table, column) + gap_before(table, column > name ? column : column + 1);
    return others;
}

size_t hsd_table_least_width(const hsd_table *table, size_t name_width)
{
    size_t widest = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t name = cell_at(table, row, table->name_column)->width,
                     beside = table->is_shared ? shared_width(table, row) - name : 0,
                     width = (name < name_width || row == 0 ? name : name_width) + beside;
        if (width > widest) widest = width;
    }
    return widest + width_beside_names(table);
}

static bool has_address_names(const hsd_table *table)
{
    for (size_t row = 1; row < table->rows; row++) {
        const hsd_cell *cell = cell_at(table, row, table->name_column);
        if (hsd_has_address_names(cell->text, cell->size)) return true;
    }
    return false;
}

hsd_status hsd_table_cut_names(hsd_table *table, size_t line_width, size_t name_width, bool use_utf8, hsd_error *err)
{
    const size_t name = table->name_column, others = width_beside_names(table);
    if (line_width == 0 && name_width > 0) line_width = name_width + others;
    const bool fits = line_width == 0 || column_width(table, name) + others <= line_width;
    if (table->rows < 2 || (fits && !has_address_names(table))) return HSD_OK;

    const size_t width = line_width == 0 ? SIZE_MAX / 4 : line_width > others ? line_width - others : 0;
    const size_t count = table->rows - 1;
    hsd_short_name *names = calloc(count, sizeof *names);
    if (!names) return hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", table->rows);
    for (size_t i = 0; i < count; i++) {
        const hsd_cell *cell = cell_at(table, i + 1, name);
        names[i] =
            (hsd_short_name){.full = cell->text, .full_size = cell->size, .room = room_for_name(table, i + 1, width)};
    }
    hsd_status status = HSD_OK;
    for (size_t i = 0; table->has_ids && status == HSD_OK && i < count; i++)
        status = hsd_shorten_names(&names[i], 1, width, use_utf8, &table->arena, err);
    if (!table->has_ids) status = hsd_shorten_names(names, count, width, use_utf8, &table->arena, err);
    for (size_t i = 0; status == HSD_OK && i < count; i++) {
        hsd_cell *cell = cell_at(table, i + 1, name);
        cell->text = names[i].text;
        cell->size = names[i].size;
        cell->width = hsd_width_of_text(cell->text, cell->size);
    }
    free(names);
    return status;
}

static void paint_begin(hsd_out *out, hsd_paint paint, bool use_color)
{
    static const char *const codes[] = {[HSD_PAINT_NONE] = "",
                                        [HSD_PAINT_GROWTH] = "\x1b[91m",    /* orange-red and blue: told apart */
                                        [HSD_PAINT_SHRINKAGE] = "\x1b[34m", /* by eyes that see no red or green */
                                        [HSD_PAINT_HEADING] = "\x1b[1m"};
    if (use_color) hsd_out_text(out, codes[paint]);
}

static void paint_end(hsd_out *out, hsd_paint paint, bool use_color)
{
    if (use_color && paint != HSD_PAINT_NONE) hsd_out_text(out, "\x1b[0m");
}

/* Blanks between a cell and the edge of its column. */
static size_t padding_of(const hsd_table *table, size_t row, size_t column, const size_t *widths)
{
    const bool is_pair = table->is_shared && column < 2;
    const size_t width = is_pair ? shared_width(table, row) : cell_at(table, row, column)->width,
                 room = widths[is_pair ? 0 : column];
    return is_pair && column == 0 ? 0 : room > width ? room - width : 0;
}

void hsd_table_print_row(const hsd_table *table, size_t row, hsd_out *out, bool use_color)
{
    const hsd_paint whole = table->is_loose && row == 0 ? HSD_PAINT_HEADING : HSD_PAINT_NONE;
    size_t pending = table->indent; /* blanks that are written only when something follows */
    paint_begin(out, whole, use_color);
    for (size_t column = 0; column < table->columns; column++) {
        const hsd_cell *cell = cell_at(table, row, column);
        const hsd_paint paint = whole == HSD_PAINT_NONE ? cell->paint : HSD_PAINT_NONE;
        const size_t padding = padding_of(table, row, column, table->widths);
        const bool is_left = column < table->left_columns || (table->left_from > 0 && column >= table->left_from),
                   is_absent = table->is_shared && column == 1 && cell->width == 0;
        pending += (is_absent ? 0 : gap_before(table, column)) + (is_left ? 0 : padding);
        if (cell->size > 0) {
            hsd_out_repeat(out, ' ', pending);
            pending = 0;
            paint_begin(out, paint, use_color);
            hsd_out_bytes(out, cell->text, cell->size);
            paint_end(out, paint, use_color);
        }
        if (is_left) pending += padding;
    }
    paint_end(out, whole, use_color);
    hsd_out_text(out, "\n");
}

void hsd_table_measure(hsd_table *table)
{
    for (size_t column = 0; column < table->columns; column++)
        table->widths[column] = column_width(table, column);
}

void hsd_table_print(hsd_table *table, hsd_out *out, bool use_color)
{
    hsd_table_measure(table);
    for (size_t row = 0; row < table->rows; row++)
        hsd_table_print_row(table, row, out, use_color);
}
