/*
 * References that do not come in the order of their sources: those by id, those that stand apart from
 * their objects, those of label nodes and root nodes. They are joined and sorted (side/build.h) and go into
 * the adjacency blocks from there.
 */
#include "base/assert.h"
#include "base/check.h"
#include "walk/side/build.h"
#include <hscapture/hscapture.h>

#define BATCH_ITEMS 512u
#define FEW_EDGES   UINT64_C(16384) /* OWNERS_SORT_BYTES hold them */

/* With is_direct roots and label nodes are sorted in what the reader of objects leaves. */
#define OWNERS_SORT_BYTES (UINT64_C(1) << 20)

bool hsd_side_is_weak(const hsd_label *label)
{
    return label != NULL && (label->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK;
}

void hsd_side_mark_soft(hsd_side_walk *side, hsd_node source, uint32_t name)
{
    if ((name & HSD_EDGE_SOFT) && side->graph->has_soft != NULL) hsd_bit_set(side->graph->has_soft, source);
}

hsd_status hsd_side_by_source(hsd_side_build *b, uint64_t memory_bytes, hsd_error *err)
{
    const unsigned words = b->side->request->want_tree ? HSD_BY_SOURCE_WORDS : HSD_BY_SOURCE_NAME;
    return hsd_side_sorter(b->side, words, HSD_BY_SOURCE_NAME, memory_bytes, &b->by_source, err);
}

hsd_status hsd_side_put_by_source(hsd_side_build *b, hsd_node source, hsd_node target, uint32_t name, hsd_error *err)
{
    HSD_ASSERT(b->by_source != NULL);
    const uint64_t record[HSD_BY_SOURCE_WORDS] = {HSD_TWO(source, target), name};
    hsd_side_mark_soft(b->side, source, name);
    return hsd_sorter_put(b->by_source, record, err);
}

hsd_status hsd_side_put_by_target(hsd_side_build *b, uint64_t target_id, hsd_node source, uint32_t name, hsd_error *err)
{
    HSD_ASSERT(b->by_target != NULL);
    const uint64_t record[2] = {target_id, b->side->request->want_tree ? hsd_link_of(source, name) : source};
    return hsd_sorter_put(b->by_target, record, err);
}

/* ---- edges that stand apart from their objects ---- */

static hsd_status source_found(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err)
{
    hsd_side_build *b = context;
    const hsd_node ordinal = (hsd_node)row[1];
    const uint32_t name = b->side->request->want_tree ? (uint32_t)record[2] : HSD_EDGE_NAMELESS;
    return hsd_side_put_by_target(b, record[1], ordinal, name, err);
}

static hsd_status take_edge(hsd_side_build *b, hsd_sorter *by_source_id, const hsd_edge *edge, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    const hsd_label *label = hsd_label_get(&side->labels, edge->label);
    if (hsd_side_is_weak(label)) return HSD_OK;
    const uint32_t name = hsd_side_name_of(side, label);
    if (b->is_direct) {
        const bool is_id = !edge->source_is_ordinal && !side->info->targets_are_ordinals;
        const uint64_t source = is_id ? hsd_ordinals_get(&b->ordinals, edge->source) : edge->source;
        const hsd_node target = hsd_side_node_of(b, edge->target);
        if (source < side->object_count && target != HSD_NO_ORDINAL)
            return hsd_side_put_by_source(b, (hsd_node)source, target, name, err);
    } else {
        const uint64_t record[3] = {edge->source, edge->target, name};
        if (!edge->source_is_ordinal) return hsd_sorter_put(by_source_id, record, err);
        if (edge->source < side->object_count) {
            return hsd_side_put_by_target(b, edge->target, (hsd_node)edge->source, name, err);
        }
    }
    side->dangling++;
    return HSD_OK;
}

static hsd_status pass_edges(hsd_side_build *b, hsd_sorter *by_source_id, hsd_error *err)
{
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, b->side->request->capture, HSD_RECORD_EDGE, err));
    hsd_status status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) break;
        status = take_edge(b, by_source_id, &record.edge, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

bool hsd_side_has_few_edges(const hsd_side_walk *side) { return side->info->edges <= FEW_EDGES; }

static hsd_status next_early(hsd_side_build *b, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(b->early, &b->first, err);
    if (status == HSD_END) b->first = NULL;
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_side_read_early(hsd_side_build *b, hsd_error *err)
{
    const hsd_side_walk *side = b->side;
    HSD_ASSERT(b->is_direct && b->by_source == NULL);
    if (side->info->edges == 0) return HSD_OK;
    HSD_TRY(hsd_side_by_source(b, OWNERS_SORT_BYTES, err));
    HSD_TRY(pass_edges(b, NULL, err));
    b->early = b->by_source;
    b->by_source = NULL;
    HSD_TRY(hsd_side_serve(b->early, OWNERS_SORT_BYTES, err));
    return next_early(b, err);
}

hsd_status hsd_side_add_early(hsd_side_build *b, uint64_t before, hsd_error *err)
{
    const bool has_names = b->side->request->want_tree;
    while (b->first != NULL && hsd_words_first(b->first) < before) {
        const hsd_node source = hsd_words_first(b->first), target = hsd_words_second(b->first);
        const uint32_t name = has_names ? (uint32_t)b->first[HSD_BY_SOURCE_NAME] : HSD_EDGE_NAMELESS;
        HSD_TRY(hsd_adjacency_add(b->side->adjacency, source, &target, has_names ? &name : NULL, 1, err));
        HSD_TRY(next_early(b, err));
    }
    return HSD_OK;
}

hsd_status hsd_side_read_edges(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (side->info->edges == 0) return HSD_OK;
    if (b->is_direct) return hsd_side_has_few_edges(side) ? HSD_OK : pass_edges(b, NULL, err);
    hsd_sorter *by_source_id = NULL;
    HSD_TRY(hsd_side_sorter(side, side->request->want_tree ? 3 : 2, 1, side->request->plan.source_sort_bytes,
                            &by_source_id, err));
    hsd_status status = pass_edges(b, by_source_id, err);
    if (status == HSD_OK && hsd_sorter_count(by_source_id) > 0) {
        status = hsd_side_serve(by_source_id, side->request->plan.source_serve_bytes, err);
        if (status == HSD_OK) {
            status = hsd_sort_join(side->graph->ids, by_source_id, source_found, b, &side->dangling, err);
        }
    }
    hsd_sorter_free(by_source_id);
    return status;
}

/* ---- label nodes and root nodes ---- */

/* A nameless reference from one of them. */
static hsd_status owner_target(void *context, hsd_node node, uint64_t target, hsd_error *err)
{
    hsd_side_build *b = context;
    if (!b->is_direct) return hsd_side_put_by_target(b, target, node, HSD_EDGE_NAMELESS, err);
    const hsd_node object = hsd_side_node_of(b, target);
    if (object != HSD_NO_ORDINAL) return hsd_side_put_by_source(b, node, object, HSD_EDGE_NAMELESS, err);
    b->side->dangling++;
    return HSD_OK;
}

hsd_status hsd_side_add_owners(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (b->by_source == NULL) {
        HSD_TRY(hsd_side_by_source(b, OWNERS_SORT_BYTES, err));
    }
    for (uint32_t i = 0; i < side->graph->label_node_count; i++) {
        HSD_TRY(owner_target(b, side->object_count + i, side->graph->label_nodes[i].target, err));
    }
    return hsd_side_roots(side, owner_target, b, err);
}

/* ---- from sorters to blocks ---- */

static hsd_status target_found(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err)
{
    hsd_side_build *b = context;
    const hsd_node ordinal = (hsd_node)row[1];
    if (!b->side->request->want_tree)
        return hsd_side_put_by_source(b, (hsd_node)record[1], ordinal, HSD_EDGE_NAMELESS, err);
    return hsd_side_put_by_source(b, hsd_link_from(record[1]), ordinal, hsd_link_name(record[1]), err);
}

static hsd_status join_targets(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    HSD_TRY(hsd_side_serve(b->by_target, side->request->plan.reference_serve_bytes, err));
    HSD_TRY(hsd_sort_join(side->graph->ids, b->by_target, target_found, b, &side->dangling, err));
    hsd_sorter_free(b->by_target);
    b->by_target = NULL;
    return HSD_OK;
}

typedef struct batch { /* references of one source */
    hsd_node targets[BATCH_ITEMS], source;
    uint32_t names[BATCH_ITEMS], count;
} batch;

static hsd_status flush(hsd_side_build *b, batch *now, hsd_error *err)
{
    const uint32_t *names = b->side->request->want_tree ? now->names : NULL;
    const uint32_t count = now->count;
    now->count = 0;
    return hsd_adjacency_add(b->side->adjacency, now->source, now->targets, names, count, err);
}

static hsd_status fill_side_reference(hsd_side_build *b, batch *now, hsd_error *err)
{
    for (;;) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(b->by_source, &record, err);
        if (status == HSD_END) return flush(b, now, err);
        HSD_TRY(status);
        const hsd_node source = hsd_words_first(record);
        if (source != now->source || now->count == BATCH_ITEMS) HSD_TRY(flush(b, now, err));
        now->source = source;
        now->targets[now->count] = hsd_words_second(record);
        if (b->side->request->want_tree) now->names[now->count] = (uint32_t)record[HSD_BY_SOURCE_NAME];
        now->count++;
    }
}

hsd_status hsd_side_fill_blocks(hsd_side_build *b, hsd_error *err)
{
    batch now;
    now.source = 0;
    now.count = 0;
    if (b->by_target != NULL) HSD_TRY(join_targets(b, err));
    if (b->by_source == NULL) return HSD_OK;
    HSD_TRY(hsd_side_serve(b->by_source, b->side->request->plan.edge_serve_bytes, err));
    return fill_side_reference(b, &now, err);
}
