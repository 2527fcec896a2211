/*
 * A place in the dominator tree for each live node, and the name of the reference by which it hangs there.
 *
 *      dominators (graph/dominators.h) ──► places, sorted by node
 *      links      parents of all nodes into an array; then one pass over the references in the order of their
 *                 sources: a reference u -> t is one from t's immediate dominator when parent[t] = first[u].
 *                 Of several the least name is kept
 *
 * References wait in a short ring between being seen and being compared, as in graph/owners.c: what they
 * are compared with is prefetched on the way in.
 */
#include <stdlib.h>

#include "base/check.h"
#include "diff/edges.h"
#include "diff/places.h"
#include "diff/side.h"
#include "diff/tree.h"
#include "graph/dominators.h"

#define RING_ITEMS 32u
#define NO_LINK UINT32_MAX
#define PROGRESS_STEPS 0xffffu
#define LINKS_SERVE_BYTES (UINT64_C(512) << 10)

static uint32_t node_of(const uint64_t *record) { return (uint32_t)(record[0] >> 32); }
static uint32_t first_of(const uint64_t *record) { return (uint32_t)record[0]; }
static uint32_t end_of(const uint64_t *record) { return (uint32_t)(record[1] >> 32); }
static uint32_t parent_of(const uint64_t *record) { return (uint32_t)record[1]; }

/* ---- dominators ---- */

static hsd_status take_place(void *context, const hsd_place *place, hsd_error *err)
{
    hsd_places *places = context;
    const uint64_t record[2] = {(uint64_t)place->node << 32 | place->first,
                                (uint64_t)place->end << 32 | place->parent};
    return hsd_sorter_put(places->by_node, record, err);
}

static hsd_status find_places(hsd_side_walk *side, hsd_error *err)
{
    const hsd_dominators_config config = {
        .roots = side->root_span,
        .memory_bytes = side->plan.dominator_bytes,
        .space = side->space,
        .reporter = side->reporter,
        .take = take_place,
        .context = side->places,
    };
    HSD_TRY(hsd_side_sorter(side, 2, 1, side->plan.place_sort_bytes, &side->places->by_node, err));
    HSD_TRY(hsd_dominators_find(side->adjacency, &config, &side->dominators, err));
    return hsd_side_serve(side->places->by_node, side->plan.place_serve_bytes, err);
}

/* ---- links ---- */

typedef struct links {
    hsd_side_walk *side;
    hsd_paged *array;
    uint32_t ring_target[RING_ITEMS], ring_first[RING_ITEMS], ring_name[RING_ITEMS];
    uint32_t seen; /* references so far */
} links;

static void compare(links *l, uint32_t slot)
{
    const uint64_t at = (uint64_t)l->ring_target[slot] * 2;
    if (hsd_paged_get_u32(l->array, at) != l->ring_first[slot]) return;
    if (l->ring_name[slot] < hsd_paged_get_u32(l->array, at + 1)) {
        hsd_paged_set_u32(l->array, at + 1, l->ring_name[slot]);
    }
}

static void see(links *l, uint32_t target, uint32_t first, uint32_t name)
{
    const uint32_t slot = l->seen++ % RING_ITEMS;
    compare(l, slot);
    l->ring_target[slot] = target;
    l->ring_first[slot] = first;
    l->ring_name[slot] = name;
    hsd_paged_prefetch_u32(l->array, (uint64_t)target * 2);
}

static void drain(links *l)
{
    for (uint32_t slot = 0; slot < RING_ITEMS; slot++) compare(l, slot);
}

static void see_all(links *l, uint32_t node, uint32_t first)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(l->side->adjacency, node)) return;
    hsd_adjacency_get_named(l->side->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) see(l, targets.items[i], first, targets.names[i]);
        if (!targets.has_more) return;
        hsd_adjacency_more(l->side->adjacency, &targets);
    }
}

static hsd_status check(const links *l, uint32_t node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(l->array, err));
    HSD_TRY(hsd_adjacency_check(l->side->adjacency, err));
    return hsd_progress(l->side->reporter, "naming references", node, l->side->node_count, err);
}

/* Nodes in order: who dominates them, no name as yet. */
static hsd_status fill_parents(links *l, hsd_error *err)
{
    hsd_sorter *by_node = l->side->places->by_node;
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(by_node, &record, err)) == HSD_OK) {
        hsd_paged_set_u32(l->array, (uint64_t)node_of(record) * 2, parent_of(record));
        hsd_paged_set_u32(l->array, (uint64_t)node_of(record) * 2 + 1, NO_LINK);
    }
    return status == HSD_END ? hsd_paged_check(l->array, err) : status;
}

/* The name in an empty slot is less than none. */
static hsd_status pass(links *l, hsd_error *err)
{
    hsd_sorter *by_node = l->side->places->by_node;
    const uint64_t *record;
    hsd_status status;
    HSD_TRY(hsd_sorter_rewind(by_node, err));
    for (uint32_t slot = 0; slot < RING_ITEMS; slot++) l->ring_name[slot] = NO_LINK;
    for (uint32_t done = 0; (status = hsd_sorter_next(by_node, &record, err)) == HSD_OK; done++) {
        see_all(l, node_of(record), first_of(record));
        if ((done & PROGRESS_STEPS) == 0) HSD_TRY(check(l, node_of(record), err));
    }
    if (status != HSD_END) return status;
    drain(l);
    return check(l, l->side->node_count, err);
}

static hsd_status find_links(hsd_side_walk *side, hsd_error *err)
{
    hsd_places *places = side->places;
    links l = {.side = side, .array = &places->links};
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->plan.adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->plan.name_bytes, err));
    HSD_TRY(hsd_paged_open(&places->links, (uint64_t)side->node_count * 8, side->plan.link_bytes, side->space, err));
    places->has_links = true;
    HSD_TRY(fill_parents(&l, err));
    HSD_TRY(pass(&l, err));
    return hsd_paged_shrink(&places->links, LINKS_SERVE_BYTES, err);
}

/* ---- the whole ---- */

static void note_dominators(const hsd_side_walk *side)
{
    const hsd_dominators_stats *d = &side->dominators;
    hsd_note(side->reporter, HSD_NOTE_DETAIL,
             "%s: dominators of %u nodes, %u of them core, %s, %llu faults; walk %.2f s, core %.2f s, semidominators "
             "%.2f s, ancestors %.2f s, order %.2f s",
             side->info->path, d->reached, d->core, d->was_paged ? "paged" : "in memory", (unsigned long long)d->faults,
             d->seconds[0], d->seconds[1], d->seconds[2], d->seconds[3], d->seconds[4]);
}

hsd_status hsd_side_dominators(hsd_side_walk *side, hsd_error *err)
{
    side->places = calloc(1, sizeof *side->places);
    if (side->places == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the dominator tree");
    HSD_TRY(find_places(side, err));
    note_dominators(side);
    return find_links(side, err);
}

/* ---- serving ---- */

static hsd_status advance(hsd_places *places, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(places->by_node, &places->next, err);
    if (status == HSD_END) places->next = NULL;
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_places_rewind(hsd_places *places, hsd_error *err)
{
    HSD_TRY(hsd_sorter_rewind(places->by_node, err));
    return advance(places, err);
}

hsd_status hsd_places_find(hsd_places *places, uint32_t node, hsd_placed *out, hsd_error *err)
{
    while (places->next != NULL && node_of(places->next) < node) HSD_TRY(advance(places, err));
    out->is_there = places->next != NULL && node_of(places->next) == node;
    if (!out->is_there) return HSD_OK;
    const uint32_t name = hsd_paged_get_u32(&places->links, (uint64_t)node * 2 + 1);
    out->first = first_of(places->next);
    out->end = end_of(places->next);
    out->edge = name == NO_LINK ? HSD_TREE_INDIRECT : HSD_EDGE_NAME(name);
    return HSD_OK;
}

void hsd_places_free(hsd_places *places)
{
    if (places == NULL) return;
    hsd_sorter_free(places->by_node);
    if (places->has_links) hsd_paged_close(&places->links);
    free(places);
}
