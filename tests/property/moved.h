/*
 * Pairs of model heaps of a collector that moves objects: what is which is known here, and does not stand in the
 * captures.
 */
#ifndef HSD_TESTS_MOVED_H
#define HSD_TESTS_MOVED_H

#include "support/heap_model.h"
#include "told.h"

typedef enum moved_way {
    MOVED_COMPACTED, /* other addresses, the same order */
    MOVED_REGIONS,   /* blocks of neighbours lie elsewhere */
    MOVED_SHUFFLED,
    MOVED_NOT, /* they stayed; new objects lie where others were freed */
    MOVED_WAYS
} moved_way;

const char *moved_way_name(moved_way way);

typedef struct moved_pair {
    model_heap before, after;
    /* by object of after: the id of the same object before; MOVED_NEW = it was not there */
    uint64_t was[MODEL_MAX_OBJECTS];
} moved_pair;

#define MOVED_NEW UINT64_MAX

/* A random heap with twins, names and contents, and a later one. Either has a graph in every form. */
moved_pair moved_random(test_random *random, moved_way way);

/* The same heap at other addresses. */
model_heap moved_elsewhere(const model_heap *heap, moved_way way, test_random *random);

/* `before` with ids of which exactly those of told pairs are also ids of `after`. `all` is sorted by before. */
model_heap moved_renamed(const model_heap *before, const told *all);

/* ---- how well objects were recognised ---- */

typedef struct moved_score {
    uint64_t told, right; /* pairs */
    uint64_t there;       /* objects that are on both sides, of one type */
} moved_score;

/* Adds one diff. Parts are left out: some are folded. `all` is sorted by after. */
void moved_add_score(moved_score *score, const moved_pair *pair, const told *all);

#endif
