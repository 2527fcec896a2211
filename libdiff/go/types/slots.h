/*
 * The places of objects: spans of slots of one size, as Go's allocator has them. A slot has a number, by which what is
 * known of its object stands in arrays: whether there is one, what type it has. An address is found by a search in the
 * spans; four bytes and two bits for each slot.
 */
#ifndef HSD_GO_TYPES_SLOTS_H
#define HSD_GO_TYPES_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct gospan {
    uint64_t begin, slot_bytes;
    uint64_t where[2];   /* the importer's */
    uint32_t count;      /* of slots */
    uint32_t first;      /* number of the first; known when finished */
    uint32_t head_bytes; /* of each slot, in front of the object's own: the allocation header */
    uint32_t flags;      /* the importer's */
} gospan;

typedef struct goslot {
    const gospan *span;
    uint32_t number;
    uint64_t begin; /* of the slot */
} goslot;

typedef struct goslots {
    gospan *spans; /* by address, when finished */
    uint32_t span_count, span_room;
    uint32_t slot_count;
    uint32_t *types;   /* by slot: see typing.h; 0 = not known */
    uint64_t *live;    /* bits: there is an object */
    uint64_t *pending; /* bits: to be looked at */
    /* span + 1 that begins in the page of 8 KiB or the last before it, where pages are few enough */
    uint32_t *pages;
    uint64_t first_page, page_count;
    uint64_t most_bytes;
} goslots;

/* HSD_E_CORRUPT for a span that runs past the end of memory; HSD_E_OVER_BUDGET; HSD_E_NOMEM. */
hsd_status hsd_goslots_add(goslots *slots, const gospan *span, hsd_error *err);

/* Sorts the spans and makes room for their slots. HSD_E_CORRUPT when two overlap. */
hsd_status hsd_goslots_finish(goslots *slots, hsd_error *err);

/* The slot that holds this address, live or not; false if none does. */
bool hsd_goslots_find(const goslots *slots, uint64_t address, goslot *out);

/* The slot of this number, which there is. O(log spans). */
goslot hsd_goslots_get(const goslots *slots, uint32_t number);

static inline bool hsd_goslots_is_live(const goslots *slots, uint32_t number)
{
    return (slots->live[number / 64] >> number % 64 & 1) != 0;
}
static inline void hsd_goslots_set_live(goslots *slots, uint32_t number)
{
    slots->live[number / 64] |= UINT64_C(1) << number % 64;
}

uint64_t hsd_goslots_memory(const goslots *slots);
void hsd_goslots_release(goslots *slots);

#endif
