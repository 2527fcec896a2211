/*
 * What plan/plan.c (both captures), plan/side.c (the stages of one) and plan/needs.c (formulas) share. Private to the
 * planner.
 */
#ifndef HSD_WALK_PLAN_PARTS_H
#define HSD_WALK_PLAN_PARTS_H

#include "base/check.h"
#include "walk/plan/plan.h"

#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)

#define SORT_LEAST   KIB(512)
#define SERVE_LEAST  KIB(512)
#define GROWTH_LEAST MIB(4)
#define GROWTH_MOST  MIB(32)

/* ---- dividing (plan/needs.c) ---- */

typedef struct hsd_plan_slot {
    uint64_t least;  /* it cannot run with less */
    uint64_t useful; /* more would lie idle */
    uint64_t weight;
    uint64_t *out; /* NULL: the slot is not there */
} hsd_plan_slot;

#define HSD_PLAN_MAX_SLOTS 4

/* Divides `total` among the slots that are there. Returns false if it is less than their leasts. */
bool hsd_plan_share(uint64_t total, hsd_plan_slot *slots, size_t count);

/* a * b / c without overflow, for b <= c. */
uint64_t hsd_plan_scale(uint64_t a, uint64_t b, uint64_t c);

/* ---- what a capture can use (plan/needs.c) ---- */

typedef struct hsd_plan_need {
    uint64_t least, useful;
} hsd_plan_need;

bool hsd_plan_has_blocks(const hsd_plan_capture *c);
bool hsd_plan_has_join(const hsd_plan_capture *c);
bool hsd_plan_is_read(const hsd_plan_capture *c); /* the graph is there */
bool hsd_plan_has_tree(const hsd_plan_capture *c);

hsd_plan_need hsd_plan_ordinals(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_labels(const hsd_plan_capture *c);
uint64_t hsd_plan_label_serve(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_adjacency(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_names(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_dominators(const hsd_plan_capture *c);
uint64_t hsd_plan_dominator_walk(const hsd_plan_capture *c);   /* what keeps blocks and the first step in memory */
uint64_t hsd_plan_dominator_enough(const hsd_plan_capture *c); /* more has tapes alone in memory */
hsd_plan_need hsd_plan_links(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_types(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_paths(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_structure(const hsd_plan_capture *c);
uint64_t hsd_plan_structure_random(const hsd_plan_capture *c); /* what keeps in memory all that it asks for at random */
uint64_t hsd_plan_structure_serve(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_strings(const hsd_plan_capture *c);
uint64_t hsd_plan_recognise_useful(const hsd_plan_capture *c);
uint64_t hsd_plan_partners(const hsd_plan_capture *c); /* all that objects were recognised as, beside the least of it */
uint64_t hsd_plan_idle_adjacency(const hsd_plan_capture *c);
hsd_plan_need hsd_plan_spans(const hsd_plan_capture *c);  /* first and end of each place, in an array */
uint64_t hsd_plan_told_places(const hsd_plan_capture *c); /* all in arrays, as they are told */
hsd_plan_need hsd_plan_owner_tree(const hsd_plan_capture *c);
uint64_t hsd_plan_bits(const hsd_plan_capture *c);
uint64_t hsd_plan_kept(const hsd_plan_capture *c, bool keeps_graph);

/* Words of records on their way to the blocks. */
unsigned hsd_plan_edge_words(const hsd_plan_capture *c);
unsigned hsd_plan_source_words(const hsd_plan_capture *c);

/* What a sorter of so many records can use, whether it then keeps them all in memory, and what serving takes. */
uint64_t hsd_plan_sort_useful(uint64_t records, unsigned words);
bool hsd_plan_stays(uint64_t records, unsigned words, uint64_t sort_bytes);
uint64_t hsd_plan_serve_useful(uint64_t records, unsigned words, uint64_t sort_bytes);

/* What a walk's random accesses want in memory. */
uint64_t hsd_plan_random(const hsd_plan_capture *c);

/* The same with places in arrays from their finding to the end, so that owners come out of the tree. */
uint64_t hsd_plan_random_in_arrays(const hsd_plan_capture *c);

/* ---- one capture (plan/side.c) ---- */

typedef struct hsd_plan_walk {
    uint64_t bytes;
    uint64_t end_bytes; /* the graph stays, and must then leave as much for others; 0 = it does not */
    bool has_arrays;    /* places may be in arrays where the graph leaves memory, too */
    bool is_ahead;      /* a thread is free that reads ahead, where that is little beside the rest */
} hsd_plan_walk;

/* Divides the bytes among the stages of one walk. False: too little. */
bool hsd_plan_side_divide(hsd_plan_side *side, const hsd_plan_capture *c, hsd_plan_walk walk);

/* What waits for the other side between owners and census. */
uint64_t hsd_plan_side_waits(const hsd_plan_side *side, bool keeps_graph);

/* Most that it has alive at once. */
uint64_t hsd_plan_side_peak(const hsd_plan_side *side, const hsd_plan_capture *c, bool keeps_graph);

#endif
