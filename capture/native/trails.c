/* The last stacks of a thread (trails.h). */
#include "native/trails.h"

#include <string.h>

#include "native/stacks.h"

/* Waiting for the stacks a handler of the program may have come in between and used the trails: so what is kept is
 * written here, at once. */
static void keep_trail(hsn_trails *trails, const hsn_trail *walked, uint32_t stack)
{
    hsn_kept_trail *to =
        &trails->kept[hsn_trails_set(walked->from.sp, walked->from.pc)][trails->next++ % HSN_TRAIL_WAYS];
    to->trail.from = walked->from;
    to->trail.epoch = walked->epoch;
    const size_t pairs = (walked->pair_count + HSN_TRAIL_STEP - 1) / HSN_TRAIL_STEP * HSN_TRAIL_STEP;
    to->trail.pair_count = walked->pair_count;
    to->trail.word_count = walked->word_count;
    memcpy(to->trail.pair_offsets, walked->pair_offsets, pairs * sizeof *walked->pair_offsets);
    memcpy(to->trail.pairs, walked->pairs, pairs * sizeof *walked->pairs);
    memcpy(to->trail.word_offsets, walked->word_offsets, walked->word_count * sizeof *walked->word_offsets);
    memcpy(to->trail.pairs_before, walked->pairs_before, walked->word_count * sizeof *walked->pairs_before);
    memcpy(to->trail.words, walked->words, walked->word_count * sizeof *walked->words);
    to->stack = stack;
}

static __attribute__((noinline)) uint32_t walk(hsn_trails *trails, hsn_unwind_way way, size_t depth,
                                               const hsn_place *place)
{
    uintptr_t frames[HSN_STACK_FRAMES];
    hsn_trail trail;
    const size_t count = hsn_unwind_trail(way, *place, frames, depth, &trail);
    const uint32_t stack = hsn_stacks_intern(frames, count);
    if (trails != NULL && stack != 0 && !trail.is_open) keep_trail(trails, &trail, stack);
    return stack;
}

uint32_t hsn_trails_stack(hsn_trails *trails, hsn_unwind_way way, size_t depth, const hsn_place *place)
{
    if (way == HSN_UNWIND_NONE) return 0;
    if (trails != NULL && place->pc != 0) {
        const hsn_kept_trail *set = trails->kept[hsn_trails_set(place->sp, place->pc)];
        for (size_t i = 0; i < HSN_TRAIL_WAYS; i++)
            if (hsn_unwind_is_same(&set[i].trail, place)) return set[i].stack;
    }
    return walk(trails, way, depth, place);
}
