/*
 * Kin: objects of one structure, at whatever depth and by whatever turns they are reached: the nodes of a search tree,
 * a trie, a tree of documents. The type-path trie tells `.left .right` from `.right .left`, and has a place for each
 * word of a trie of words.
 *
 * On the way from a root the last HSD_KIN_LOOK_BACK different types are known. A type that is among them stands where
 * it stood there, and the way is cut back to that: what is so reached again are the kin of that place. Types alone say
 * little where all that a program makes is a table or an Object. So kin are told apart by the *step*, the reference and
 * the type, and only steps that lead to several kept objects make kin of them: `.left` does, `.sessions` of the table
 * of globals does not. A type to which few references lead but those by which its own objects refer to one another is a
 * *structure*: all of its objects at a place are kin, also those that are reached from outside or by several ways.
 */
#ifndef HSD_HOLDERS_HOLDERS_KIN_H
#define HSD_HOLDERS_HOLDERS_KIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/mix.h"
#include "holders/trie.h"

#define HSD_KIN_LOOK_BACK 4u
#define HSD_KIN_STEPS     65536u /* numbers of steps; two that share one are taken for one, the greater of them */
#define HSD_KIN_LEAST     6u     /* objects of both sides: so many are several */

typedef struct hsd_kin_count { /* of one step, of kept objects that can hold */
    uint32_t type;             /* common type + 1; 0 = there are none */
    uint32_t above;            /* of a step from outside: the type that stands there + 1; 0 = a root does */
    uint32_t is_apart;         /* the step without a reference */
    uint32_t all, again;       /* of `all` those whose type stood above them */
} hsd_kin_count;

typedef struct hsd_kin { /* plain bytes without holes; zeroed: nothing above */
    uint32_t count, unused;
    uint32_t types[HSD_KIN_LOOK_BACK];
    uint64_t places[HSD_KIN_LOOK_BACK]; /* of those */
} hsd_kin;

static inline hsd_kin hsd_kin_begin(uint32_t root)
{
    return (hsd_kin){.count = 1, .types = {root}, .places = {hsd_mix(0, root)}};
}

/* Goes on to an object of a type; true if that is reached again. */
static inline bool hsd_kin_step(hsd_kin *kin, uint32_t type)
{
    for (uint32_t i = 0; i < kin->count; i++) {
        if (kin->types[i] != type) continue;
        kin->count = i + 1;
        return true;
    }
    const uint64_t above = kin->count == 0 ? 0 : kin->places[kin->count - 1];
    if (kin->count == HSD_KIN_LOOK_BACK) {
        kin->count--;
        memmove(kin->types, kin->types + 1, kin->count * sizeof *kin->types);
        memmove(kin->places, kin->places + 1, kin->count * sizeof *kin->places);
    }
    kin->types[kin->count] = type;
    kin->places[kin->count++] = hsd_mix(above, type);
    return false;
}

/* What stands above the last step; 0 = a root does. */
static inline uint32_t hsd_kin_above(const hsd_kin *kin)
{
    if (kin->count < 2 || (kin->types[kin->count - 2] & HSD_TRIE_IS_ROOT)) return 0;
    return kin->types[kin->count - 2] + 1;
}

/* Of the last step. Those from outside are told apart by where they come from. */
static inline uint32_t hsd_kin_step_number(const hsd_kin *kin, uint32_t edge)
{
    HSD_ASSERT(kin->count >= 1 && kin->count <= HSD_KIN_LOOK_BACK);
    const uint64_t by = edge == HSD_TRIE_INDIRECT ? hsd_mix(edge, hsd_kin_above(kin)) : edge;
    return (uint32_t)(hsd_mix(by, kin->types[kin->count - 1]) % HSD_KIN_STEPS);
}

/* An order of steps: which of two that share a number it stands for must not depend on the order in which they come. */
static inline bool hsd_kin_is_greater(const hsd_kin_count *a, const hsd_kin_count *b)
{
    if (a->type != b->type) return a->type > b->type;
    return a->is_apart != b->is_apart ? a->is_apart > b->is_apart : a->above > b->above;
}

/* `number` is that of the step, hsd_kin_step_number. */
static inline void hsd_kin_see(hsd_kin_count *steps, const hsd_kin *kin, uint32_t edge, uint32_t number, bool is_again)
{
    hsd_kin_count *step = &steps[number];
    hsd_kin_count seen = {.type = kin->types[kin->count - 1] + 1, .is_apart = edge == HSD_TRIE_INDIRECT};
    seen.above = seen.is_apart ? hsd_kin_above(kin) : 0;
    if (hsd_kin_is_greater(&seen, step)) {
        step->type = seen.type;
        step->is_apart = seen.is_apart;
        step->above = seen.above;
    }
    step->all++;
    step->again += is_again;
}

/* A number for the place and the step, which has that number; those of a place lie side by side. Never 0. */
static inline uint64_t hsd_kin_place(const hsd_kin *kin, uint32_t number)
{
    HSD_ASSERT(number < HSD_KIN_STEPS);
    const uint64_t place = kin->places[kin->count - 1] | HSD_KIN_STEPS;
    return (place & ~(uint64_t)(HSD_KIN_STEPS - 1)) | number;
}

/* The place alone. */
static inline uint64_t hsd_kin_family(uint64_t place) { return place & ~(uint64_t)(HSD_KIN_STEPS - 1); }

#endif
