/*
 * Places in the dominator tree, by node. Dominators tell them in the order of their walk; they are asked for in
 * the order of the nodes, and in between each node gets the name of the reference by which its immediate
 * dominator holds it.
 *
 *      whole    where HSD_PLACES_NODE_BYTES a node fit, a place goes straight to its node's rows of two arrays
 *      sorted   else places are sorted by node, and only links (8 bytes a node) are in an array, or names alone come
 *               in the order of the nodes, on a tape (side/naming.h)
 *
 * What is asked and answered is the same; arrays are paged in either case, and sequential once they are served.
 *
 * Whole, the array of links has parents alone while places are put, a number a node at its beginning: if links are
 * larger, what is behind takes memory when dominators have given back theirs.
 */
#ifndef HSD_WALK_PLACES_H
#define HSD_WALK_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "graph/dominators/dominators.h"
#include "graph/paged.h"
#include "graph/tape.h"
#include "sort/read_ahead.h"
#include "sort/sorter.h"
#include "walk/edges.h"
#include "walk/side/side.h"

typedef struct hsd_places {
    hsd_node node_count;
    bool is_whole;
    hsd_paged spans; /* whole: first and end of each node, an hsd_two */
    hsd_paged links; /* of each node; whole, until places are finished: firsts of the immediate dominators, hsd_node */
    bool has_spans, has_links;
    bool has_names;       /* links, in plain memory, are names of four bytes each from now on */
    hsd_sorter *by_node;  /* sorted: (node, first), (end, first of the immediate dominator) */
    hsd_read_ahead ahead; /* sorted: reads by_node, a batch on a thread where one is free */
    size_t batch_bytes;   /* its memory */
    bool reads_ahead;
    const uint64_t *next, *end; /* sorted: the next record of by_node, and the end of its batch; NULL = none is left */
    /* sorted: first and end of each label and root node, two numbers in words, 0 of one that is not live; NULL = nobody
     * asks. And how many objects come before these */
    uint64_t *other_spans;
    hsd_node object_count;
    /* sorted: which nodes are core, while names are found, if dominators told; names without links */
    hsd_pages core_bits;
    uint32_t name_bytes; /* of each name on the tape, 2 as hsd_places_narrow has them, or 4; 0 = there are links */
    hsd_reel name_reel;
    hsd_tape names;
    hsd_tape_reader name_reader;
    hsd_node names_read; /* by name_reader */
    uint32_t last_name;
    hsd_node next_node; /* whole: where the next search goes on */
    hsd_node forgotten; /* whole, in plain memory: nobody asks for nodes before it any more */
} hsd_places;

/* A link is of the immediate dominator's first, and the name of a reference from it (walk/edges.h). */
#define HSD_PLACES_NO_NAME    UINT32_MAX
#define HSD_PLACES_NODE_BYTES (HSD_TWO_BYTES + (uint32_t)sizeof(uint64_t)) /* of one node in both arrays */

typedef struct hsd_placed {
    hsd_node first, end;
    uint32_t edge; /* walk/edges.h, without HSD_EDGE_SOFT; HSD_TREE_INDIRECT */
    bool is_there; /* the node is live */
} hsd_placed;

/* Takes place_sort_bytes of the side's plan while places are put, place_link_bytes and link_bytes while links are
 * found; then place_link_bytes and link_serve_bytes until they rest, or place_walk_bytes and link_walk_bytes; then
 * place_serve_bytes and link_serve_bytes. */
hsd_status hsd_places_new(hsd_places **out, const hsd_side_walk *side, hsd_error *err);

/* Sorted, before any is put: where those of label and root nodes lie will be asked, too. HSD_E_NOMEM. */
hsd_status hsd_places_want_others(hsd_places *places, const hsd_side_walk *side, hsd_error *err);
void hsd_places_forget_others(hsd_places *places);

/* A record of by_node, whose nodes are dense numbers, as hsd_sorter_next_dense has it. */
#define HSD_PLACES_WORDS      (2 * HSD_TWO_WORDS)
#define HSD_PLACES_NODE_SHIFT (HSD_NODE_BITS == 32 ? 32u : 0u)

static inline void hsd_places_of_record(const uint64_t *record, hsd_interval *place)
{
    place->node = hsd_words_first(record);
    place->first = hsd_words_second(record);
    place->end = hsd_words_first(record + HSD_TWO_WORDS);
    place->parent = hsd_words_second(record + HSD_TWO_WORDS);
}

/* A name of so few that two bytes hold each, in the same order. */
#define HSD_PLACES_NARROW_NAMES 0x7fffu

static inline uint16_t hsd_places_narrow(uint32_t name)
{
    return (uint16_t)((name >> 16 & 0x8000u) | (name & 0x7fffu));
}

static inline uint32_t hsd_places_widen(uint32_t narrow)
{
    return narrow == 0xffffu ? HSD_PLACES_NO_NAME : (narrow & 0x8000u) << 16 | (narrow & 0x7fffu);
}

/* For hsd_dominators_config.take; on several threads at once where places are whole. */
hsd_status hsd_places_put(void *places, const hsd_interval *intervals, uint32_t count, hsd_error *err);

/* No more puts; names may be offered, where places are whole. */
hsd_status hsd_places_finish(hsd_places *places, const hsd_side_walk *side, hsd_error *err);

/* Sorted: links without names, so that these may be offered; or all names, in the order of the nodes, to a tape. */
hsd_status hsd_places_fill_links(hsd_places *places, const hsd_side_walk *side, hsd_error *err);
void hsd_places_begin_names(hsd_places *places, const hsd_side_walk *side);
void hsd_places_forget_names(hsd_places *places);

/* A reference to `target` with that name, from the node whose place begins at `first`: kept if it is from the
 * target's immediate dominator and no lesser name is. */
static inline void hsd_places_offer(hsd_places *places, hsd_node target, hsd_node first, uint32_t name)
{
    const uint64_t link = hsd_paged_get_u64(&places->links, target), offered = hsd_link_of(first, name);
    if (!hsd_link_is_less(offered, link)) return;
    hsd_paged_set_u64(&places->links, target, offered);
}

/* Offers are cheap for so many nodes at a time: those from a multiple of it on, once they were brought. */
uint64_t hsd_places_window(const hsd_places *places);
void hsd_places_bring(hsd_places *places, hsd_node first, hsd_node count);

/* The same where rows are plain memory. Two threads may offer at once if they have different sources: whoever has the
 * dominator of a target is the only one to write there. */
static inline void hsd_places_offer_flat(hsd_places *places, hsd_node target, hsd_node first, uint32_t name)
{
    uint64_t *at = (uint64_t *)(void *)places->links.frames + target;
    const uint64_t link = __atomic_load_n(at, __ATOMIC_RELAXED), offered = hsd_link_of(first, name);
    if (!hsd_link_is_less(offered, link)) return;
    __atomic_store_n(at, offered, __ATOMIC_RELAXED);
}

/* Where the place of a node's dominator begins, likewise. */
static inline hsd_node hsd_places_dominator_flat(const hsd_places *places, hsd_node node)
{
    return hsd_link_from(__atomic_load_n((const uint64_t *)(const void *)places->links.frames + node,
                                         __ATOMIC_RELAXED));
}

/* Where the place of a node begins, 0 if it has none; of whole places in plain memory. */
static inline hsd_node hsd_places_first_flat(hsd_places *places, hsd_node node)
{
    return hsd_two_first(hsd_flat_get_two(&places->spans, node, true));
}

static inline bool hsd_places_are_flat(const hsd_places *places) { return places->is_whole && places->links.is_flat; }

/* Brings near what an offer will look at. */
static inline void hsd_places_prefetch(const hsd_places *places, hsd_node target)
{
    hsd_paged_prefetch(&places->links, (uint64_t)target * sizeof(uint64_t));
}

/* Serves from the first node again. */
hsd_status hsd_places_rewind(hsd_places *places, hsd_error *err);

/* The next node that dominates something, and where its place begins; HSD_END after the last. */
hsd_status hsd_places_next(hsd_places *places, hsd_node *node, hsd_node *first, hsd_error *err);

/* Names are complete: from now on links are read in order. */
hsd_status hsd_places_settle(hsd_places *places, const hsd_side_walk *side, hsd_error *err);

/* The side waits for another one, and keeps what hsd_plan_waiting says. */
hsd_status hsd_places_wait(hsd_places *places, const hsd_plan_side *plan, hsd_error *err);

/* The graph will be walked, and nobody asks for them before that is done. */
hsd_status hsd_places_step_aside(hsd_places *places, const hsd_side_walk *side, hsd_error *err);

/* Places are read in order from now on, too. */
hsd_status hsd_places_rest(hsd_places *places, const hsd_side_walk *side, hsd_error *err);

/* Where the place of a node begins, 0 of one that is not live; of sorted places, in the same order, before or in place
 * of hsd_places_find. */
hsd_status hsd_places_find_first(hsd_places *places, hsd_node node, hsd_node *first, hsd_error *err);

/* The place of a node; after a rewind, for nodes in ascending order, and for the last time: what lies far behind is
 * forgotten. */
hsd_status hsd_places_find(hsd_places *places, hsd_node node, hsd_placed *out, hsd_error *err);

/* The first failure of the arrays. */
hsd_status hsd_places_check(const hsd_places *places, hsd_error *err);

/* NULL is accepted. */
void hsd_places_free(hsd_places *places);

#endif
