/*
 * Parts (FORMAT.md §7.3): which objects are folded into their sole owner, and how many bytes each
 * owner gains. A part whose sole owner is no object (a pseudo object) stays what it is.
 *
 * Sizes of parts are noted while the graph is read, a byte or two each, so that nobody reads the capture again for
 * them. From there the bytes travel by sorting: (ordinal of the owner, bytes) for each folded part, external ones
 * apart, served in order of ordinals beside the objects when they are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "graph/owners.h"
#include "graph/tape.h"
#include "walk/side/side.h"

#define SIZES_CHUNK   (UINT32_C(16) << 10)
#define MOST_OF_SIZE  10u /* bytes of 64 bits as a varint */
#define BITS_OF_GROUP 64u

/* ---- sizes, while the graph is read ---- */

void hsd_side_begin_part_sizes(hsd_side_walk *side)
{
    hsd_walk_graph *graph = side->graph;
    if (graph->is_part == NULL) return;
    hsd_reel_init(&graph->part_reel, false, SIZES_CHUNK, side->request->space);
    hsd_tape_init(&graph->part_sizes, &graph->part_reel);
}

/* Own bytes << 1 | whether there are others, and those. */
void hsd_side_put_part_size(hsd_side_walk *side, uint64_t size_bytes, uint64_t native_bytes)
{
    hsd_tape *sizes = &side->graph->part_sizes;
    const uint64_t bytes = hsd_min_u64(size_bytes, HSD_FOLDED_EXTERNAL - 1);
    uint8_t *at = hsd_tape_room(sizes, 2 * MOST_OF_SIZE);
    at = hsd_varint_put(at, bytes << 1 | (uint64_t)(native_bytes > 0));
    if (native_bytes > 0) at = hsd_varint_put(at, native_bytes);
    sizes->at = at;
}

void hsd_side_end_part_sizes(hsd_side_walk *side)
{
    if (side->graph->is_part != NULL) hsd_tape_finish(&side->graph->part_sizes);
}

void hsd_side_release_part_sizes(hsd_side_walk *side)
{
    hsd_walk_graph *graph = side->graph;
    hsd_tape_release(&graph->part_sizes);
    if (graph->part_reel.space != NULL) hsd_reel_release(&graph->part_reel);
    graph->part_reel = (hsd_reel){.space = NULL};
}

static void next_part_size(hsd_tape_reader *reader, uint64_t *bytes, uint64_t *external)
{
    *external = 0;
    reader->at = hsd_varint_get(reader->at, bytes);
    if (*bytes & 1) reader->at = hsd_varint_get(reader->at, external);
    *bytes >>= 1;
}

/* ---- from parts to their owners ---- */

static hsd_status put_bytes(hsd_side_walk *side, hsd_node owner, uint64_t bytes, uint64_t kind, hsd_error *err)
{
    const uint64_t record[2] = {owner, hsd_min_u64(bytes, HSD_FOLDED_EXTERNAL - 1) | kind};
    return hsd_sorter_put(side->graph->folded, record, err);
}

static hsd_status fold_one(hsd_side_walk *side, hsd_paged *holder, hsd_node part, hsd_tape_reader *sizes,
                           hsd_error *err)
{
    uint64_t bytes, external;
    if (!hsd_tape_has_more(sizes)) return hsd_reel_check(&side->graph->part_reel, err);
    next_part_size(sizes, &bytes, &external);
    const hsd_node owner = hsd_paged_get_node(holder, part);
    if (owner == 0 || hsd_bit_get(side->graph->is_pseudo, owner - 1)) return HSD_OK;
    hsd_bit_set(side->graph->is_folded, part);
    if (external > 0) HSD_TRY(put_bytes(side, owner - 1, external, HSD_FOLDED_EXTERNAL, err));
    return put_bytes(side, owner - 1, bytes, 0, err);
}

/* Whether any of 64 objects is a part. */
static bool has_parts(const hsd_side_walk *side, hsd_node first)
{
    uint64_t bits = 0;
    const hsd_node left = side->object_count - first;
    memcpy(&bits, side->graph->is_part + first / 8, left >= BITS_OF_GROUP ? sizeof bits : left / 8 + 1);
    return bits != 0;
}

static hsd_status fold_all(hsd_side_walk *side, hsd_paged *holder, hsd_error *err)
{
    hsd_tape_reader sizes;
    hsd_status status = HSD_OK;
    hsd_tape_read(&sizes, &side->graph->part_sizes, HSD_TAPE_FORWARD, true);
    for (hsd_node part = 0; part < side->object_count && status == HSD_OK; part++) {
        while (part % BITS_OF_GROUP == 0 && side->object_count - part > BITS_OF_GROUP && !has_parts(side, part))
            part += BITS_OF_GROUP;
        if (hsd_bit_get(side->graph->is_part, part)) status = fold_one(side, holder, part, &sizes, err);
    }
    hsd_tape_close(&sizes);
    HSD_TRY(status);
    HSD_TRY(hsd_reel_check(&side->graph->part_reel, err));
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
    hsd_side_release_part_sizes(side);
    if (status == HSD_OK) status = hsd_side_serve(side->graph->folded, share, err);
    return status;
}
