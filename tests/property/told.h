/*
 * The pairs that a diff tells of (hsd_diff_options.matched): which object is which, as the engine sees it.
 */
#ifndef HSD_TESTS_TOLD_H
#define HSD_TESTS_TOLD_H

#include <hsdiff/diff.h>

typedef struct told_pair {
    uint64_t before, after; /* ids */
    hsd_match_rung rung;
} told_pair;

typedef struct told {
    told_pair *pairs;
    size_t count, room;
} told;

/* A hsd_matched_fn; the context is a told. */
hsd_status told_put(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung, hsd_error *err);

/* By the ids after (before). Without it pairs come as the diff told them. */
void told_sort_by_after(told *all);
void told_sort_by_before(told *all);

/* The pair of that id, NULL if it has none. Sorted by it. */
const told_pair *told_of_after(const told *all, uint64_t id);
const told_pair *told_of_before(const told *all, uint64_t id);

void told_free(told *all);

#endif
