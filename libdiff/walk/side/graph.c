/*
 * From a capture's objects, references and roots to adjacency blocks of ordinals.
 *
 *   targets are ordinals       one pass: each object's references go straight into the blocks
 *   targets are ids            one pass over the ids, which the memory holds (ordinals.h), then the same pass
 *   and they do not fit        pass over the objects: (id, ordinal) and (target id, source) into two
 *                              sorters; join; (source, target) into a third; from there the blocks
 *   edges apart from objects   the few of most captures are sorted first and merged; of many every reference goes
 * through
 *                              the third sorter, as with ids
 *
 * Weak references are left out here: they never retain. A reference whose label names a root becomes
 * two: source -> label node -> target (graph/owners.h). Label nodes stand behind all objects, and behind
 * them one node for each name of a root, which refers to that root's targets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "format/object_reader.h"
#include "walk/side/build.h"
#include <hscapture/hscapture.h>

#define NO_LABEL_NODE  HSD_NODE_MAX
#define FED_REFERENCES (UINT64_C(256) << 10) /* as many are worth a thread that encodes them */

/* ---- label nodes ---- */

static hsd_status add_label_node(hsd_side_walk *side, const hsd_label_node *node, hsd_error *err)
{
    if (side->graph->label_node_count == side->graph->label_node_capacity) {
        HSD_TRY(hsd_side_check_tables(side, 0, err));
        HSD_TRY(HSD_ARRAY_GROW(side->graph->label_nodes, side->graph->label_node_capacity,
                               side->graph->label_node_count + 1, 256, "the names of roots", err));
    }
    side->graph->label_nodes[side->graph->label_node_count++] = *node;
    return HSD_OK;
}

/* The label node for a reference, or NO_LABEL_NODE where it is an ordinary one. */
static hsd_status label_node_for(hsd_side_build *b, const hsd_object *object, const hsd_label *label, uint64_t target,
                                 hsd_node *out, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    *out = NO_LABEL_NODE;
    if ((label->flags & HSC_LABEL_NAMED_ROOT) == 0) return HSD_OK;
    if (side->graph->label_node_count >= HSD_MAX_LABEL_NODES) return HSD_OK;
    const hsd_label_node node = {
        .target = target,
        .label = (uint32_t)(label - side->labels.labels),
        .source_name = object->name,
        .source_type = hsd_type_common(&side->types, object->type),
    };
    *out = side->object_count + side->graph->label_node_count;
    return add_label_node(side, &node, err);
}

/* ---- one object's references ---- */

static hsd_status references_by_id(hsd_side_build *b, const hsd_object *object, hsd_error *err)
{
    const hsd_node source = (hsd_node)b->ordinal;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const hsd_label *label = hsd_label_get(&b->side->labels, object->labels[i]);
        const uint32_t name = hsd_side_name_of(b->side, label);
        hsd_node node = NO_LABEL_NODE;
        if (hsd_side_is_weak(label)) continue;
        if (label != NULL) HSD_TRY(label_node_for(b, object, label, object->targets[i], &node, err));
        if (node == NO_LABEL_NODE)
            HSD_TRY(hsd_side_put_by_target(b, object->targets[i], source, name, err));
        else
            HSD_TRY(hsd_side_put_by_source(b, source, node, name, err));
    }
    return HSD_OK;
}

static hsd_status grow_nodes(hsd_side_build *b, uint32_t count, hsd_error *err)
{
    uint32_t capacity = b->node_capacity;
    HSD_TRY(HSD_ARRAY_GROW(b->names, capacity, count, 4096, "the references of an object", err));
    return HSD_ARRAY_GROW(b->nodes, b->node_capacity, count, 4096, "the references of an object", err);
}

/* A reference whose label starts an owner of its own, or is past those of label_names. */
static hsd_status ask_label(hsd_side_build *b, const hsd_object *object, uint32_t i, uint32_t *name, hsd_node *node,
                            hsd_error *err)
{
    const hsd_label *label = hsd_label_get(&b->side->labels, object->labels[i]);
    *name = HSD_LABEL_WEAK;
    *node = NO_LABEL_NODE;
    if (hsd_side_is_weak(label)) return HSD_OK;
    *name = hsd_side_name_of(b->side, label);
    if (label != NULL) HSD_TRY(label_node_for(b, object, label, object->targets[i], node, err));
    if (*node == NO_LABEL_NODE) *node = hsd_side_node_of(b, object->targets[i]);
    return HSD_OK;
}

/* The nodes that an object refers to and the names of these references. */
static hsd_status gather_side_graph(hsd_side_build *b, const hsd_object *object, uint32_t *count, hsd_error *err)
{
    HSD_TRY(grow_nodes(b, object->reference_count, err));
    const bool is_ordinal = b->side->info->targets_are_ordinals;
    const hsd_node objects = b->side->object_count;
    hsd_node *nodes = b->nodes;
    uint32_t *names = b->names, kept = 0;
    const uint32_t labels = b->label_count;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const uint64_t target = object->targets[i];
        uint32_t name = object->labels[i] < labels ? b->label_names[object->labels[i]] : HSD_LABEL_ASKS;
        hsd_node node;
        if (name == HSD_LABEL_WEAK) continue;
        if (__builtin_expect(name == HSD_LABEL_ASKS, 0)) {
            HSD_TRY(ask_label(b, object, i, &name, &node, err));
            if (name == HSD_LABEL_WEAK) continue;
        } else if (is_ordinal) {
            node = target < objects ? (hsd_node)target : HSD_NO_ORDINAL;
        } else {
            node = hsd_ordinals_get(&b->ordinals, target);
        }
        if (__builtin_expect(node == HSD_NO_ORDINAL, 0)) {
            b->side->dangling++;
            continue;
        }
        hsd_side_mark_soft(b->side, (hsd_node)b->ordinal, name);
        names[kept] = name;
        nodes[kept++] = node;
    }
    *count = kept;
    return HSD_OK;
}

static hsd_status references_direct(hsd_side_build *b, const hsd_object *object, hsd_error *err)
{
    const hsd_node source = (hsd_node)b->ordinal;
    uint32_t count = 0;
    HSD_TRY(gather_side_graph(b, object, &count, err));
    if (b->by_source == NULL) {
        const uint32_t *names = b->side->request->want_tree ? b->names : NULL;
        return hsd_adjacency_add(b->side->adjacency, source, b->nodes, names, count, err);
    }
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(hsd_side_put_by_source(b, source, b->nodes[i], b->names[i], err));
    return HSD_OK;
}

/* ---- the pass over the objects ---- */

static hsd_status note_object(hsd_side_build *b, const hsd_object *object, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (object->ordinal >= side->object_count) {
        return hsd_fail(err, HSD_E_CORRUPT,
                        "the capture holds more objects than the %" HSD_PRI_NODE " its end record names",
                        side->object_count);
    }
    b->ordinal = object->ordinal;
    if (object->flags & HSC_OBJECT_PSEUDO) hsd_bit_set(side->graph->is_pseudo, b->ordinal);
    if (side->graph->is_part != NULL && (hsd_type_flags(&side->types, object->type) & HSC_TYPE_PART)) {
        hsd_bit_set(side->graph->is_part, b->ordinal);
        hsd_side_put_part_size(side, object);
    }
    const uint32_t type = hsd_type_common(&side->types, object->type);
    if (object->name != 0 && side->has_named != NULL) hsd_bit_set(side->has_named, type);
    HSD_TRY(hsd_side_column_put(&b->types, side->request->space, b->ordinal, type, err));
    if (b->shapes != NULL) HSD_TRY(hsd_side_shape(b->shapes, object, type, err));
    if (side->graph->ids == NULL) return HSD_OK;
    const uint64_t record[2] = {object->id, b->ordinal};
    return hsd_sorter_put(side->graph->ids, record, err);
}

static hsd_status pass_objects(hsd_side_build *b, hsd_object_reader *reader, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    for (;;) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return hsd_side_add_early(b, UINT64_MAX, err);
        HSD_TRY(status);
        if (!object.is_continuation) HSD_TRY(note_object(b, &object, err));
        if (b->first != NULL) HSD_TRY(hsd_side_add_early(b, b->ordinal + 1, err));
        if (object.reference_count > 0) {
            HSD_TRY(b->is_direct ? references_direct(b, &object, err) : references_by_id(b, &object, err));
        }
        if ((b->ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(side->request->reporter, "reading objects", b->ordinal, side->object_count, err));
        }
    }
}

static hsd_status read_objects(hsd_side_build *b, hsd_error *err)
{
    hsd_object_reader *reader;
    const unsigned want = HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_DETAILS |
                          (b->side->graph->ids != NULL ? HSD_WANT_ID : 0) |
                          (b->side->graph->is_part != NULL ? HSD_WANT_SIZES : 0) |
                          (b->shapes != NULL ? HSD_WANT_SIZES | HSD_WANT_IDS : 0);
    HSD_TRY(hsd_object_reader_open(&reader, b->side->request->capture, want, err));
    if (hsd_side_reads_ahead(b->side)) hsd_object_reader_read_ahead(reader);
    const hsd_status status = pass_objects(b, reader, err);
    hsd_object_reader_close(reader);
    return status;
}

/* ---- the pass over the ids ---- */

static hsd_status pass_ids(hsd_side_build *b, hsd_object_reader *reader, hsd_error *err)
{
    const hsd_side_walk *side = b->side;
    while (!b->ordinals.is_over) {
        const uint64_t *ids;
        uint32_t count;
        uint64_t first;
        const hsd_status status = hsd_object_reader_next_ids(reader, &ids, &count, &first, err);
        if (status == HSD_END) return hsd_ordinals_finish(&b->ordinals, err);
        HSD_TRY(status);
        for (uint32_t i = 0; i < count && first + i < side->object_count; i++)
            HSD_TRY(hsd_ordinals_put(&b->ordinals, ids[i], (hsd_node)(first + i), err));
        HSD_TRY(hsd_progress(side->request->reporter, "reading ids", first, side->object_count, err));
    }
    return HSD_OK;
}

/* Ids in memory where they fit: then nothing is joined by sorting. */
static hsd_status find_ordinals(hsd_side_build *b, hsd_error *err)
{
    const hsd_side_walk *side = b->side;
    hsd_object_reader *reader;
    b->is_direct = side->info->targets_are_ordinals;
    if (b->is_direct || !hsd_side_has_few_edges(side) || side->request->plan.ordinal_bytes == 0) return HSD_OK;
    HSD_TRY(hsd_object_reader_open(&reader, side->request->capture, HSD_WANT_ID, err));
    if (hsd_side_reads_ahead(side)) hsd_object_reader_read_ahead(reader);
    hsd_ordinals_begin(&b->ordinals, side->request->plan.ordinal_bytes);
    const hsd_status status = pass_ids(b, reader, err);
    hsd_object_reader_close(reader);
    b->is_direct = status == HSD_OK && !b->ordinals.is_over;
    if (!b->is_direct) hsd_ordinals_release(&b->ordinals);
    return status;
}

/* ---- the whole ---- */

static bool has_soft_labels(const hsd_side_walk *side)
{
    if (!side->request->want_tree) return false;
    for (uint32_t i = 0; i < side->labels.count; i++) {
        if (side->labels.edges[i] & HSD_EDGE_SOFT) return true;
    }
    return false;
}

static bool take_bits(uint8_t **bits, uint64_t count, bool is_wanted)
{
    if (is_wanted) *bits = calloc((size_t)(count / 8 + 1), 1);
    return !is_wanted || *bits != NULL;
}

static hsd_status take_all_bits(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    const uint64_t count = side->object_count;
    if (!take_bits(&side->graph->is_pseudo, count, true) ||
        !take_bits(&side->graph->is_part, count, side->info->has_parts) ||
        !take_bits(&side->graph->is_folded, count, side->info->has_parts) ||
        !take_bits(&side->graph->has_soft, count, has_soft_labels(side)) ||
        !take_bits(&side->has_named, side->request->type_names->names.count, hsd_side_keeps_graph(side))) {
        return hsd_fail_nomem(err, "a few bits an object");
    }
    return HSD_OK;
}

/* What a label says of each of its references, for labels that are numbered one after the other: nearly all. */
static hsd_status note_labels(hsd_side_build *b, hsd_error *err)
{
    const hsd_label_table *labels = &b->side->labels;
    const uint32_t count = labels->index.dense_count;
    if (count == 0) return HSD_OK;
    b->label_names = malloc((size_t)count * sizeof *b->label_names);
    if (b->label_names == NULL) return hsd_fail_nomem(err, "the names of references");
    b->label_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const hsd_label *label = hsd_label_get(labels, i);
        b->label_names[i] = hsd_side_name_of(b->side, label);
        if (label != NULL && (label->flags & HSC_LABEL_NAMED_ROOT)) b->label_names[i] = HSD_LABEL_ASKS;
        if (hsd_side_is_weak(label)) b->label_names[i] = HSD_LABEL_WEAK;
    }
    return HSD_OK;
}

static hsd_status open_columns(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (hsd_side_keeps_graph(side) || side->request->alike != NULL)
        HSD_TRY(hsd_side_column_open(&b->types, &side->types_file, 4, HSD_TYPE_UNDEFINED, err));
    return side->request->alike != NULL ? hsd_side_shapes_new(&b->shapes, side, err) : HSD_OK;
}

/* True where the ordinals tell all objects in the order of their addresses, and may stay until somebody asks: beside
 * positions of objects, which have half of the memory that there is then. */
static bool keeps_ordinals(const hsd_side_build *b)
{
    const hsd_plan_side *plan = &b->side->request->plan;
    return b->side->request->alike != NULL && b->is_direct && !b->side->info->targets_are_ordinals &&
           b->ordinals.count == b->side->object_count &&
           b->ordinals.used_bytes <= plan->id_serve_bytes + plan->structure_bytes / 4;
}

static hsd_status open_sorters(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    const hsd_plan_side *plan = &side->request->plan;
    if (keeps_ordinals(b))
        b->keeps_ordinals = true;
    else if (side->request->alike != NULL || !b->is_direct)
        HSD_TRY(hsd_side_sorter(side, 2, 1, plan->id_sort_bytes, &side->graph->ids, err));
    if (b->is_direct && hsd_side_has_few_edges(side)) return HSD_OK;
    HSD_TRY(hsd_side_by_source(b, plan->edge_sort_bytes, err));
    if (b->is_direct) return HSD_OK;
    return hsd_side_sorter(side, 2, 2, plan->reference_sort_bytes, &b->by_target, err);
}

static hsd_status begin_blocks(hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    HSD_TRY(hsd_adjacency_begin(&side->adjacency, plan->build_bytes, side->request->space, err));
    if (hsd_side_reads_ahead(side) && side->info->references >= FED_REFERENCES)
        HSD_TRY(hsd_adjacency_use_thread(side->adjacency, err));
    if (!side->request->want_tree) return HSD_OK;
    return hsd_adjacency_with_names(side->adjacency, plan->name_bytes, err);
}

static hsd_status run(hsd_side_build *b, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    HSD_TRY(take_all_bits(b, err));
    HSD_TRY(open_columns(b, err));
    HSD_TRY(note_labels(b, err));
    HSD_TRY(find_ordinals(b, err));
    HSD_TRY(open_sorters(b, err));
    HSD_TRY(begin_blocks(side, err));
    hsd_side_begin_part_sizes(side);
    if (b->is_direct && hsd_side_has_few_edges(side)) HSD_TRY(hsd_side_read_early(b, err));
    HSD_TRY(read_objects(b, err));
    hsd_side_end_part_sizes(side);
    HSD_TRY(hsd_side_column_end(&b->types, side->request->space, side->object_count, err));
    if (side->graph->ids != NULL) HSD_TRY(hsd_side_serve(side->graph->ids, side->request->plan.id_serve_bytes, err));
    HSD_TRY(hsd_side_read_edges(b, err));
    HSD_TRY(hsd_side_add_owners(b, err));
    if (b->keeps_ordinals)
        hsd_ordinals_move(&side->graph->ordinals, &b->ordinals);
    else
        hsd_ordinals_release(&b->ordinals);
    if (b->shapes != NULL) HSD_TRY(hsd_side_shapes_finish(b->shapes, err));
    HSD_TRY(hsd_side_fill_blocks(b, err));
    HSD_TRY(hsd_adjacency_finish(side->adjacency, side->node_count, err));
    side->graph->edge_count = hsd_adjacency_edge_count(side->adjacency);
    return HSD_OK;
}

hsd_status hsd_side_graph(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->adjacency == NULL && side->graph->label_nodes == NULL);
    hsd_side_build b = {.side = side};
    const hsd_status status = run(&b, err);
    hsd_sorter_free(b.by_target);
    hsd_sorter_free(b.by_source);
    hsd_sorter_free(b.early);
    hsd_ordinals_release(&b.ordinals);
    if (status != HSD_OK) hsd_ordinals_release(&side->graph->ordinals);
    if (side->request->alike == NULL || status != HSD_OK) {
        hsd_sorter_free(side->graph->ids);
        side->graph->ids = NULL;
    }
    free(b.nodes);
    free(b.names);
    free(b.label_names);
    hsd_side_column_close(&b.types);
    hsd_side_shapes_free(b.shapes);
    return status;
}
