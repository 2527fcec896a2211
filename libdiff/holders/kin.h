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
#ifndef HSD_HOLDERS_KIN_H
#define HSD_HOLDERS_KIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/mix.h"
#include "base/node.h"
#include "holders/trie/trie.h"

#define HSD_KIN_LOOK_BACK 4u
#define HSD_KIN_LEAST     6u                      /* objects of both sides: so many are several */
#define HSD_KIN_NUMBERS   (UINT32_C(1) << 26)     /* of steps, by what they are; a place has the rest of its 64 bits */
#define HSD_KIN_STEPS     65536u                  /* room for them */
#define HSD_KIN_MOST      (HSD_KIN_STEPS / 4 * 3) /* where there are more, HSD_KIN_STEPS share a number's last bits */

typedef struct hsd_kin_count { /* of one step, of kept objects that can hold */
    uint32_t number;
    uint32_t type;       /* common type + 1; 0 = there are none */
    uint32_t above;      /* of a step from outside: the type that stands there + 1; 0 = a root does */
    uint32_t is_apart;   /* the step without a reference */
    hsd_node all, again; /* of `all` those whose type stood above them */
} hsd_kin_count;

/* A heap has some hundred steps, and counts side by side touch a few pages, not all of 1.5 MiB. Each step has its own,
 * so that what is told does not hang on which numbers meet. Of heaps in which every name is a step of its own those
 * that share a place of the table are taken for one, the greater of them: it is folded. */
typedef struct hsd_kin_steps {
    uint32_t *slots;       /* at a number's last bits or behind them: where its count is; 0 = it has not come */
    hsd_kin_count *counts; /* as they came; the first is of those that have not */
    uint32_t count;        /* of them, without the first */
    bool is_folded;
} hsd_kin_steps;

#define HSD_KIN_STEPS_BYTES (HSD_KIN_STEPS * sizeof(uint32_t) + (HSD_KIN_STEPS + 1) * sizeof(hsd_kin_count))

/* In HSD_KIN_STEPS_BYTES zeroed bytes. */
static inline hsd_kin_steps hsd_kin_steps_in(void *memory)
{
    uint32_t *slots = memory;
    return (hsd_kin_steps){.slots = slots, .counts = (hsd_kin_count *)(slots + HSD_KIN_STEPS)};
}

/* Where the number stands, or would. */
static inline uint32_t hsd_kin_slot(const hsd_kin_steps *steps, uint32_t number)
{
    uint32_t at = number % HSD_KIN_STEPS;
    while (!steps->is_folded && steps->slots[at] != 0 && steps->counts[steps->slots[at]].number != number)
        at = (at + 1) % HSD_KIN_STEPS;
    return at;
}

static inline const hsd_kin_count *hsd_kin_count_of(const hsd_kin_steps *steps, uint32_t number)
{
    HSD_ASSERT(number < HSD_KIN_NUMBERS);
    return &steps->counts[steps->slots[hsd_kin_slot(steps, number)]];
}

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

typedef struct hsd_kin_end { /* the last step of a way, and all that is asked of it */
    uint64_t place;
    uint32_t type;
    uint32_t above; /* what stands above: the type + 1; 0 = a root does */
    bool is_again;  /* the type stood on the way before */
} hsd_kin_end;

/* Of the first `count` known of a way what stands last, as a step's above. */
static inline uint32_t hsd_kin_above(const hsd_kin *kin, uint32_t count)
{
    return count == 0 || (kin->types[count - 1] & HSD_TRIE_IS_ROOT) ? 0 : kin->types[count - 1] + 1;
}

static inline hsd_kin_end hsd_kin_end_of(const hsd_kin *kin, bool is_again)
{
    HSD_ASSERT(kin->count >= 1 && kin->count <= HSD_KIN_LOOK_BACK);
    const uint32_t last = kin->count - 1;
    return (hsd_kin_end){kin->places[last], kin->types[last], hsd_kin_above(kin, last), is_again};
}

/* The end of the way that goes on from `kin` to an object of a type: what hsd_kin_step and hsd_kin_end_of say, and the
 * way is not made. */
static inline hsd_kin_end hsd_kin_end_below(const hsd_kin *kin, uint32_t type)
{
    for (uint32_t i = 0; i < kin->count; i++)
        if (kin->types[i] == type) return (hsd_kin_end){kin->places[i], type, hsd_kin_above(kin, i), true};
    const uint64_t above = kin->count == 0 ? 0 : kin->places[kin->count - 1];
    return (hsd_kin_end){hsd_mix(above, type), type, hsd_kin_above(kin, kin->count), false};
}

/* Of the last step. Those from outside are told apart by where they come from. */
static inline uint32_t hsd_kin_step_number(const hsd_kin_end *end, uint32_t edge)
{
    const uint64_t by = edge == HSD_TRIE_INDIRECT ? hsd_mix(edge, end->above) : edge;
    return (uint32_t)(hsd_mix(by, end->type) % HSD_KIN_NUMBERS);
}

/* An order of steps: which of two that share a number it stands for must not depend on the order in which they come. */
static inline bool hsd_kin_is_greater(const hsd_kin_count *a, const hsd_kin_count *b)
{
    if (a->type != b->type) return a->type > b->type;
    return a->is_apart != b->is_apart ? a->is_apart > b->is_apart : a->above > b->above;
}

static inline void hsd_kin_add(hsd_kin_count *step, const hsd_kin_count *seen)
{
    if (hsd_kin_is_greater(seen, step)) {
        step->type = seen->type;
        step->is_apart = seen->is_apart;
        step->above = seen->above;
    }
    step->all += seen->all;
    step->again += seen->again;
}

/* From now on the last bits of a number are all that counts. The same comes of it whenever it happens. */
static inline void hsd_kin_fold(hsd_kin_steps *steps)
{
    const uint32_t count = steps->count;
    if (steps->is_folded || steps->slots == NULL) return;
    memset(steps->slots, 0, HSD_KIN_STEPS * sizeof *steps->slots);
    steps->count = 0;
    steps->is_folded = true;
    for (uint32_t i = 1; i <= count; i++) {
        hsd_kin_count step = steps->counts[i];
        steps->counts[i] = (hsd_kin_count){0};
        step.number %= HSD_KIN_STEPS;
        if (steps->slots[step.number] == 0) {
            steps->slots[step.number] = ++steps->count;
            steps->counts[steps->count].number = step.number;
        }
        hsd_kin_add(&steps->counts[steps->slots[step.number]], &step);
    }
}

/* So many of one kind. `number` is that of the step, hsd_kin_step_number. */
static inline void hsd_kin_see(hsd_kin_steps *steps, const hsd_kin_end *end, uint32_t edge, uint32_t number,
                               hsd_node count, bool is_again)
{
    HSD_ASSERT(number < HSD_KIN_NUMBERS);
    uint32_t slot = hsd_kin_slot(steps, number);
    if (steps->slots[slot] == 0 && !steps->is_folded && steps->count == HSD_KIN_MOST) {
        hsd_kin_fold(steps);
        slot = hsd_kin_slot(steps, number);
    }
    if (steps->slots[slot] == 0) {
        steps->slots[slot] = ++steps->count;
        steps->counts[steps->count].number = steps->is_folded ? slot : number;
    }
    const bool is_apart = edge == HSD_TRIE_INDIRECT;
    const hsd_kin_count seen = {.type = end->type + 1,
                                .is_apart = is_apart,
                                .above = is_apart ? end->above : 0,
                                .all = count,
                                .again = is_again ? count : 0};
    hsd_kin_add(&steps->counts[steps->slots[slot]], &seen);
}

/* A number for the place and the step, which has that number; those of a place lie side by side. Never 0. */
static inline uint64_t hsd_kin_place(const hsd_kin_end *end, uint32_t number)
{
    HSD_ASSERT(number < HSD_KIN_NUMBERS);
    const uint64_t place = end->place | HSD_KIN_NUMBERS;
    return (place & ~(uint64_t)(HSD_KIN_NUMBERS - 1)) | number;
}

/* The place alone, and the step. */
static inline uint64_t hsd_kin_family(uint64_t place) { return place & ~(uint64_t)(HSD_KIN_NUMBERS - 1); }
static inline uint32_t hsd_kin_number(uint64_t place) { return (uint32_t)(place & (HSD_KIN_NUMBERS - 1)); }

#endif
