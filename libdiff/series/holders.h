/*
 * The join of places, and which of them hold. A place is known by its exact path from the nearest root; a node here is
 * one path over all captures:
 *
 *      heap ─► root "cache" ─► .map HashMap ─► .table Node[] ─► [*] Node …
 *              1 in each       1 in each       1, but insides    17, 19, 25 …
 *              holder          holder          counts for        counts for
 *                                              the HashMap       the HashMap
 *
 * A place stops being a possible holder at the first capture behind the warm-up that does not have exactly one object
 * there, and never becomes one again. So nodes are made of captures up to the first behind the warm-up; what hangs
 * elsewhere later counts for the nearest node above. A capture's sums go to columns, and who held what is worked out at
 * the end.
 */
#ifndef HSD_SERIES_HOLDERS_H
#define HSD_SERIES_HOLDERS_H

#include "base/names.h"
#include "series/table.h"

/* What a node takes in all, texts of edges and types not counted. */
#define HSD_PLACE_NODE_BYTES 160u

typedef struct hsd_place_node {
    uint64_t objects;                /* in this very place, in capture `seen` */
    uint32_t parent;                 /* node, less than its own; of a root the place where it was first seen */
    uint32_t edge, type;             /* in `texts` */
    uint32_t confirmed;              /* captures behind the warm-up in which it could hold */
    uint32_t seen;                   /* last capture that has it, + 1 */
    bool is_root, is_fold, is_inner; /* inner: in no capture could it hold */
} hsd_place_node;

typedef struct hsd_place_join {
    hsd_names texts, keys; /* keys: parent, edge, type, kind; the number is the node */
    hsd_columns columns;   /* a row a node */
    hsd_place_node *nodes;
    uint32_t node_capacity;
    uint64_t memory_bytes, used_bytes; /* for nodes */
    uint32_t captures, behind;         /* captures that were added; of these behind the warm-up */
} hsd_place_join;

/* Bytes for nodes: past them places count for the ones above. */
hsd_status hsd_place_join_open(hsd_place_join *join, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err);

/* One capture; one without places is an empty column, and must not be behind the warm-up. */
hsd_status hsd_place_join_add(hsd_place_join *join, const hsd_profile *profile, bool is_behind_warmup, hsd_error *err);

/* Rows of the result. Kinds of roots are those of `roots`. */
hsd_status hsd_place_join_finish(hsd_place_join *join, const hsd_named_table *roots, hsd_series *series,
                                 hsd_series_table *out, uint64_t memory_bytes, hsd_error *err);

/* The path of a node from its root, as reports show it (holders_path.c): row->root, row->name, row->path. Insides of
 * containers are left out, steps that repeat are one. Node 0 is "(roots)". */
hsd_status hsd_place_path(const hsd_place_join *join, uint32_t node, hsd_series_store *store, hsd_series_row *row,
                          hsd_error *err);

/* Accepts a zeroed one. */
void hsd_place_join_close(hsd_place_join *join);

#endif
