/*
 * Sets of table numbers (strings, types, labels …: below 2^31), for the rules that need to know all of them: one bit each in
 * pages that exist where there are numbers.
 */
#ifndef HSD_FORMAT_ID_SET_H
#define HSD_FORMAT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_ID_PAGE_BITS ((uint32_t)1 << 15)
#define HSD_ID_PAGES     ((uint32_t)1 << 16)

typedef struct hsd_id_set {
    uint64_t **pages; /* HSD_ID_PAGES of them, NULL where empty; NULL until the first number */
    size_t memory_bytes;
} hsd_id_set; /* zeroed: empty */

typedef enum hsd_id_result { HSD_ID_ADDED, HSD_ID_THERE, HSD_ID_NO_MEMORY } hsd_id_result;

/* Slow path of hsd_id_set_add: makes the page of a number below 2^31. */
bool hsd_id_set_make_page(hsd_id_set *set, uint32_t id);

/* `id` is below 2^31. */
static inline hsd_id_result hsd_id_set_add(hsd_id_set *set, uint32_t id)
{
    if (set->pages == NULL || set->pages[id / HSD_ID_PAGE_BITS] == NULL) {
        if (!hsd_id_set_make_page(set, id)) return HSD_ID_NO_MEMORY;
    }
    uint64_t *word = &set->pages[id / HSD_ID_PAGE_BITS][id % HSD_ID_PAGE_BITS / 64];
    const uint64_t bit = UINT64_C(1) << (id % 64);
    const bool was_there = (*word & bit) != 0;
    *word |= bit;
    return was_there ? HSD_ID_THERE : HSD_ID_ADDED;
}

bool hsd_id_set_has(const hsd_id_set *set, uint32_t id);

/* The smallest number from `from` on that is in `a` and not in `b`; UINT32_MAX when there is none. */
uint32_t hsd_id_set_first_missing(const hsd_id_set *a, const hsd_id_set *b, uint32_t from);

void hsd_id_set_release(hsd_id_set *set);

#endif
