/*
 * A place in the dominator tree for each live node, and the name of the reference by which it hangs there.
 *
 *      dominators (graph/dominators.h) ──► places by node (places.h)
 *      links      one pass over the references in the order of their sources: a reference u -> t is one from
 *                 t's immediate dominator when that one's place begins where u's does. Of several the least
 *                 name is kept
 *
 * Links that do not fit in memory are found in windows: one pass for each part of the nodes whose links do. Then pages
 * move in order, and it costs (links / memory) times the blocks and names of references, whatever the graph.
 *
 * References wait in a short ring between being seen and being compared, as in graph/owners.c: what they
 * are compared with is prefetched on the way in.
 */
#include "base/assert.h"
#include "base/check.h"
#include "io/stopwatch.h"
#include "walk/places.h"
#include "walk/side.h"

#define RING_ITEMS     32u
#define PROGRESS_STEPS 0xffffu

static hsd_status find_places(hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(hsd_places_new(&side->graph->places, side, err));
    const hsd_dominators_config config = {
        .roots = side->root_span,
        .memory_bytes = side->request->plan.dominator_bytes,
        .space = side->request->space,
        .reporter = side->request->reporter,
        .take = hsd_places_put,
        .context = side->graph->places,
    };
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.idle_name_bytes, err));
    HSD_TRY(hsd_dominators_find(side->adjacency, &config, NULL, err));
    return hsd_places_finish(side->graph->places, side, err);
}

/* ---- links ---- */

typedef struct seen { /* a reference in the ring */
    uint32_t target, first, name;
} seen;

typedef struct links {
    hsd_side_walk *side;
    hsd_places *places;
    seen ring[RING_ITEMS];
    uint32_t count;       /* of all references so far */
    uint32_t begin, span; /* the window: nodes whose links are looked at */
} links;

static void compare_side_dominator(const links *l, const seen *s)
{
    hsd_places_offer(l->places, s->target, s->first, s->name);
}

static void see(links *l, uint32_t target, uint32_t first, uint32_t name)
{
    if (target - l->begin >= l->span) return;
    seen *slot = &l->ring[l->count++ % RING_ITEMS];
    compare_side_dominator(l, slot);
    *slot = (seen){target, first, name};
    hsd_places_prefetch(l->places, target);
}

static void see_all(links *l, uint32_t node, uint32_t first)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(l->side->adjacency, node)) return;
    hsd_adjacency_get_named(l->side->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            see(l, targets.items[i], first, targets.names[i]);
        if (!targets.has_more) return;
        hsd_adjacency_more(l->side->adjacency, &targets);
    }
}

static hsd_status check_side_dominator(const links *l, uint32_t node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&l->places->array, err));
    HSD_TRY(hsd_adjacency_check(l->side->adjacency, err));
    return hsd_progress(l->side->request->reporter, "naming references", node, l->side->node_count, err);
}

/* The name in an empty slot is less than none. */
static hsd_status pass_side_dominator(links *l, hsd_error *err)
{
    uint32_t node, first;
    hsd_status status;
    for (uint32_t i = 0; i < RING_ITEMS; i++)
        l->ring[i].name = HSD_PLACES_NO_NAME;
    for (uint32_t done = 0; (status = hsd_places_next(l->places, &node, &first, err)) == HSD_OK; done++) {
        see_all(l, node, first);
        if ((done & PROGRESS_STEPS) == 0) HSD_TRY(check_side_dominator(l, node, err));
    }
    if (status != HSD_END) return status;
    for (uint32_t i = 0; i < RING_ITEMS; i++)
        compare_side_dominator(l, &l->ring[i]);
    return check_side_dominator(l, l->side->node_count, err);
}

static hsd_status find_links(hsd_side_walk *side, hsd_error *err)
{
    links l = {.side = side, .places = side->graph->places};
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.idle_adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.name_bytes, err));
    const uint64_t nodes = side->node_count, window = hsd_places_window(l.places);
    for (uint64_t begin = 0; begin < nodes; begin += window) {
        l.begin = (uint32_t)begin;
        l.span = (uint32_t)hsd_min_u64(window, nodes - begin);
        hsd_places_bring(l.places, l.begin, l.span);
        HSD_TRY(hsd_places_rewind(l.places, err));
        HSD_TRY(pass_side_dominator(&l, err));
    }
    return hsd_places_settle(side->graph->places, side, err);
}

/* ---- the whole ---- */

hsd_status hsd_side_dominators(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->adjacency != NULL && side->graph->places == NULL);
    HSD_ASSERT(side->root_span.begin <= side->root_span.end && side->root_span.end == side->node_count);
    hsd_stopwatch watch = hsd_stopwatch_start(side->request->space);
    HSD_TRY(find_places(side, err));
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, "dominators");
    HSD_TRY(find_links(side, err));
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, "naming references from dominators");
    return HSD_OK;
}
