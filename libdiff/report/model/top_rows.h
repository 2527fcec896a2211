/*
 * Rows of one capture by type or by root: which are shown, in which order, and what the rest adds up to. Shared
 * by every format, so that all of them show the same rows.
 */
#ifndef HSD_REPORT_TOP_ROWS_H
#define HSD_REPORT_TOP_ROWS_H

#include "base/buffer.h"
#include <hsdiff/report.h>

typedef struct hsd_top_row { /* a view of a type or a root */
    hsd_text name;
    hsd_amount live, unreached;
    uint64_t retained_bytes;
    const hsd_top_root *root; /* NULL for a type */
} hsd_top_row;

typedef struct hsd_top_ranking {
    hsd_top_row *rows; /* all, the shown ones first and in order; owned */
    size_t count, shown;
    hsd_amount others, others_unreached; /* sums of the rows from `shown` on. What they retain has no sum: what
                                          * a list retains, its elements retain too */
} hsd_top_ranking;

/*
 * The `most` rows that are largest by the sort key, in its order; by name: those that retain most, in the order of
 * their names. Unless `most` is HSD_TOP_ALL a row without a live object is never shown.
 */
hsd_status hsd_top_ranking_init(hsd_top_ranking *ranking, const hsd_top *top, bool is_types, hsd_sort_by sort_by,
                                size_t most, hsd_error *err);
void hsd_top_ranking_release(hsd_top_ranking *ranking);

/* True where what a row retains can be told: not of objects that several roots share. */
static inline bool hsd_top_row_retains(const hsd_top *top, const hsd_top_row *row)
{
    return top->has_retained && (!row->root || !row->root->is_shared);
}

/* "global.sessions: Map": where an object is and, between `before` and `after`, what. */
hsd_status hsd_top_object_append(hsd_buffer *out, const hsd_top_object *object, const char *before, const char *after,
                                 hsd_error *err);

#endif
