/*
 * Where the object with an id stands, in memory: a bit for each place of the address space where an object may begin,
 * 64 of them to a page, and pages in a hash table by their number. How many objects have bits before a page is kept
 * with it, so that an id costs one look at a page; where objects do not stand by ascending ids there is a table of
 * ordinals behind that.
 *
 *      id ──/ what all ids are multiples of──► page, bit ──count of bits before──► rank ──► ordinal
 *
 * 3 bytes an object of a heap whose objects stand close, 4 more where ids do not ascend. Targets that are ordinals need
 * none of it, and at most an array of ids.
 */
#ifndef HSD_EXPORT_PLACES_H
#define HSD_EXPORT_PLACES_H

#include <stdbool.h>

#include "base/note.h"
#include <hsdiff/capture.h>

#define HSD_NO_PLACE UINT64_MAX

typedef struct hsd_place_page {
    uint64_t number, bits; /* bits 0: none */
    uint64_t before;       /* objects in the pages before it */
} hsd_place_page;

typedef struct hsd_places {
    bool by_ordinal;       /* targets are ordinals: there is nothing to be looked up */
    uint64_t count;        /* objects */
    uint64_t first;        /* one of the ids: all are like it below bit `shift` */
    hsd_place_page *pages; /* a power of two of them, at most half full */
    uint64_t factor;       /* odd, drawn at random: nobody can prepare ids that collide */
    unsigned shift, log2_pages;
    uint32_t *ordinals; /* by rank; NULL: ids ascend, and ranks are ordinals */
    uint64_t *ids;      /* by ordinal; NULL unless wanted */
} hsd_places;

/*
 * Reads the ids of a capture, all of whose objects are there, in two passes or three. `want_ids` is for targets that
 * are ordinals. HSD_END: they would take more than `memory_bytes`, or two objects have the same. Release it then, too.
 */
hsd_status hsd_places_open(hsd_places *places, hsd_capture *capture, bool want_ids, uint64_t memory_bytes,
                           hsd_reporter *reporter, hsd_error *err);

/* The page with this number, or the empty one in its place. */
static inline hsd_place_page *hsd_places_page(const hsd_places *places, uint64_t number)
{
    const uint64_t mask = (UINT64_C(1) << places->log2_pages) - 1;
    uint64_t at = number * places->factor >> (64 - places->log2_pages);
    while (places->pages[at].bits != 0 && places->pages[at].number != number)
        at = (at + 1) & mask;
    return &places->pages[at];
}

/* The ordinal of a target: of an id, or, with by_ordinal, of an ordinal. HSD_NO_PLACE: it leads nowhere. */
static inline uint64_t hsd_places_find(const hsd_places *places, uint64_t target)
{
    if (places->by_ordinal) return target < places->count ? target : HSD_NO_PLACE;
    if (((target ^ places->first) & ((UINT64_C(1) << places->shift) - 1)) != 0) return HSD_NO_PLACE;
    const uint64_t place = target >> places->shift;
    const hsd_place_page *page = hsd_places_page(places, place / 64);
    const uint64_t bit = UINT64_C(1) << place % 64;
    if ((page->bits & bit) == 0) return HSD_NO_PLACE;
    const uint64_t rank = page->before + (unsigned)__builtin_popcountll(page->bits & (bit - 1));
    return places->ordinals == NULL ? rank : places->ordinals[rank];
}

/* The id of an object; 0 unless they were wanted. */
static inline uint64_t hsd_places_id(const hsd_places *places, uint64_t ordinal)
{
    return places->ids == NULL ? 0 : places->ids[ordinal];
}

/* What hsd_places_find of this target will wait for. */
static inline void hsd_places_prefetch(const hsd_places *places, uint64_t target)
{
    if (places->by_ordinal) return;
    __builtin_prefetch(&places->pages[(target >> places->shift) / 64 * places->factor >> (64 - places->log2_pages)]);
}

void hsd_places_release(hsd_places *places);

#endif
