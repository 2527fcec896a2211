/*
 * Whom objects were recognised as, in the order in which they are counted. Partners and rungs stand by position, in the
 * order of addresses; objects are counted in the order of their ordinals. Where a capture has its objects nearly in the
 * order of their addresses both orders are one. Where it has not they are read into memory; and where they do not fit
 * there they are brought into the order of ordinals (match/permute.h).
 */
#include "base/assert.h"
#include "base/check.h"
#include "match/permute.h"
#include "walk/side/side.h"

/* Partners are asked for of objects of after alone. */
static bool asks_for_partners(const hsd_side_walk *side) { return side->request->alike->is_after; }

static hsd_status widen_partners(hsd_paged *array, uint64_t bytes, hsd_error *err)
{
    HSD_TRY(hsd_paged_grow(array, bytes, err));
    hsd_paged_load(array);
    return hsd_paged_check(array, err);
}

static hsd_status open_least(const hsd_side_walk *side, hsd_paged *array, uint64_t bytes, hsd_error *err)
{
    return hsd_paged_open(array, bytes, hsd_paged_least_bytes(bytes), side->request->space, err);
}

static hsd_status gather_by_ordinal(hsd_side_walk *side, hsd_paged *rungs, hsd_paged *partners, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    const hsd_permute_config config = {.positions = &s->positions,
                                       .object_count = side->object_count,
                                       .position_count = s->count,
                                       .memory_bytes = side->request->plan.partner_bytes,
                                       .space = side->request->space,
                                       .name = "ordering partners",
                                       .reporter = side->request->reporter};
    const hsd_permuted arrays[] = {{rungs, &s->rungs, 1}, {partners, &s->partners, HSD_NODE_BYTES}};
    HSD_TRY(open_least(side, rungs, side->object_count, err));
    if (asks_for_partners(side))
        HSD_TRY(open_least(side, partners, (uint64_t)side->object_count * HSD_NODE_BYTES, err));
    return hsd_permute(&config, arrays, asks_for_partners(side) ? 2 : 1, err);
}

static void close_opened(hsd_paged *array)
{
    if (array->page_count > 0) hsd_paged_close(array);
}

/* What was gathered takes the place of what it was gathered from. */
static hsd_status order_them(hsd_side_walk *side, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    hsd_paged rungs = {.page_count = 0}, partners = {.page_count = 0};
    const hsd_status status = gather_by_ordinal(side, &rungs, &partners, err);
    if (status != HSD_OK) {
        close_opened(&rungs);
        close_opened(&partners);
        return status;
    }
    hsd_paged_close(&s->rungs);
    hsd_paged_close(&s->partners);
    s->rungs = rungs;
    s->partners = partners;
    s->is_by_ordinal = true;
    return HSD_OK;
}

hsd_status hsd_side_order_partners(hsd_side_walk *side, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    if (s->count == 0 || s->has_order) return HSD_OK;
    const uint64_t all = side->request->plan.partner_bytes, count = s->count, rungs = hsd_paged_full_bytes(count),
                   partners = asks_for_partners(side) ? hsd_paged_full_bytes(count * HSD_NODE_BYTES) : 0;
    if (rungs + partners <= all) {
        HSD_TRY(widen_partners(&s->rungs, rungs, err));
        return partners > 0 ? widen_partners(&s->partners, partners, err) : HSD_OK;
    }
    return order_them(side, err);
}
