/*
 * Places by node: an array where it fits, else a sort (places.h).
 */
#include "walk/places.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/edges.h"
#include "walk/tree.h"

#define ROW_BYTES  16u
#define LINK_BYTES 8u

static uint32_t high(uint64_t word) { return (uint32_t)(word >> 32); }
static uint32_t low(uint64_t word) { return (uint32_t)word; }
static uint64_t pair(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

/* ---- filling ---- */

static hsd_status open_array(hsd_places *places, uint64_t item_bytes, uint64_t memory_bytes, hsd_temp_space *space,
                             hsd_error *err)
{
    HSD_TRY(hsd_paged_open(&places->array, places->node_count * item_bytes, memory_bytes, space, err));
    places->has_array = true;
    return HSD_OK;
}

hsd_status hsd_places_new(hsd_places **out, const hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    const uint64_t whole = hsd_paged_full_bytes((uint64_t)side->node_count * ROW_BYTES);
    hsd_places *places = calloc(1, sizeof *places);
    if (places == NULL) return hsd_fail_nomem(err, "the dominator tree");
    *out = places;
    places->node_count = side->node_count;
    places->is_whole = whole <= plan->place_sort_bytes && whole <= plan->place_serve_bytes + plan->link_bytes;
    if (places->is_whole) return open_array(places, ROW_BYTES, whole, side->request->space, err);
    return hsd_side_sorter(side, 2, 1, plan->place_sort_bytes, &places->by_node, err);
}

hsd_status hsd_places_put(void *context, const hsd_interval *place, hsd_error *err)
{
    HSD_ASSERT(place->first >= 1 && place->first < place->end && place->parent < place->first);
    hsd_places *places = context;
    if (places->is_whole) {
        hsd_paged_set_u64(&places->array, (uint64_t)place->node * 2, pair(place->first, place->end));
        hsd_paged_set_u64(&places->array, (uint64_t)place->node * 2 + 1, pair(place->parent, HSD_PLACES_NO_NAME));
        return HSD_OK;
    }
    const uint64_t record[2] = {pair(place->node, place->first), pair(place->end, place->parent)};
    return hsd_sorter_put(places->by_node, record, err);
}

void hsd_places_expect(void *context, uint32_t node)
{
    const hsd_places *places = context;
    if (places->is_whole) hsd_paged_prefetch_u32(&places->array, (uint64_t)node * (ROW_BYTES / 4));
}

/* Nodes in order: who dominates them, no name as yet. */
static hsd_status fill_links(hsd_places *places, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(places->by_node, &record, err)) == HSD_OK) {
        hsd_paged_set_u64(&places->array, high(record[0]), pair(low(record[1]), HSD_PLACES_NO_NAME));
    }
    return status == HSD_END ? hsd_paged_check(&places->array, err) : status;
}

hsd_status hsd_places_finish(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    if (places->is_whole) return HSD_OK;
    HSD_TRY(hsd_side_serve(places->by_node, side->request->plan.place_serve_bytes, err));
    HSD_TRY(open_array(places, LINK_BYTES, side->request->plan.link_bytes, side->request->space, err));
    return fill_links(places, err);
}

static uint32_t row_bytes(const hsd_places *places) { return places->is_whole ? ROW_BYTES : LINK_BYTES; }

uint64_t hsd_places_window(const hsd_places *places) { return hsd_paged_window(&places->array, row_bytes(places)); }

void hsd_places_bring(hsd_places *places, uint32_t first, uint32_t count)
{
    hsd_paged_bring(&places->array, first, count, row_bytes(places));
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
    places->next_node = 0;
    if (places->is_whole) return HSD_OK;
    HSD_TRY(hsd_sorter_rewind(places->by_node, err));
    return advance(places, err);
}

static hsd_status next_sorted(hsd_places *places, uint32_t *node, uint32_t *first, hsd_error *err)
{
    if (places->next == NULL) return HSD_END;
    *node = high(places->next[0]);
    *first = low(places->next[0]);
    return advance(places, err);
}

hsd_status hsd_places_next(hsd_places *places, uint32_t *node, uint32_t *first, hsd_error *err)
{
    if (!places->is_whole) return next_sorted(places, node, first, err);
    while (places->next_node < places->node_count) {
        *node = places->next_node++;
        *first = high(hsd_paged_get_u64(&places->array, (uint64_t)*node * 2));
        if (*first != 0) return HSD_OK; /* 0 is the super-root's, and that of nodes that are not live */
    }
    return HSD_END;
}

hsd_status hsd_places_settle(hsd_places *places, const hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    const uint64_t serve_bytes = plan->link_serve_bytes + (places->is_whole ? plan->place_serve_bytes : 0);
    HSD_TRY(hsd_paged_check(&places->array, err));
    return hsd_paged_shrink(&places->array, serve_bytes, err);
}

static hsd_status find_sorted(hsd_places *places, uint32_t node, uint64_t *place, hsd_error *err)
{
    while (places->next != NULL && high(places->next[0]) < node)
        HSD_TRY(advance(places, err));
    *place = 0;
    if (places->next != NULL && high(places->next[0]) == node) {
        *place = pair(low(places->next[0]), high(places->next[1]));
    }
    return HSD_OK;
}

hsd_status hsd_places_find(hsd_places *places, uint32_t node, hsd_placed *out, hsd_error *err)
{
    uint64_t place;
    if (places->is_whole)
        place = hsd_paged_get_u64(&places->array, (uint64_t)node * 2);
    else
        HSD_TRY(find_sorted(places, node, &place, err));
    out->is_there = place != 0;
    if (!out->is_there) return HSD_OK;
    const uint32_t name = low(hsd_paged_get_u64(&places->array, hsd_places_link_at(places, node)));
    out->first = high(place);
    out->end = low(place);
    out->edge = name == HSD_PLACES_NO_NAME ? HSD_TREE_INDIRECT : HSD_EDGE_NAME(name);
    return HSD_OK;
}

void hsd_places_free(hsd_places *places)
{
    if (places == NULL) return;
    hsd_sorter_free(places->by_node);
    if (places->has_array) hsd_paged_close(&places->array);
    free(places);
}
