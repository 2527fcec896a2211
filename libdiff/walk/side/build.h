/*
 * A graph on its way from a capture into adjacency blocks: what side/graph.c (objects) and side/references.c
 * (references that must be sorted first) share. Private to the two.
 *
 *      ordinals    id -> ordinal                  targets that are ids, where the memory holds them (ordinals.h)
 *      by_target   (target id, source)            targets that are ids, else
 *      by_source   (source, target)               references that did not come in the order of their sources
 *
 * With want_tree each carries the name of the reference: (target id, source and name as a link), (source, target,
 * name).
 */
#ifndef HSD_WALK_SIDE_BUILD_H
#define HSD_WALK_SIDE_BUILD_H

#include "walk/edges.h"
#include "walk/ordinals.h"
#include "walk/side/side.h"

/* A number for each ordinal, written in order to a file. A salvaged capture lacks some ordinals: they get `filler`. */
#define HSD_SIDE_COLUMN_BYTES ((uint32_t)64 << 10) /* of the buffer */

typedef struct hsd_side_column {
    hsd_temp *file;
    uint8_t *buffer; /* NULL: the column is not wanted */
    uint32_t width;  /* bytes of a number: 4 or 8 */
    uint32_t used;
    uint64_t written; /* bytes before the buffer */
    uint64_t filler;
} hsd_side_column;

hsd_status hsd_side_column_open(hsd_side_column *column, hsd_temp *file, uint32_t width, uint64_t filler,
                                hsd_error *err);
/* Slow path of hsd_side_column_put. */
hsd_status hsd_side_column_append(hsd_side_column *column, hsd_temp_space *space, uint64_t ordinal, uint64_t number,
                                  hsd_error *err);

/* The number of `ordinal`, which is greater than any before. */
static inline hsd_status hsd_side_column_put(hsd_side_column *column, hsd_temp_space *space, uint64_t ordinal,
                                             uint64_t number, hsd_error *err)
{
    const uint32_t narrow = (uint32_t)number;
    const bool is_next = ordinal * sizeof narrow == column->written + column->used;
    if (!is_next || column->width != sizeof narrow || column->used == HSD_SIDE_COLUMN_BYTES || column->buffer == NULL)
        return hsd_side_column_append(column, space, ordinal, number, err);
    memcpy(column->buffer + column->used, &narrow, sizeof narrow);
    column->used += (uint32_t)sizeof narrow;
    return HSD_OK;
}

/* Fillers up to `count` numbers, and all that is in the buffer. */
hsd_status hsd_side_column_end(hsd_side_column *column, hsd_temp_space *space, uint64_t count, hsd_error *err);
void hsd_side_column_close(hsd_side_column *column);

typedef struct hsd_side_build {
    hsd_side_walk *side;
    bool is_direct;        /* targets become nodes as they are read: they are ordinals, or found in `ordinals` */
    hsd_ordinals ordinals; /* of ids, where they fit in memory */
    bool keeps_ordinals;   /* they go on to the sequence, in place of sorted ids */
    hsd_sorter *by_target;
    hsd_sorter *by_source;
    hsd_sorter *early;     /* as by_source: the few references apart from their objects, merged with these */
    const uint64_t *first; /* the next of them; NULL: none is left */
    hsd_lists_out *out;    /* where lists of references go */
    hsd_two *pairs;        /* room for a part of one on its way to by_source */
    uint32_t *label_names; /* by label: hsd_side_name_of, or one of HSD_LABEL_… */
    uint32_t label_count;
    uint64_t ordinal;               /* of the object at hand */
    hsd_side_column types;          /* on their way to types_file */
    struct hsd_side_shapes *shapes; /* NULL where nobody asks (hsd_walk_alike) */
} hsd_side_build;

/* Words of a record of by_source: source and target, and with want_tree the name. */
enum { HSD_BY_SOURCE_NAME = HSD_TWO_WORDS, HSD_BY_SOURCE_WORDS };

/* What an object looks like by itself (match/element.h), on its way to shapes_file (side/shapes.c). */
hsd_status hsd_side_shapes_new(struct hsd_side_shapes **out, hsd_side_walk *side, hsd_error *err);
hsd_status hsd_side_shape(struct hsd_side_shapes *shapes, const hsd_object *object, uint32_t common_type,
                          hsd_error *err);
hsd_status hsd_side_shapes_finish(struct hsd_side_shapes *shapes, hsd_error *err); /* label nodes, root nodes */
void hsd_side_shapes_free(struct hsd_side_shapes *shapes);

/* In label_names: a reference that is left out; one that asks what its label says. No name is that great. */
#define HSD_LABEL_WEAK UINT32_MAX
#define HSD_LABEL_ASKS (UINT32_MAX - 1)

/* Numbers of the name of a label's references; nameless without names. */
static inline uint32_t hsd_side_name_of(const hsd_side_walk *side, const hsd_label *label)
{
    if (label == NULL || side->labels.edges == NULL) return HSD_EDGE_NAMELESS;
    return side->labels.edges[label - side->labels.labels];
}

/* With is_direct: the object that a target is; HSD_NO_ORDINAL where it leads nowhere. */
static inline hsd_node hsd_side_node_of(const hsd_side_build *b, uint64_t target)
{
    if (!b->side->info->targets_are_ordinals) return hsd_ordinals_get(&b->ordinals, target);
    return target < b->side->object_count ? (hsd_node)target : HSD_NO_ORDINAL;
}

bool hsd_side_is_weak(const hsd_label *label);

/* A source of soft references is marked for graph/reach.h. */
void hsd_side_mark_soft(hsd_side_walk *side, hsd_node source, uint32_t name);

/* Makes by_source. */
hsd_status hsd_side_by_source(hsd_side_build *b, uint64_t memory_bytes, hsd_error *err);

hsd_status hsd_side_put_by_source(hsd_side_build *b, hsd_node source, hsd_node target, uint32_t name, hsd_error *err);
hsd_status hsd_side_put_by_target(hsd_side_build *b, uint64_t target_id, hsd_node source, uint32_t name,
                                  hsd_error *err);

/* References that stand apart from their objects (FORMAT.md §6.7). Where they are few and targets become nodes at
 * once they are read before the objects, and go into the blocks between those; else behind them, and all references are
 * sorted. */
bool hsd_side_has_few_edges(const hsd_side_walk *side);
hsd_status hsd_side_read_early(hsd_side_build *b, hsd_error *err);
hsd_status hsd_side_add_early(hsd_side_build *b, uint64_t before, hsd_error *err); /* of sources below `before` */
hsd_status hsd_side_read_edges(hsd_side_build *b, hsd_error *err);

/* References of label nodes and root nodes. */
hsd_status hsd_side_add_owners(hsd_side_build *b, hsd_error *err);

/* Joins targets by id, then fills the blocks with what waits in by_source. */
hsd_status hsd_side_fill_blocks(hsd_side_build *b, hsd_error *err);

#endif
