/*
 * How the names of references and types stand in a trie of type paths, the same for every tree that is added to one.
 */
#ifndef HSD_HOLDERS_TRIE_NAMES_H
#define HSD_HOLDERS_TRIE_NAMES_H

#include <string.h>

#include "format/tables.h"
#include "holders/trie/trie.h"
#include "walk/edges.h"
#include <hscapture/hscapture.h>

#define HSD_TRIE_NO_ITEM (HSD_TRIE_INDIRECT - 2) /* no name reads [*] */

/* The name that reads [*]: HSD_TRIE_ANY stands for it. One that leads into a container may read the same and is
 * another. */
static inline uint32_t hsd_trie_item_edge(const hsd_edge_names *edges)
{
    for (uint32_t edge = 0; edge < edges->count; edge++) {
        const hsd_bytes text = hsd_edge_text(edges, edge);
        if (!edges->is_fold[edge] && text.size == 3 && memcmp(text.data, "[*]", 3) == 0) return edge;
    }
    return HSD_TRIE_NO_ITEM;
}

/* An edge of walk/tree.h as the trie has it: what reads alike is alike. */
static inline uint32_t hsd_trie_edge_of(uint32_t item_edge, uint32_t edge)
{
    if (edge == item_edge) return HSD_TRIE_ANY;
    return edge == HSD_EDGE_NAMELESS ? HSD_TRIE_INDIRECT : edge;
}

/* The same for what hangs from an object at `above`. Helpers of one container that refer to one another stand at one
 * place, by whatever turns they are reached: what hangs from the entries of a map of four, two of them to the right,
 * are its four values. Of what a runtime notes of code that is not so. */
static inline uint32_t hsd_trie_edge_below(const hsd_type_names *types, const hsd_trie_place *above, uint32_t item_edge,
                                           uint32_t type, uint32_t edge)
{
    const uint32_t flags = types->flags[type];
    const bool is_helper = (flags & HSC_TYPE_INTERNAL) != 0 && !hsc_type_is_program_code(flags) && above->count > 0;
    const hsd_trie_step *last = is_helper ? &above->steps[above->count - 1] : NULL;
    return last != NULL && last->type == type ? last->edge : hsd_trie_edge_of(item_edge, edge);
}

/* True if an edge of the trie leads into the insides of a container. [*] never does. */
static inline bool hsd_trie_is_fold(const hsd_edge_names *edges, uint32_t edge)
{
    return edge < edges->count && edges->is_fold[edge] != 0;
}

/* What can hold growth, if it is there before and after: no helper of a container and no insides of one. */
static inline bool hsd_trie_can_hold(const hsd_type_names *types, const hsd_edge_names *edges, uint32_t type,
                                     uint32_t edge)
{
    return (types->flags[type] & HSC_TYPE_INTERNAL) == 0 && !hsd_trie_is_fold(edges, edge);
}

#endif
