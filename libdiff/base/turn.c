/*
 * The verdict over counted ids.
 */
#include "base/turn.h"

#include <string.h>

#define LEAST_IN_BOTH 100u /* fewer are no heap of a program */
#define LEAST_BEHIND  16u  /* what a snapshot makes of itself is less */

/* Where the heap of an id is, or would be: there are few. */
static uint32_t find_heap(const hsd_turn_lasts *lasts, uint64_t id)
{
    uint32_t at = 0;
    while (at < lasts->count && lasts->ids[at] >> HSD_TURN_HEAP_SHIFT != id >> HSD_TURN_HEAP_SHIFT)
        at++;
    return at;
}

void hsd_turn_lasts_take(hsd_turn_lasts *lasts, uint64_t id)
{
    if (id % 2 == 0) return;
    const uint32_t at = find_heap(lasts, id);
    if (at == HSD_TURN_HEAPS) {
        lasts->is_full = 1;
        return;
    }
    if (at == lasts->count) lasts->ids[lasts->count++] = id;
    if (lasts->ids[at] < id) lasts->ids[at] = id;
}

/* With heaps that nobody told apart nothing is in both, and the verdict open. */
void hsd_turn_take_part(hsd_turn *turn, const hsd_turn_lasts lasts[2], uint64_t id, bool is_before, bool is_after)
{
    if (id % 2 == 0 || (lasts[0].is_full | lasts[1].is_full) != 0) return;
    turn->both += is_before && is_after;
    if (is_before == is_after) return;
    const int side = is_after, other = !is_after;
    const uint32_t at = find_heap(&lasts[other], id);
    const bool goes_on = at < lasts[other].count && lasts[other].ids[at] >= id + (uint64_t)is_after;
    turn->below[side] += goes_on;
    turn->behind[side] += !goes_on;
}

bool hsd_turn_is_asked(const hsd_capture_info *before, const hsd_capture_info *after)
{
    const hsd_capture_info *const infos[2] = {before, after};
    for (int i = 0; i < 2; i++)
        if (infos[i]->identity != HSD_IDENTITY_EXACT || infos[i]->source_format == NULL ||
            strcmp(infos[i]->source_format, "v8") != 0)
            return false;
    return hsd_capture_processes(before, after) == HSD_PROCESSES_UNKNOWN;
}

/* A string that was made flat or an object that got another shape is below on both sides: some are. */
hsd_order hsd_turn_order(const hsd_turn *turn)
{
    const uint64_t behind[2] = {turn->behind[0] + turn->over[0], turn->behind[1] + turn->over[1]};
    const uint64_t against = turn->below[0] < turn->below[1] ? turn->below[0] : turn->below[1];
    if (turn->both < LEAST_IN_BOTH) return HSD_ORDER_UNKNOWN;
    if (against > turn->both / 20) return HSD_ORDER_CONTRADICTORY;
    if (against > turn->both / 100) return HSD_ORDER_UNKNOWN;
    if (behind[0] / 2 > against && behind[0] >= LEAST_BEHIND) return HSD_ORDER_REVERSED;
    if (behind[1] / 2 > against && behind[1] >= LEAST_BEHIND) return HSD_ORDER_AS_GIVEN;
    return HSD_ORDER_UNKNOWN;
}
