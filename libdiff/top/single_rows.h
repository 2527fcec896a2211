/*
 * One walked capture as rows of a result: what top and profiles have in common. Rows come in no order that matters.
 */
#ifndef HSD_TOP_SINGLE_ROWS_H
#define HSD_TOP_SINGLE_ROWS_H

#include "walk/retained.h"
#include "walk/single.h"
#include "walk/store.h"
#include <hsdiff/top.h>

/* Types with objects. `retained` by common type; NULL = not known. The rows are the store's. */
hsd_status hsd_single_types(const hsd_single *single, const hsd_retained_sums *retained, hsd_diff_store *store,
                            hsd_top_type **rows, size_t *count, hsd_error *err);

/* Roots that own or retain something; none of a capture whose reachability cannot be told. `retained` by root. */
hsd_status hsd_single_roots(const hsd_single *single, const hsd_retained_sums *retained, hsd_diff_store *store,
                            hsd_top_root **rows, size_t *count, hsd_error *err);

/* The side of these types; and what the reader must know of the capture, as warnings. */
hsd_status hsd_single_side(const hsd_single *single, const hsd_top_type *types, size_t count, hsd_diff_store *store,
                           hsd_side *out, hsd_error *err);

#endif
