/*
 * From a capture's objects and references to adjacency blocks of ordinals.
 *
 *   targets are ordinals       one pass: each object's references go straight into the blocks
 *   targets are ids            pass over the objects: (id, ordinal) and (target id, source) into two
 *                              sorters; join; (source, target) into a third; from there the blocks
 *   edges apart from objects   as with ids: every reference goes through the third sorter
 *
 * Weak references are left out here: they never retain. A reference whose label names a root becomes
 * two: source -> label node -> target (graph/owners.h). Label nodes stand behind all objects.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "diff/side.h"
#include <hscapture/hscapture.h>

#define NO_LABEL_NODE UINT32_MAX

typedef struct build {
    hsd_side_walk *side;
    hsd_sorter *by_target;  /* (target id, source node) */
    hsd_sorter *by_source;  /* source node << 32 | target node */
    uint32_t *nodes;        /* targets of the object at hand */
    uint32_t node_capacity;
    uint64_t ordinal;       /* of the object at hand */
} build;

/* ---- label nodes ---- */

static hsd_status add_label_node(hsd_side_walk *side, const hsd_label_node *node, hsd_error *err)
{
    if (side->label_node_count == side->label_node_capacity) {
        const uint32_t wanted = side->label_node_capacity == 0 ? 256 : side->label_node_capacity * 2;
        HSD_TRY(hsd_side_check_tables(side, err));
        hsd_label_node *grown = realloc(side->label_nodes, (size_t)wanted * sizeof *grown);
        if (grown == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the names of roots");
        side->label_nodes = grown;
        side->label_node_capacity = wanted;
    }
    side->label_nodes[side->label_node_count++] = *node;
    return HSD_OK;
}

/* The label node for a reference, or NO_LABEL_NODE where it is an ordinary one. */
static hsd_status label_node_for(build *b, const hsd_object *object, const hsd_label *label,
                                 uint64_t target, uint32_t *out, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    *out = NO_LABEL_NODE;
    if ((label->flags & HSC_LABEL_NAMED_ROOT) == 0) return HSD_OK;
    if (side->label_node_count >= HSD_MAX_LABEL_NODES) return HSD_OK;
    const hsd_label_node node = {
        .target = target,
        .label = (uint32_t)(label - side->labels.labels),
        .source_name = object->name,
        .source_type = hsd_type_common(&side->types, object->type),
    };
    *out = side->object_count + side->label_node_count;
    return add_label_node(side, &node, err);
}

/* ---- one object's references ---- */

static bool is_weak(const hsd_label *label)
{
    return label != NULL && (label->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK;
}

static hsd_status put_by_source(build *b, uint32_t source, uint32_t target, hsd_error *err)
{
    const uint64_t record = (uint64_t)source << 32 | target;
    return hsd_sorter_put(b->by_source, &record, err);
}

static hsd_status put_by_target(build *b, uint64_t target_id, uint32_t source, hsd_error *err)
{
    const uint64_t record[2] = {target_id, source};
    return hsd_sorter_put(b->by_target, record, err);
}

/* Puts a target among the nodes of the object at hand, or away where it is out of range. */
static void gather(build *b, uint64_t ordinal, uint32_t *count)
{
    if (ordinal >= b->side->object_count) b->side->dangling++;
    else b->nodes[(*count)++] = (uint32_t)ordinal;
}

static hsd_status references_by_id(build *b, const hsd_object *object, hsd_error *err)
{
    const uint32_t source = (uint32_t)b->ordinal;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const hsd_label *label = hsd_label_get(&b->side->labels, object->labels[i]);
        uint32_t node = NO_LABEL_NODE;
        if (is_weak(label)) continue;
        if (label != NULL) HSD_TRY(label_node_for(b, object, label, object->targets[i], &node, err));
        if (node == NO_LABEL_NODE) HSD_TRY(put_by_target(b, object->targets[i], source, err));
        else HSD_TRY(put_by_source(b, source, node, err));
    }
    return HSD_OK;
}

static hsd_status grow_nodes(build *b, uint32_t count, hsd_error *err)
{
    if (count <= b->node_capacity) return HSD_OK;
    const uint32_t wanted = count < 4096 ? 4096 : count + count / 2;
    uint32_t *grown = realloc(b->nodes, (size_t)wanted * sizeof *grown);
    if (grown == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the references of an object");
    b->nodes = grown;
    b->node_capacity = wanted;
    return HSD_OK;
}

static hsd_status references_by_ordinal(build *b, const hsd_object *object, hsd_error *err)
{
    const uint32_t source = (uint32_t)b->ordinal;
    uint32_t count = 0;
    HSD_TRY(grow_nodes(b, object->reference_count, err));
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const hsd_label *label = hsd_label_get(&b->side->labels, object->labels[i]);
        uint32_t node = NO_LABEL_NODE;
        if (is_weak(label)) continue;
        if (label != NULL) HSD_TRY(label_node_for(b, object, label, object->targets[i], &node, err));
        if (node == NO_LABEL_NODE) gather(b, object->targets[i], &count);
        else b->nodes[count++] = node;
    }
    if (b->by_source == NULL) return hsd_adjacency_add(b->side->adjacency, source, b->nodes, count, err);
    for (uint32_t i = 0; i < count; i++) HSD_TRY(put_by_source(b, source, b->nodes[i], err));
    return HSD_OK;
}

/* ---- the pass over the objects ---- */

static hsd_status note_object(build *b, const hsd_object *object, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (object->ordinal >= side->object_count) {
        return hsd_fail(err, HSD_E_CORRUPT, "the capture holds more objects than the %u its end record names",
                        side->object_count);
    }
    b->ordinal = object->ordinal;
    if (object->flags & HSC_OBJECT_PSEUDO) hsd_bit_set(side->is_pseudo, b->ordinal);
    if (side->is_part != NULL && (hsd_type_flags(&side->types, object->type) & HSC_TYPE_PART)) {
        hsd_bit_set(side->is_part, b->ordinal);
    }
    if (side->ids == NULL) return HSD_OK;
    const uint64_t record[2] = {object->id, b->ordinal};
    return hsd_sorter_put(side->ids, record, err);
}

static hsd_status pass_objects(build *b, hsd_object_reader *reader, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    for (;;) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (!object.is_continuation) HSD_TRY(note_object(b, &object, err));
        if (object.reference_count > 0) {
            HSD_TRY(side->info->targets_are_ordinals ? references_by_ordinal(b, &object, err)
                                                     : references_by_id(b, &object, err));
        }
        if ((b->ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(side->reporter, "reading objects", b->ordinal, side->object_count, err));
        }
    }
}

static hsd_status read_objects(build *b, hsd_error *err)
{
    hsd_object_reader *reader;
    const unsigned want = HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_IDS | HSD_WANT_DETAILS;
    HSD_TRY(hsd_object_reader_open(&reader, b->side->capture, want, err));
    const hsd_status status = pass_objects(b, reader, err);
    hsd_object_reader_close(reader);
    return status;
}

/* ---- edges that stand apart from their objects ---- */

static hsd_status source_found(void *context, const uint64_t *record, uint32_t ordinal, hsd_error *err)
{
    return put_by_target(context, record[1], ordinal, err);
}

static hsd_status take_edge(build *b, hsd_sorter *by_source_id, const hsd_edge *edge, hsd_error *err)
{
    if (is_weak(hsd_label_get(&b->side->labels, edge->label))) return HSD_OK;
    if (!b->side->info->targets_are_ordinals) {
        const uint64_t record[2] = {edge->source, edge->target};
        if (!edge->source_is_ordinal) return hsd_sorter_put(by_source_id, record, err);
        if (edge->source < b->side->object_count) return put_by_target(b, edge->target, (uint32_t)edge->source, err);
        b->side->dangling++;
        return HSD_OK;
    }
    if (edge->source >= b->side->object_count || edge->target >= b->side->object_count) {
        b->side->dangling++;
        return HSD_OK;
    }
    return put_by_source(b, (uint32_t)edge->source, (uint32_t)edge->target, err);
}

static hsd_status pass_edges(build *b, hsd_sorter *by_source_id, hsd_error *err)
{
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, b->side->capture, HSD_RECORD_EDGE, err));
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

static hsd_status read_edges(build *b, hsd_error *err)
{
    if (b->side->info->edges == 0) return HSD_OK;
    hsd_sorter *by_source_id = NULL;
    HSD_TRY(hsd_side_sorter(b->side, 2, 1, b->side->plan.source_sort_bytes, &by_source_id, err));
    hsd_status status = pass_edges(b, by_source_id, err);
    if (status == HSD_OK && hsd_sorter_count(by_source_id) > 0) {
        status = hsd_side_serve(by_source_id, b->side->plan.source_serve_bytes, err);
        if (status == HSD_OK) {
            status = hsd_join_ids(b->side->ids, by_source_id, source_found, b, &b->side->dangling, err);
        }
    }
    hsd_sorter_free(by_source_id);
    return status;
}

/* ---- from sorters to blocks ---- */

static hsd_status target_found(void *context, const uint64_t *record, uint32_t ordinal, hsd_error *err)
{
    return put_by_source(context, (uint32_t)record[1], ordinal, err);
}

/* References by id find their targets. */
static hsd_status join_targets(build *b, hsd_error *err)
{
    HSD_TRY(hsd_side_serve(b->by_target, b->side->plan.reference_serve_bytes, err));
    return hsd_join_ids(b->side->ids, b->by_target, target_found, b, &b->side->dangling, err);
}

/* What label nodes refer to goes the way of all references. */
static hsd_status add_label_targets(build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    for (uint32_t i = 0; i < side->label_node_count; i++) {
        const hsd_label_node *node = &side->label_nodes[i];
        const uint32_t source = side->object_count + i;
        if (!side->info->targets_are_ordinals) {
            HSD_TRY(put_by_target(b, node->target, source, err));
        } else if (node->target >= side->object_count) {
            side->dangling++;
        } else if (b->by_source != NULL) {
            HSD_TRY(put_by_source(b, source, (uint32_t)node->target, err));
        } else {
            const uint32_t target = (uint32_t)node->target;
            HSD_TRY(hsd_adjacency_add(side->adjacency, source, &target, 1, err));
        }
    }
    return HSD_OK;
}

static hsd_status fill_blocks(build *b, hsd_error *err)
{
    HSD_TRY(hsd_side_serve(b->by_source, b->side->plan.edge_serve_bytes, err));
    for (;;) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(b->by_source, &record, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        const uint32_t target = (uint32_t)*record;
        HSD_TRY(hsd_adjacency_add(b->side->adjacency, (uint32_t)(*record >> 32), &target, 1, err));
    }
}

/* ---- the whole ---- */

static hsd_status take_bits(hsd_side_walk *side, hsd_error *err)
{
    const size_t bytes = (size_t)side->object_count / 8 + 1;
    side->is_pseudo = calloc(bytes, 1);
    if (side->info->has_parts) {
        side->is_part = calloc(bytes, 1);
        side->is_folded = calloc(bytes, 1);
    }
    if (side->is_pseudo == NULL || (side->info->has_parts && (side->is_part == NULL || side->is_folded == NULL))) {
        return hsd_fail(err, HSD_E_NOMEM, "out of memory for three bits an object");
    }
    return HSD_OK;
}

static hsd_status open_sorters(build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    const hsd_plan_side *plan = &side->plan;
    if (side->info->targets_are_ordinals && side->info->edges == 0) return HSD_OK;
    HSD_TRY(hsd_side_sorter(side, 1, 1, plan->edge_sort_bytes, &b->by_source, err));
    if (side->info->targets_are_ordinals) return HSD_OK;
    HSD_TRY(hsd_side_sorter(side, 2, 1, plan->id_sort_bytes, &side->ids, err));
    return hsd_side_sorter(side, 2, 2, plan->reference_sort_bytes, &b->by_target, err);
}

static hsd_status run(build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    HSD_TRY(take_bits(side, err));
    HSD_TRY(open_sorters(b, err));
    HSD_TRY(hsd_adjacency_begin(&side->adjacency, side->plan.build_bytes, side->space, err));
    HSD_TRY(read_objects(b, err));
    if (side->ids != NULL) HSD_TRY(hsd_side_serve(side->ids, side->plan.id_serve_bytes, err));
    HSD_TRY(read_edges(b, err));
    HSD_TRY(add_label_targets(b, err));
    if (b->by_target != NULL) HSD_TRY(join_targets(b, err));
    hsd_sorter_free(b->by_target);
    b->by_target = NULL;
    if (b->by_source != NULL) HSD_TRY(fill_blocks(b, err));
    HSD_TRY(hsd_adjacency_finish(side->adjacency, side->object_count + side->label_node_count, err));
    side->edge_count = hsd_adjacency_edge_count(side->adjacency);
    return HSD_OK;
}

hsd_status hsd_side_graph(hsd_side_walk *side, hsd_error *err)
{
    build b = {.side = side};
    const hsd_status status = run(&b, err);
    hsd_sorter_free(b.by_target);
    hsd_sorter_free(b.by_source);
    free(b.nodes);
    return status;
}
