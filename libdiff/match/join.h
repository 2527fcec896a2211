/*
 * Pairs of positions on their way into two sequences. Where the arrays they go to are resident they are written as they
 * come; else they wait in a sorter and are written in order of positions:
 *
 *      (a, b) by a ──► those whose a has no partner, by b ──► those whose b has none: b's side ──► by a: a's side
 *
 * Within one join no position comes twice on either side.
 */
#ifndef HSD_MATCH_JOIN_H
#define HSD_MATCH_JOIN_H

#include "base/note.h"
#include "io/temp.h"
#include "match/sequence.h"

typedef struct hsd_join_config {
    uint64_t memory_bytes; /* for sorters; at least 2 HSD_SORT_MIN_BYTES */
    hsd_temp_space *space;
    hsd_reporter *reporter;
    hsd_rung rung;
} hsd_join_config;

typedef struct hsd_join {
    hsd_sequence *a, *b;
    hsd_join_config config;
    hsd_sorter *waiting; /* NULL = written as they come */
    struct {
        hsd_node *partners;
        uint8_t *rungs;
    } plain[2];     /* of a and b, made plain; NULL = not */
    uint64_t pairs; /* made so far */
} hsd_join;

hsd_status hsd_join_begin(hsd_join *join, hsd_sequence *a, hsd_sequence *b, const hsd_join_config *config,
                          hsd_error *err);

/* The two are one, unless one of them has a partner. */
hsd_status hsd_join_put(hsd_join *join, hsd_node at_a, hsd_node at_b, hsd_error *err);

/* True if pairs are written to plain memory from now on: then several threads may each have such a join, for positions
 * of their own. All of partners and rungs counts as written: for a join that pairs many. */
bool hsd_join_make_plain(hsd_join *join);

/* Writes what waits. HSD_E_IO, HSD_E_CANCELLED. */
hsd_status hsd_join_finish(hsd_join *join, hsd_error *err);

void hsd_join_release(hsd_join *join); /* finished or not; a zeroed one may be released */

#endif
