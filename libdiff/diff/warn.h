/*
 * The warnings of a diff: what is true of its two captures and makes an answer less sure, or less comparable.
 */
#ifndef HSD_DIFF_WARN_H
#define HSD_DIFF_WARN_H

#include "walk/store.h"

/*
 * What sets two captures apart before any object is looked at: one was collected, sampled or has losses, and the
 * other not; formats, producers, runtimes, widths of pointers. After the sides, identity_is_known and is_partial are
 * filled.
 */
void hsd_store_warn_of_pair(hsd_diff_store *store, const hsd_diff *diff);

/* That hardly any object was recognised, or many by weak signs alone. After match and total are filled. */
void hsd_store_warn_of_match(hsd_diff_store *store, const hsd_diff *diff);

#endif
