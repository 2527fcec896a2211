/*
 * The stack of what waits. It has as much memory as the stack of the walk; where that is too little, or the system has
 * none, marks are found by a walk of their own.
 */
#include "holders/by/ahead.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "holders/by/by.h"

#define FIRST_WAITING 4096u

void hsd_by_ahead_begin(hsd_by_ahead *ahead, const hsd_growth *growth)
{
    const hsd_side_walk *side = &growth->pair->sides[AFTER];
    if (!growth->has_identity || !growth->walks_at_once || side->request->keeper != NULL) return;
    ahead->is_plain = calloc((size_t)side->node_count / 8 + 1, 1);
    ahead->most = (uint32_t)hsd_min_u64(hsd_growth_walk_bytes(growth) / sizeof(hsd_node), UINT32_MAX);
    ahead->has_secondary = hsd_by_has_secondary(side);
}

void hsd_by_ahead_wait(hsd_by_ahead *ahead, hsd_node node)
{
    const uint64_t wanted = (uint64_t)ahead->count + 1;
    if (wanted > ahead->most ||
        HSD_ARRAY_GROW(ahead->waiting, ahead->capacity, wanted, FIRST_WAITING, "what waits", NULL) != HSD_OK)
        hsd_by_ahead_end(ahead);
    else
        ahead->waiting[ahead->count++] = node;
}

void hsd_by_ahead_end(hsd_by_ahead *ahead)
{
    free(ahead->is_plain);
    free(ahead->waiting);
    *ahead = (hsd_by_ahead){.is_plain = NULL};
}
