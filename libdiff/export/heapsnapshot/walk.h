/*
 * The one pass over the objects: each becomes a node and its references edges, as text that waits in two spools. Nodes
 * stand in this order:
 *
 *      roots and their groups (roots.h) | objects | strings beside them | one that leads to what nothing refers to
 *
 * Strings beside objects: an object that DevTools classes by its name cannot be called anything else, so what it is
 * called, and the value that the capture has of it, hang from it as "name" and "value", as V8 does with numbers.
 *
 * What nothing refers to hangs by weak edges from "(unreferenced)": there it is found, and is as unreached as it was.
 * Of a capture that cannot say what is a root all objects hang from "(all objects)", because all of them count as live.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_WALK_H
#define HSD_EXPORT_HEAPSNAPSHOT_WALK_H

#include "export/heapsnapshot/roots.h"

typedef struct hsd_snap_walk {
    hsd_export *x;
    hsd_joined *joined;
    hsd_snap_names names;
    hsd_snap_kinds kinds;
    hsd_snap_ids ids;
    hsd_snap_roots roots;
    hsd_snap_spool nodes, edges, beside; /* beside: nodes of strings */
    uint8_t *referred;                   /* one bit a place: something leads to it */
    bool has_roots;
    uint64_t first; /* node of the first object */
    uint64_t nodes_done, edge_count, beside_count;
    uint32_t items;          /* of this object, so far */
    uint64_t unreferenced;   /* of the last node: its edges */
    uint64_t objects, bytes; /* as reports count them: no nodes that are no objects */
    uint64_t dropped;        /* references to groups of V8's, which are made anew */
    uint64_t giants;         /* objects that DevTools takes modulo 4 GiB */
} hsd_snap_walk;

/* Opens what is in it, which shares x->memory_bytes. Release it then, too. */
hsd_status hsd_snap_walk_open(hsd_snap_walk *walk, hsd_export *x, hsd_error *err);

/* The pass. Afterwards everything is counted, and the spools can be copied. */
hsd_status hsd_snap_walk_run(hsd_snap_walk *walk, hsd_error *err);

/* The node behind all others and its edges; 0 = there is none. */
uint64_t hsd_snap_walk_last(const hsd_snap_walk *walk);
hsd_status hsd_snap_walk_write_last_node(const hsd_snap_walk *walk, hsd_error *err);
hsd_status hsd_snap_walk_write_last_edges(const hsd_snap_walk *walk, hsd_error *err);

void hsd_snap_walk_release(hsd_snap_walk *walk);

#endif
