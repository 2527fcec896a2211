/*
 * What ids say of the order of two captures, where these do not say when they were taken. V8 gives its objects odd
 * numbers in turn, as it first sees them, and takes none back (an even one is made of an address, by each snapshot
 * anew). So in one process
 *
 *      what only the later capture has    has higher numbers than all of the earlier one: it came
 *      what only the earlier one has      stands anywhere: it went
 *
 * and where both have numbers of their own below what the other has, the two counted for themselves: two processes, or
 * one whose inspector began anew. An object that became one of another type stands on either side for itself.
 *
 *      before   1  3  5     9 11 13    17 19 21
 *      after    1  3     7  9 11 13 15 17           21 was given before: the captures are reversed, 7 and 15 went
 *
 * Each thread of a process has a heap that counts for itself: the bits from HSD_TURN_HEAP_SHIFT on say which one.
 */
#ifndef HSD_BASE_TURN_H
#define HSD_BASE_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/capture.h>

#define HSD_TURN_HEAP_SHIFT 44u
#define HSD_TURN_HEAPS      1024u /* that a part tells apart */

typedef struct hsd_turn { /* a zeroed one has seen nothing */
    uint64_t heap, both;
    uint64_t below[2];  /* of one capture alone, and the other goes on behind them in this heap */
    uint64_t behind[2]; /* of one capture alone, since the last of the other in this heap */
    uint64_t over[2];   /* the same at the end of the heaps before */
} hsd_turn;

/* An id, in ascending order, and which of the captures have it. */
static inline void hsd_turn_take(hsd_turn *turn, uint64_t id, bool is_before, bool is_after)
{
    const bool is_in[2] = {is_before, is_after};
    if (id % 2 == 0) return;
    if (id >> HSD_TURN_HEAP_SHIFT != turn->heap) {
        for (int side = 0; side < 2; side++) {
            turn->over[side] += turn->behind[side];
            turn->behind[side] = 0;
        }
        turn->heap = id >> HSD_TURN_HEAP_SHIFT;
    }
    for (int side = 0; side < 2; side++) {
        if (!is_in[1 - side]) continue;
        turn->below[side] += turn->behind[side];
        turn->behind[side] = 0;
    }
    turn->both += is_before && is_after;
    for (int side = 0; side < 2; side++)
        turn->behind[side] += is_in[side] && !is_in[1 - side];
}

/* The last id of each heap of one capture, for who sees ids in parts and in any order: a part knows then what lies
 * below and behind it. */
typedef struct hsd_turn_lasts { /* a zeroed one has seen nothing */
    uint32_t count;
    uint32_t is_full; /* of heaps beyond, and of the order, nothing can be said */
    uint64_t ids[HSD_TURN_HEAPS];
} hsd_turn_lasts;

void hsd_turn_lasts_take(hsd_turn_lasts *lasts, uint64_t id);

/* hsd_turn_take for a part: the words of what parts have seen add up to what the whole would have. `lasts` are of all
 * of before and of after. */
void hsd_turn_take_part(hsd_turn *turn, const hsd_turn_lasts lasts[2], uint64_t id, bool is_before, bool is_after);

/* True if only their ids can say how they follow each other. */
bool hsd_turn_is_asked(const hsd_capture_info *before, const hsd_capture_info *after);

hsd_order hsd_turn_order(const hsd_turn *turn);

#endif
