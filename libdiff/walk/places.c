/*
 * Places by node: arrays where they fit, else a sort (places.h).
 */
#include "walk/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/edges.h"
#include "walk/tree.h"

#define SPAN_BYTES HSD_TWO_BYTES
#define LINK_BYTES ((uint32_t)sizeof(uint64_t))
#define NAME_BYTES ((uint32_t)sizeof(uint32_t))
#define PUTS_AHEAD 16u

#define FORGOTTEN  (UINT32_C(1) << 18) /* nodes at a time */
#define NAME_CHUNK (UINT32_C(64) << 10)

/* Words of a record of by_node; key: the node. */
enum { RECORD_WORDS = HSD_PLACES_WORDS };
#define KEY_WORDS   1u
#define BATCH_BYTES ((size_t)128 << 10) /* without a thread, of records that come in their order without a merge */

static hsd_node node_of(const uint64_t *record) { return hsd_words_first(record); }

/* ---- filling ---- */

static hsd_status open_links(hsd_places *places, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    HSD_TRY(hsd_paged_open(&places->links, (uint64_t)places->node_count * LINK_BYTES, memory_bytes, space, err));
    places->has_links = true;
    return HSD_OK;
}

static hsd_status open_whole(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    hsd_temp_space *const space = side->request->space;
    const uint64_t bytes = (uint64_t)places->node_count * SPAN_BYTES, memory_bytes = hsd_paged_full_bytes(bytes);
    HSD_TRY(hsd_paged_open(&places->spans, bytes, memory_bytes, space, err));
    places->has_spans = true;
    HSD_TRY(open_links(places, hsd_paged_full_bytes((uint64_t)places->node_count * LINK_BYTES), space, err));
    if (hsd_side_reads_ahead(side)) {
        hsd_paged_expect_two(&places->spans);
        hsd_paged_expect_two(&places->links);
    }
    hsd_paged_touch(&places->spans);
    hsd_paged_touch(&places->links);
    return HSD_OK;
}

hsd_status hsd_places_new(hsd_places **out, const hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    const uint64_t nodes = side->node_count, spans = hsd_paged_full_bytes(nodes * SPAN_BYTES);
    const uint64_t whole = spans + hsd_paged_full_bytes(nodes * LINK_BYTES);
    const uint64_t told = spans + hsd_paged_full_bytes(nodes * HSD_NODE_BYTES);
    hsd_places *places = calloc(1, sizeof *places);
    if (places == NULL) return hsd_fail_nomem(err, "the dominator tree");
    *out = places;
    places->node_count = side->node_count;
    places->is_whole = told <= plan->place_sort_bytes && whole <= plan->place_link_bytes + plan->link_bytes;
    if (places->is_whole) return open_whole(places, side, err);
    return hsd_side_sorter(side, RECORD_WORDS, KEY_WORDS, plan->place_sort_bytes, &places->by_node, err);
}

/* The arrays are plain memory, whose pages are marked once and for all by finish_whole. */
static void put_whole(hsd_places *places, const hsd_interval *intervals, uint32_t count)
{
    HSD_ASSERT(places->spans.is_flat && places->links.is_flat);
    hsd_paged spans = places->spans; /* a copy: nothing that is written may be its pointers */
    hsd_node *parents = (hsd_node *)(void *)places->links.frames;
    for (uint32_t i = 0; i < count; i++) {
        const hsd_interval *place = &intervals[i];
        if (i + PUTS_AHEAD < count) {
            __builtin_prefetch(spans.frames + (uint64_t)place[PUTS_AHEAD].node * SPAN_BYTES, 1);
            __builtin_prefetch(&parents[place[PUTS_AHEAD].node], 1);
        }
        hsd_flat_set_two(&spans, place->node, hsd_two_of(place->first, place->end), true);
        parents[place->node] = place->parent;
    }
}

hsd_status hsd_places_put(void *context, const hsd_interval *intervals, uint32_t count, hsd_error *err)
{
    hsd_places *places = context;
    if (places->is_whole) {
        put_whole(places, intervals, count);
        return HSD_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const hsd_interval *place = &intervals[i];
        HSD_ASSERT(place->first >= 1 && place->first < place->end && place->parent < place->first);
        const uint64_t record[RECORD_WORDS] = {HSD_TWO(place->node, place->first), HSD_TWO(place->end, place->parent)};
        HSD_TRY(hsd_sorter_put(places->by_node, record, err));
        if (places->other_spans != NULL && place->node >= places->object_count)
            hsd_words_set_two(places->other_spans + (uint64_t)(place->node - places->object_count) * HSD_TWO_WORDS,
                              place->first, place->end);
    }
    return HSD_OK;
}

hsd_status hsd_places_want_others(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(!places->is_whole && places->other_spans == NULL);
    places->object_count = side->object_count;
    places->other_spans = calloc((size_t)hsd_side_others(side) + 1, HSD_TWO_WORDS * sizeof *places->other_spans);
    return places->other_spans != NULL ? HSD_OK : hsd_fail_nomem(err, "the dominator tree");
}

void hsd_places_forget_others(hsd_places *places)
{
    free(places->other_spans);
    places->other_spans = NULL;
}

/* Parents become links without names: from the last on, so that none is written over before it is read. */
static void widen_parents(hsd_places *places)
{
    uint8_t *const frames = places->links.frames;
    for (hsd_node node = places->node_count; node-- > 0;) {
        hsd_node parent;
        memcpy(&parent, frames + (uint64_t)node * sizeof parent, sizeof parent);
        const uint64_t link = hsd_link_of(parent, HSD_PLACES_NO_NAME);
        memcpy(frames + (uint64_t)node * LINK_BYTES, &link, LINK_BYTES);
    }
}

static void finish_whole(hsd_places *places)
{
    widen_parents(places);
    memset(places->spans.frame_state, HSD_FRAME_USED | HSD_FRAME_DIRTY, places->spans.frame_count);
    memset(places->links.frame_state, HSD_FRAME_USED | HSD_FRAME_DIRTY, places->links.frame_count);
}

static hsd_status take_batch(hsd_places *places, hsd_error *err)
{
    size_t count = 0;
    const hsd_status status = hsd_read_ahead_next_some(&places->ahead, &places->next, &count, err);
    if (status != HSD_OK) places->next = NULL;
    places->end = status == HSD_OK ? places->next + count * RECORD_WORDS : NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* The next record, NULL behind the last one. */
static inline hsd_status advance(hsd_places *places, hsd_error *err)
{
    places->next += RECORD_WORDS;
    return places->next == places->end ? take_batch(places, err) : HSD_OK;
}

static void stop_reading(hsd_places *places)
{
    hsd_read_ahead_end(&places->ahead);
    places->next = places->end = NULL;
}

/* From the first record on. */
static hsd_status read_sorted(hsd_places *places, hsd_error *err)
{
    const hsd_read_ahead_how how = {.with_thread = places->reads_ahead,
                                    .is_dense = true,
                                    .shift = HSD_PLACES_NODE_SHIFT,
                                    .memory_bytes = places->batch_bytes};
    stop_reading(places);
    HSD_TRY(hsd_read_ahead_begin(&places->ahead, places->by_node, &how, err));
    return take_batch(places, err);
}

/* Nodes in order: who dominates them, no name as yet. */
static hsd_status fill_links(hsd_places *places, hsd_error *err)
{
    HSD_TRY(read_sorted(places, err));
    while (places->next != NULL) {
        hsd_interval place;
        hsd_places_of_record(places->next, &place);
        hsd_paged_set_u64(&places->links, place.node, hsd_link_of(place.parent, HSD_PLACES_NO_NAME));
        HSD_TRY(advance(places, err));
    }
    stop_reading(places);
    return hsd_paged_check(&places->links, err);
}

/* Of what records are served from: batches, where they are little beside it. */
static hsd_status serve_sorted(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    const uint64_t bytes = side->request->plan.place_serve_bytes;
    places->reads_ahead = hsd_side_reads_ahead(side) && bytes >= 4 * (uint64_t)HSD_READ_AHEAD_BYTES;
    places->batch_bytes = places->reads_ahead ? HSD_READ_AHEAD_BYTES : bytes >= 4 * BATCH_BYTES ? BATCH_BYTES : 0;
    return hsd_side_serve(places->by_node, bytes - places->batch_bytes, err);
}

hsd_status hsd_places_finish(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    if (places->is_whole) {
        finish_whole(places);
        return HSD_OK;
    }
    return serve_sorted(places, side, err);
}

hsd_status hsd_places_fill_links(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(open_links(places, side->request->plan.link_bytes, side->request->space, err));
    HSD_TRY(hsd_paged_pack(&places->links, 4, err));
    return fill_links(places, err);
}

void hsd_places_begin_names(hsd_places *places, const hsd_side_walk *side)
{
    const bool is_narrow = side->request->edge_names->count <= HSD_PLACES_NARROW_NAMES;
    places->name_bytes = is_narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    hsd_reel_init(&places->name_reel, false, NAME_CHUNK, side->request->space);
    hsd_tape_init(&places->names, &places->name_reel);
}

void hsd_places_forget_names(hsd_places *places)
{
    if (places->name_bytes == 0) return;
    hsd_tape_close(&places->name_reader);
    hsd_tape_release(&places->names);
    hsd_reel_release(&places->name_reel);
    places->name_bytes = 0;
}

uint64_t hsd_places_window(const hsd_places *places) { return hsd_paged_window(&places->links, LINK_BYTES); }

void hsd_places_bring(hsd_places *places, hsd_node first, hsd_node count)
{
    hsd_paged_bring(&places->links, first, count, LINK_BYTES);
}

/* ---- serving ---- */

hsd_status hsd_places_rewind(hsd_places *places, hsd_error *err)
{
    places->next_node = 0;
    if (places->is_whole) return HSD_OK;
    if (places->name_bytes > 0) {
        hsd_tape_close(&places->name_reader);
        hsd_tape_read(&places->name_reader, &places->names, HSD_TAPE_FORWARD, false);
        places->names_read = 0;
    }
    return read_sorted(places, err);
}

static hsd_status next_sorted(hsd_places *places, hsd_node *node, hsd_node *first, hsd_error *err)
{
    while (places->next != NULL) {
        hsd_interval place;
        hsd_places_of_record(places->next, &place);
        *node = place.node;
        *first = place.first;
        HSD_TRY(advance(places, err));
        if (place.end != place.first + 1) return HSD_OK;
    }
    return HSD_END;
}

hsd_status hsd_places_next(hsd_places *places, hsd_node *node, hsd_node *first, hsd_error *err)
{
    if (!places->is_whole) return next_sorted(places, node, first, err);
    while (places->next_node < places->node_count) {
        *node = places->next_node++;
        const hsd_two span = hsd_paged_get_two(&places->spans, *node);
        *first = hsd_two_first(span);
        /* 0 is the super-root's, and that of nodes that are not live */
        if (*first != 0 && hsd_two_second(span) != *first + 1) return HSD_OK;
    }
    return HSD_END;
}

hsd_status hsd_places_check(const hsd_places *places, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&places->spans, err));
    if (places->name_bytes > 0) HSD_TRY(hsd_reel_check(&places->name_reel, err));
    return hsd_paged_check(&places->links, err);
}

/* Who dominates whom was asked for the last time. */
static void keep_names(hsd_places *places)
{
    uint8_t *const frames = places->links.frames;
    const uint64_t nodes = places->node_count;
    for (uint64_t node = 0; node < nodes; node++) {
        uint64_t link;
        memcpy(&link, frames + node * LINK_BYTES, LINK_BYTES);
        const uint32_t name = hsd_link_name(link);
        memcpy(frames + node * NAME_BYTES, &name, NAME_BYTES);
    }
    places->has_names = true;
    hsd_paged_forget(&places->links, nodes * NAME_BYTES, nodes * LINK_BYTES);
}

hsd_status hsd_places_settle(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    const bool stays = hsd_places_are_flat(places) && hsd_side_tree_tells_owners(side) && !plan->waits_in_order;
    stop_reading(places);
    HSD_TRY(hsd_places_check(places, err));
    HSD_TRY(hsd_paged_shrink(&places->links, plan->link_serve_bytes, err));
    if (stays && hsd_places_are_flat(places)) keep_names(places);
    return HSD_OK;
}

hsd_status hsd_places_step_aside(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    if (places->is_whole) HSD_TRY(hsd_paged_shrink(&places->spans, plan->place_walk_bytes, err));
    return hsd_paged_shrink(&places->links, plan->link_walk_bytes, err);
}

hsd_status hsd_places_rest(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    if (!places->is_whole) return HSD_OK;
    return hsd_paged_shrink(&places->spans, side->request->plan.place_serve_bytes, err);
}

static hsd_status find_sorted(hsd_places *places, hsd_node node, hsd_two *place, hsd_error *err)
{
    while (places->next != NULL && node_of(places->next) < node)
        HSD_TRY(advance(places, err));
    *place = 0;
    if (places->next != NULL && node_of(places->next) == node)
        *place = hsd_two_of(hsd_words_second(places->next), hsd_words_first(places->next + HSD_TWO_WORDS));
    return HSD_OK;
}

hsd_status hsd_places_find_first(hsd_places *places, hsd_node node, hsd_node *first, hsd_error *err)
{
    hsd_two place;
    HSD_ASSERT(!places->is_whole);
    HSD_TRY(find_sorted(places, node, &place, err));
    *first = hsd_two_first(place);
    return HSD_OK;
}

/* That of a node which does not come before the last one. */
static uint32_t name_on_tape(hsd_places *places, hsd_node node)
{
    hsd_node name;
    while (places->names_read <= node && hsd_tape_get_wide(&places->name_reader, &name, places->name_bytes)) {
        places->names_read++;
        places->last_name = (uint32_t)name;
    }
    return places->name_bytes == sizeof(uint16_t) ? hsd_places_widen(places->last_name) : places->last_name;
}

static uint32_t name_of(hsd_places *places, hsd_node node)
{
    if (places->name_bytes > 0) return name_on_tape(places, node);
    if (!places->has_names) return hsd_link_name(hsd_paged_get_u64(&places->links, node));
    return ((const uint32_t *)(const void *)places->links.frames)[node];
}

/* Of plain arrays what is not asked for any more goes back, some MiB at a time. */
static void forget_before(hsd_places *places, hsd_node node)
{
    const uint64_t from = places->forgotten, bytes = places->has_names ? NAME_BYTES : LINK_BYTES;
    hsd_paged_forget(&places->spans, from * SPAN_BYTES, (uint64_t)node * SPAN_BYTES);
    hsd_paged_forget(&places->links, from * bytes, (uint64_t)node * bytes);
    places->forgotten = node;
}

hsd_status hsd_places_find(hsd_places *places, hsd_node node, hsd_placed *out, hsd_error *err)
{
    hsd_two place;
    if (places->is_whole) {
        if (node - places->forgotten >= FORGOTTEN) forget_before(places, node);
        place = hsd_paged_get_two(&places->spans, node);
    } else {
        HSD_TRY(find_sorted(places, node, &place, err));
    }
    out->is_there = place != 0;
    if (!out->is_there) return HSD_OK;
    const uint32_t name = name_of(places, node);
    out->first = hsd_two_first(place);
    out->end = hsd_two_second(place);
    out->edge = name == HSD_PLACES_NO_NAME ? HSD_TREE_INDIRECT : HSD_EDGE_NAME(name);
    return HSD_OK;
}

void hsd_places_free(hsd_places *places)
{
    if (places == NULL) return;
    stop_reading(places);
    hsd_sorter_free(places->by_node);
    if (places->has_spans) hsd_paged_close(&places->spans);
    if (places->has_links) hsd_paged_close(&places->links);
    hsd_places_forget_names(places);
    hsd_places_forget_others(places);
    hsd_pages_give(&places->core_bits);
    free(places);
}

hsd_status hsd_places_wait(hsd_places *places, const hsd_plan_side *plan, hsd_error *err)
{
    if (places->is_whole)
        HSD_TRY(hsd_paged_shrink(&places->spans, hsd_plan_waiting(plan, plan->place_serve_bytes), err));
    return hsd_paged_shrink(&places->links, hsd_plan_waiting(plan, plan->link_serve_bytes), err);
}
