/*
 * The join of places and the holders among them.
 */
#include "series/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pool_name.h"
#include <hscapture/hscapture.h>

#define NODE_HEAP 0u
/* objects of types that are code: they hang from whatever runs, and grow with what was compiled */
#define NODE_CODE 1u
#define CODE_TEXT "(program code)"
/* what is held by objects that are code as a whole, and is of other types */
#define NODE_NOTES  2u
#define NODE_OTHERS 3u /* the first of a place */

typedef struct place_key { /* its bytes are a name */
    uint32_t parent, edge, type, kind;
} place_key;

enum { KIND_OBJECT, KIND_ROOT, KIND_FOLD };

static hsd_bytes bytes_of(const place_key *key) { return (hsd_bytes){(const uint8_t *)key, sizeof *key}; }

/* ---- nodes ---- */

static hsd_status reach_nodes(hsd_place_join *join, uint32_t node, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(join->nodes, join->node_capacity, (uint64_t)node + 1, 64, "the places of the series", err));
    return hsd_columns_reach(&join->columns, node, err);
}

static hsd_status put_node(hsd_place_join *join, const place_key *key, uint32_t parent, uint32_t *out, hsd_error *err)
{
    HSD_TRY(hsd_names_put(&join->keys, bytes_of(key), out, err));
    HSD_TRY(reach_nodes(join, *out, err));
    join->nodes[*out] = (hsd_place_node){.parent = parent,
                                         .edge = key->edge,
                                         .type = key->type,
                                         .is_root = key->kind == KIND_ROOT,
                                         .is_fold = key->kind == KIND_FOLD,
                                         .is_inner = true};
    return HSD_OK;
}

hsd_status hsd_place_join_open(hsd_place_join *join, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    const place_key heap = {0, 0, 0, KIND_OBJECT};
    place_key code = {0, 0, 0, KIND_ROOT}, notes = {0, 0, 0, KIND_ROOT};
    uint32_t number;
    *join = (hsd_place_join){.memory_bytes = memory_bytes};
    HSD_TRY(hsd_columns_open(&join->columns, space, err));
    HSD_TRY(hsd_names_put(&join->texts, (hsd_bytes){(const uint8_t *)"", 0}, &number, err));
    HSD_TRY(hsd_names_put(&join->texts, (hsd_bytes){(const uint8_t *)CODE_TEXT, strlen(CODE_TEXT)}, &code.type, err));
    HSD_TRY(hsd_names_put(&join->texts, (hsd_bytes){(const uint8_t *)HSD_RUNTIME_NOTES, strlen(HSD_RUNTIME_NOTES)},
                          &notes.type, err));
    HSD_TRY(put_node(join, &heap, NODE_HEAP, &number, err));
    HSD_TRY(put_node(join, &code, NODE_HEAP, &number, err));
    return put_node(join, &notes, NODE_HEAP, &number, err);
}

/* Counted by what was asked for. Half is kept for the first capture behind the warm-up. */
static bool is_room_for(hsd_place_join *join, const hsd_place *place, bool is_behind)
{
    const uint64_t bytes = HSD_PLACE_NODE_BYTES + place->edge.size + place->type.size;
    if (join->used_bytes + bytes > (is_behind ? join->memory_bytes : join->memory_bytes / 2)) return false;
    join->used_bytes += bytes;
    return true;
}

static hsd_status put_texts(hsd_place_join *join, const hsd_place *place, hsd_text type, place_key *key, hsd_error *err)
{
    if (!place->is_root) HSD_TRY(hsd_names_put(&join->texts, hsd_series_bytes(place->edge), &key->edge, err));
    return hsd_names_put(&join->texts, hsd_series_bytes(type), &key->type, err);
}

/* The node of a place below a node, HSD_NAME_NONE if it has none. A root is one node wherever it hangs. */
static hsd_status find_node(hsd_place_join *join, const hsd_place *place, uint32_t parent, bool is_behind,
                            uint32_t *out, hsd_error *err)
{
    char name[HSD_POOL_NAME_BYTES];
    const hsd_text type = place->is_root ? hsd_pool_name(place->type, name) : place->type;
    place_key key = {.parent = parent, .kind = place->is_fold ? KIND_FOLD : KIND_OBJECT};
    if (place->is_root)
        key = (place_key){.kind = KIND_ROOT};
    else
        key.edge = hsd_names_find(&join->texts, hsd_series_bytes(place->edge));
    key.type = hsd_names_find(&join->texts, hsd_series_bytes(type));
    *out = HSD_NAME_NONE;
    if (key.edge != HSD_NAME_NONE && key.type != HSD_NAME_NONE) *out = hsd_names_find(&join->keys, bytes_of(&key));
    const bool is_closed = join->behind > 0; /* what is new cannot hold */
    if (*out != HSD_NAME_NONE || is_closed || !is_room_for(join, place, is_behind)) return HSD_OK;
    HSD_TRY(put_texts(join, place, type, &key, err));
    return put_node(join, &key, parent, out, err);
}

/* ---- one capture ---- */

#define IS_ABOVE   (UINT32_C(1) << 31) /* the place has no node: it is one that counts for this node */
#define IS_IN_CODE (UINT32_C(1) << 30) /* what hangs from the place is code, too */
#define OF_NODE    (~(IS_ABOVE | IS_IN_CODE))

static void look_at_holder_place(hsd_place_join *join, const hsd_place *place, uint32_t number)
{
    hsd_place_node *node = &join->nodes[number];
    if (node->seen != join->captures + 1) { /* rows of one path are one place */
        node->seen = join->captures + 1;
        node->objects = 0;
    }
    node->objects += place->own.objects;
    node->is_inner = node->is_inner && !place->can_hold;
}

/* The node that a place is, or counts for. Below a place without a node only a root has one. */
static hsd_status map_place(hsd_place_join *join, const hsd_place *place, bool is_behind, uint32_t above, uint32_t *out,
                            hsd_error *err)
{
    uint32_t node = HSD_NAME_NONE;
    if (!(above & IS_ABOVE) || place->is_root) HSD_TRY(find_node(join, place, above & OF_NODE, is_behind, &node, err));
    *out = node == HSD_NAME_NONE ? (above & ~IS_IN_CODE) | IS_ABOVE : node;
    if (node != HSD_NAME_NONE) look_at_holder_place(join, place, node);
    return HSD_OK;
}

static hsd_status find_code(const hsd_profile *profile, uint32_t flags, hsd_names *code, hsd_error *err)
{
    uint32_t number;
    for (size_t i = 0; i < profile->type_count; i++) {
        if ((profile->types[i].flags & flags) == flags)
            HSD_TRY(hsd_names_put(code, hsd_series_bytes(profile->types[i].name), &number, err));
    }
    return HSD_OK;
}

static bool is_code(const hsd_names *code, const hsd_place *place)
{
    return code->count > 0 && !place->is_root && hsd_names_find(code, hsd_series_bytes(place->type)) != HSD_NAME_NONE;
}

typedef struct code_names {
    hsd_names all, whole; /* types that are code, and those with all that they hold */
} code_names;

/* Code counts for itself and holds nothing; what hangs from it counts for the holder above, but below what is code as a
 * whole. */
static hsd_status map_places(hsd_place_join *join, const hsd_profile *profile, const code_names *code, bool is_behind,
                             uint32_t *map, hsd_error *err)
{
    map[0] = NODE_HEAP;
    for (size_t i = 0; i < profile->place_count; i++) {
        const hsd_place *place = &profile->places[i];
        const bool is_itself = i > 0 && is_code(&code->all, place),
                   is_below = i > 0 && !place->is_root && (map[place->parent] & IS_IN_CODE) != 0;
        if (i > 0) HSD_TRY(map_place(join, place, is_behind, map[place->parent], &map[i], err));
        if ((is_itself || is_below) && !(map[i] & IS_ABOVE)) join->nodes[map[i]].is_inner = true;
        hsd_columns_add(&join->columns, is_itself ? NODE_CODE : is_below ? NODE_NOTES : map[i] & OF_NODE, place->own);
        if (is_below || (i > 0 && is_code(&code->whole, place))) map[i] |= IS_IN_CODE;
    }
    return HSD_OK;
}

/* A root that owns little is among no places, which are the largest ones; the table of roots has them all. What it
 * leads to may grow, and then it held it from the first capture on. */
static hsd_status map_roots(hsd_place_join *join, const hsd_profile *profile, bool is_behind, hsd_error *err)
{
    for (size_t i = 0; i < profile->root_count; i++) {
        const hsd_place place = {.is_root = true, .can_hold = true, .edge = {"", 0}, .type = profile->roots[i].name};
        uint32_t node = HSD_NAME_NONE;
        if (profile->roots[i].is_shared) continue;
        HSD_TRY(find_node(join, &place, NODE_HEAP, is_behind, &node, err));
        if (node != HSD_NAME_NONE) look_at_holder_place(join, &place, node);
    }
    return HSD_OK;
}

static bool holder_place_can_hold(const hsd_place_join *join, const hsd_place_node *node)
{
    return node->seen == join->captures + 1 && (node->is_root || (!node->is_inner && node->objects == 1));
}

static void confirm(hsd_place_join *join)
{
    for (uint32_t i = 1; i < join->keys.count; i++)
        join->nodes[i].confirmed += holder_place_can_hold(join, &join->nodes[i]);
    join->behind++;
}

hsd_status hsd_place_join_add(hsd_place_join *join, const hsd_profile *profile, bool is_behind_warmup, hsd_error *err)
{
    uint32_t *map = malloc((profile->place_count + 1) * sizeof *map);
    if (map == NULL) return hsd_fail_nomem(err, "the places of the series");
    code_names code = {.all = {.count = 0}};
    hsd_status status = find_code(profile, HSC_TYPE_CODE, &code.all, err);
    if (status == HSD_OK)
        status = find_code(profile, HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE, &code.whole, err);
    if (status == HSD_OK) status = map_places(join, profile, &code, is_behind_warmup, map, err);
    if (status == HSD_OK && profile->has_places) status = map_roots(join, profile, is_behind_warmup, err);
    hsd_names_release(&code.all);
    hsd_names_release(&code.whole);
    free(map);
    HSD_TRY(status);
    if (is_behind_warmup) confirm(join);
    join->captures++;
    return hsd_columns_end(&join->columns, err);
}

/* ---- the result ---- */

typedef struct naming {
    const hsd_place_join *join;
    const hsd_named_table *roots;
    hsd_series_store *store;
    const uint32_t *node_of; /* of a candidate */
} naming;

static hsd_status name_row(void *context, uint32_t candidate, hsd_series_row *row, hsd_error *err)
{
    const naming *n = context;
    HSD_TRY(hsd_place_path(n->join, n->node_of[candidate], n->store, row, err));
    if (row->path_count == 0) row->flags = hsd_named_table_flags(n->roots, row->root);
    row->is_code = n->node_of[candidate] == NODE_CODE || n->node_of[candidate] == NODE_NOTES;
    return HSD_OK;
}

/* A node that holds is a candidate, the others count for the one above; the heap is the candidate for what nobody
 * holds. */
static uint32_t find_holders(const hsd_place_join *join, uint32_t *target, uint32_t *node_of)
{
    uint32_t count = NODE_OTHERS;
    target[NODE_HEAP] = node_of[0] = NODE_HEAP;
    target[NODE_CODE] = node_of[1] = NODE_CODE;
    target[NODE_NOTES] = node_of[2] = NODE_NOTES;
    for (uint32_t i = NODE_OTHERS; i < join->keys.count; i++) {
        const bool holds = join->nodes[i].confirmed == join->behind;
        target[i] = holds ? count : target[join->nodes[i].parent];
        if (holds) node_of[count++] = i;
    }
    return count;
}

hsd_status hsd_place_join_finish(hsd_place_join *join, const hsd_named_table *roots, hsd_series *series,
                                 hsd_series_table *out, uint64_t memory_bytes, hsd_error *err)
{
    uint32_t *target = malloc(join->keys.count * sizeof *target), *node_of = malloc(join->keys.count * sizeof *node_of);
    hsd_status status = HSD_OK;
    if (target == NULL || node_of == NULL)
        status = hsd_fail_nomem(err, "the places of the series");
    else {
        naming n = {join, roots, series->store, node_of};
        const hsd_rows_source source = {.columns = &join->columns,
                                        .target = target,
                                        .memory_bytes = memory_bytes,
                                        .candidate_count = find_holders(join, target, node_of),
                                        .name = name_row,
                                        .context = &n};
        status = hsd_rows_make(series, out, &source, err);
    }
    free(target);
    free(node_of);
    return status;
}

void hsd_place_join_close(hsd_place_join *join)
{
    hsd_names_release(&join->texts);
    hsd_names_release(&join->keys);
    hsd_columns_close(&join->columns);
    free(join->nodes);
    memset(join, 0, sizeof *join);
}
