/* Sums by allocation site while a census passes. */
#include "walk/allocated.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/lost.h"
#include "graph/owners.h"
#include "walk/fold.h"

/* of the memory for tables, for what is lost: a key a head, type and site; the rest is spilled */
#define TABLE_SHARE 4u

static hsd_status open_lost(hsd_side_walk *side, hsd_error *err)
{
    return hsd_tally_new(&side->allocated->lost, HSD_LOST_KEY_WORDS, side->request->table_bytes / TABLE_SHARE,
                         side->request->space, side->request->reporter, err);
}

hsd_status hsd_allocated_open(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->allocated == NULL);
    if (!side->request->want_sites && side->graph->cycles == NULL) return HSD_OK;
    return hsd_allocated_make(side, side->graph->cycles != NULL, err);
}

hsd_status hsd_allocated_make(hsd_side_walk *side, bool has_lost, hsd_error *err)
{
    HSD_ASSERT(side->allocated == NULL);
    side->allocated = calloc(1, sizeof *side->allocated);
    if (side->allocated == NULL) return hsd_fail_nomem(err, "sums by allocation site");
    return has_lost ? open_lost(side, err) : HSD_OK;
}

static hsd_status make_room(hsd_allocated *a, hsd_error *err)
{
    return HSD_ARRAY_GROW(a->live, a->live_capacity, a->live_count + 1, 64, "sums by allocation site", err);
}

hsd_status hsd_allocated_add(hsd_allocated *a, uint32_t site, hsd_amount amount, hsd_error *err)
{
    uint32_t at = hsd_id_map_get(&a->live_of, site);
    if (at == HSD_ID_NONE) {
        HSD_TRY(make_room(a, err));
        at = a->live_count++;
        a->live[at] = (hsd_site_live){.site = site};
        HSD_TRY(hsd_id_map_put(&a->live_of, site, at, err));
    }
    a->live[at].amount.objects += amount.objects;
    a->live[at].amount.bytes = hsd_add_saturating(a->live[at].amount.bytes, amount.bytes);
    return HSD_OK;
}

static hsd_status take_lost(hsd_side_walk *side, const hsd_object *object, hsd_node label, uint32_t type,
                            uint64_t bytes, hsd_error *err)
{
    const hsd_node head = hsd_lost_head(label);
    const bool is_alone = head == HSD_LOST_ALONE;
    const bool is_round =
        !is_alone && hsd_bit_get(side->graph->cycles, object->ordinal) && hsd_bit_get(side->graph->cycles, head);
    const bool is_head = is_alone || head == object->ordinal;
    const hsd_lost_part part = is_round ? HSD_LOST_ROUND : is_head ? HSD_LOST_HEAD : HSD_LOST_BELOW;
    const uint64_t key[HSD_LOST_KEY_WORDS] = {(uint64_t)head << 2 | part, (uint64_t)type << 32 | object->site};
    return hsd_tally_add(side->allocated->lost, key, 1, bytes, err);
}

hsd_status hsd_allocated_take(hsd_side_walk *side, const hsd_object *object, hsd_node label, uint32_t type,
                              uint64_t bytes, hsd_error *err)
{
    HSD_ASSERT(side->allocated != NULL);
    if (hsd_lost_is(label))
        return side->allocated->lost != NULL ? take_lost(side, object, label, type, bytes, err) : HSD_OK;
    const bool is_live = !hsd_side_has_owners(side) || label != HSD_OWNER_NONE;
    return side->request->want_sites && is_live
               ? hsd_allocated_add(side->allocated, object->site, (hsd_amount){1, bytes}, err)
               : HSD_OK;
}

hsd_status hsd_allocated_finish(hsd_side_walk *side, hsd_error *err)
{
    if (side->allocated == NULL || side->allocated->lost == NULL) return HSD_OK;
    return hsd_tally_finish(side->allocated->lost, 0, err);
}

void hsd_allocated_free(hsd_allocated *a)
{
    if (a == NULL) return;
    hsd_tally_free(a->lost);
    hsd_id_map_release(&a->live_of);
    free(a->live);
    free(a);
}
