/*
 * A place in the dominator tree for each live node, and the name of the reference by which it hangs there.
 *
 *      dominators (graph/dominators/dominators.h) ──► places by node (places.h)
 *      links      one pass over the references in the order of their sources: a reference u -> t is one from
 *                 t's immediate dominator when that one's place begins where u's does. Of several the least
 *                 name is kept
 *
 * Links that do not fit in memory are found in windows, for each part of the nodes whose links do. Then pages move in
 * order. Of two windows each is a pass over the references; of more there is one pass, which puts what a node refers to
 * that dominates anything on a tape for each window of targets.
 *
 * Where dominators told which nodes are core, and there is memory enough, side/naming.c does it.
 *
 * Links and places that are plain memory are walked in two halves at once where a second thread is there.
 *
 * References wait in a short ring between being seen and being compared, as in graph/owners.c: what they
 * are compared with is prefetched on the way in.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "graph/owner_tree.h"
#include "graph/tape.h"
#include "io/stopwatch.h"
#include "walk/places.h"
#include "walk/side/naming.h"
#include "walk/side/side.h"

#define RING_ITEMS     32u
#define PROGRESS_STEPS 0xffffu

static hsd_status find_places(hsd_side_walk *side, hsd_error *err)
{
    hsd_dominators_stats stats;
    HSD_TRY(hsd_side_take_soft(side, err));
    HSD_TRY(hsd_places_new(&side->graph->places, side, err));
    hsd_places *const places = side->graph->places;
    if (hsd_side_may_tell_in_order(side)) HSD_TRY(hsd_places_want_others(places, side, err));
    const hsd_dominators_config config = {
        .roots = side->root_span,
        .memory_bytes = side->request->plan.dominator_bytes,
        .take_bytes = side->request->plan.early_bytes,
        .space = side->request->space,
        .reporter = side->request->reporter,
        .take = hsd_places_put,
        .context = places,
        .has_marked = side->graph->has_soft,
        .object_count = side->object_count,
        .mark = HSD_EDGE_SOFT,
        .by_marked = side->graph->is_soft,
        .core_bits = !places->is_whole && hsd_side_may_name_by_core(side) ? &places->core_bits : NULL,
        .uses_thread = side->request->use_thread,
        .takes_at_once = places->is_whole,
        .has_room_ahead = hsd_side_reads_ahead(side) && places->is_whole,
    };
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.idle_name_bytes, err));
    HSD_TRY(hsd_dominators_find(side->adjacency, &config, &stats, err));
    side->graph->tells_soft = stats.tells_marked;
    return hsd_places_finish(side->graph->places, side, err);
}

/* ---- links ---- */

typedef struct seen { /* a reference in the ring */
    hsd_node target, first;
    uint32_t name;
} seen;

typedef struct links {
    const hsd_side_walk *side;
    hsd_adjacency *adjacency;
    hsd_places *places;
    hsd_crossings *crossings; /* of owners; NULL = nobody asks */
    bool is_flat;
    seen ring[RING_ITEMS];
    uint32_t count;       /* of all references so far, as it comes round */
    hsd_node begin, span; /* the window: nodes whose links are looked at */
    hsd_node from, end;   /* flat: sources */
} links;

static inline void compare_side_dominator(const links *l, const seen *s)
{
    if (!l->is_flat) {
        hsd_places_offer(l->places, s->target, s->first, s->name);
        return;
    }
    const hsd_node dominator = hsd_places_dominator_flat(l->places, s->target);
    if (dominator == s->first)
        hsd_places_offer_flat(l->places, s->target, s->first, s->name);
    else if (l->crossings != NULL && s->name != HSD_PLACES_NO_NAME)
        hsd_crossings_see(l->crossings, dominator, s->first, s->target);
}

static void see(links *l, hsd_node target, hsd_node first, uint32_t name)
{
    if (target - l->begin >= l->span) return;
    seen *slot = &l->ring[l->count++ % RING_ITEMS];
    compare_side_dominator(l, slot);
    *slot = (seen){target, first, name};
    hsd_places_prefetch(l->places, target);
}

static void see_all(links *l, hsd_node node, hsd_node first)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(l->adjacency, node)) return;
    hsd_adjacency_get_named(l->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            see(l, targets.items[i], first, targets.names[i]);
        if (!targets.has_more) return;
        hsd_adjacency_more(l->adjacency, &targets);
    }
}

static hsd_status check_side_dominator(const links *l, hsd_node node, hsd_error *err)
{
    HSD_TRY(hsd_places_check(l->places, err));
    HSD_TRY(hsd_adjacency_check(l->adjacency, err));
    return hsd_progress(l->side->request->reporter, "naming references", node, l->side->node_count, err);
}

/* The name in an empty slot is less than none. */
static void begin_ring(links *l)
{
    for (uint32_t i = 0; i < RING_ITEMS; i++)
        l->ring[i].name = HSD_PLACES_NO_NAME;
}

static hsd_status end_ring(links *l, hsd_error *err)
{
    for (uint32_t i = 0; i < RING_ITEMS; i++)
        compare_side_dominator(l, &l->ring[i]);
    return check_side_dominator(l, l->side->node_count, err);
}

static hsd_status pass_side_dominator(links *l, hsd_error *err)
{
    hsd_node node, first;
    hsd_status status;
    begin_ring(l);
    for (uint32_t done = 0; (status = hsd_places_next(l->places, &node, &first, err)) == HSD_OK; done++) {
        see_all(l, node, first);
        if ((done & PROGRESS_STEPS) == 0) HSD_TRY(check_side_dominator(l, node, err));
    }
    return status == HSD_END ? end_ring(l, err) : status;
}

/* ---- in plain memory ---- */

/* Works on a copy of its own: the two halves stand side by side, and what both threads write all the time must not
 * share a line of cache. */
static hsd_status pass_flat(void *context, hsd_error *err)
{
    links l = *(const links *)context;
    begin_ring(&l);
    for (hsd_node node = l.from; node < l.end; node++) {
        const hsd_node first = hsd_places_first_flat(l.places, node);
        if (first != 0) see_all(&l, node, first); /* 0: it is not live */
        if ((node & PROGRESS_STEPS) == 0) HSD_TRY(check_side_dominator(&l, node, err));
    }
    return end_ring(&l, err);
}

static links flat_links(const hsd_side_walk *side, hsd_adjacency *adjacency, uint32_t thread, hsd_node from,
                        hsd_node end)
{
    hsd_owner_tree *const tree = side->graph->owner_tree;
    return (links){.side = side,
                   .adjacency = adjacency,
                   .places = side->graph->places,
                   .crossings = tree != NULL ? hsd_owner_tree_crossings(tree, thread) : NULL,
                   .is_flat = true,
                   .span = side->node_count,
                   .from = from,
                   .end = end};
}

static hsd_status pass_halves(const hsd_side_walk *side, hsd_error *err)
{
    hsd_adjacency *view;
    const hsd_node middle = side->node_count / 2;
    HSD_TRY(hsd_adjacency_view(side->adjacency, &view, err));
    links first = flat_links(side, view, 0, 0, middle);
    links second = flat_links(side, side->adjacency, 1, middle, side->node_count);
    const hsd_status status = hsd_run_both((hsd_job){pass_flat, &first}, (hsd_job){pass_flat, &second}, true, err);
    hsd_adjacency_free(view);
    return status;
}

static bool hangs(void *context, hsd_node node, hsd_node *dominator)
{
    const uint64_t link = hsd_paged_get_u64(&((hsd_places *)context)->links, node);
    *dominator = hsd_link_from(link);
    return hsd_link_name(link) != HSD_PLACES_NO_NAME;
}

static uint64_t beside_marks(const hsd_side_walk *side)
{
    const uint64_t bytes = side->request->plan.owner_tree_bytes, marks = hsd_owner_tree_mark_bytes(side->node_count);
    return bytes > marks ? bytes - marks : 0;
}

static hsd_status begin_owners(const hsd_side_walk *side, hsd_error *err)
{
    const hsd_owner_tree_config config = {.roots = side->root_span,
                                          .node_count = side->node_count,
                                          .object_count = side->object_count,
                                          .name_of_node = side->name_of_node,
                                          .hangs = hangs,
                                          .context = side->graph->places,
                                          .spans = (const uint64_t *)(const void *)side->graph->places->spans.frames,
                                          .memory_bytes = beside_marks(side)};
    if (side->request->plan.owner_tree_bytes == 0) return HSD_OK;
    return hsd_owner_tree_begin(&side->graph->owner_tree, &config, err);
}

static hsd_status pass_all(const hsd_side_walk *side, hsd_error *err)
{
    if (hsd_side_reads_ahead(side) && hsd_adjacency_is_all_resident(side->adjacency)) return pass_halves(side, err);
    links l = flat_links(side, side->adjacency, 0, 0, side->node_count);
    return pass_flat(&l, err);
}

/* Names, and what owners are told from where they fit beside dominators. */
static hsd_status find_flat_links(const hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(begin_owners(side, err));
    HSD_TRY(pass_all(side, err));
    return side->graph->owner_tree != NULL ? hsd_owner_tree_resolve(&side->graph->owner_tree, err) : HSD_OK;
}

/* ---- in windows ---- */

static hsd_status find_by_passes(const hsd_side_walk *side, hsd_error *err)
{
    links l = {.side = side, .adjacency = side->adjacency, .places = side->graph->places};
    const uint64_t nodes = side->node_count, window = hsd_places_window(l.places);
    for (uint64_t begin = 0; begin < nodes; begin += window) {
        l.begin = (hsd_node)begin;
        l.span = (hsd_node)hsd_min_u64(window, nodes - begin);
        hsd_places_bring(l.places, l.begin, l.span);
        HSD_TRY(hsd_places_rewind(l.places, err));
        HSD_TRY(pass_side_dominator(&l, err));
    }
    return HSD_OK;
}

/* ---- many windows: one pass ---- */

#define MOST_PASSES     2u
#define SCATTER_CHUNK   (UINT32_C(16) << 10)
#define SCATTER_MEMORY  (UINT32_C(1) << 20) /* of all tapes that are written */
#define SCATTER_LEAST   (UINT32_C(1) << 10)
#define SCATTER_NUMBERS 3u

/* References to the nodes of one window: target, first of the source, name; each against the one before. */
typedef struct scattered {
    hsd_tape tape;
    hsd_node last[SCATTER_NUMBERS];
} scattered;

typedef struct scatter {
    links l;
    hsd_reel reel;
    uint64_t window;
    uint32_t count;
    scattered *windows;
} scatter;

static void scatter_reference(scatter *s, const hsd_node *numbers)
{
    scattered *to = &s->windows[numbers[0] / s->window];
    uint8_t *at = hsd_tape_room(&to->tape, SCATTER_NUMBERS * HSD_VARINT_MOST);
    for (uint32_t i = 0; i < SCATTER_NUMBERS; i++) {
        at = hsd_varint_put(at, hsd_fold_difference(numbers[i], to->last[i]));
        to->last[i] = numbers[i];
    }
    to->tape.at = at;
}

static void scatter_node(scatter *s, hsd_node node, hsd_node first)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->l.adjacency, node)) return;
    hsd_adjacency_get_named(s->l.adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            scatter_reference(s, (const hsd_node[SCATTER_NUMBERS]){targets.items[i], first, targets.names[i]});
        if (!targets.has_more) return;
        hsd_adjacency_more(s->l.adjacency, &targets);
    }
}

static hsd_status scatter_all(scatter *s, hsd_error *err)
{
    hsd_node node, first;
    hsd_status status;
    HSD_TRY(hsd_places_rewind(s->l.places, err));
    for (uint32_t done = 0; (status = hsd_places_next(s->l.places, &node, &first, err)) == HSD_OK; done++) {
        scatter_node(s, node, first);
        if ((done & PROGRESS_STEPS) == 0) HSD_TRY(check_side_dominator(&s->l, node / 2, err));
    }
    if (status != HSD_END) return status;
    for (uint32_t i = 0; i < s->count; i++)
        hsd_tape_finish(&s->windows[i].tape);
    HSD_TRY(hsd_adjacency_check(s->l.adjacency, err));
    return hsd_reel_check(&s->reel, err);
}

static hsd_status offer_window(scatter *s, uint32_t index, hsd_error *err)
{
    hsd_tape_reader reader;
    hsd_node now[SCATTER_NUMBERS] = {0, 0, 0}, folded;
    links *l = &s->l;
    l->begin = (hsd_node)(index * s->window);
    l->span = (hsd_node)hsd_min_u64(s->window, l->side->node_count - l->begin);
    hsd_places_bring(l->places, l->begin, l->span);
    hsd_tape_read(&reader, &s->windows[index].tape, HSD_TAPE_FORWARD, true);
    begin_ring(l);
    while (hsd_tape_has_more(&reader)) {
        for (uint32_t i = 0; i < SCATTER_NUMBERS; i++) {
            reader.at = hsd_tape_varint(reader.at, &folded);
            now[i] = hsd_unfold_difference(folded, now[i]);
        }
        see(l, now[0], now[1], (uint32_t)now[2]);
    }
    hsd_tape_close(&reader);
    HSD_TRY(hsd_reel_check(&s->reel, err));
    return end_ring(l, err);
}

static hsd_status scatter_and_offer(scatter *s, hsd_error *err)
{
    s->windows = calloc(s->count, sizeof *s->windows);
    if (s->windows == NULL) return hsd_fail_nomem(err, "names of references");
    for (uint32_t i = 0; i < s->count; i++)
        hsd_tape_init(&s->windows[i].tape, &s->reel);
    HSD_TRY(scatter_all(s, err));
    for (uint32_t i = 0; i < s->count; i++)
        HSD_TRY(offer_window(s, i, err));
    return HSD_OK;
}

static hsd_status find_scattered(const hsd_side_walk *side, uint64_t window, uint32_t count, hsd_error *err)
{
    scatter s = {.l = {.side = side, .adjacency = side->adjacency, .places = side->graph->places},
                 .window = window,
                 .count = count};
    const uint32_t chunk = (uint32_t)hsd_min_u64(SCATTER_MEMORY / count, SCATTER_CHUNK) & ~(SCATTER_LEAST - 1);
    hsd_reel_init(&s.reel, false, chunk > SCATTER_LEAST ? chunk : SCATTER_LEAST, side->request->space);
    const hsd_status status = scatter_and_offer(&s, err);
    for (uint32_t i = 0; i < s.count && s.windows != NULL; i++)
        hsd_tape_release(&s.windows[i].tape);
    hsd_reel_release(&s.reel);
    free(s.windows);
    return status;
}

static hsd_status find_windows(const hsd_side_walk *side, hsd_error *err)
{
    const uint64_t window = hsd_places_window(side->graph->places), count = (side->node_count - 1) / window + 1;
    if (side->node_count == 0 || count <= MOST_PASSES) return find_by_passes(side, err);
    return find_scattered(side, window, (uint32_t)count, err);
}

static hsd_status find_sorted_links(hsd_side_walk *side, hsd_error *err)
{
    if (!side->graph->places->is_whole) {
        const hsd_status status = hsd_side_name_by_core(side, err);
        hsd_places_forget_others(side->graph->places);
        if (status != HSD_END) return status;
        HSD_TRY(hsd_places_fill_links(side->graph->places, side, err));
    }
    return find_windows(side, err);
}

/* The link of each node. */
static hsd_status find_links(hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.idle_adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.name_bytes, err));
    HSD_TRY(hsd_places_are_flat(side->graph->places) ? find_flat_links(side, err) : find_sorted_links(side, err));
    return hsd_places_settle(side->graph->places, side, err);
}

/* ---- the whole ---- */

/* The dominator of each target, and its place where that is in an array. */
static void count_links(const hsd_side_walk *side)
{
    const uint64_t bytes = (uint64_t)side->node_count *
                           (side->graph->places->is_whole ? HSD_PLACES_NODE_BYTES : (uint32_t)sizeof(uint64_t));
    hsd_adjacency_count_scan(side->adjacency, true);
    hsd_work_at_random(hsd_adjacency_edge_count(side->adjacency), bytes);
    hsd_work_did(HSD_COST_READ, bytes);
}

hsd_status hsd_side_dominators(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->adjacency != NULL && side->graph->places == NULL);
    HSD_ASSERT(side->root_span.begin <= side->root_span.end && side->root_span.end == side->node_count);
    hsd_stopwatch watch = hsd_stopwatch_start(side->request->space);
    HSD_TRY(find_places(side, err));
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, "dominators");
    HSD_TRY(find_links(side, err));
    count_links(side);
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, "naming references from dominators");
    return HSD_OK;
}
