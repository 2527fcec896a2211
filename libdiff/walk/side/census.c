/*
 * The census: each object that counts becomes one record of identity, type, size, owner and state.
 * Pseudo objects and folded parts do not count; the bytes of folded parts are added to their owners
 * as both streams pass by in order of ordinals.
 *
 * With dominators each live object gets a second record, with its place in their tree (walk/tree.h), and so
 * do the label nodes and root nodes that were reached.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "format/object_reader.h"
#include "graph/lost.h"
#include "graph/owner_tree.h"
#include "graph/owners.h"
#include "walk/allocated.h"
#include "walk/fold.h"
#include "walk/keep.h"
#include "walk/places.h"
#include "walk/side/side.h"
#include "walk/tree.h"
#include <hscapture/hscapture.h>

typedef struct census {
    hsd_side_walk *side;
    const uint64_t *folded; /* the folded part whose owner comes next, NULL = none left */
} census;

static hsd_status next_folded(census *c, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(c->side->graph->folded, &c->folded, err);
    if (status == HSD_END) c->folded = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* Bytes that folded parts bring to the object with this ordinal; those outside the heap count as external, too. */
static hsd_status folded_bytes(census *c, uint64_t ordinal, uint64_t *bytes, uint64_t *external, hsd_error *err)
{
    while (c->folded != NULL && c->folded[0] <= ordinal) {
        const uint64_t brought = c->folded[1] & ~HSD_FOLDED_EXTERNAL;
        if (c->folded[0] == ordinal) *bytes = hsd_add_saturating(*bytes, brought);
        if (c->folded[0] == ordinal && c->folded[1] != brought) *external = hsd_add_saturating(*external, brought);
        HSD_TRY(next_folded(c, err));
    }
    return HSD_OK;
}

/* The label of an object, which comes behind the one before. */
static hsd_status label_of(const hsd_side_walk *side, hsd_node node, hsd_node *label, hsd_error *err)
{
    hsd_node first;
    if (!hsd_side_tells_in_order(side)) {
        *label = hsd_owner_get(&side->graph->owners, node);
        return HSD_OK;
    }
    HSD_TRY(hsd_places_find_first(side->graph->places, node, &first, err));
    *label = first != 0 ? hsd_owner_tree_label(side->graph->owner_tree, first) : HSD_OWNER_NONE;
    return HSD_OK;
}

typedef struct owned {
    hsd_node label;
    uint32_t root;
    bool is_live;
} owned;

/* Owner and state: without roots everything is live and shared by no one. */
static hsd_status find_state(const hsd_side_walk *side, uint64_t ordinal, owned *out, hsd_error *err)
{
    *out = (owned){.label = HSD_OWNER_NONE, .root = HSD_ROOT_SHARED, .is_live = true};
    if (!hsd_side_has_owners(side)) return HSD_OK;
    HSD_TRY(label_of(side, (hsd_node)ordinal, &out->label, err));
    out->is_live = out->label != HSD_OWNER_NONE && !hsd_lost_is(out->label);
    if (out->is_live && out->label >= HSD_OWNER_FIRST) out->root = (uint32_t)(out->label - HSD_OWNER_FIRST);
    return HSD_OK;
}

/* ---- places in the tree ---- */

static hsd_status put_place(hsd_side_walk *side, const hsd_tree_node *node, hsd_error *err)
{
    uint64_t record[HSD_TREE_ID_WORDS] = {0};
    if (hsd_tree_write_more(record, node)) HSD_TRY(hsd_tree_put(side->tree, record, err));
    hsd_tree_write(record, node);
    record[HSD_TREE_WORDS] = node->id; /* of no use but with want_ids */
    return hsd_sorter_put(side->tree, record, err);
}

static uint32_t soft_flag(const hsd_side_walk *side, hsd_node node)
{
    return side->graph->is_soft != NULL && hsd_bit_get(side->graph->is_soft, node) ? HSD_TREE_IS_SOFT : 0;
}

static hsd_status see(hsd_side_walk *side, hsd_seen *seen, const hsd_placed *placed, hsd_error *err)
{
    if (side->request->keeper == NULL) return HSD_OK;
    if (placed->is_there) {
        seen->first = placed->first;
        seen->end = placed->end;
        seen->edge = placed->edge;
    }
    return side->request->keeper->see(side->request->keeper->context, seen, err);
}

static hsd_status put_object(hsd_side_walk *side, const hsd_object *object, uint32_t type, uint32_t root,
                             uint64_t bytes, hsd_error *err)
{
    hsd_placed placed;
    const hsd_node node = (hsd_node)object->ordinal;
    const uint32_t flags = soft_flag(side, node);
    hsd_seen seen = {
        .node = node, .type = type, .root = root, .id = object->id, .bytes = bytes, .is_object = true, .counts = true};
    HSD_TRY(hsd_places_find(side->graph->places, node, &placed, err));
    HSD_TRY(see(side, &seen, &placed, err));
    if (!placed.is_there) return HSD_OK;
    if (flags & HSD_TREE_IS_SOFT) hsd_amount_add(&side->soft, bytes);
    return put_place(side,
                     &(hsd_tree_node){.first = placed.first,
                                      .end = placed.end,
                                      .type = type,
                                      .edge = placed.edge,
                                      .bytes = bytes,
                                      .node = node,
                                      .flags = flags,
                                      .id = object->id},
                     err);
}

/* A pseudo object or a folded part: nobody but a keeper asks for it. */
static hsd_status put_hidden(hsd_side_walk *side, const hsd_object *object, hsd_error *err)
{
    hsd_placed placed;
    const hsd_node node = (hsd_node)object->ordinal;
    const uint32_t type = hsd_type_common(&side->types, object->type);
    hsd_seen seen = {
        .node = node, .type = type, .id = object->id, .bytes = hsd_side_bytes_of(object), .is_object = true};
    owned state;
    if (side->request->keeper == NULL || side->tree == NULL) return HSD_OK;
    HSD_TRY(find_state(side, node, &state, err));
    seen.root = state.root;
    HSD_TRY(hsd_places_find(side->graph->places, node, &placed, err));
    HSD_TRY(see(side, &seen, &placed, err));
    if (!placed.is_there) return HSD_OK;
    return put_place(side,
                     &(hsd_tree_node){.first = placed.first,
                                      .end = placed.end,
                                      .type = type,
                                      .edge = placed.edge,
                                      .node = node,
                                      .flags = HSD_TREE_IS_HIDDEN,
                                      .id = object->id},
                     err);
}

/* Label nodes and root nodes, behind all objects. */
static hsd_status put_owners(hsd_side_walk *side, hsd_error *err)
{
    for (hsd_node node = side->object_count; node < side->node_count; node++) {
        hsd_placed placed;
        const uint32_t name = side->name_of_node[node - side->object_count];
        HSD_TRY(hsd_places_find(side->graph->places, node, &placed, err));
        HSD_TRY(see(side, &(hsd_seen){.node = node, .type = name, .root = name}, &placed, err));
        if (!placed.is_there) continue;
        const hsd_tree_node place = {
            .first = placed.first,
            .end = placed.end,
            .type = name,
            .edge = HSD_TREE_INDIRECT,
            .node = node,
            .flags = HSD_TREE_IS_ROOT | soft_flag(side, node),
        };
        HSD_TRY(put_place(side, &place, err));
    }
    return HSD_OK;
}

/* ---- objects ---- */

/* The position before is the identity of both. */
static uint64_t identity_of(hsd_side_walk *side, const hsd_object *object, hsd_rung *rung)
{
    hsd_sequence *s = &side->graph->sequence;
    if (side->request->alike == NULL) return object->id;
    const hsd_node position = hsd_paged_get_node(&s->positions, object->ordinal);
    const uint64_t at = s->is_by_ordinal ? object->ordinal : position;
    *rung = (hsd_rung)*hsd_paged_at(&s->rungs, at, HSD_FRAME_USED);
    if (!side->request->alike->is_after) return position;
    const hsd_node partner = hsd_paged_get_node(&s->partners, at) - 1; /* 0 - 1 is HSD_NO_PARTNER */
    return partner != HSD_NO_PARTNER ? partner : HSD_CENSUS_ALONE | position;
}

static hsd_status count_object(census *c, const hsd_object *object, hsd_error *err)
{
    hsd_side_walk *side = c->side;
    hsd_rung rung = HSD_RUNG_NONE;
    uint64_t bytes = hsd_side_bytes_of(object), external = object->native_bytes;
    owned state;
    if (side->graph->folded != NULL) HSD_TRY(folded_bytes(c, object->ordinal, &bytes, &external, err));
    if (object->flags & HSC_OBJECT_PSEUDO) return put_hidden(side, object, err);
    if (side->graph->is_folded != NULL && hsd_bit_get(side->graph->is_folded, object->ordinal))
        return put_hidden(side, object, err);
    const uint32_t type = hsd_type_common(&side->types, object->type);
    HSD_TRY(find_state(side, object->ordinal, &state, err));
    const uint32_t root = state.root;
    const bool is_live = state.is_live;
    bytes = hsd_min_u64(bytes, UINT64_MAX >> 1);
    hsd_fold_side_add(side->counts, type, root, is_live, bytes);
    if (external > 0 && is_live)
        HSD_TRY(hsd_fold_side_add_external(side->counts, type, hsd_min_u64(external, bytes), err));
    if (side->allocated != NULL) HSD_TRY(hsd_allocated_take(side, object, state.label, type, bytes, err));
    if (side->tree != NULL && (is_live || side->request->keeper != NULL))
        HSD_TRY(put_object(side, object, type, root, bytes, err));
    const hsd_census_sink *sink = side->request->sink;
    if (side->census == NULL && sink == NULL) return HSD_OK;
    const uint64_t identity = identity_of(side, object, &rung);
    const uint32_t upper = side->request->marks != NULL ? hsd_marks_of(side->request->marks, object) : rung;
    const uint64_t record[HSD_CENSUS_WORDS] = {identity, (uint64_t)type << 32 | root, bytes << 1 | (uint64_t)is_live,
                                               HSD_TWO(upper, object->ordinal), object->id};
    return sink != NULL ? sink->put(sink->context, record, err) : hsd_sorter_put(side->census, record, err);
}

static hsd_status open_tree(hsd_side_walk *side, hsd_error *err)
{
    if (side->graph->places == NULL) return HSD_OK;
    HSD_TRY(hsd_places_rewind(side->graph->places, err));
    const unsigned words = side->request->want_ids ? HSD_TREE_ID_WORDS : HSD_TREE_WORDS;
    return hsd_side_stream(side, words, HSD_TREE_KEY_WORDS, side->request->plan.tree_sort_bytes, &side->tree, err);
}

/* Failures of paged arrays show late. */
static hsd_status check_arrays(const hsd_side_walk *side, hsd_error *err)
{
    if (side->graph->has_owners) HSD_TRY(hsd_owners_check(&side->graph->owners, err));
    if (side->request->alike != NULL) HSD_TRY(hsd_sequence_check(&side->graph->sequence, err));
    return side->graph->places != NULL ? hsd_places_check(side->graph->places, err) : HSD_OK;
}

static hsd_status pass_side_census(census *c, hsd_object_reader *reader, hsd_error *err)
{
    hsd_side_walk *side = c->side;
    for (;;) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (object.is_continuation) continue;
        HSD_TRY(count_object(c, &object, err));
        if ((object.ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(side->request->reporter, "counting objects", object.ordinal, side->object_count, err));
        }
    }
}

static hsd_status open_counts(hsd_side_walk *side, hsd_error *err)
{
    const uint32_t roots = (uint32_t)hsd_max_u64(side->roots.names.count, 1);
    side->counts = calloc(1, sizeof *side->counts);
    if (side->counts == NULL) return hsd_fail_nomem(err, "the tables of the diff");
    return hsd_fold_side_init(side->counts, side->request->type_names->names.count, roots, err);
}

hsd_status hsd_side_census(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->counts == NULL && side->tree == NULL);
    HSD_ASSERT(side->request->alike == NULL || side->graph->sequence.rungs.page_count > 0 ||
               side->graph->sequence.count == 0);
    census c = {.side = side};
    hsd_object_reader *reader;
    if (side->request->alike != NULL) HSD_TRY(hsd_side_order_partners(side, err));
    HSD_TRY(open_counts(side, err));
    if (side->request->want_identity && side->request->sink == NULL) {
        HSD_TRY(hsd_side_stream(side, hsd_census_words(side), HSD_CENSUS_KEY_WORDS,
                                side->request->plan.identity_sort_bytes, &side->census, err));
    }
    HSD_TRY(open_tree(side, err));
    HSD_TRY(hsd_allocated_open(side, err));
    if (side->graph->folded != NULL) HSD_TRY(next_folded(&c, err));
    const uint32_t details = side->request->marks != NULL || side->allocated != NULL ? HSD_WANT_DETAILS : 0;
    HSD_TRY(hsd_object_reader_open(&reader, side->request->capture, HSD_WANT_SIZES | HSD_WANT_ID | details, err));
    if (hsd_side_reads_ahead(side)) hsd_object_reader_read_ahead(reader);
    const hsd_status status = pass_side_census(&c, reader, err);
    hsd_object_reader_close(reader);
    HSD_TRY(status);
    HSD_TRY(hsd_allocated_finish(side, err));
    if (side->tree != NULL) HSD_TRY(put_owners(side, err));
    return check_arrays(side, err);
}
