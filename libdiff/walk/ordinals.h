/*
 * Which object has an id, in memory: 32 places of the address space where an object may begin are one word, a bit for
 * each and the ordinal of the first (64 places and a word of twice the bits where ordinals have 64). 4,096 places are a
 * page, and pages stand in a directory by their number.
 *
 *      id ──/ what ids are multiples of──► page, word, bit ──ordinal of the first + count of bits before──► ordinal
 *
 * Objects come in the order of their ordinals, mostly by ascending ids: then those of a word have ordinals one behind
 * the other. What breaks this (classes that were told before all others, regions out of order), or lies far from all
 * others, is a *stray* and stands in a hash table. Where there are many of them, or ids are scattered, the memory does
 * not suffice, and ids are joined by sorting instead (side/references.c). About a byte an object where the heap is
 * packed.
 */
#ifndef HSD_WALK_ORDINALS_H
#define HSD_WALK_ORDINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/node.h"
#include "base/pages.h"
#include <hsdiff/status.h>

#define HSD_NO_ORDINAL          HSD_NODE_MAX
#define HSD_ORDINALS_PAGE_SHIFT 12u
#define HSD_ORDINALS_WORD_SHIFT (HSD_NODE_BITS == 32 ? 5u : 6u)
#define HSD_ORDINALS_PAGE_WORDS (1u << (HSD_ORDINALS_PAGE_SHIFT - HSD_ORDINALS_WORD_SHIFT))
#define HSD_ORDINALS_SAMPLE     256u

typedef struct hsd_stray {
    uint64_t id;
    hsd_node ordinal; /* HSD_NO_ORDINAL: an empty place */
} hsd_stray;

typedef struct hsd_ordinals {
    hsd_two **pages; /* ordinal of the first, and bits; NULL: no objects */
    uint64_t first_page, page_count;
    unsigned shift; /* ids are alike below it */
    uint64_t low;   /* and this is what they have there */

    hsd_stray *strays; /* a power of two of them, at most half full */
    unsigned stray_bits;
    hsd_node stray_count;
    uint64_t count;  /* of objects that are found by their ids: all but those whose id came before */
    uint64_t factor; /* odd, drawn at random: nobody can prepare ids that collide */

    uint64_t memory_bytes, used_bytes;
    bool is_over; /* there is more than memory holds: nothing may be asked */

    hsd_pages *slabs; /* memory of the pages */
    uint32_t slab_count, slab_capacity;
    uint32_t slab_used; /* pages of the last one */

    uint64_t sample_ids[HSD_ORDINALS_SAMPLE]; /* the first objects, from which `shift` is guessed */
    hsd_node sample_ordinals[HSD_ORDINALS_SAMPLE];
    uint32_t sample_count;
    bool has_shift;
} hsd_ordinals;

void hsd_ordinals_begin(hsd_ordinals *ordinals, uint64_t memory_bytes);

/* The object `ordinal`, greater than any before, has this id. Of two objects with one id the first counts. HSD_E_NOMEM.
 * Past its memory it only sets is_over. */
hsd_status hsd_ordinals_put(hsd_ordinals *ordinals, uint64_t id, hsd_node ordinal, hsd_error *err);

/* No more puts. */
hsd_status hsd_ordinals_finish(hsd_ordinals *ordinals, hsd_error *err);

/* Slow path of hsd_ordinals_get. */
hsd_node hsd_ordinals_find_stray(const hsd_ordinals *ordinals, uint64_t id);

/* How many of the bits of a word are set. */
static inline hsd_node hsd_ordinals_count(hsd_node bits)
{
    return HSD_NODE_BITS == 32 ? hsd_count_bits_u32((uint32_t)bits) : (hsd_node)hsd_count_bits_u64(bits);
}

/* The ordinal of the object with this id, or HSD_NO_ORDINAL. */
static inline hsd_node hsd_ordinals_get(const hsd_ordinals *o, uint64_t id)
{
    const uint64_t place = id >> o->shift, page = (place >> HSD_ORDINALS_PAGE_SHIFT) - o->first_page;
    if (page < o->page_count && o->pages[page] != NULL && (id ^ o->low) << (63 - o->shift) << 1 == 0) {
        const hsd_two word = o->pages[page][place >> HSD_ORDINALS_WORD_SHIFT & (HSD_ORDINALS_PAGE_WORDS - 1)];
        const hsd_node bits = hsd_two_second(word), bit = HSD_NODE_C(1) << (place & (HSD_NODE_BITS - 1));
        if (bits & bit) return hsd_two_first(word) + hsd_ordinals_count(bits & (bit - 1));
    }
    return o->stray_count == 0 ? HSD_NO_ORDINAL : hsd_ordinals_find_stray(o, id);
}

/* All objects by ascending ids. From hsd_ordinals_begin_walk on nothing else may be asked. */
typedef struct hsd_ordinals_walk {
    const hsd_ordinals *ordinals;
    uint64_t page, place; /* of the directory; of the next word */
    hsd_two word;         /* the bits that are left of the word at hand, and the ordinal of the first of them */
    hsd_node stray;
} hsd_ordinals_walk;

void hsd_ordinals_begin_walk(hsd_ordinals_walk *walk, hsd_ordinals *ordinals);

/* False behind the last one. */
bool hsd_ordinals_next(hsd_ordinals_walk *walk, uint64_t *id, hsd_node *ordinal);

/* `to` has what `from` had, which is empty then. */
static inline void hsd_ordinals_move(hsd_ordinals *to, hsd_ordinals *from)
{
    *to = *from;
    *from = (hsd_ordinals){0};
}

/* A zeroed one is accepted. */
void hsd_ordinals_release(hsd_ordinals *ordinals);

#endif
