/*
 * The numbers that types and texts get in a baseline. Rows of a profile take 1, 2, 3 …, one each, so that their sums
 * stand in ascending order; what places name besides follows, each once.
 */
#ifndef HSD_EXPORT_BASELINE_NAMES_H
#define HSD_EXPORT_BASELINE_NAMES_H

#include <hsdiff/profile.h>

#include "base/names.h"

typedef struct hsd_numbered { /* zeroed: empty */
    hsd_names names;
    uint32_t *number_of; /* by number of `names` */
    /* texts[n - 1] has number n; borrowed from the profile, at most HSD_BASELINE_TEXT_BYTES each */
    hsd_text *texts;
    uint32_t count;
} hsd_numbered;

#define HSD_BASELINE_TEXT_BYTES 65536u /* FORMAT.md 10.5; longer ones are cut */

typedef struct hsd_baseline_names {
    hsd_numbered types, strings;
    uint32_t *place_names, *place_edges; /* by row of a place: type or string; string, 0 = none */
} hsd_baseline_names;

/* Borrows from `profile`. HSD_E_NOMEM; release it then, too. */
hsd_status hsd_baseline_names_init(hsd_baseline_names *names, const hsd_profile *profile, hsd_error *err);
void hsd_baseline_names_release(hsd_baseline_names *names);

#endif
