/* Bits in pages. See id_set.h. */
#include "format/id_set.h"

#include <stdlib.h>

bool hsd_id_set_make_page(hsd_id_set *set, uint32_t id)
{
    if (set->pages == NULL) {
        set->pages = calloc(HSD_ID_PAGES, sizeof *set->pages);
        if (set->pages == NULL) return false;
        set->memory_bytes += HSD_ID_PAGES * sizeof *set->pages;
    }
    uint64_t **page = &set->pages[id / HSD_ID_PAGE_BITS];
    if (*page != NULL) return true;
    *page = calloc(HSD_ID_PAGE_BITS / 64, sizeof **page);
    if (*page != NULL) set->memory_bytes += HSD_ID_PAGE_BITS / 8;
    return *page != NULL;
}

bool hsd_id_set_has(const hsd_id_set *set, uint32_t id)
{
    if (set->pages == NULL || set->pages[id / HSD_ID_PAGE_BITS] == NULL) return false;
    return (set->pages[id / HSD_ID_PAGE_BITS][id % HSD_ID_PAGE_BITS / 64] >> (id % 64) & 1) != 0;
}

/* Bits 64 * word … of a page that are in `a` and not in `b`, from number `from` on. */
static uint64_t missing_bits(const hsd_id_set *a, const hsd_id_set *b, uint32_t page, uint32_t word,
                             uint32_t from)
{
    uint64_t bits = a->pages[page][word];
    const uint32_t first = page * HSD_ID_PAGE_BITS + 64 * word;
    if (b->pages != NULL && b->pages[page] != NULL) bits &= ~b->pages[page][word];
    if (from > first) bits &= from - first < 64 ? UINT64_MAX << (from - first) : 0;
    return bits;
}

uint32_t hsd_id_set_first_missing(const hsd_id_set *a, const hsd_id_set *b, uint32_t from)
{
    for (uint32_t page = from / HSD_ID_PAGE_BITS; a->pages != NULL && page < HSD_ID_PAGES; page++) {
        for (uint32_t word = 0; a->pages[page] != NULL && word < HSD_ID_PAGE_BITS / 64; word++) {
            const uint64_t bits = missing_bits(a, b, page, word, from);
            if (bits != 0)
                return page * HSD_ID_PAGE_BITS + 64 * word + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return UINT32_MAX;
}

void hsd_id_set_release(hsd_id_set *set)
{
    for (uint32_t i = 0; set->pages != NULL && i < HSD_ID_PAGES; i++)
        free(set->pages[i]);
    free(set->pages);
    *set = (hsd_id_set){0};
}
