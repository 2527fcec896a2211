/*
 * The stacks of a thread's last allocations, each with what its walk read (hsn_trail). Most allocations come from a few stacks; one of those is
 * known again by comparing words that need not wait for each other, where a walk waits at each frame for the one before: and neither hash
 * nor stack table is asked.
 */
#ifndef HSN_TRAILS_H
#define HSN_TRAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/unwind.h"

/* Four sets of four: 26 KiB at most of a thread that allocates, as they fill. A stack of no trail, of more than 64 frames with all they saved, is
 * walked each time. */
enum { HSN_TRAIL_SETS = 4, HSN_TRAIL_WAYS = 4 };

typedef struct hsn_kept_trail {
    _Alignas(64) hsn_trail trail; /* from.pc 0: none */
    uint32_t stack;
} hsn_kept_trail;

typedef struct hsn_trails {
    hsn_kept_trail kept[HSN_TRAIL_SETS][HSN_TRAIL_WAYS];
    uint32_t next; /* way that the next one takes, of any set */
} hsn_trails;

/*
 * The id of the stack at `place` (stacks.h), walked at most `depth` frames deep: the same way and depth at each call. `trails`: the calling
 * thread's own, zeroed at first; NULL = none. Inside hsn_enter.
 */
uint32_t hsn_trails_stack(hsn_trails *trails, hsn_unwind_way way, size_t depth, const hsn_place *place);

#endif
