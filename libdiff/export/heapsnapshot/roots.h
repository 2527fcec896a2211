/*
 * What stands at the beginning of a snapshot: node 0, and below it a node for each name that roots have.
 *
 *      0  ""  ──element──► 1  "(GC roots)" ──► secondary roots: a synthetic node for each name ──► objects
 *             ──element──► a native node for each name of primary roots ──► objects
 *             ──shortcut─► the global objects of V8, ──element──► the embedder's roots there, which are nodes themselves
 *             ──element──► behind all objects, see walk.h: what nothing refers to
 *
 * DevTools takes for roots of the user what hangs from node 0 and is not synthetic: distances count from there, and
 * what these reach is held by them alone, which is what secondary means in a capture (FORMAT.md 7.8). "(Document DOM
 * trees)" counts among them by its name.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_ROOTS_H
#define HSD_EXPORT_HEAPSNAPSHOT_ROOTS_H

#include "export/heapsnapshot/ids.h"
#include "export/joined.h"

#define HSD_SNAP_ROOT        0u /* nodes */
#define HSD_SNAP_GC_ROOT     1u
#define HSD_SNAP_FIRST_GROUP 2u

/* Names of roots; those past it share one. Fewer than HSD_SNAP_RESERVED_IDS. */
#define HSD_SNAP_MOST_GROUPS 60000u

typedef struct hsd_snap_group {
    uint32_t name; /* number of a string */
    uint32_t node; /* once all are known */
    uint32_t edges;
    uint8_t type;                 /* hsd_snap_node */
    bool is_secondary, is_direct; /* direct: no node, its targets hang from node 0 */
} hsd_snap_group;

typedef struct hsd_snap_roots {
    hsd_snap_group *groups;
    uint32_t *by_node;                    /* group of node i + HSD_SNAP_FIRST_GROUP */
    uint32_t count, capacity, node_count; /* groups; of them, nodes */
    hsd_names keys;                       /* group of name, kind and standing */
    hsd_sorter *sorted;                   /* (group << 32 | place of the target), each once */
    uint64_t edge_count;                  /* from groups to objects */
    uint64_t shortcut_count;
} hsd_snap_roots;

/* Reads the roots; names those of the embedder. `referred`: gets the bit of each target's place. Release it then, too.
 */
hsd_status hsd_snap_roots_open(hsd_snap_roots *roots, hsd_joined *joined, hsd_snap_ids *ids,
                               const hsd_snap_names *names, const hsd_snap_kinds *kinds, uint8_t *referred,
                               hsd_export *x, uint64_t memory_bytes, hsd_error *err);

/* The first node that is an object. */
static inline uint64_t hsd_snap_roots_end(const hsd_snap_roots *roots)
{
    return HSD_SNAP_FIRST_GROUP + roots->node_count;
}

/* Edges of node 0, of "(GC roots)" and of all groups. `last`: a node behind all objects that hangs from node 0 too, 0 =
 * none. */
uint64_t hsd_snap_roots_edges(const hsd_snap_roots *roots, uint64_t last);
hsd_status hsd_snap_roots_write_nodes(const hsd_snap_roots *roots, const hsd_snap_ids *ids, uint64_t last,
                                      hsd_export *x, hsd_error *err);
hsd_status hsd_snap_roots_write_edges(hsd_snap_roots *roots, uint64_t last, hsd_export *x, hsd_error *err);

void hsd_snap_roots_release(hsd_snap_roots *roots);

#endif
