/*
 * Places below what roots refer to: an object that only one other refers to, that one likewise, and so on up to what a
 * root names, has a place: the root's name and the types on the way. Where it is the only one with its place on both
 * sides, it is the same one (hsd_seeds_places), however it has changed: the map of a thread, the list in a service. Not
 * so what has elements: an array does not grow, another one takes its place.
 *
 *      static App.service: Service -> Registry -> ArrayList        one each: places
 *                                              -> Object[] -> …    ten thousand entries: nobody goes further
 */
#ifndef HSD_MATCH_DESCEND_H
#define HSD_MATCH_DESCEND_H

#include "graph/adjacency.h"
#include "match/sequence.h"

#define HSD_DESCEND_DEEPEST  12u
#define HSD_DESCEND_CHILDREN 64u /* of an object that has more, none has a place */
/* the same of a root, and of what that refers to: a table of statics, of modules, of globals */
#define HSD_DESCEND_TABLE  1024u
#define HSD_DESCEND_WIDEST 32768u /* objects of one level; a wider one is left out, and all below */

typedef struct hsd_descend_config {
    hsd_adjacency *adjacency;
    hsd_node object_count, node_count;
    hsd_paged *types;                                       /* u32 by ordinal */
    hsd_paged *shapes;                                      /* u64 by node: with HSD_SHAPE_HAS_ELEMENTS */
    hsd_paged *referrers;                                   /* a number by node (match/keys.h) */
    const uint32_t *type_hash;                              /* by common type */
    uint64_t (*hash_of_root)(void *context, hsd_node node); /* as in sequence->places */
    void *context;
} hsd_descend_config;

/* Puts (hash of the place, position) into sequence->places for all levels below the first, which is the caller's. At
 * most 1 MiB. HSD_E_NOMEM, HSD_E_IO. */
hsd_status hsd_descend(const hsd_descend_config *config, hsd_sequence *sequence, hsd_error *err);

#endif
