/*
 * The stacks of a thread's last allocations, each with what its walk read (hsn_trail). Most allocations come from a few
 * stacks; one of those is known again by comparing words that need not wait for each other, where a walk waits at each
 * frame for the one before: and neither hash nor stack table is asked.
 */
#ifndef HSN_TRAILS_H
#define HSN_TRAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/unwind.h"

/* Four sets of four: 35 KiB at most of a thread that allocates, as they fill. A stack of no trail, of more than 64
 * frames with all they saved, is walked each time. */
enum { HSN_TRAIL_SETS = 4, HSN_TRAIL_WAYS = 4 };

typedef struct hsn_kept_trail {
    _Alignas(64) hsn_trail trail; /* from.pc 0: none */
    uint32_t stack;
} hsn_kept_trail;

typedef struct hsn_trails {
    hsn_kept_trail kept[HSN_TRAIL_SETS][HSN_TRAIL_WAYS];
    uint32_t next;     /* way that the next one takes, of any set */
    _Atomic int owner; /* its thread, which may have ended (threads.c); 0 = none yet */
} hsn_trails;

/*
 * The id of the stack at `place` (stacks.h), walked at most `depth` frames deep: the same way and depth at each call.
 * `trails`: the calling thread's own, zeroed at first; NULL = none. Inside hsn_enter.
 */
uint32_t hsn_trails_stack(hsn_trails *trails, hsn_unwind_way way, size_t depth, const hsn_place *place);

/* The id of a stack that is one of the last, or 0. Of the thread's own stack, which ends at `high`: above `sp`, the
 * return address below it, all can be read. */
static inline uint32_t hsn_trails_know(const hsn_trails *trails, uintptr_t sp, uintptr_t bp, uintptr_t high);

/* ---- within ---- */

/* By the stack pointer and the function, so that loops at one depth do not drive each other out. */
static inline unsigned hsn_trails_set(uintptr_t sp, uintptr_t pc)
{
    const uint64_t mixed = (sp + pc) * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned)(mixed >> 62);
}
_Static_assert(HSN_TRAIL_SETS == 4, "two bits of the hash");

static inline uint32_t hsn_trails_know(const hsn_trails *trails, uintptr_t sp, uintptr_t bp, uintptr_t high)
{
    const uintptr_t pc = ((const uintptr_t *)sp)[-1];
    const hsn_place place = {.pc = pc, .sp = sp, .bp = bp, .high = high};
    const hsn_kept_trail *set = trails->kept[hsn_trails_set(sp, pc)];
    for (size_t i = 0; i < HSN_TRAIL_WAYS; i++)
        if (hsn_unwind_is_same_own(&set[i].trail, &place)) return set[i].stack;
    return 0;
}

#endif
