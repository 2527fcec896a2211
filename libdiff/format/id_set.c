/* Bits in pages, pages in branches. See id_set.h. */
#include "format/id_set.h"

#include <stdlib.h>

#define PAGE_WORDS (HSD_ID_PAGE_BITS / 64)

uint64_t *hsd_id_set_make_page(hsd_id_set *set, uint32_t id)
{
    const uint32_t page = id / HSD_ID_PAGE_BITS;
    hsd_id_branch **branch = &set->branch[page / HSD_ID_BRANCHES];
    if (*branch == NULL) *branch = calloc(1, sizeof **branch);
    if (*branch == NULL) return NULL;
    uint64_t **words = &(*branch)->page[page % HSD_ID_BRANCHES];
    if (*words == NULL) *words = calloc(PAGE_WORDS, sizeof **words);
    return *words;
}

bool hsd_id_set_has(const hsd_id_set *set, uint32_t id)
{
    const uint64_t *page = hsd_id_set_page(set, id);
    return page != NULL && (page[id % HSD_ID_PAGE_BITS / 64] >> (id % 64) & 1) != 0;
}

/* First number of a page of `a` that is not in the same page of `b`; UINT32_MAX when there is none. */
static uint32_t first_missing_of_page(const uint64_t *a, const uint64_t *b, uint32_t first)
{
    for (uint32_t word = 0; a != NULL && word < PAGE_WORDS; word++) {
        const uint64_t bits = a[word] & ~(b != NULL ? b[word] : 0);
        if (bits != 0) return first + 64 * word + (uint32_t)__builtin_ctzll(bits);
    }
    return UINT32_MAX;
}

uint32_t hsd_id_set_first_missing(const hsd_id_set *a, const hsd_id_set *b)
{
    for (uint32_t i = 0; i < HSD_ID_BRANCHES; i++) {
        for (uint32_t k = 0; a->branch[i] != NULL && k < HSD_ID_BRANCHES; k++) {
            const uint32_t first = (i * HSD_ID_BRANCHES + k) * HSD_ID_PAGE_BITS;
            const uint32_t found = first_missing_of_page(a->branch[i]->page[k], hsd_id_set_page(b, first), first);
            if (found != UINT32_MAX) return found;
        }
    }
    return UINT32_MAX;
}

void hsd_id_set_release(hsd_id_set *set)
{
    for (uint32_t i = 0; i < HSD_ID_BRANCHES; i++) {
        for (uint32_t k = 0; set->branch[i] != NULL && k < HSD_ID_BRANCHES; k++)
            free(set->branch[i]->page[k]);
        free(set->branch[i]);
    }
    *set = (hsd_id_set){0};
}
