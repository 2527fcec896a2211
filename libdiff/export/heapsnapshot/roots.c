/*
 * The beginning of a snapshot. See roots.h.
 */
#include "export/heapsnapshot/roots.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "export/heapsnapshot/text.h"
#include <hscapture/hscapture.h>

/* ---- groups ---- */

typedef struct group_key { /* no padding: it is compared as bytes */
    uint32_t name, is_secondary, is_direct;
} group_key;

static hsd_status add_group(hsd_snap_roots *roots, const group_key *key, uint8_t type, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(roots->groups, roots->capacity, roots->count + 1, 64, "the names of roots", err));
    roots->groups[roots->count++] = (hsd_snap_group){
        .name = key->name, .type = type, .is_secondary = key->is_secondary != 0, .is_direct = key->is_direct != 0};
    return HSD_OK;
}

/* Of V8: what is called as the root is. */
static hsd_status name_embedder(hsd_snap_ids *ids, uint64_t ordinal, group_key *key, hsd_error *err)
{
    if (ordinal >= UINT32_MAX || hsd_id_map_get(&ids->embedder, (uint32_t)ordinal) == HSD_ID_NONE) return HSD_OK;
    key->is_direct = 1;
    return hsd_id_map_put(&ids->embedder, (uint32_t)ordinal, key->name, err);
}

/* The name of a root, by its kind where it has none; two more than the limit where others have it: one of each
 * standing. */
static group_key key_of(const hsd_snap_names *names, const hsd_snap_kinds *kinds, const hsd_joined_root *root)
{
    const uint32_t kind = root->kind < HSC_ROOT_KIND_COUNT ? root->kind : (uint32_t)HSC_ROOT_UNKNOWN;
    group_key key = {hsd_snap_names_of(names, root->label), (root->flags & HSC_ROOT_SECONDARY) != 0, 0};
    if (key.name == HSD_SNAP_EMPTY) key.name = HSD_SNAP_FIRST_KIND + kind;
    key.is_direct = kinds->is_v8 && key.name == HSD_SNAP_GLOBAL && kind == HSC_ROOT_GLOBAL && !key.is_secondary;
    return key;
}

static hsd_status group_of(hsd_snap_roots *roots, group_key key, uint32_t *out, hsd_error *err)
{
    hsd_bytes bytes = {(const uint8_t *)&key, sizeof key};
    *out = hsd_names_find(&roots->keys, bytes);
    if (*out != HSD_NAME_NONE) return HSD_OK;
    if (roots->count >= HSD_SNAP_MOST_GROUPS) key.name = HSD_SNAP_OTHER_ROOTS;
    HSD_TRY(hsd_names_put(&roots->keys, bytes, out, err));
    if (*out < roots->count) return HSD_OK;
    const bool is_synthetic = key.is_secondary || key.name == HSD_SNAP_DOCUMENTS;
    return add_group(roots, &key, is_synthetic ? HSD_SNAP_NODE_SYNTHETIC : HSD_SNAP_NODE_NATIVE, err);
}

/* ---- reading ---- */

/* Where a snapshot had no roots of the user, the importer knew its global objects by what they look like, and would
 * again: they get no edge from node 0, with which DevTools would count in another way than it did. */

static hsd_status take_roots(hsd_snap_roots *roots, hsd_joined *joined, hsd_snap_ids *ids, const hsd_snap_names *names,
                             const hsd_snap_kinds *kinds, uint8_t *referred, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    while ((status = hsd_joined_next_root(joined, &root, err)) == HSD_OK) {
        const uint64_t place = hsd_snap_ids_place(ids, root.target);
        uint32_t group;
        if (place == HSD_SNAP_NO_NODE) continue;
        group_key key = key_of(names, kinds, &root);
        if (key.is_direct && kinds->has_no_user_roots) continue;
        HSD_TRY(name_embedder(ids, root.target, &key, err));
        HSD_TRY(group_of(roots, key, &group, err));
        const uint64_t record = (uint64_t)group << 32 | place;
        HSD_TRY(hsd_sorter_put(roots->sorted, &record, err));
        hsd_bit_set(referred, place);
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Each edge once, though an object may be a root several times: `take` gets them by group. */
typedef hsd_status edge_fn(void *context, hsd_snap_group *group, uint64_t place, hsd_error *err);

static hsd_status for_each_edge(hsd_snap_roots *roots, edge_fn *take, void *context, hsd_error *err)
{
    const uint64_t *record;
    uint64_t before = UINT64_MAX;
    hsd_status status;
    HSD_TRY(hsd_sorter_rewind(roots->sorted, err));
    while ((status = hsd_sorter_next(roots->sorted, &record, err)) == HSD_OK) {
        if (*record == before) continue;
        before = *record;
        HSD_TRY(take(context, &roots->groups[before >> 32], before & UINT32_MAX, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status count_edge(void *context, hsd_snap_group *group, uint64_t place, hsd_error *err)
{
    hsd_snap_roots *roots = context;
    (void)place;
    (void)err;
    group->edges++;
    if (group->is_direct)
        roots->shortcut_count++;
    else
        roots->edge_count++;
    return HSD_OK;
}

static hsd_status number_nodes(hsd_snap_roots *roots, hsd_error *err)
{
    roots->by_node = malloc(((size_t)roots->count + 1) * sizeof *roots->by_node);
    if (roots->by_node == NULL) return hsd_fail_nomem(err, "the names of roots");
    for (uint32_t i = 0; i < roots->count; i++) {
        if (roots->groups[i].is_direct) continue;
        roots->groups[i].node = HSD_SNAP_FIRST_GROUP + roots->node_count;
        roots->by_node[roots->node_count++] = i;
    }
    return HSD_OK;
}

hsd_status hsd_snap_roots_open(hsd_snap_roots *roots, hsd_joined *joined, hsd_snap_ids *ids,
                               const hsd_snap_names *names, const hsd_snap_kinds *kinds, uint8_t *referred,
                               hsd_export *x, uint64_t memory_bytes, hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = 1,
                                      .key_words = 1,
                                      .codec = HSD_RUN_DELTA,
                                      .space = x->space,
                                      .reporter = x->reporter,
                                      .memory_bytes = (size_t)hsd_max_u64(memory_bytes, HSD_SORT_MIN_BYTES)};
    *roots = (hsd_snap_roots){0};
    HSD_TRY(hsd_sorter_new(&roots->sorted, &config, err));
    HSD_TRY(take_roots(roots, joined, ids, names, kinds, referred, err));
    HSD_TRY(hsd_sorter_finish(roots->sorted, 0, err));
    HSD_TRY(for_each_edge(roots, count_edge, roots, err));
    return number_nodes(roots, err);
}

/* ---- writing ---- */

static bool hangs_from_gc(const hsd_snap_group *group) { return group->is_secondary; }

static uint32_t count_of(const hsd_snap_roots *roots, bool of_gc)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < roots->node_count; i++)
        count += hangs_from_gc(&roots->groups[roots->by_node[i]]) == of_gc;
    return count;
}

static uint64_t edges_of_root(const hsd_snap_roots *roots, uint64_t last)
{
    return 1 + roots->shortcut_count + count_of(roots, false) + (last != 0);
}

uint64_t hsd_snap_roots_edges(const hsd_snap_roots *roots, uint64_t last)
{
    return edges_of_root(roots, last) + count_of(roots, true) + roots->edge_count;
}

static hsd_status write_node(hsd_export *x, const hsd_snap_row *row, bool is_first, hsd_error *err)
{
    uint8_t text[HSD_SNAP_ROW_BYTES];
    const uint8_t *from = text + is_first, *end = hsd_snap_put_node(text, row);
    return hsd_export_write(x, from, (size_t)(end - from), err);
}

hsd_status hsd_snap_roots_write_nodes(const hsd_snap_roots *roots, const hsd_snap_ids *ids, uint64_t last,
                                      hsd_export *x, hsd_error *err)
{
    const hsd_snap_row root = {
        .type = HSD_SNAP_NODE_SYNTHETIC, .name = HSD_SNAP_EMPTY, .id = 1, .edges = edges_of_root(roots, last)};
    const hsd_snap_row gc = {
        .type = HSD_SNAP_NODE_SYNTHETIC, .name = HSD_SNAP_GC_ROOTS, .id = 3, .edges = count_of(roots, true)};
    HSD_TRY(write_node(x, &root, true, err));
    HSD_TRY(write_node(x, &gc, false, err));
    for (uint32_t i = 0; i < roots->node_count; i++) {
        const hsd_snap_group *group = &roots->groups[roots->by_node[i]];
        const hsd_snap_row row = {
            .type = group->type, .name = group->name, .id = ids->first_other + 2 * i, .edges = group->edges};
        HSD_TRY(write_node(x, &row, false, err));
    }
    return HSD_OK;
}

typedef struct edges { /* while they are written */
    hsd_export *x;
    uint64_t first_object, index; /* node; of the next element */
    const hsd_snap_group *group;  /* whose edges these are */
    bool directly;
} edges;

static hsd_status write_edge(hsd_export *x, hsd_snap_edge type, uint64_t name, uint64_t to, bool is_first,
                             hsd_error *err)
{
    uint8_t text[HSD_SNAP_ROW_BYTES];
    const uint8_t *from = text + is_first, *end = hsd_snap_put_edge(text, type, name, to);
    return hsd_export_write(x, from, (size_t)(end - from), err);
}

static hsd_status write_to_object(void *context, hsd_snap_group *group, uint64_t place, hsd_error *err)
{
    edges *e = context;
    const uint64_t to = e->first_object + place;
    if (group->is_direct != e->directly) return HSD_OK;
    if (group->is_direct && group->type != HSD_SNAP_NODE_SYNTHETIC)
        return write_edge(e->x, HSD_SNAP_EDGE_SHORTCUT, group->name, to, false, err);
    if (group != e->group && !e->directly) e->index = 0;
    e->group = group;
    return write_edge(e->x, HSD_SNAP_EDGE_ELEMENT, e->index++, to, false, err);
}

/* To the groups that hang from node 0, or from "(GC roots)". */
static hsd_status write_to_groups(const hsd_snap_roots *roots, bool of_gc, uint64_t *index, hsd_export *x,
                                  hsd_error *err)
{
    for (uint32_t i = 0; i < roots->node_count; i++) {
        const hsd_snap_group *group = &roots->groups[roots->by_node[i]];
        if (hangs_from_gc(group) == of_gc)
            HSD_TRY(write_edge(x, HSD_SNAP_EDGE_ELEMENT, (*index)++, group->node, false, err));
    }
    return HSD_OK;
}

hsd_status hsd_snap_roots_write_edges(hsd_snap_roots *roots, uint64_t last, hsd_export *x, hsd_error *err)
{
    edges e = {.x = x, .first_object = hsd_snap_roots_end(roots), .directly = true, .index = 2};
    uint64_t of_gc = 0;
    HSD_TRY(write_edge(x, HSD_SNAP_EDGE_ELEMENT, 1, HSD_SNAP_GC_ROOT, true, err));
    HSD_TRY(for_each_edge(roots, write_to_object, &e, err));
    HSD_TRY(write_to_groups(roots, false, &e.index, x, err));
    if (last != 0) HSD_TRY(write_edge(x, HSD_SNAP_EDGE_ELEMENT, e.index, last, false, err));
    HSD_TRY(write_to_groups(roots, true, &of_gc, x, err));
    e.directly = false;
    return for_each_edge(roots, write_to_object, &e, err);
}

void hsd_snap_roots_release(hsd_snap_roots *roots)
{
    hsd_sorter_free(roots->sorted);
    hsd_names_release(&roots->keys);
    free(roots->groups);
    free(roots->by_node);
    *roots = (hsd_snap_roots){0};
}
