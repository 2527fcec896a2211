/*
 * Dominators in bounded memory. Node d *dominates* v if every path from the roots to v goes through d; the
 * nearest such d is v's immediate dominator, and these make a tree below one super-root. What an object
 * dominates is what would go if it went.
 *
 * SEMI-NCA, core only (DESIGN.md, "Dominators"): after a depth-first walk, a node whose only predecessor
 * is its parent in the walk is dominated by it, and only the others, the *core*, need semidominators.
 *
 *      1 walk        preorder, parents; two rounds (graph/owners.h); explicit stack that spills
 *      2 core        numbers, and their predecessors into buckets by preorder
 *      3 semi        semidominators, bucket by bucket in reverse preorder, path compression in core arrays
 *      4 nca         nearest common ancestors in preorder
 *      5 order       an interval for each subtree
 *
 * Where the blocks do not fit in memory the steps are others that read and
 * write everything in order (dominators/scan.c); the tree is the same, and children of a node may stand in another
 * order.
 *
 * What is not in memory lies in paged arrays and in streams; nothing recurses. Time is nearly linear:
 * O(references x inverse Ackermann), whatever the shape.
 */
#ifndef HSD_GRAPH_DOMINATORS_DOMINATORS_H
#define HSD_GRAPH_DOMINATORS_DOMINATORS_H

#include <stdint.h>

#include "base/note.h"
#include "base/pages.h"
#include "graph/adjacency.h"
#include "graph/owners.h"

/*
 * A node's place in the dominator tree: an order of all reached nodes in which every subtree is an
 * interval. The super-root is 0 … count, and is not told.
 */
typedef struct hsd_interval {
    hsd_node node;
    hsd_node first;  /* 1 … count - 1; a parent's is less than its children's */
    hsd_node end;    /* one past the last of what it dominates; first + 1 = nothing else */
    hsd_node parent; /* `first` of the immediate dominator; 0 = the super-root */
} hsd_interval;

/* Takes some places; each reached node is told once, in no order of use. */
typedef hsd_status (*hsd_interval_fn)(void *context, const hsd_interval *places, uint32_t count, hsd_error *err);

typedef struct hsd_dominators_config {
    hsd_root_nodes roots;
    uint64_t memory_bytes; /* all of it: arrays, buckets, stack, and the cache of adjacency blocks, which is
                            * set to what each step can spare */
    uint64_t take_bytes;   /* more, that `take` needs: free until its first call. 0 = none */
    hsd_temp_space *space;
    hsd_reporter *reporter;
    hsd_interval_fn take;
    void *context;
    /* Where some references are marked: one bit an object that may have such, which bits of a name are the mark, and
     * one bit a node, zeroed by the caller, for what is reached through marked references alone. Only the walk depth
     * first tells that (stats.tells_marked). NULL, 0, 0, NULL where nobody asks. */
    const uint8_t *has_marked;
    hsd_node object_count;
    uint32_t mark;
    uint8_t *by_marked;
    /* A walk depth first where not everything is in memory tells which nodes are core: one bit a node in words of 64,
     * the first in the lowest one, for the caller to give back. To any other reached node but a root node one reference
     * leads from what is reached, and that is from its immediate dominator. Empty else. NULL = nobody asks */
    hsd_pages *core_bits;
    bool uses_thread;    /* a second thread is there */
    bool takes_at_once;  /* then `take` may be called on both at once */
    bool has_room_ahead; /* and there is memory beside memory_bytes for what it works with when all is in memory */
} hsd_dominators_config;

typedef struct hsd_dominators_stats {
    hsd_node reached; /* nodes, super-root not counted */
    hsd_node core;
    uint64_t faults;   /* pages read or written for want of memory, all steps */
    bool was_paged;    /* some array did not fit */
    bool tells_marked; /* by_marked was asked for, and is filled */
    uint32_t passes;   /* over the predecessors, where it went by scans; 0 = it did not */
    double seconds[5]; /* of the steps */
} hsd_dominators_stats;

/* The least memory_bytes for so many nodes and references: bits of each node, tables, small buffers. */
uint64_t hsd_dominators_least_bytes(uint64_t nodes, uint64_t references);

/* What keeps every array resident. */
uint64_t hsd_dominators_useful_bytes(uint64_t nodes, uint64_t references);

/*
 * Finds and tells all places. `stats` may be NULL. HSD_E_OVER_BUDGET below the least; HSD_E_IO, HSD_E_NOMEM;
 * what `take` returns other than HSD_OK ends the call and is returned. Where they do not leave the blocks, the
 * adjacency is left with the least memory it can have: bound it anew before it is read again.
 */
hsd_status hsd_dominators_find(hsd_adjacency *adjacency, const hsd_dominators_config *config,
                               hsd_dominators_stats *stats, hsd_error *err);

#endif
