/*
 * Rows by allocation site, of what the census summed (walk/allocated.h): what is lost, and what is live.
 */
#ifndef HSD_TOTALS_ALLOCATED_ROWS_H
#define HSD_TOTALS_ALLOCATED_ROWS_H

#include "walk/allocated.h"
#include "walk/store.h"

/*
 * What is lost, of one side or of both (before, after): the heads of one type from one stack are one row, those of
 * cycles of the same types another. One side alone is `after`. Texts are owned by the store. HSD_E_NOMEM, and what
 * reading brings.
 */
hsd_status hsd_lost_rows(hsd_side_walk *const *sides, unsigned side_count, const hsd_names *types, const hsd_run *run,
                         hsd_diff_store *store, hsd_lost *out, hsd_error *err);

/* Growth of what is live by site: has_sites, sites and their rest. */
hsd_status hsd_live_sites(hsd_side_walk *const sides[2], hsd_diff *diff, hsd_error *err);

#endif
