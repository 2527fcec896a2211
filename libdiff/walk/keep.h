/*
 * For who keeps what a diff walked, to answer questions about single objects (libdiff/browse): a keeper is told of
 * every node as the census comes by, and of every pair of objects as they are merged; the trees then have places of all
 * nodes that were reached; and both sides stay, with their graphs and trees, until they are released.
 *
 *      census ──see──► keeper      in ascending order of nodes: objects, then label nodes and root nodes
 *      merge  ──pair─► keeper      in the order of identities; meanwhile it may work on the graphs
 */
#ifndef HSD_WALK_KEEP_H
#define HSD_WALK_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include <hsdiff/diff.h>
#include <hsdiff/top.h>

typedef struct hsd_seen {
    hsd_node node;
    uint32_t type;       /* common type; of a label node or root node the number of its name on this side */
    uint32_t root;       /* number of the owner's name on this side */
    hsd_node first, end; /* place in the dominator tree (walk/tree.h); first 0 = not reached */
    uint32_t edge;
    uint64_t id; /* 0 of a root */
    /* folded parts included; of a folded part or pseudo object its own, which count elsewhere or nowhere */
    uint64_t bytes;
    bool is_object;
    bool counts; /* false of roots, too */
} hsd_seen;

typedef struct hsd_keeper { /* of one side */
    void *context;
    hsd_status (*see)(void *context, const hsd_seen *seen, hsd_error *err);
    /* The side is walked, and its graph is the keeper's until `search` is called. So it may begin work of its own on a
     * thread of its own, with so much memory, while the other side is walked and both are compared. Told where there is
     * a thread for it; NULL = not wanted */
    hsd_status (*walked)(void *context, uint64_t memory_bytes, hsd_error *err);
    /* The graph is wanted, with whatever memory it has; maybe never called, and from any thread. NULL = nothing to do
     */
    hsd_status (*search)(void *context, hsd_error *err);
} hsd_keeper;

/* Ordinals of two objects that were recognised as one, live or not. */
typedef hsd_status (*hsd_pair_fn)(void *context, hsd_node before, hsd_node after, hsd_error *err);

typedef struct hsd_keep {
    hsd_keeper sides[2]; /* of top the first */
    hsd_pair_fn pair;    /* NULL = not wanted */
    void *pair_context;
} hsd_keep;

#endif
