/* The last stacks of a thread (trails.h). */
#include "native/trails.h"

#include <string.h>

#include "native/stacks.h"

/* By the stack pointer and the function, so that loops at one depth do not drive each other out. */
static inline hsn_kept_trail *set_of(hsn_trails *trails, const hsn_place *place)
{
    const uint64_t mixed = (place->sp + place->pc) * UINT64_C(0x9E3779B97F4A7C15);
    return trails->kept[(mixed >> 60) % HSN_TRAIL_SETS];
}

/* Waiting for the stacks a handler of the program may have come in between and used the trails: so what is kept is written here, at once. */
static void keep(hsn_trails *trails, const hsn_trail *walked, uint32_t stack)
{
    hsn_kept_trail *to = &set_of(trails, &walked->from)[trails->next++ % HSN_TRAIL_WAYS];
    to->trail.from = walked->from;
    to->trail.epoch = walked->epoch;
    to->trail.count = walked->count;
    memcpy(to->trail.offsets, walked->offsets, walked->count * sizeof *walked->offsets);
    memcpy(to->trail.words, walked->words, walked->count * sizeof *walked->words);
    to->stack = stack;
}

static __attribute__((noinline)) uint32_t walk(hsn_trails *trails, hsn_unwind_way way, size_t depth, const hsn_place *place)
{
    uintptr_t frames[HSN_STACK_FRAMES];
    hsn_trail trail;
    const size_t count = hsn_unwind_trail(way, *place, frames, depth, &trail);
    const uint32_t stack = hsn_stacks_intern(frames, count);
    if (trails != NULL && stack != 0 && trail.count <= HSN_TRAIL_WORDS) keep(trails, &trail, stack);
    return stack;
}

uint32_t hsn_trails_stack(hsn_trails *trails, hsn_unwind_way way, size_t depth, const hsn_place *place)
{
    if (way == HSN_UNWIND_NONE) return 0;
    if (trails != NULL && place->pc != 0) {
        const hsn_kept_trail *set = set_of(trails, place);
        for (size_t i = 0; i < HSN_TRAIL_WAYS; i++)
            if (hsn_unwind_is_same(&set[i].trail, place)) return set[i].stack;
    }
    return walk(trails, way, depth, place);
}
