/*
 * Totals computed from records, to be held against those of a capture (FORMAT.md 6.14, 6.15) or to replace them:
 * objects by type and size bucket, by category, roots by kind.
 */
#ifndef HSD_FORMAT_TOTALS_H
#define HSD_FORMAT_TOTALS_H

#include <hsdiff/capture.h>

#include "core/layout.h"
#include "format/fault.h"

#define HSD_ROOT_KINDS 12 /* FORMAT.md 6.9 */

/* One sum. In sorted order those of types come first, by type and bucket, then those of categories, then
 * of what is known by site, by type. */
typedef struct hsd_total {
    uint64_t key; /* 0 = free place */
    uint64_t objects, bytes, native_bytes;
} hsd_total;

typedef struct hsd_totals {
    hsd_total *entries; /* a hash table until it is sorted, then `used` entries in order */
    size_t capacity, used;
    uint64_t memory_bytes; /* what it may take; 0 = no bound */
    uint64_t roots[HSD_ROOT_KINDS];
} hsd_totals; /* zeroed: empty */

/* Key of a sum: one of these | number << 8 | bucket. */
#define HSD_TOTAL_OF_TYPE     (UINT64_C(1) << 40)
#define HSD_TOTAL_OF_CATEGORY (UINT64_C(2) << 40)
#define HSD_TOTAL_OF_SITES    (UINT64_C(3) << 40)

static inline bool hsd_total_is_category(const hsd_total *total) { return total->key >> 40 == 2; }
static inline uint32_t hsd_total_id(const hsd_total *total) { return (uint32_t)(total->key >> 8); }
static inline uint8_t hsd_total_bucket(const hsd_total *total) { return (uint8_t)total->key; }

/* Log2 bucket of a size: 0 for 0, b for 2^(b-1) to 2^b - 1. */
static inline unsigned hsd_size_bucket(uint64_t size_bytes)
{
    return size_bytes == 0 ? 0 : 64u - (unsigned)__builtin_clzll(size_bytes);
}

/* Adds one object (continuations and pseudo objects are left out) or one site total; a root below. HSD_E_NOMEM,
 * HSD_E_OVER_BUDGET. */
hsd_status hsd_totals_add_object(hsd_totals *totals, const hsd_object *object, hsd_fault *fault);
hsd_status hsd_totals_add_site(hsd_totals *totals, const hsd_site_total *site, hsd_fault *fault);
/* The sum of a key, made where there is none. HSD_E_NOMEM, HSD_E_OVER_BUDGET. */
hsd_status hsd_totals_take(hsd_totals *totals, uint64_t key, hsd_total **out, hsd_fault *fault);

/* The same before it is sorted, NULL where there is none. */
const hsd_total *hsd_totals_find(const hsd_totals *totals, uint64_t key);

/* Adds one root. */
void hsd_totals_add_root(hsd_totals *totals, const hsd_root *root);

/* Afterwards entries[0] to entries[used - 1] are in order, and nothing more may be added. */
void hsd_totals_sort(hsd_totals *totals);

void hsd_totals_release(hsd_totals *totals);

#endif
