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
#include "format/object_block.h"
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

/* The label node for a reference of an object of this type and name, or NO_LABEL_NODE where it is an ordinary one. */
static hsd_status label_node_for(hsd_side_build *b, uint32_t type, uint32_t name, const hsd_label *label,
                                 uint64_t target, hsd_node *out, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    *out = NO_LABEL_NODE;
    if ((label->flags & HSC_LABEL_NAMED_ROOT) == 0) return HSD_OK;
    if (side->graph->label_node_count >= HSD_MAX_LABEL_NODES) return HSD_OK;
    const hsd_label_node node = {
        .target = target,
        .label = (uint32_t)(label - side->labels.labels),
        .source_name = name,
        .source_type = hsd_type_common(&side->types, type),
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
        if (label != NULL)
            HSD_TRY(label_node_for(b, object->type, object->name, label, object->targets[i], &node, err));
        if (node == NO_LABEL_NODE)
            HSD_TRY(hsd_side_put_by_target(b, object->targets[i], source, name, err));
        else
            HSD_TRY(hsd_side_put_by_source(b, source, node, name, err));
    }
    return HSD_OK;
}

/* References of one object as they are read: whether one after the other, or in the columns of a block. */
typedef struct read_references {
    const uint64_t *targets;
    const uint32_t *labels;
    uint32_t count;
    uint32_t type, name;           /* of the object */
    const hsd_object_block *block; /* which says how targets are stored; NULL: absolute */
} read_references;

/* A reference that is weak, leads nowhere, whose label starts an owner of its own, or is past those of label_names:
 * *name is HSD_LABEL_WEAK, or *node HSD_NO_ORDINAL, where it is left out. */
static hsd_status settle_reference(hsd_side_build *b, const read_references *r, uint32_t i, uint64_t target,
                                   uint32_t *name, hsd_node *node, hsd_error *err)
{
    if (*name == HSD_LABEL_ASKS) {
        const hsd_label *label = hsd_label_get(&b->side->labels, r->labels[i]);
        hsd_node label_node = NO_LABEL_NODE;
        *name = hsd_side_is_weak(label) ? HSD_LABEL_WEAK : hsd_side_name_of(b->side, label);
        if (*name == HSD_LABEL_WEAK) return HSD_OK;
        if (label != NULL) HSD_TRY(label_node_for(b, r->type, r->name, label, target, &label_node, err));
        if (label_node != NO_LABEL_NODE) *node = label_node;
    }
    if (*name != HSD_LABEL_WEAK && *node == HSD_NO_ORDINAL) b->side->dangling++;
    return HSD_OK;
}

/* The nodes that references `from` … until - 1 lead to, and their names. */
static hsd_status gather_side_graph(hsd_side_build *b, const read_references *r, uint32_t from, uint32_t until,
                                    hsd_two *pairs, uint32_t *count, hsd_error *err)
{
    const bool is_ordinal = b->side->info->targets_are_ordinals;
    const hsd_node objects = b->side->object_count;
    const uint32_t *label_names = b->label_names, labels = b->label_count;
    const uint64_t ordinal = b->ordinal;
    uint32_t kept = 0, all_names = 0;
    for (uint32_t i = from; i < until; i++) {
        uint64_t target = r->targets[i];
        uint32_t name = r->labels[i] < labels ? label_names[r->labels[i]] : HSD_LABEL_ASKS;
        hsd_node node;
        if (r->block != NULL) target = hsd_object_block_target(r->block, target, ordinal);
        if (is_ordinal)
            node = target < objects ? (hsd_node)target : HSD_NO_ORDINAL;
        else
            node = hsd_ordinals_get(&b->ordinals, target);
        if (__builtin_expect(name >= HSD_LABEL_ASKS || node == HSD_NO_ORDINAL, 0)) {
            HSD_TRY(settle_reference(b, r, i, target, &name, &node, err));
            if (name == HSD_LABEL_WEAK || node == HSD_NO_ORDINAL) continue;
        }
        all_names |= name;
        pairs[kept++] = hsd_two_of(node, name);
    }
    if (kept > 0) hsd_side_mark_soft(b->side, (hsd_node)ordinal, all_names);
    *count = kept;
    return HSD_OK;
}

/* To the sorter. */
static hsd_status references_by_source(hsd_side_build *b, const read_references *r, uint32_t from, uint32_t until,
                                       hsd_error *err)
{
    uint32_t count = 0;
    HSD_TRY(gather_side_graph(b, r, from, until, b->pairs, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t name = (uint32_t)hsd_two_second(b->pairs[i]);
        HSD_TRY(hsd_side_put_by_source(b, (hsd_node)b->ordinal, hsd_two_first(b->pairs[i]), name, err));
    }
    return HSD_OK;
}

/* Of the object at hand. */
static hsd_status references_direct(hsd_side_build *b, const read_references *r, hsd_error *err)
{
    hsd_lists_out *out = b->out;
    for (uint32_t from = 0; from < r->count; from += HSD_ADJACENCY_PART_ITEMS) {
        const uint32_t left = r->count - from;
        const uint32_t count = left < HSD_ADJACENCY_PART_ITEMS ? left : HSD_ADJACENCY_PART_ITEMS;
        uint32_t kept = 0;
        if (b->by_source != NULL) {
            HSD_TRY(references_by_source(b, r, from, from + count, err));
            continue;
        }
        if (out->end - out->at <= (ptrdiff_t)count) HSD_TRY(hsd_adjacency_turn(b->side->adjacency, err));
        HSD_TRY(gather_side_graph(b, r, from, from + count, out->at + 1, &kept, err));
        *out->at = hsd_two_of((hsd_node)b->ordinal, kept);
        if (kept > 0) out->at += kept + 1;
    }
    return HSD_OK;
}

/* ---- the pass over the objects ---- */

static hsd_status check_ordinal(const hsd_side_walk *side, uint64_t ordinal, hsd_error *err)
{
    if (ordinal < side->object_count) return HSD_OK;
    return hsd_fail(err, HSD_E_CORRUPT,
                    "the capture holds more objects than the %" HSD_PRI_NODE " its end record names",
                    side->object_count);
}

/* What most objects are asked alone: b->ordinal is the one at hand. */
static inline hsd_status note_kind(hsd_side_build *b, uint32_t flags, uint32_t type, uint32_t name,
                                   uint32_t common_type, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    if (flags & HSC_OBJECT_PSEUDO) hsd_bit_set(side->graph->is_pseudo, b->ordinal);
    if (side->graph->is_part != NULL && (hsd_type_flags(&side->types, type) & HSC_TYPE_PART))
        hsd_bit_set(side->graph->is_part, b->ordinal);
    if (name != 0 && side->has_named != NULL) hsd_bit_set(side->has_named, common_type);
    return hsd_side_column_put(&b->types, side->request->space, b->ordinal, common_type, err);
}

static bool is_part(const hsd_side_build *b)
{
    const uint8_t *parts = b->side->graph->is_part;
    return parts != NULL && hsd_bit_get(parts, b->ordinal);
}

static hsd_status note_object(hsd_side_build *b, const hsd_object *object, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    HSD_TRY(check_ordinal(side, object->ordinal, err));
    b->ordinal = object->ordinal;
    const uint32_t type = hsd_type_common(&side->types, object->type);
    HSD_TRY(note_kind(b, object->flags, object->type, object->name, type, err));
    if (is_part(b)) hsd_side_put_part_size(side, object->size_bytes, object->native_bytes);
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
        if (object.reference_count > 0 && b->is_direct) {
            const read_references r = {.targets = object.targets,
                                       .labels = object.labels,
                                       .count = object.reference_count,
                                       .type = object.type,
                                       .name = object.name};
            HSD_TRY(references_direct(b, &r, err));
        } else if (object.reference_count > 0) {
            HSD_TRY(references_by_id(b, &object, err));
        }
        if ((b->ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(side->request->reporter, "reading objects", b->ordinal, side->object_count, err));
        }
    }
}

/* ---- the same by columns ---- */

static hsd_status pass_records(hsd_side_build *b, const hsd_object_block *o, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    read_references r = {.targets = o->targets, .labels = o->labels, .block = o->has_differences ? o : NULL};
    uint64_t next = o->next_ordinal;
    for (uint32_t i = o->next; i < o->records; i++) {
        r.type = o->type[i];
        r.name = hsd_u32s_get(o->name, i);
        r.count = o->ref_count[i];
        if ((o->flags[i] & HSD_OBJECT_CONTINUES) == 0) {
            HSD_TRY(check_ordinal(side, next, err));
            b->ordinal = next++;
            HSD_TRY(note_kind(b, o->flags[i], r.type, r.name, hsd_type_common(&side->types, r.type), err));
            if (is_part(b)) hsd_side_put_part_size(side, o->size[i], hsd_u64s_get(o->native, i));
        }
        if (b->first != NULL) HSD_TRY(hsd_side_add_early(b, b->ordinal + 1, err));
        if (r.count == 0) continue;
        HSD_TRY(references_direct(b, &r, err));
        r.targets += r.count;
        r.labels += r.count;
    }
    return HSD_OK;
}

static hsd_status pass_blocks(hsd_side_build *b, hsd_object_reader *reader, hsd_error *err)
{
    hsd_side_walk *side = b->side;
    for (;;) {
        const hsd_object_block *objects;
        const hsd_status status = hsd_object_reader_next_block(reader, &objects, err);
        if (status == HSD_END) return hsd_side_add_early(b, UINT64_MAX, err);
        HSD_TRY(status);
        HSD_TRY(pass_records(b, objects, err));
        HSD_TRY(hsd_progress(side->request->reporter, "reading objects", b->ordinal, side->object_count, err));
    }
}

/* True where columns tell all that is asked of an object, which nobody looks at as a whole then. */
static bool goes_by_columns(const hsd_side_build *b)
{
    return b->is_direct && b->shapes == NULL && b->side->graph->ids == NULL;
}

static hsd_status read_objects(hsd_side_build *b, hsd_error *err)
{
    hsd_object_reader *reader;
    const unsigned want =
        HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_DETAILS | (b->side->graph->ids != NULL ? HSD_WANT_ID : 0) |
        (b->side->graph->is_part != NULL ? HSD_WANT_SIZES : 0) |
        (b->shapes != NULL ? HSD_WANT_SIZES | HSD_WANT_IDS : 0) | (goes_by_columns(b) ? HSD_WANT_DIFFERENCES : 0);
    HSD_TRY(hsd_object_reader_open(&reader, b->side->request->capture, want, err));
    if (hsd_side_reads_ahead(b->side)) hsd_object_reader_read_ahead(reader);
    const hsd_status status = goes_by_columns(b) ? pass_blocks(b, reader, err) : pass_objects(b, reader, err);
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
    b->pairs = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *b->pairs);
    if (b->pairs == NULL) return hsd_fail_nomem(err, "the references of an object");
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
    b->out = hsd_adjacency_lists(side->adjacency);
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
    free(b.pairs);
    free(b.label_names);
    hsd_side_column_close(&b.types);
    hsd_side_shapes_free(b.shapes);
    return status;
}
