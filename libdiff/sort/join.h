/*
 * Two sorters in one walk: every record of the one that has the first word of a record of the other. How ids become
 * ordinals without a table of ids in memory.
 */
#ifndef HSD_SORT_JOIN_H
#define HSD_SORT_JOIN_H

#include "sort/sorter.h"

/* `record` of the asking side, `row` of the other, both borrowed for the call. */
typedef hsd_status (*hsd_join_fn)(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err);

/*
 * Walks `rows` (rewound first; the first words differ) beside `records`, which must be finished and not begun, and
 * calls `take` for every record that has a row. The others are added to *missing. Fails as sorters and `take` do.
 */
hsd_status hsd_sort_join(hsd_sorter *rows, hsd_sorter *records, hsd_join_fn take, void *context, uint64_t *missing,
                         hsd_error *err);

#endif
