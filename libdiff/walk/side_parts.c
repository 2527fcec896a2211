/*
 * Parts (FORMAT.md §7.3): which objects are folded into their sole owner, and how many bytes each
 * owner gains. A part whose sole owner is no object (a pseudo object) stays what it is.
 *
 * The bytes travel by sorting: (ordinal of the owner, bytes) for each folded part, external ones apart, served in order
 * of ordinals beside the objects when they are counted.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "format/object_reader.h"
#include "graph/owners.h"
#include "walk/side.h"

static hsd_status put_bytes(hsd_side_walk *side, uint32_t owner, uint64_t bytes, uint64_t kind, hsd_error *err)
{
    const uint64_t record[2] = {owner, hsd_min_u64(bytes, HSD_FOLDED_EXTERNAL - 1) | kind};
    return hsd_sorter_put(side->graph->folded, record, err);
}

static hsd_status fold_one(hsd_side_walk *side, hsd_paged *holder, const hsd_object *object, hsd_error *err)
{
    if (!hsd_bit_get(side->graph->is_part, object->ordinal)) return HSD_OK;
    const uint32_t owner = hsd_paged_get_u32(holder, object->ordinal);
    if (owner == 0 || hsd_bit_get(side->graph->is_pseudo, owner - 1)) return HSD_OK;
    hsd_bit_set(side->graph->is_folded, object->ordinal);
    if (object->native_bytes > 0) HSD_TRY(put_bytes(side, owner - 1, object->native_bytes, HSD_FOLDED_EXTERNAL, err));
    return put_bytes(side, owner - 1, object->size_bytes, 0, err);
}

static hsd_status fold_all(hsd_side_walk *side, hsd_paged *holder, hsd_error *err)
{
    hsd_object_reader *reader;
    HSD_TRY(hsd_object_reader_open(&reader, side->request->capture, HSD_WANT_SIZES, err));
    if (hsd_side_reads_ahead(side)) hsd_object_reader_read_ahead(reader);
    hsd_status status;
    for (;;) {
        hsd_object object;
        status = hsd_object_reader_next(reader, &object, err);
        if (status != HSD_OK) break;
        if (object.is_continuation) continue;
        status = fold_one(side, holder, &object, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    if (status != HSD_END) return status;
    return hsd_paged_check(holder, err);
}

static hsd_status find_holders(hsd_side_walk *side, hsd_paged *holder, hsd_error *err)
{
    const hsd_parts_config config = {
        .object_count = side->object_count,
        .is_part = side->graph->is_part,
        .memory_bytes = side->request->plan.part_bytes,
        .space = side->request->space,
        .reporter = side->request->reporter,
    };
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.idle_name_bytes, err));
    return hsd_parts_find(side->adjacency, &config, holder, err);
}

hsd_status hsd_side_parts(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->adjacency != NULL && side->graph->folded == NULL);
    hsd_paged holder;
    const uint64_t share = side->request->plan.folded_bytes;
    if (side->graph->is_part == NULL) return HSD_OK;
    HSD_TRY(find_holders(side, &holder, err));
    hsd_status status = hsd_paged_shrink(&holder, side->request->plan.owner_serve_bytes, err);
    if (status == HSD_OK) status = hsd_side_sorter(side, 2, 1, share, &side->graph->folded, err);
    if (status == HSD_OK) status = fold_all(side, &holder, err);
    hsd_paged_close(&holder);
    if (status == HSD_OK) status = hsd_side_serve(side->graph->folded, share, err);
    return status;
}
