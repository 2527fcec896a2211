/*
 * A map from two numbers to one, in memory of an arena: open addressing, at most half full. What it grew out of stays
 * in the arena, which is at most as much again.
 */
#ifndef HSN_PAIRS_H
#define HSN_PAIRS_H

#include "agent/agent.h"

typedef struct hsn_pair {
    uint64_t a, b;
    uint32_t value; /* 0 = free */
} hsn_pair;

typedef struct hsn_pairs {
    hsa_arena *arena;
    hsn_pair *pairs;
    size_t capacity, count; /* a power of two, or 0 */
} hsn_pairs;

/* The value of (a, b), 0 = it is not there. */
uint32_t hsn_pairs_get(const hsn_pairs *pairs, uint64_t a, uint64_t b);

/*
 * Where the value of (a, b) stands: 0 = it is new, and the caller stores one. NULL = no memory. Borrowed until the next
 * call.
 */
uint32_t *hsn_pairs_put(hsn_pairs *pairs, uint64_t a, uint64_t b);

/* Empties it; its memory stays. */
void hsn_pairs_clear(hsn_pairs *pairs);

#endif
