/*
 * References from one node to some of the next level, as records on a tape: what is on the way to wanted nodes is found
 * back by them (graph/toward.c, graph/sweeps.c). A node that has more than a record holds has several.
 *
 *      source - that of the record before, count, target - source, target - target …       folded, varints
 */
#ifndef HSD_GRAPH_STEPS_H
#define HSD_GRAPH_STEPS_H

#include "graph/tape.h"

#define HSD_STEP_ITEMS 32u
#define HSD_STEP_BYTES ((HSD_STEP_ITEMS + 2) * HSD_VARINT_MOST)

_Static_assert(HSD_STEP_BYTES <= HSD_TAPE_MAX_RECORD, "a record must fit");

typedef struct hsd_step {
    hsd_node source, targets[HSD_STEP_ITEMS];
    uint32_t count;
} hsd_step;

/* `last` is the source of the record before on this tape, 0 in front of the first. */
static inline void hsd_step_put(hsd_tape *tape, hsd_node *last, const hsd_step *step)
{
    hsd_node before = step->source;
    uint8_t *at = hsd_tape_room(tape, HSD_STEP_BYTES);
    at = hsd_varint_put(at, hsd_fold_difference(step->source, *last));
    at = hsd_varint_put(at, step->count);
    for (uint32_t i = 0; i < step->count; i++) {
        at = hsd_varint_put(at, hsd_fold_difference(step->targets[i], before));
        before = step->targets[i];
    }
    tape->at = at;
    *last = step->source;
}

/* A target of its source; what is full is put. Whoever adds puts the rest. */
static inline void hsd_step_add(hsd_tape *tape, hsd_node *last, hsd_step *step, hsd_node target)
{
    step->targets[step->count++] = target;
    if (step->count < HSD_STEP_ITEMS) return;
    hsd_step_put(tape, last, step);
    step->count = 0;
}

/* False when there is no more. */
static inline bool hsd_step_get(hsd_tape_reader *reader, hsd_node *last, hsd_step *step)
{
    hsd_node difference, count, folded;
    if (!hsd_tape_has_more(reader)) return false;
    const uint8_t *at = hsd_tape_varint(hsd_tape_varint(reader->at, &difference), &count);
    HSD_ASSERT(count <= HSD_STEP_ITEMS);
    step->source = hsd_unfold_difference(difference, *last);
    step->count = (uint32_t)count;
    hsd_node target = step->source;
    for (uint32_t i = 0; i < step->count; i++) {
        at = hsd_tape_varint(at, &folded);
        step->targets[i] = target = hsd_unfold_difference(folded, target);
    }
    reader->at = at;
    *last = step->source;
    return true;
}

#endif
