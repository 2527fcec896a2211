/*
 * Sets of table numbers (strings, types, labels …: below 2^31), for the rules that need to know all of them: one bit
 * each in pages that exist where there are numbers.
 */
#ifndef HSD_FORMAT_ID_SET_H
#define HSD_FORMAT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_ID_PAGE_BITS ((uint32_t)1 << 15)
#define HSD_ID_BRANCHES  256 /* pages of a branch, branches of a set: 2^31 numbers in all */

typedef struct hsd_id_branch {
    uint64_t *page[HSD_ID_BRANCHES]; /* NULL where empty */
} hsd_id_branch;

typedef struct hsd_id_set {
    hsd_id_branch *branch[HSD_ID_BRANCHES]; /* NULL where empty */
} hsd_id_set;                               /* zeroed: empty */

typedef enum hsd_id_result { HSD_ID_ADDED, HSD_ID_THERE, HSD_ID_NO_MEMORY } hsd_id_result;

/* The page of a number below 2^31; NULL where there is none. */
static inline uint64_t *hsd_id_set_page(const hsd_id_set *set, uint32_t id)
{
    const uint32_t page = id / HSD_ID_PAGE_BITS;
    const hsd_id_branch *branch = set->branch[page / HSD_ID_BRANCHES];
    return branch != NULL ? branch->page[page % HSD_ID_BRANCHES] : NULL;
}

/* Makes the page of a number; NULL when there is no memory. */
uint64_t *hsd_id_set_make_page(hsd_id_set *set, uint32_t id);

/* `id` is below 2^31. */
static inline hsd_id_result hsd_id_set_add(hsd_id_set *set, uint32_t id)
{
    uint64_t *page = hsd_id_set_page(set, id);
    if (page == NULL) page = hsd_id_set_make_page(set, id);
    if (page == NULL) return HSD_ID_NO_MEMORY;
    uint64_t *word = &page[id % HSD_ID_PAGE_BITS / 64];
    const uint64_t bit = UINT64_C(1) << (id % 64);
    const bool was_there = (*word & bit) != 0;
    *word |= bit;
    return was_there ? HSD_ID_THERE : HSD_ID_ADDED;
}

bool hsd_id_set_has(const hsd_id_set *set, uint32_t id);

/* The smallest number that is in `a` and not in `b`; UINT32_MAX when there is none. */
uint32_t hsd_id_set_first_missing(const hsd_id_set *a, const hsd_id_set *b);

void hsd_id_set_release(hsd_id_set *set);

#endif
