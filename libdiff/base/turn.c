/*
 * The verdict over counted ids.
 */
#include "base/turn.h"

#include <string.h>

#define LEAST_IN_BOTH 100u /* fewer are no heap of a program */
#define LEAST_BEHIND  16u  /* what a snapshot makes of itself is less */

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
