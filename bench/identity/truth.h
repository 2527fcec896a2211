/*
 * Who is who in a dump whose objects have an id: true ids, equal in two captures exactly when the object is the same
 * one.
 *
 * OWN      the object has the id field
 * OWNED    all that refers to it is one object of OWN or OWNED, by the same field and with the same size in both; or it
 * is a node:
 *          no array, and what it alone refers to is OWN. These two are what pairs are judged by.
 * PLACED   classes by name, roots by a name that no other has, and what hangs from such a thing by the same field (what
 * a static field
 *          refers to may change its size: an array that is grown by copying is one array all the time); good for all that a heap's
 *          own platform does, yet not proof of identity
 * FRESH    none of that: an id of its own, in each capture another. Where such a thing was kept it is once new and once
 * freed below
 *          the same holder, and cancels.
 */
#ifndef HSD_BENCH_IDENTITY_TRUTH_H
#define HSD_BENCH_IDENTITY_TRUTH_H

#include "heap.h"

typedef enum truth_kind { TRUTH_FRESH, TRUTH_PLACED, TRUTH_OWNED, TRUTH_OWN } truth_kind;

typedef struct truth {
    uint64_t *ids;    /* by ordinal: true ids, each once in a capture */
    uint8_t *kinds;   /* truth_kind */
    uint32_t *others; /* ordinal of the same object in the other capture, HEAP_NONE = it is not there */
    uint64_t counts[TRUTH_OWN + 1];
} truth;

/* Reads the pairs (address, id) that hsd_blind wrote, and works out the rest. side: 0 or 1, which of the captures. */
void truth_find(truth *t, const heap *h, const char *pairs_path, unsigned side);

/* Fills `others` of both, and pairs of what is still FRESH or PLACED those that partners refer to by the same field. */
void truth_join(truth *before, truth *after, const heap *heap_before, const heap *heap_after);

void truth_release(truth *t);

#endif
