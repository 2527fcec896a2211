/*
 * A table of text: the first columns left, the others right, as wide as their contents; names of the
 * first column are cut where a terminal is too narrow for them.
 */
#ifndef HSD_REPORT_TABLE_H
#define HSD_REPORT_TABLE_H

#include "base/arena.h"
#include "report/write/out.h"

#define HSD_TABLE_COLUMNS_MAX 9

/* Colour is never the only sign: every painted cell has a sign, a word or a marker too. */
typedef enum hsd_paint { HSD_PAINT_NONE, HSD_PAINT_GROWTH, HSD_PAINT_SHRINKAGE, HSD_PAINT_HEADING } hsd_paint;

static inline hsd_paint hsd_paint_of(int64_t growth)
{
    return growth > 0 ? HSD_PAINT_GROWTH : growth < 0 ? HSD_PAINT_SHRINKAGE : HSD_PAINT_NONE;
}

typedef struct hsd_cell {
    const char *text;
    size_t size;
    size_t width; /* columns of the terminal */
    hsd_paint paint;
} hsd_cell;

typedef struct hsd_table {
    hsd_arena arena;
    hsd_cell *cells; /* rows * columns */
    size_t columns, rows, row_capacity;
    size_t left_columns; /* how many of the columns are left aligned; 1 after init */
    size_t left_from;    /* and from this one on they are again; 0 = none, as after init */
    size_t indent;       /* blanks before each line; 0 after init */
    bool has_ids;        /* another column tells rows apart: names that are cut may look alike */
    /* the first two columns share their room: where the second is short, a name may be longer */
    bool is_shared;
    size_t name_column;  /* whose cells are cut; 0 after init */
    bool is_loose;       /* three blanks before what is right aligned; the heading is painted as one */
    size_t name_columns; /* a name that is wider stands out of its column, so that other lines stay short; 0 = none */
    size_t widths[HSD_TABLE_COLUMNS_MAX]; /* of hsd_table_measure */
} hsd_table;

hsd_status hsd_table_init(hsd_table *table, size_t columns, size_t row_capacity, hsd_error *err);
void hsd_table_release(hsd_table *table);

/* Starts the next row; its cells are empty. */
void hsd_table_add_row(hsd_table *table);

/* Sets a cell of the newest row to a copy of text that is safe to print. */
hsd_status hsd_table_put(hsd_table *table, size_t column, const char *text, size_t size, hsd_paint paint,
                         hsd_error *err);

/*
 * Cuts the names of a column, usually the first, in the middle so that lines have at most `line_width` columns
 * (0 = no limit but `name_width` for each name, 0 = none either): what stands in <> goes first, then the middle. Names
 * that would look equal get longer until they differ, past the limit if need be. Row 0 (the heading) is left alone.
 */
hsd_status hsd_table_cut_names(hsd_table *table, size_t line_width, size_t name_width, bool use_utf8, hsd_error *err);

/* Columns of the longest line when each name is cut to `name_width`, if it is wider. */
size_t hsd_table_least_width(const hsd_table *table, size_t name_width);

void hsd_table_print(hsd_table *table, hsd_out *out, bool use_color);

/* The same row by row, for lines of others in between. */
void hsd_table_measure(hsd_table *table);
void hsd_table_print_row(const hsd_table *table, size_t row, hsd_out *out, bool use_color);

#endif
