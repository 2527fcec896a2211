/*
 * Tables as people read them: which columns a table has, and what stands in a cell. In such tables a SPREAD is of the
 * row itself.
 */
#ifndef HSD_REPORT_WRITE_CELLS_H
#define HSD_REPORT_WRITE_CELLS_H

#include "report/model/model.h"

#define HSD_CELLS_MOST 12u

typedef struct hsd_cells {
    const hsd_column *columns[HSD_CELLS_MOST]; /* the first is the name of a row */
    size_t count;
} hsd_cells;

/* Those that the model's format and result have. */
hsd_cells hsd_cells_of(const hsd_model *model, const hsd_part *part);

/* True for foreign text. */
bool hsd_cell_is_text(const hsd_column *column);

/* False for a number, which stands on the right. */
bool hsd_cell_is_left(const hsd_column *column);

/* Appends the title of a column. */
hsd_status hsd_cell_title(hsd_buffer *text, const hsd_column *column, const hsd_model *model, hsd_error *err);

/* Appends a cell that is foreign text: escape it as a whole. */
hsd_status hsd_cell_append(hsd_buffer *text, const hsd_column *column, const hsd_scope *scope, hsd_error *err);

/* Appends a cell that is text of ours: a number, a word, "~"; a picture of at most so many columns, with UTF-8. Nothing
 * where it is not known. */
hsd_status hsd_cell_own(hsd_buffer *text, const hsd_column *column, const hsd_scope *scope, size_t columns,
                        bool use_utf8, hsd_error *err);

/* A number in words, "" where it is not known. Returns out. */
#define HSD_CELL_CHARS (HSD_NUMBER_CHARS + 8)
char *hsd_cell_number(char out[HSD_CELL_CHARS], const hsd_column *column, const hsd_scope *scope, bool is_exact);

/* "1,204 other types". */
#define HSD_OTHERS_CHARS (HSD_NUMBER_CHARS + 48)
char *hsd_others_name(char out[HSD_OTHERS_CHARS], const hsd_part *part);

#endif
