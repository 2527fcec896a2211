/*
 * One walk over the dominator tree: what stands before each place, long lists of what a node dominates (short ones are
 * looked for, children.c) and those of the objects of each type, by what they retain.
 *
 * A node is left when all that it dominates was left. So what it immediately dominates are the last to have been left
 * before it: they stand on top of a stack, as many as were counted, and become its list if they are many. Nothing is
 * sorted but these, each by itself.
 *
 *      enter a, enter b, leave b, enter c, leave c, leave a          waiting:  b | b c | (b c) -> list of a | a
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "browse/index.h"
#include "sort/radix.h"
#include "walk/tree.h"

#define PROGRESS_STEPS UINT64_C(0xffff)

enum { LONG_BEGIN = HSD_TWO_WORDS, LONG_WORDS }; /* behind place and count */
enum { BY_TYPE_WORDS = 1 + HSD_TWO_WORDS };      /* type and high half of the order, low half and node: if not in one */

typedef struct waiting { /* a node that was left: two words in the order of lists */
    uint64_t lack;       /* ~ of what it retains: largest first */
    uint64_t node;
} waiting;

typedef struct frame {
    uint64_t bytes_before;
    hsd_node objects_before, first, node;
    uint32_t type, flags;
    hsd_node children;
    hsd_node depth, anchor;
} frame;

typedef struct hold {
    hsd_index *index;
    hsd_column_file spans, parents, children, types;
    hsd_sorter *longs; /* place and count, begin: hsd_long_children */
    hsd_paged stack;   /* of waiting */
    uint64_t waiting;  /* on the stack */
    hsd_sorter *by_type;
    unsigned node_bits, retained_bits, shift; /* of one word; 0 = more */
    waiting *list, *spare;                    /* the one that is sorted, and room to do it */
    uint64_t list_room, list_most;
    uint64_t bytes; /* of all places so far */
    hsd_node objects;
    uint64_t seen;
} hold;

/* ---- lists of what is dominated ---- */

static waiting at(hold *h, uint64_t i)
{
    return *(const waiting *)(const void *)hsd_paged_at(&h->stack, i * sizeof(waiting), HSD_FRAME_USED);
}

static hsd_status push_held_row(hold *h, uint64_t retained, hsd_node node, hsd_error *err)
{
    waiting *top =
        (waiting *)(void *)hsd_paged_at(&h->stack, h->waiting++ * sizeof *top, HSD_FRAME_USED | HSD_FRAME_DIRTY);
    *top = (waiting){~retained, node};
    return hsd_paged_check(&h->stack, err);
}

static hsd_status make_room_for_held_row(hold *h, uint64_t count, hsd_error *err)
{
    if (count <= h->list_room) return HSD_OK;
    const uint64_t wanted = hsd_min_u64(h->list_most, hsd_max_u64(1024, count + count / 2));
    h->list_room = 0;
    free(h->list);
    free(h->spare);
    h->list = malloc((size_t)wanted * sizeof *h->list);
    h->spare = malloc((size_t)wanted * sizeof *h->spare);
    if (h->list == NULL || h->spare == NULL) return hsd_fail_nomem(err, "the index");
    h->list_room = wanted;
    return HSD_OK;
}

/* A list that memory cannot hold goes through a sorter. */
static hsd_status put_long(hold *h, uint64_t begin, hsd_node count, hsd_error *err)
{
    hsd_sorter *sorter;
    const uint64_t *record;
    hsd_status status = HSD_OK;
    HSD_TRY(hsd_side_sorter(h->index->walk, 2, 2, h->list_most * sizeof(waiting), &sorter, err));
    for (uint64_t i = 0; i < count && status == HSD_OK; i++) {
        const waiting item = at(h, begin + i);
        status = hsd_sorter_put(sorter, &item.lack, err);
    }
    if (status == HSD_OK) status = hsd_sorter_finish(sorter, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(sorter, &record, err)) == HSD_OK) {
        status = hsd_column_put_node(&h->children, (hsd_node)record[1], err);
    }
    hsd_sorter_free(sorter);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status put_short(hold *h, uint64_t begin, hsd_node count, hsd_error *err)
{
    HSD_TRY(make_room_for_held_row(h, count, err));
    for (hsd_node i = 0; i < count; i++)
        h->list[i] = at(h, begin + i);
    hsd_radix_sort(&h->list->lack, &h->spare->lack, count, 2);
    for (hsd_node i = 0; i < count; i++)
        HSD_TRY(hsd_column_put_node(&h->children, (hsd_node)h->list[i].node, err));
    return HSD_OK;
}

/* Takes the last ones, as many as the node at `place` dominates, from the stack. */
static hsd_status put_children(hold *h, hsd_node place, hsd_node count, hsd_error *err)
{
    h->waiting -= count;
    if (count <= HSD_FEW_CHILDREN) return HSD_OK;
    const uint64_t record[LONG_WORDS] = {HSD_TWO(place, count), [LONG_BEGIN] = h->children.count};
    HSD_TRY(hsd_sorter_put(h->longs, record, err));
    HSD_TRY(count <= h->list_most ? put_short(h, h->waiting, count, err) : put_long(h, h->waiting, count, err));
    return hsd_paged_check(&h->stack, err);
}

static hsd_status put_longs(hold *h, hsd_column_file *file, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    HSD_TRY(hsd_sorter_finish(h->longs, 0, err));
    HSD_TRY(hsd_column_begin(file, sizeof(hsd_long_children), h->index->space, err));
    while ((status = hsd_sorter_next(h->longs, &record, err)) == HSD_OK) {
        const hsd_long_children list = {
            .count = hsd_words_second(record), .place = hsd_words_first(record), .begin = record[LONG_BEGIN]};
        HSD_TRY(hsd_column_put(file, &list, err));
    }
    if (status != HSD_END) return status;
    h->index->long_children_count = file->count;
    return hsd_column_end(file, &h->index->long_children, 0, err);
}

static hsd_status list_longs(hold *h, hsd_error *err)
{
    hsd_column_file file = {.used = 0};
    const hsd_status status = put_longs(h, &file, err);
    hsd_column_close(&file);
    return status;
}

/* ---- the walk ---- */

/* Places of nobody, which a capture that is not whole may have, are there for the sake of those behind. */
static hsd_status put_place(hold *h, hsd_node place, hsd_node node, hsd_node parent, hsd_error *err)
{
    hsd_browse_span span = {h->bytes, h->objects, HSD_NODE_NONE};
    while (h->spans.count < place) {
        HSD_TRY(hsd_column_put(&h->spans, &span, err));
        HSD_TRY(hsd_column_put_node(&h->parents, 0, err));
    }
    span.node = node;
    HSD_TRY(hsd_column_put(&h->spans, &span, err));
    return hsd_column_put_node(&h->parents, parent, err);
}

/* Only of deep trees. */
static hsd_status put_anchor(hold *h, hsd_node place, hsd_node anchor, hsd_error *err)
{
    hsd_index *index = h->index;
    if (anchor == 0) return HSD_OK;
    if (!hsd_array_is_open(&index->anchors)) {
        const uint64_t bytes = ((uint64_t)hsd_index_node_count(index) + 2) * sizeof(hsd_node);
        HSD_TRY(hsd_array_open(&index->anchors, bytes, hsd_index_share(index, 2), index->space, err));
    }
    hsd_paged_set_node(&index->anchors, place, anchor);
    return hsd_paged_check(&index->anchors, err);
}

static hsd_status enter_held_row(void *context, const hsd_tree_node *node, void *above, void *here, hsd_error *err)
{
    hold *h = context;
    frame *parent = above;
    *(frame *)here = (frame){
        .bytes_before = h->bytes,
        .objects_before = h->objects,
        .first = node->first,
        .node = node->node,
        .type = node->type,
        .flags = node->flags,
        .depth = parent->depth + 1,
        .anchor = parent->depth > 0 && parent->depth % HSD_ANCHOR_STEP == 0 ? parent->first : parent->anchor,
    };
    parent->children++;
    HSD_TRY(put_place(h, node->first, node->node, parent->first, err));
    HSD_TRY(put_anchor(h, node->first, ((frame *)here)->anchor, err));
    h->bytes += node->bytes;
    h->objects += (node->flags & (HSD_TREE_IS_ROOT | HSD_TREE_IS_HIDDEN)) == 0;
    if ((h->seen++ & PROGRESS_STEPS) != 0) return HSD_OK;
    return hsd_progress(h->index->reporter, "indexing what is held", h->seen, hsd_sorter_count(h->index->walk->tree),
                        err);
}

/* Retained sizes are sums of sizes: multiples of what those are multiples of, and none is more than all together. */
static void choose_words(hold *h)
{
    const hsd_index *index = h->index;
    const unsigned shift = index->bytes_or == 0 ? 0 : (unsigned)__builtin_ctzll(index->bytes_or);
    const unsigned nodes = hsd_index_bits(hsd_index_node_count(index)),
                   retained = hsd_index_bits(index->live_bytes >> shift);
    if (nodes + retained + hsd_index_bits(index->walk->request->type_names->names.count) > 64) return;
    h->node_bits = nodes;
    h->retained_bits = retained;
    h->shift = shift;
}

static void get_type(const hold *h, const uint64_t *record, uint32_t *type, hsd_node *node)
{
    if (h->retained_bits > 0) {
        *type = (uint32_t)(record[0] >> (h->node_bits + h->retained_bits));
        *node = (hsd_node)(record[0] & ((UINT64_C(1) << h->node_bits) - 1));
    } else {
        *type = (uint32_t)(record[0] >> 32);
        *node = hsd_words_second(&record[1]);
    }
}

static hsd_status put_type(hold *h, const frame *f, uint64_t retained, hsd_error *err)
{
    uint64_t order = ~retained, record[BY_TYPE_WORDS];
    if (f->flags & (HSD_TREE_IS_ROOT | HSD_TREE_IS_HIDDEN)) return HSD_OK;
    if (h->retained_bits > 0) {
        order = (order >> h->shift) & ((UINT64_C(1) << h->retained_bits) - 1);
        record[0] = ((uint64_t)f->type << h->retained_bits | order) << h->node_bits | f->node;
    } else {
        record[0] = (uint64_t)f->type << 32 | order >> 32;
        hsd_words_set_two(&record[1], (hsd_node)order, f->node);
    }
    return hsd_sorter_put(h->by_type, record, err);
}

static hsd_status leave_held_row(void *context, void *here, void *above, hsd_error *err)
{
    hold *h = context;
    const frame *f = here;
    const uint64_t retained = h->bytes - f->bytes_before;
    (void)above;
    HSD_TRY(put_children(h, f->first, f->children, err));
    HSD_TRY(push_held_row(h, retained, f->node, err));
    return put_type(h, f, retained, err);
}

static hsd_status walk_held_row(hold *h, hsd_error *err)
{
    frame top = {.node = HSD_NODE_NONE};
    const hsd_tree_visitor visitor = {.context = h,
                                      .frame_bytes = sizeof(frame),
                                      .sees_hidden = true,
                                      .enter = enter_held_row,
                                      .leave = leave_held_row};
    hsd_index *index = h->index;
    HSD_TRY(put_place(h, 0, HSD_NODE_NONE, 0, err));
    HSD_TRY(hsd_tree_walk(index->walk->tree, &visitor, &top, hsd_index_share(index, 1), index->space, err));
    HSD_TRY(put_children(h, 0, top.children, err));
    index->place_count = (hsd_node)h->spans.count;
    return put_place(h, index->place_count, HSD_NODE_NONE, 0, err);
}

/* ---- objects of a type ---- */

static hsd_status list_types(hold *h, hsd_error *err)
{
    hsd_index *index = h->index;
    const uint32_t count = index->walk->request->type_names->names.count;
    const uint64_t *record;
    hsd_status status;
    uint32_t type = 0;
    index->type_begins = calloc((size_t)count + 1, sizeof *index->type_begins);
    if (index->type_begins == NULL) return hsd_fail_nomem(err, "the index");
    HSD_TRY(hsd_side_serve(h->by_type, hsd_index_share(index, 7), err));
    while ((status = hsd_sorter_next(h->by_type, &record, err)) == HSD_OK) {
        uint32_t of;
        hsd_node node;
        get_type(h, record, &of, &node);
        while (type < of)
            index->type_begins[++type] = h->types.count;
        HSD_TRY(hsd_column_put_node(&h->types, node, err));
    }
    while (type < count)
        index->type_begins[++type] = h->types.count;
    return status == HSD_END ? HSD_OK : status;
}

/* ---- the whole ---- */

static hsd_status open_all_held_rows(hold *h, hsd_error *err)
{
    hsd_index *index = h->index;
    const uint64_t nodes = hsd_index_node_count(index), all = (uint64_t)nodes + 2;
    h->list_most = hsd_max_u64(hsd_index_share(index, 1) / 2, HSD_SORT_MIN_BYTES) / sizeof *h->list;
    HSD_TRY(hsd_column_begin(&h->spans, sizeof(hsd_browse_span), index->space, err));
    HSD_TRY(hsd_column_begin(&h->children, sizeof(hsd_node), index->space, err));
    HSD_TRY(hsd_column_begin(&h->types, sizeof(hsd_node), index->space, err));
    HSD_TRY(hsd_column_begin(&h->parents, sizeof(hsd_node), index->space, err));
    HSD_TRY(hsd_side_sorter(index->walk, LONG_WORDS, LONG_WORDS, HSD_SORT_MIN_BYTES, &h->longs, err));
    HSD_TRY(hsd_array_open(&h->stack, all * sizeof(waiting), hsd_index_share(index, 3), index->space, err));
    choose_words(h);
    const unsigned words = h->retained_bits > 0 ? 1 : BY_TYPE_WORDS;
    return hsd_side_sorter(index->walk, words, words, hsd_index_share(index, 7), &h->by_type, err);
}

static hsd_status run_held_row(hold *h, hsd_error *err)
{
    hsd_index *index = h->index;
    HSD_TRY(open_all_held_rows(h, err));
    HSD_TRY(walk_held_row(h, err));
    hsd_array_close(&h->stack);
    hsd_sorter_free(index->walk->tree);
    index->walk->tree = NULL;
    if (hsd_array_is_open(&index->anchors)) HSD_TRY(hsd_paged_shrink(&index->anchors, 0, err));
    HSD_TRY(hsd_column_end(&h->spans, &index->spans, 0, err));
    HSD_TRY(hsd_column_end(&h->parents, &index->parents, 0, err));
    HSD_TRY(list_longs(h, err));
    HSD_TRY(hsd_column_end(&h->children, &index->children, 0, err));
    HSD_TRY(list_types(h, err));
    return hsd_column_end(&h->types, &index->by_type, 0, err);
}

hsd_status hsd_index_held(hsd_index *index, hsd_error *err)
{
    hold h = {.index = index};
    const hsd_status status = run_held_row(&h, err);
    hsd_column_close(&h.spans);
    hsd_column_close(&h.parents);
    hsd_column_close(&h.children);
    hsd_column_close(&h.types);
    hsd_array_close(&h.stack);
    hsd_sorter_free(h.by_type);
    hsd_sorter_free(h.longs);
    free(h.list);
    free(h.spare);
    return status;
}
