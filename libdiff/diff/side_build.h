/*
 * A graph on its way from a capture into adjacency blocks: what side_graph.c (objects) and side_references.c
 * (references that must be sorted first) share. Private to the two.
 *
 *      by_target   (target id, source)            targets that are ids
 *      by_source   (source << 32 | target)        references that did not come in the order of their sources
 *
 * With want_tree each carries the name of the reference: (target id, source << 32 | name), (source << 32 |
 * target, name).
 */
#ifndef HSD_DIFF_SIDE_BUILD_H
#define HSD_DIFF_SIDE_BUILD_H

#include "diff/edges.h"
#include "diff/side.h"

typedef struct hsd_side_build {
    hsd_side_walk *side;
    hsd_sorter *by_target;
    hsd_sorter *by_source;
    uint32_t *nodes;        /* targets of the object at hand */
    uint32_t *names;        /* and the names of these references; NULL without want_tree */
    uint32_t node_capacity;
    uint64_t ordinal;       /* of the object at hand */
    uint8_t *types;         /* common types on their way to types_file */
    uint32_t types_bytes;
    uint64_t types_written;
} hsd_side_build;

/* Numbers of the name of a label's references; nameless without names. */
static inline uint32_t hsd_side_name_of(const hsd_side_walk *side, const hsd_label *label)
{
    if (label == NULL || side->labels.edges == NULL) return HSD_EDGE_NAMELESS;
    return side->labels.edges[label - side->labels.labels];
}

bool hsd_side_is_weak(const hsd_label *label);

/* A source of soft references is marked for graph/reach.h. */
void hsd_side_mark_soft(hsd_side_walk *side, uint32_t source, uint32_t name);

hsd_status hsd_side_put_by_source(hsd_side_build *b, uint32_t source, uint32_t target, uint32_t name, hsd_error *err);
hsd_status hsd_side_put_by_target(hsd_side_build *b, uint64_t target_id, uint32_t source, uint32_t name,
                                  hsd_error *err);

/* References that stand apart from their objects (FORMAT.md §6.7). */
hsd_status hsd_side_read_edges(hsd_side_build *b, hsd_error *err);

/* References of label nodes and root nodes. */
hsd_status hsd_side_add_owners(hsd_side_build *b, hsd_error *err);

/* Joins targets by id, then fills the blocks with what waits in by_source. */
hsd_status hsd_side_fill_blocks(hsd_side_build *b, hsd_error *err);

#endif
