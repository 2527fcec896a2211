/*
 * Objects into nodes, references into edges. See walk.h.
 */
#include "export/heapsnapshot/walk.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "export/heapsnapshot/text.h"
#include <hscapture/hscapture.h>

#define ATTACHED 1u
#define DETACHED 2u
/* A node is told by its offset, 32 bits wide. */
#define MOST_NODES (UINT32_MAX / HSD_SNAP_NODE_WIDTH)

/* ---- memory ---- */

static hsd_status make_referred(hsd_snap_walk *walk, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t bytes = walk->ids.count / 8 + 1;
    if (bytes > memory_bytes) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "the memory given is too small for %llu objects",
                 (unsigned long long)walk->ids.count);
        hsd_error_set_hint(err, "--memory %lluM is enough", (unsigned long long)(bytes * 8 >> 20) + 16);
        return HSD_E_OVER_BUDGET;
    }
    walk->referred = calloc((size_t)bytes, 1);
    return walk->referred == NULL ? hsd_fail_nomem(err, "a bit of each object") : HSD_OK;
}

static hsd_status open_spools(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(hsd_snap_spool_open(&walk->nodes, walk->x->space, err));
    HSD_TRY(hsd_snap_spool_open(&walk->edges, walk->x->space, err));
    return hsd_snap_spool_open(&walk->beside, walk->x->space, err);
}

hsd_status hsd_snap_walk_open(hsd_snap_walk *walk, hsd_export *x, hsd_error *err)
{
    const uint64_t memory = x->memory_bytes;
    const hsd_capture_info *info = hsd_capture_get_info(x->after);
    *walk = (hsd_snap_walk){.x = x, .has_roots = (info->facts & HSC_FACT_NO_ROOTS) == 0};
    HSD_TRY(hsd_snap_names_open(&walk->names, x->after, memory / 16, x->space, err));
    HSD_TRY(hsd_snap_kinds_open(&walk->kinds, x->after, &walk->names, err));
    HSD_TRY(hsd_snap_ids_open(&walk->ids, &walk->kinds, x, memory / 4, err));
    HSD_TRY(make_referred(walk, memory / 8, err));
    const hsd_joined_options joined = {.want = HSD_WANT_SIZES | HSD_WANT_IDS | HSD_WANT_DETAILS,
                                       .space = x->space,
                                       .reporter = x->reporter,
                                       .memory_bytes = hsd_max_u64(memory / 8 * 3, HSD_JOINED_MIN_BYTES)};
    HSD_TRY(hsd_joined_new(&walk->joined, x->after, &joined, err));
    HSD_TRY(hsd_snap_roots_open(&walk->roots, walk->joined, &walk->ids, &walk->names, &walk->kinds, walk->referred, x,
                                memory / 32, err));
    walk->first = hsd_snap_roots_end(&walk->roots);
    return open_spools(walk, err);
}

/* ---- edges ---- */

static hsd_status put_edge(hsd_snap_walk *walk, uint32_t type, uint64_t name, uint64_t to, hsd_error *err)
{
    HSD_TRY(hsd_snap_spool_room(&walk->edges, HSD_SNAP_ROW_BYTES, err));
    walk->edges.at = hsd_snap_put_edge(walk->edges.at, type, name, to);
    walk->edge_count++;
    return HSD_OK;
}

/* Weak edges are always told by a string; elements beyond 32 bits by their low ones, as in V8. */
static hsd_status put_reference(hsd_snap_walk *walk, const hsd_joined_reference *reference, uint64_t place,
                                hsd_error *err)
{
    const hsd_snap_relation relation = hsd_snap_relation_of(&walk->kinds, reference->label);
    const bool has_index = relation.name == HSD_SNAP_BY_INDEX, is_counted = relation.name == HSD_SNAP_BY_COUNT;
    uint32_t name = relation.name;
    if (has_index && relation.edge == HSD_SNAP_EDGE_WEAK)
        HSD_TRY(hsd_snap_names_put_number(&walk->names, reference->index, &name, err));
    else if (has_index)
        name = (uint32_t)reference->index;
    else if (is_counted)
        name = walk->items++;
    hsd_bit_set(walk->referred, place);
    return put_edge(walk, relation.edge, name, walk->first + place, err);
}

static hsd_status put_references(hsd_snap_walk *walk, hsd_error *err)
{
    hsd_joined_reference reference;
    hsd_status status;
    while ((status = hsd_joined_next_reference(walk->joined, &reference, err)) == HSD_OK) {
        const uint64_t place = hsd_snap_ids_place(&walk->ids, reference.target);
        if (place == HSD_SNAP_NO_NODE)
            walk->dropped++;
        else
            HSD_TRY(put_reference(walk, &reference, place, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- strings beside objects ---- */

static hsd_status put_beside(hsd_snap_walk *walk, hsd_snap_word edge, uint32_t name, hsd_error *err)
{
    const uint64_t node = walk->first + walk->ids.count + walk->beside_count++;
    const hsd_snap_row row = {.type = HSD_SNAP_NODE_STRING, .name = name, .id = (uint32_t)(2 * walk->beside_count)};
    if (node > MOST_NODES) return HSD_OK; /* told when all are counted */
    HSD_TRY(hsd_snap_spool_room(&walk->beside, HSD_SNAP_ROW_BYTES, err));
    walk->beside.at = hsd_snap_put_node(walk->beside.at, &row);
    return put_edge(walk, HSD_SNAP_EDGE_INTERNAL, edge, node, err);
}

static bool has_value(const hsd_snap_walk *walk, const hsd_object *object)
{
    return walk->x->options->with_values && object->value.size > 0;
}

static hsd_status put_value(hsd_snap_walk *walk, const hsd_object *object, uint32_t *name, hsd_error *err)
{
    return hsd_snap_names_put(&walk->names, (hsd_bytes){(const uint8_t *)object->value.data, object->value.size}, name,
                              err);
}

/* Not of V8's: what it calls an object of a class is made up by the importer. Nor of functions, whose type says it. */
static hsd_status put_strings(hsd_snap_walk *walk, const hsd_object *object, const hsd_snap_kind *kind, hsd_error *err)
{
    const uint32_t name = hsd_snap_names_of(&walk->names, object->name);
    const bool is_told = walk->kinds.is_v8 || kind->node == HSD_SNAP_NODE_CLOSURE;
    uint32_t value;
    if (name != HSD_SNAP_EMPTY && !is_told) HSD_TRY(put_beside(walk, HSD_SNAP_NAME, name, err));
    if (!has_value(walk, object)) return HSD_OK;
    HSD_TRY(put_value(walk, object, &value, err));
    return put_beside(walk, HSD_SNAP_VALUE, value, err);
}

/* ---- nodes ---- */

/* What is not classed by its name is called as it is, by its value if that may be told; else by its type, which V8 does
 * not. */
static hsd_status own_name(hsd_snap_walk *walk, const hsd_object *object, const hsd_snap_kind *kind, uint32_t *name,
                           hsd_error *err)
{
    if (has_value(walk, object)) return put_value(walk, object, name, err);
    *name = hsd_snap_names_of(&walk->names, object->name);
    if (kind->node == HSD_SNAP_NODE_SYNTHETIC && walk->kinds.is_v8 && object->ordinal < UINT32_MAX) {
        const uint32_t root = hsd_id_map_get(&walk->ids.embedder, (uint32_t)object->ordinal);
        *name = root != HSD_ID_NONE ? root : *name;
    }
    if (*name == HSD_SNAP_EMPTY && !walk->kinds.is_v8) *name = kind->name;
    return HSD_OK;
}

/* Objects of the embedder have even ids, and nobody else is detached. */
static bool is_native(const hsd_snap_walk *walk, const hsd_object *object, const hsd_snap_kind *kind)
{
    if (kind->node == HSD_SNAP_NODE_NATIVE) return true;
    if (!walk->kinds.is_v8 || kind->node != HSD_SNAP_NODE_OBJECT) return false;
    return (object->id & 1) == 0 || (object->flags & HSC_OBJECT_DETACHED) != 0;
}

static hsd_status describe_heapsnapshot_walk(hsd_snap_walk *walk, const hsd_object *object, hsd_snap_row *row,
                                             hsd_snap_kind *kind, hsd_error *err)
{
    const bool is_pseudo = (object->flags & HSC_OBJECT_PSEUDO) != 0;
    *kind = hsd_snap_kind_of(&walk->kinds, object->type);
    if (is_pseudo && !walk->kinds.is_v8)
        *kind = (hsd_snap_kind){.node = HSD_SNAP_NODE_NATIVE, .is_class = true, .name = kind->name};
    if (is_native(walk, object, kind)) kind->node = HSD_SNAP_NODE_NATIVE;
    const bool is_embedder = kind->node == HSD_SNAP_NODE_NATIVE,
               is_detached = is_embedder && (object->flags & HSC_OBJECT_DETACHED) != 0;
    row->type = kind->node;
    row->name = is_detached ? kind->detached_name : kind->name;
    row->detachedness = is_detached ? DETACHED : is_embedder && walk->kinds.has_detached ? ATTACHED : 0;
    row->size = is_pseudo ? 0 : hsd_add_saturating(object->size_bytes, object->native_bytes);
    walk->objects += !is_pseudo;
    walk->bytes = hsd_add_saturating(walk->bytes, row->size);
    walk->giants += row->size > UINT32_MAX;
    HSD_TRY(hsd_snap_ids_next(&walk->ids, object->id, &row->id, err));
    return kind->is_class ? HSD_OK : own_name(walk, object, kind, &row->name, err);
}

static hsd_status put_object(hsd_snap_walk *walk, const hsd_object *object, hsd_error *err)
{
    hsd_snap_row row;
    hsd_snap_kind kind;
    const uint64_t edges = walk->edge_count;
    HSD_TRY(describe_heapsnapshot_walk(walk, object, &row, &kind, err));
    walk->items = 0;
    if (kind.is_class) HSD_TRY(put_strings(walk, object, &kind, err));
    HSD_TRY(put_references(walk, err));
    row.edges = walk->edge_count - edges;
    HSD_TRY(hsd_snap_spool_room(&walk->nodes, HSD_SNAP_ROW_BYTES, err));
    walk->nodes.at = hsd_snap_put_node(walk->nodes.at, &row);
    walk->nodes_done++;
    return HSD_OK;
}

/* ---- the pass ---- */

static hsd_status put_objects(hsd_snap_walk *walk, hsd_error *err)
{
    hsd_object object;
    hsd_status status;
    while ((status = hsd_joined_next_object(walk->joined, &object, err)) == HSD_OK) {
        if (hsd_snap_is_group(&walk->kinds, &object)) continue;
        HSD_TRY(put_object(walk, &object, err));
        if ((walk->nodes_done & 0xfff) == 0)
            HSD_TRY(hsd_progress(walk->x->reporter, "exporting", walk->nodes_done, walk->ids.count, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static bool is_listed(const hsd_snap_walk *walk, uint64_t place)
{
    return !walk->has_roots || !hsd_bit_get(walk->referred, place);
}

hsd_status hsd_snap_walk_run(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(put_objects(walk, err));
    if (walk->nodes_done != walk->ids.count)
        return hsd_fail(err, HSD_E_CORRUPT, "the capture has other objects now than when they were numbered");
    for (uint64_t place = 0; place < walk->ids.count; place++)
        walk->unreferenced += is_listed(walk, place);
    if (walk->first + walk->ids.count + walk->beside_count < MOST_NODES) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "a heap snapshot has at most %u nodes", MOST_NODES);
    hsd_error_set_hint(err, "formats without that limit: sqlite, pprof (hsdiff help formats)");
    return HSD_E_UNSUPPORTED;
}

/* ---- the last node ---- */

uint64_t hsd_snap_walk_last(const hsd_snap_walk *walk)
{
    return walk->unreferenced == 0 ? 0 : walk->first + walk->ids.count + walk->beside_count;
}

/* In front of it there is always another node, and another edge. */
hsd_status hsd_snap_walk_write_last_node(const hsd_snap_walk *walk, hsd_error *err)
{
    const hsd_snap_row row = {.type = walk->has_roots ? HSD_SNAP_NODE_SYNTHETIC : HSD_SNAP_NODE_NATIVE,
                              .name = walk->has_roots ? HSD_SNAP_UNREFERENCED : HSD_SNAP_ALL_OBJECTS,
                              .id = walk->ids.first_other + 2 * walk->roots.node_count,
                              .edges = walk->unreferenced};
    uint8_t text[HSD_SNAP_ROW_BYTES];
    if (walk->unreferenced == 0) return HSD_OK;
    return hsd_export_write(walk->x, text, (size_t)(hsd_snap_put_node(text, &row) - text), err);
}

hsd_status hsd_snap_walk_write_last_edges(const hsd_snap_walk *walk, hsd_error *err)
{
    uint8_t text[HSD_SNAP_ROW_BYTES];
    uint32_t index = 0;
    for (uint64_t place = 0; place < walk->ids.count && walk->unreferenced > 0; place++) {
        if (!is_listed(walk, place)) continue;
        const uint64_t to = walk->first + place;
        const uint8_t *end = walk->has_roots ? hsd_snap_put_edge(text, HSD_SNAP_EDGE_WEAK, HSD_SNAP_INTERNAL, to)
                                             : hsd_snap_put_edge(text, HSD_SNAP_EDGE_ELEMENT, index++, to);
        HSD_TRY(hsd_export_write(walk->x, text, (size_t)(end - text), err));
    }
    return HSD_OK;
}

void hsd_snap_walk_release(hsd_snap_walk *walk)
{
    hsd_snap_spool_close(&walk->nodes);
    hsd_snap_spool_close(&walk->edges);
    hsd_snap_spool_close(&walk->beside);
    hsd_snap_roots_release(&walk->roots);
    hsd_joined_free(walk->joined);
    free(walk->referred);
    hsd_snap_ids_release(&walk->ids);
    hsd_snap_kinds_release(&walk->kinds);
    hsd_snap_names_release(&walk->names);
}
