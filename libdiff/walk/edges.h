/*
 * Names of references, numbered alike for all captures of a diff, in the order of their texts: so a number
 * can stand for a name wherever names are compared, and duplicates of a reference resolve to the first name
 * whatever order they came in.
 *
 *      field, variable, static   .name          element, nameless key or value   [*]
 *      key, value                ["name"]       internal, class                  <name>
 *
 * Number 0 is "": a strong reference without a label. Past HSD_MAX_EDGE_NAMES distinct names the rest, in the
 * order of the label tables, read as [*]: that is what an object used as a dictionary looks like.
 */
#ifndef HSD_WALK_EDGES_H
#define HSD_WALK_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/names.h"
#include "base/node.h"
#include "format/tables.h"

#define HSD_MAX_EDGE_NAMES  65536u
#define HSD_EDGE_NAMELESS   0u
#define HSD_EDGE_SOFT       UINT32_C(0x80000000) /* or-ed to the name of a soft reference; strong ones come first */
#define HSD_EDGE_NAME(edge) ((edge) & ~HSD_EDGE_SOFT)

typedef struct hsd_edge_names {
    hsd_bytes *texts; /* by number, ascending */
    uint8_t *is_fold; /* by number: leads into the internals of a container (HSC_LABEL_FOLD) */
    uint32_t count;
    hsd_names names; /* owns the texts */
} hsd_edge_names;

/*
 * A link: a node, and the name of a reference from it, in 64 bits. Where the node may take more than 32 of them the
 * name is without the bits that no name has; UINT32_MAX, for none, comes back as it was. Of links from one node the one
 * with the lesser name is less.
 */
#define HSD_LINK_NAME_BITS (HSD_NODE_BITS == 32 ? 32u : 20u)
#define HSD_LINK_NAMES     ((uint32_t)((UINT64_C(1) << (HSD_LINK_NAME_BITS - 1)) - 1))
_Static_assert(HSD_MAX_EDGE_NAMES < HSD_LINK_NAMES, "a link holds every name");

static inline uint64_t hsd_link_of(hsd_node from, uint32_t name)
{
    const uint32_t soft = (name & HSD_EDGE_SOFT) >> (32 - HSD_LINK_NAME_BITS);
    return (uint64_t)from << HSD_LINK_NAME_BITS | soft | (name & HSD_LINK_NAMES);
}

static inline hsd_node hsd_link_from(uint64_t link) { return (hsd_node)(link >> HSD_LINK_NAME_BITS); }

static inline uint32_t hsd_link_name(uint64_t link)
{
    const uint32_t name = (uint32_t)link & HSD_LINK_NAMES;
    if (HSD_LINK_NAME_BITS == 32) return (uint32_t)link;
    if ((link >> (HSD_LINK_NAME_BITS - 1) & 1) == 0) return name;
    return name == HSD_LINK_NAMES ? UINT32_MAX : name | HSD_EDGE_SOFT;
}

/* True if it is from the same node as `link`, and its name is less. */
static inline bool hsd_link_is_less(uint64_t offered, uint64_t link)
{
    return (offered ^ link) >> HSD_LINK_NAME_BITS == 0 && offered < link;
}

/* Numbers the labels of `count` captures; fills tables[i]->edges (one a label, HSD_EDGE_SOFT included). One
 * pass over the strings of each capture. */
hsd_status hsd_edge_names_load(hsd_edge_names *edges, hsd_label_table *const *tables, hsd_capture *const *captures,
                               uint32_t count, hsd_error *err);

/*
 * As hsd_edge_names_load for two captures, of which the first was numbered by itself (`before`), and its labels'
 * numbers are what others know. *number_of, for the caller to free: its numbers -> those of both. The names together
 * must be no more than HSD_MAX_EDGE_NAMES: else neither is what it would have been.
 */
hsd_status hsd_edge_names_join(hsd_edge_names *edges, const hsd_edge_names *before, hsd_label_table *table,
                               hsd_capture *capture, uint32_t **number_of, hsd_error *err);

/* Numbers texts that are written already, as those of sums: pairs of (text, is_fold), equal ones alike. numbers[i] is
 * that of texts[i]. */
hsd_status hsd_edge_names_make(hsd_edge_names *edges, const hsd_bytes *texts, const bool *is_fold, uint32_t count,
                               uint32_t *numbers, hsd_error *err);

static inline hsd_bytes hsd_edge_text(const hsd_edge_names *edges, uint32_t edge)
{
    HSD_ASSERT(HSD_EDGE_NAME(edge) < edges->count);
    return edges->texts[HSD_EDGE_NAME(edge)];
}

size_t hsd_edge_names_memory(const hsd_edge_names *edges);
void hsd_edge_names_release(hsd_edge_names *edges);

#endif
