/*
 * Refinement: from the shapes of all nodes of one graph to structures, referrers and wholes, in two passes over the
 * adjacency blocks in their order. What is asked for at random are 12 bytes a node in each pass (16 of wide numbers),
 * in paged arrays: heaps that are walked in address order have locality. Others go by windows.
 *
 *      structure(v) = mix(shape(v), sum over distinct targets t of mix(shape(t)))        named: shape(v)
 *      whole(v)     = mix(shape(v), sum over distinct targets t of mix(structure(t)))    64 bits
 *      referrer(v)  = none | the class of its only referrer | many
 *      owner(v)     = the position of that referrer
 *
 * Sums, so that neither the order of references nor names matter: the blocks have them sorted by ordinal and, without
 * dominators, nameless.
 */
#ifndef HSD_MATCH_KEYS_H
#define HSD_MATCH_KEYS_H

#include <stdint.h>

#include "base/note.h"
#include "graph/adjacency.h"
#include "match/sequence.h"

typedef struct hsd_keys_config {
    hsd_node object_count; /* nodes below are objects, those behind label nodes and root nodes */
    hsd_node node_count;
    hsd_paged *shapes; /* u64 by node, with HSD_SHAPE_HAS_ELEMENTS; borrowed. Of label and root nodes: the hash of the
                        * root's name */
    const uint8_t *is_named;   /* one bit an object: no structure beyond its shape; NULL = none is */
    const uint32_t *type_hash; /* by common type: what a referrer of that type is called (any value) */
    const uint32_t *root_hash; /* by node - object_count: likewise */
    hsd_paged *types;          /* u32 by ordinal: common type; borrowed */
    /* For the arrays by node, hsd_keys_least_bytes … hsd_keys_full_bytes. What these leave goes to shapes, and in the
     * second pass to types, positions, elements and owners, on top of what they have. */
    uint64_t memory_bytes;
    /* positions mostly follow nodes: elements and owners need little. Where they do not, and all does not fit in
     * memory, all that is asked for lies anywhere, and goes by windows (match/key_windows.h, match/ordering.h) */
    bool has_order;
    uint64_t sort_bytes;  /* for sequence->places while they fill */
    uint64_t serve_bytes; /* an eighth is what they keep afterwards; of both at least 2 HSD_SORT_MIN_BYTES */
    hsd_temp_space *space;
    hsd_reporter *reporter;
    bool use_thread;
    bool has_places_below; /* places of objects further down than what roots refer to (match/descend.h) */
} hsd_keys_config;

/* 8 bytes a node, or 12, for structures and referrers, and one bit for what is distinct in long lists: least, and
 * resident. */
uint64_t hsd_keys_least_bytes(uint64_t node_count);
uint64_t hsd_keys_full_bytes(uint64_t node_count);

/*
 * Fills `sequence->elements`, `->wholes` and `->places`; `positions`, `count` and the open arrays are the caller's.
 * Objects without a position take part as neighbours only; named ones are in no whole. Without an adjacency (NULL: a
 * capture without references) structure = shape, and whole is made of it alone. Sorters that are made before a failure
 * stay with the sequence. HSD_E_OVER_BUDGET, HSD_E_NOMEM, HSD_E_IO, HSD_E_CANCELLED.
 */
hsd_status hsd_keys_find(hsd_adjacency *adjacency, const hsd_keys_config *config, hsd_sequence *sequence,
                         hsd_error *err);

#endif
