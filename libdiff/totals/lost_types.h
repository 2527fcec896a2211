/*
 * What is lost, and what is not collected yet, by type alone: from sums that the rows of types have anyway. For
 * captures of which nothing says what heads what: baselines, and what a collector is going to free.
 */
#ifndef HSD_TOTALS_LOST_TYPES_H
#define HSD_TOTALS_LOST_TYPES_H

#include "walk/store.h"
#include <hsdiff/profile.h>

/* Fills diff->uncollected, or diff->lost where the captures tell that it is lost and no rows say of what yet.
 * HSD_E_NOMEM. */
hsd_status hsd_lost_add_types(hsd_diff *diff, hsd_error *err);

/* Fills profile->lost of a baseline, as `after`. */
hsd_status hsd_lost_add_profile_types(hsd_profile *profile, hsd_error *err);

/* The rows of a table from `items`, which are sorted for it: those that grew most, and the rest. Texts stay where they
 * are. */
hsd_status hsd_lost_keep(hsd_lost *lost, hsd_lost_row *items, size_t count, hsd_diff_store *store, hsd_error *err);

#endif
