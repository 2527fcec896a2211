/*
 * The sequence of one side (match/sequence.h): positions in address order for all objects that count, what each looks
 * like, and what it can be joined by. Once parts are folded; the graph is walked twice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "match/keys.h"
#include "walk/side/side.h"

#define ORDER_SHARE 64u /* of the memory that a side's structure has, for an array that is gone through in order */
#define SORT_SHARE  16u
#define PAGE_OF     (HSD_NODE_BITS == 32 ? 12u : 11u) /* ordinals in a page, as a power of two */
#define JUMPS_SHARE 32u /* positions follow ordinals where fewer than one in so many is far from the one before */

static uint64_t all_bytes(const hsd_side_walk *side) { return side->request->plan.structure_bytes; }

static uint64_t sort_bytes(const hsd_side_walk *side)
{
    return hsd_max_u64(all_bytes(side) / SORT_SHARE, 4 * HSD_SORT_MIN_BYTES);
}

static uint64_t in_order(const hsd_side_walk *side, uint64_t bytes)
{
    return hsd_paged_bytes_within(bytes, all_bytes(side) / ORDER_SHARE);
}

/* Beside sorters, and what is gone through in order: shapes, positions, types, elements and owners. */
static uint64_t match_key_bytes(const hsd_side_walk *side)
{
    const uint64_t count = side->object_count;
    const uint64_t used = sort_bytes(side) + in_order(side, 8 * count) + in_order(side, 4 * count) +
                          2 * in_order(side, HSD_NODE_BYTES * count) + in_order(side, count * sizeof(hsd_element));
    const uint64_t all = all_bytes(side), least = hsd_keys_least_bytes(side->node_count);
    return all < used + least ? least : all - used;
}

static hsd_status open_array(const hsd_side_walk *side, hsd_paged *array, uint64_t bytes, hsd_error *err)
{
    return hsd_paged_open(array, bytes, in_order(side, bytes), side->request->space, err);
}

static hsd_status open_file(const hsd_side_walk *side, hsd_paged *array, hsd_temp *file, hsd_error *err)
{
    return hsd_paged_open_file(array, file, in_order(side, file->size_bytes), err);
}

/* ---- positions ---- */

static bool counts(const hsd_side_walk *side, uint64_t ordinal)
{
    return !hsd_bit_get(side->graph->is_pseudo, ordinal) &&
           (side->graph->is_folded == NULL || !hsd_bit_get(side->graph->is_folded, ordinal));
}

/* Objects come in the order of their addresses, and their positions lie by ordinal: where these do not fit in memory
 * objects come again and again, each time for the ordinals of one window; or once more for all that are left, if
 * ordinals follow addresses. */
typedef struct numbering {
    hsd_side_walk *side;
    bool is_first;         /* of the windows: addresses are written */
    uint64_t window;       /* ordinals that are in memory at once */
    uint64_t first, until; /* those of this time */
    hsd_node count;        /* positions so far */
    uint64_t page, jumps;  /* of ordinals, from one object to the next */
} numbering;

static inline hsd_status number_object(numbering *n, uint64_t id, uint64_t ordinal, hsd_error *err)
{
    hsd_sequence *s = &n->side->graph->sequence;
    const bool has_position = counts(n->side, ordinal);
    n->jumps += ordinal >> PAGE_OF != n->page;
    n->page = ordinal >> PAGE_OF;
    if (ordinal >= n->first && ordinal < n->until)
        hsd_paged_set_node(&s->positions, ordinal, has_position ? n->count : HSD_NO_POSITION);
    if (!has_position) return HSD_OK;
    if (n->is_first) hsd_paged_set_u64(&s->addresses, n->count, id);
    n->count++;
    if ((n->count & 0xffff) != 0) return HSD_OK;
    return hsd_progress(n->side->request->reporter, "ordering objects", n->count, n->side->object_count, err);
}

static hsd_status number_by_ordinals(numbering *n, hsd_error *err)
{
    hsd_ordinals_walk walk;
    uint64_t id;
    hsd_node ordinal;
    hsd_ordinals_begin_walk(&walk, &n->side->graph->ordinals);
    while (hsd_ordinals_next(&walk, &id, &ordinal))
        HSD_TRY(number_object(n, id, ordinal, err));
    return HSD_OK;
}

static hsd_status number_by_ids(numbering *n, hsd_error *err)
{
    hsd_walk_graph *graph = n->side->graph;
    const uint64_t *record;
    hsd_status status;
    HSD_TRY(hsd_sorter_rewind(graph->ids, err));
    while ((status = hsd_sorter_next(graph->ids, &record, err)) == HSD_OK)
        HSD_TRY(number_object(n, record[0], record[1], err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status number_window(numbering *n, hsd_error *err)
{
    hsd_walk_graph *graph = n->side->graph;
    n->count = 0;
    n->page = n->jumps = 0;
    if (n->until - n->first <= n->window)
        hsd_paged_bring(&graph->sequence.positions, n->first, n->until - n->first, HSD_NODE_BYTES);
    return graph->ids == NULL ? number_by_ordinals(n, err) : number_by_ids(n, err);
}

static hsd_status number_objects(hsd_side_walk *side, hsd_error *err)
{
    hsd_walk_graph *graph = side->graph;
    hsd_sequence *s = &graph->sequence;
    const uint64_t all = side->object_count;
    numbering n = {.side = side, .is_first = true, .window = hsd_paged_window(&s->positions, HSD_NODE_BYTES)};
    n.until = hsd_min_u64(all, n.window);
    HSD_TRY(number_window(&n, err));
    s->count = n.count;
    s->has_order = n.jumps < s->count / JUMPS_SHARE;
    for (n.is_first = false; n.until < all;) {
        n.first = n.until;
        n.until = s->has_order ? all : hsd_min_u64(all, n.first + n.window);
        HSD_TRY(number_window(&n, err));
    }
    if (graph->ids == NULL) hsd_ordinals_release(&graph->ordinals);
    hsd_sorter_free(graph->ids);
    graph->ids = NULL;
    HSD_TRY(hsd_paged_check(&s->positions, err));
    return hsd_paged_check(&s->addresses, err);
}

/* Ordinals that a salvaged capture lacks have no position either. There is half of the memory for positions, which are
 * then left but for a few. */
static hsd_status find_positions(hsd_side_walk *side, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    const uint64_t count = side->object_count;
    const uint64_t bytes = HSD_NODE_BYTES * count;
    HSD_TRY(hsd_paged_open(&s->positions, bytes, hsd_paged_bytes_within(bytes, all_bytes(side) / 2),
                           side->request->space, err));
    HSD_TRY(open_array(side, &s->addresses, 8 * count, err));
    HSD_TRY(number_objects(side, err));
    return hsd_paged_shrink(&s->addresses, 0, err);
}

/* ---- anchors: what has a name, a key or an identity hash ---- */

static hsd_status open_anchors(const hsd_side_walk *side, hsd_sorter **out, hsd_error *err)
{
    return hsd_side_sorter(side, 2, 1, sort_bytes(side) / 8, out, err);
}

static bool has_bit(const uint8_t *bits, hsd_node ordinal) { return bits != NULL && hsd_bit_get(bits, ordinal); }

static hsd_sorter *anchors_of(const hsd_side_walk *side, hsd_node ordinal)
{
    const hsd_sequence *s = &side->graph->sequence;
    if (has_bit(side->graph->is_keyed, ordinal)) return s->keys;
    return has_bit(side->graph->is_hashed, ordinal) ? s->hashes : s->names;
}

static hsd_status gather_anchors(hsd_side_walk *side, hsd_paged *shapes, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    HSD_TRY(open_anchors(side, &s->names, err));
    if (side->graph->is_keyed != NULL) HSD_TRY(open_anchors(side, &s->keys, err));
    if (side->graph->is_hashed != NULL) HSD_TRY(open_anchors(side, &s->hashes, err));
    for (hsd_node ordinal = 0; ordinal < side->object_count; ordinal++) {
        if ((ordinal & 7) == 0 && side->graph->is_named[ordinal >> 3] == 0) {
            ordinal |= 7;
            continue;
        }
        if (!hsd_bit_get(side->graph->is_named, ordinal)) continue;
        const hsd_node position = hsd_paged_get_node(&s->positions, ordinal);
        if (position == HSD_NO_POSITION) continue;
        const uint64_t record[2] = {hsd_paged_get_u64(shapes, ordinal), position};
        HSD_TRY(hsd_sorter_put(anchors_of(side, ordinal), record, err));
    }
    HSD_TRY(hsd_side_serve(s->names, 0, err));
    if (s->hashes != NULL) HSD_TRY(hsd_side_serve(s->hashes, 0, err));
    return s->keys != NULL ? hsd_side_serve(s->keys, 0, err) : HSD_OK;
}

/* ---- what objects look like ---- */

typedef struct hashes {
    uint32_t *types, *roots;
} hashes;

static hsd_status make_hashes(const hsd_side_walk *side, hashes *out, hsd_error *err)
{
    const hsd_names *names = &side->request->type_names->names;
    const uint32_t others = hsd_side_others(side);
    HSD_TRY(hsd_side_check_tables(side, (uint64_t)others * sizeof *out->roots, err));
    out->types = malloc(((size_t)names->count + 1) * sizeof *out->types);
    out->roots = malloc(((size_t)others + 1) * sizeof *out->roots);
    if (out->types == NULL || out->roots == NULL) return hsd_fail_nomem(err, "what objects look like");
    for (uint32_t i = 0; i < names->count; i++) {
        const hsd_bytes name = hsd_names_get(names, i);
        out->types[i] = (uint32_t)hsd_hash_bytes(name.data, name.size, 0);
    }
    for (uint32_t i = 0; i < others; i++) {
        const hsd_bytes name = hsd_names_get(&side->roots.names, side->name_of_node[i]);
        out->roots[i] = (uint32_t)hsd_hash_bytes(name.data, name.size, 1);
    }
    return HSD_OK;
}

static hsd_status find_keys(hsd_side_walk *side, hsd_paged *shapes, hsd_error *err)
{
    hashes h = {NULL, NULL};
    hsd_status status = make_hashes(side, &h, err);
    const hsd_keys_config config = {
        .object_count = side->object_count,
        .node_count = side->node_count,
        .shapes = shapes,
        .is_named = side->graph->is_named,
        .type_hash = h.types,
        .root_hash = h.roots,
        .types = &side->types_of,
        .memory_bytes = match_key_bytes(side),
        .has_order = side->graph->sequence.has_order,
        .sort_bytes = sort_bytes(side),
        .serve_bytes = hsd_max_u64(side->request->plan.structure_serve_bytes / 4, 2 * HSD_SORT_MIN_BYTES),
        .space = side->request->space,
        .reporter = side->request->reporter,
        .use_thread = side->request->use_thread,
        .has_places_below = true,
    };
    if (status == HSD_OK) status = hsd_keys_find(side->adjacency, &config, &side->graph->sequence, err);
    free(h.types);
    free(h.roots);
    return status;
}

/* The file of types goes on to those who look for paths. */
static hsd_status with_types(hsd_side_walk *side, hsd_paged *shapes, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    HSD_TRY(find_positions(side, err));
    HSD_TRY(open_array(side, &s->elements, (uint64_t)s->count * sizeof(hsd_element), err));
    HSD_TRY(open_array(side, &s->owners, (uint64_t)s->count * HSD_NODE_BYTES, err));
    HSD_TRY(open_file(side, &side->types_of, &side->types_file, err));
    side->has_types_of = true;
    HSD_TRY(gather_anchors(side, shapes, err));
    HSD_TRY(hsd_paged_shrink(&s->positions, in_order(side, HSD_NODE_BYTES * (uint64_t)side->object_count), err));
    return find_keys(side, shapes, err);
}

static hsd_status look_at_all(hsd_side_walk *side, hsd_error *err)
{
    hsd_paged shapes;
    HSD_TRY(open_file(side, &shapes, &side->graph->shapes_file, err));
    hsd_status status = with_types(side, &shapes, err);
    if (status == HSD_OK) status = hsd_paged_check(&shapes, err);
    hsd_paged_close(&shapes);
    return status;
}

/* Nobody looks at any of it for a while. */
static hsd_status rest(hsd_side_walk *side, hsd_error *err)
{
    hsd_sequence *s = &side->graph->sequence;
    HSD_TRY(hsd_paged_shrink(&s->elements, 0, err));
    HSD_TRY(hsd_paged_shrink(&s->owners, 0, err));
    HSD_TRY(hsd_paged_shrink(&s->positions, 0, err));
    if (hsd_side_keeps_graph(side)) return hsd_paged_shrink(&side->types_of, 0, err);
    hsd_paged_close(&side->types_of);
    side->has_types_of = false;
    return HSD_OK;
}

hsd_status hsd_side_structure(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->request->alike != NULL && side->adjacency != NULL);
    HSD_ASSERT(side->graph->ids != NULL || side->graph->ordinals.count == side->object_count);
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    if (side->request->want_tree)
        HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.idle_name_bytes, err));
    HSD_TRY(look_at_all(side, err));
    HSD_TRY(rest(side, err));
    free(side->graph->is_named);
    free(side->graph->is_keyed);
    free(side->graph->is_hashed);
    side->graph->is_named = side->graph->is_keyed = side->graph->is_hashed = NULL;
    return HSD_OK;
}
