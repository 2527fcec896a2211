/*
 * The planner: divides one --memory budget once, before anything is read, and says how. Every stage
 * of a diff gets its number from here and from nowhere else, so that what lives at the same time is
 * never more than the budget. Pure arithmetic: no allocation, no I/O.
 *
 * The stages of one capture's walk, and what is alive in each (fields of hsd_plan_side; `bits` always):
 *
 *      read        reader + id_sort + reference_sort                       targets are ids
 *                  reader + id_sort + ordinal + build + name               targets are ids that memory holds
 *                  reader + build + name, or reader + edge_sort            targets are ordinals
 *      edges       reader + id_serve + reference_sort + source_sort        edges apart from their objects
 *                  id_serve + reference_sort + source_serve
 *      join        id_serve + reference_serve + edge_sort                  target id -> ordinal
 *      build       id_serve + edge_serve + build + name                    adjacency blocks
 *      parts       adjacency + idle_name + part                            only if some type is a part
 *                  reader + adjacency + idle_name + owner_serve + folded (of the reader a tape of their sizes)
 *      structure   adjacency + idle_name + structure + folded + id_serve   only where objects are recognised by structure
 *      dominators  dominator + idle_name + place_sort + owner_tell + folded    only with holders; the blocks' cache is in it
 *      links       idle_adjacency + name + link + place_link + owner_tree + owner_tell + folded    names of references in the tree
 *      owners      idle_adjacency + idle_name + owner + place_link + link_serve + folded    where the tree tells them
 *                  adjacency + idle_name + owner + place_walk + link_walk + folded          where they are walked
 *      census      reader + owner_serve + owner_tell + place_serve + link_serve + folded + identity_sort + tree_sort
 *                  + partner
 *                  + idle_adjacency + idle_name where the graph stays
 *
 * Where objects are recognised by structure (match/), structure_serve and string are alive in all of these, ids until
 * `structure`; and between owners and census both sides wait for each other:
 *
 *      recognise   owner_serve + owner_tell + place_serve + link_serve + folded of both + recognise
 *                  + idle_adjacency + idle_name where the graph stays
 *                  of these hsd_plan_waiting, which is little where waits_in_order
 *
 * With holders the graph of the last capture (`after`, or the only one) stays until shortest paths were found in
 * it. Once both captures were walked, `kept` of both takes the place of the bits:
 *
 *      match     identity_serve + tree_serve of both + idle_adjacency + idle_name + type
 *      growth    the same + growth
 *      paths     identity_serve + tree_serve of both + adjacency + name + type + growth + path
 *
 * The tables (types, names, roots, folded rows) are alive all the time. Walking one capture after the
 * other, the identity_serve and tree_serve of the first are alive during the whole walk of the second;
 * walking both at once, the two walks share the budget by their size. Of processes that walk one capture each, and
 * share the memory of a machine, each has an equal part of the budget, but no less than makes the answer of one
 * process, and no more than two fifths of what a walk touches at random.
 *
 * Rungs, as memory shrinks: the graph stays in memory from its building to the end; or it is dropped wherever
 * it is not needed at random, and comes back from its file (so do graphs of two walks at once, unless they are small:
 * it costs little, and half of the memory is saved), first with all places in arrays, until they are counted or until
 * owners are told, then with places that are sorted; or, when not even the least of each stage fits, there
 * are no dominators, and the walk ends with owners.
 */
#ifndef HSD_WALK_PLAN_PLAN_H
#define HSD_WALK_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/note.h"
#include <hsdiff/status.h>

/* What is known of a capture before it is walked: from its info and index, or a guess from its size. Once its graph is
 * read much more is: a plan that is made anew then is of what comes after that. */
typedef struct hsd_plan_capture {
    uint64_t objects;        /* label nodes included */
    uint64_t references;     /* inline ones, separate edges and those of label nodes */
    bool has_graph;          /* references are built into blocks and walked */
    bool needs_join;         /* targets are ids */
    bool has_edges;          /* some references stand apart from their objects */
    bool has_parts;          /* some type is a part */
    bool has_structure;      /* objects are recognised by structure; needs has_graph */
    uint64_t strings;        /* with has_structure: whose names are hashed */
    unsigned identity_words; /* u64 words of one record of the identity sort; 0 = not run */
    unsigned tree_words;     /* of one record of the tree sort; 0 = no dominators, no names of references. Needs
                              * has_graph */
    /* What the graph takes, once it was read: blocks, names of references; 0 = that is estimated, and it will be read.
     * And what waits of ids. */
    uint64_t block_bytes, block_name_bytes, id_bytes;
} hsd_plan_capture;

typedef struct hsd_plan_request {
    uint64_t memory_bytes;  /* 0 = hsd_run_default_memory() */
    unsigned threads;       /* as in hsd_run */
    unsigned capture_count; /* 1 or 2 */
    bool walks_apart;       /* another process walks the other one (libdiff/ranks): never both here at once */
    unsigned shares;        /* with walks_apart: so many processes of a machine share memory_bytes; 0 = 1 */
    hsd_plan_capture captures[2];
} hsd_plan_request;

#define HSD_PLAN_LITTLE 8u /* memory is little for a census and a tree of so many times its bytes */

/* Bytes for one capture. What a capture does not need (no graph, no join, no parts) is 0; a sorter and
 * an array never get more than they can use, and what is left over stays unused. A sorter's _sort is
 * its memory_bytes, its _serve what it finishes with. */
typedef struct hsd_plan_side {
    /* one object or record reader: reserved, HSD_PLAN_READER_BYTES; with HSD_PLAN_AHEAD_BYTES where places are sorted
     * and objects read ahead all the same */
    uint64_t reader_bytes;
    uint64_t bits_bytes; /* reserved: bits of each object, block index of the adjacency */
    /* reserved, with holders: which objects are kept; of a graph that stays, its bits and index */
    uint64_t kept_bytes;
    uint64_t id_sort_bytes, id_serve_bytes;               /* (id, ordinal); alive until the blocks are built */
    uint64_t reference_sort_bytes, reference_serve_bytes; /* (target id, source) */
    uint64_t source_sort_bytes, source_serve_bytes;       /* (source id, target id) of edges apart */
    /* (source, target) ordinals, and the name */
    uint64_t edge_sort_bytes, edge_serve_bytes;
    uint64_t ordinal_bytes;        /* ids and their ordinals instead of a join (walk/ordinals.h); 0 = none */
    uint64_t build_bytes;          /* hsd_adjacency_begin */
    uint64_t adjacency_bytes;      /* hsd_adjacency_set_memory for parts, owners, paths; >= build_bytes */
    uint64_t idle_adjacency_bytes; /* for links, and while nobody walks it; <= adjacency_bytes */
    /* hsd_parts_config: worklist and holders; owner_serve_bytes once they are found */
    uint64_t part_bytes;
    uint64_t folded_bytes;    /* (owner, bytes) of folded parts, sorting and serving; until census' end */
    uint64_t name_bytes;      /* blocks of the names of references: building, links, paths */
    uint64_t idle_name_bytes; /* else; <= name_bytes */
    uint64_t dominator_bytes; /* hsd_dominators_config; adjacency included */
    /* places by node, while they are told: sorted, or, where it holds that much, in two arrays that have place_link and
     * what links have while these are found, and as long as the tree tells owners */
    uint64_t place_sort_bytes, place_link_bytes;
    uint64_t early_bytes; /* of place_sort_bytes what dominators may have until the first place is told */
    uint64_t place_walk_bytes, link_walk_bytes; /* while owners are walked */
    uint64_t place_serve_bytes;                 /* later */
    uint64_t link_bytes;                        /* dominators of each node and names of the references from them */
    uint64_t link_serve_bytes;                  /* the same when they are only read in order; <= link_bytes */
    uint64_t tree_sort_bytes, tree_serve_bytes;
    /* types of objects read at random, from the walk's end on; where the graph stays */
    uint64_t type_bytes;
    uint64_t path_bytes;       /* hsd_shortest_config; where the graph stays */
    uint64_t owner_bytes;      /* hsd_owners_config: worklist and labels */
    bool is_little;            /* HSD_PLAN_LITTLE */
    bool has_room_ahead;       /* what a second thread reads ahead and works with is nothing beside the rest */
    uint64_t owner_tree_bytes; /* what tells owners from places that are in memory (graph/owner_tree.h); 0 = they are
                                  walked */
    /* what tells owners from places that are sorted, from their finding until objects are counted; 0 = they are walked
     */
    uint64_t owner_tell_bytes;
    uint64_t owner_serve_bytes; /* labels of owners, and before of parts, read in order; <= owner_bytes */
    /* while it waits for another side, owners, places, links, blocks and names have hsd_plan_waiting each */
    bool waits_in_order;
    uint64_t identity_sort_bytes, identity_serve_bytes;
    uint64_t string_bytes; /* hashes of names while objects are read */
    /* what objects look like while it is found: arrays and sorters (walk/side/structure.c) */
    uint64_t structure_bytes;
    uint64_t structure_serve_bytes; /* what is left of it until the census */
    uint64_t partner_bytes;         /* partners and rungs while objects are counted (walk/side/partners.c) */
} hsd_plan_side;

/* What is left in memory of so many bytes that it serves from. */
static inline uint64_t hsd_plan_waiting(const hsd_plan_side *side, uint64_t serve_bytes)
{
    const uint64_t order = (UINT64_C(1) << 20) + serve_bytes / 1024; /* tables of pages and blocks stay */
    return side->waits_in_order && order < serve_bytes ? order : serve_bytes;
}

typedef struct hsd_plan {
    uint64_t memory_bytes; /* the budget that was divided: with shares that of one process */
    uint64_t table_bytes;  /* reserved for what grows with types and roots, not with objects */
    uint64_t peak_bytes;   /* most that is ever alive at once; <= memory_bytes */
    uint64_t end_bytes[2]; /* the same from where this capture is walked on, whatever the other does; of the one whose
                            * graph stays only  until paths are searched; <= memory_bytes */
    /* pages that may lie idle between one stage and the next (hsd_page_pool): of what peak_bytes leaves */
    uint64_t pool_bytes;
    bool is_side_by_side;   /* both captures are walked at the same time, a thread each */
    bool uses_sort_threads; /* sorters write their runs on a thread of their own */
    hsd_plan_side sides[2];
    uint64_t recognise_bytes; /* hsd_recognise_config; beside the structure_serve of both */
    uint64_t growth_bytes;    /* stacks, trie, credits of holders */
    bool has_holders;         /* dominators were asked for and fit; else the walk stops at owners */
    /* memory_bytes that suffice for them, whole MiB; 0 = they were not asked for */
    uint64_t holders_least_bytes;
    const char *reason; /* why side by side or not: a static sentence */
} hsd_plan;

#define HSD_PLAN_READER_BYTES (UINT64_C(8) << 20)
#define HSD_PLAN_AHEAD_BYTES  (HSD_PLAN_READER_BYTES + (UINT64_C(1) << 20)) /* a block, and batches of references */

/*
 * Divides. HSD_E_OVER_BUDGET when the budget is below HSD_MEMORY_MIN_BYTES or too small for these
 * captures; text and hint name what suffices. Too small for the dominators alone is no error: the plan is made
 * as if tree_words were 0, has_holders is false. HSD_E_MISUSE for another number of captures.
 */
hsd_status hsd_plan_make(hsd_plan *plan, const hsd_plan_request *request, hsd_error *err);

/* The smallest memory_bytes with which hsd_plan_make succeeds for these captures, with or without holders. */
uint64_t hsd_plan_least(const hsd_plan_request *request);

/* Tells the plan in one line, with holders in another: hsd_note, HSD_NOTE_DETAIL. */
void hsd_plan_explain(const hsd_plan *plan, hsd_reporter *reporter);

#endif
