/*
 * The walk over a dominator tree against the tree itself: every node is entered below its parent and left with
 * the sum of its subtree, however deep the tree and however little memory the stack has.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "walk/tree.h"

enum { MOST_NODES = 4000, TINY = 1, ENOUGH_TO_READ_AHEAD = 4 << 20 };

/* Of nodes and their places: past 32 bits, where numbers have more. */
#define NUMBERS_FROM ((hsd_node)(HSD_NODE_BITS == 32 ? 0 : UINT64_C(0x100000005)))

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(tree, .init = setup);

typedef struct frame {
    uint64_t node;     /* number + 1; 0 in the super-root's */
    uint64_t sum;      /* bytes of all below that was left */
    uint8_t rest[232]; /* the largest frame there may be, less a word */
} frame;

typedef struct model {
    uint32_t count;
    uint32_t *parent; /* of node i, a smaller node + 1; 0 = the super-root */
    uint64_t *size;   /* nodes of its subtree */
    uint64_t *first;
    size_t frame_bytes;
    uint64_t entered, left, leaves;
} model;

static model model_new(uint32_t count)
{
    model m = {.count = count, .frame_bytes = sizeof(frame) + 8};
    m.parent = calloc(count, sizeof *m.parent);
    m.size = calloc(count, sizeof *m.size);
    m.first = calloc(count, sizeof *m.first);
    cr_assert(m.parent != NULL && m.size != NULL && m.first != NULL);
    return m;
}

static void model_free(model *m)
{
    free(m->parent);
    free(m->size);
    free(m->first);
}

/* Places for the tree that `parent` describes: children in the order of their numbers. */
static void give_places(model *m)
{
    uint64_t *next = calloc((size_t)m->count + 1, sizeof *next);
    for (uint32_t i = m->count; i-- > 0;) {
        m->size[i]++;
        if (m->parent[i] > 0) m->size[m->parent[i] - 1] += m->size[i];
    }
    next[0] = 1;
    for (uint32_t i = 0; i < m->count; i++) {
        m->first[i] = next[m->parent[i]];
        next[m->parent[i]] += m->size[i];
        next[i + 1] = m->first[i] + 1;
    }
    free(next);
}

static hsd_sorter *sorter_new(void)
{
    const hsd_sorter_config config = {
        .record_words = HSD_TREE_WORDS, .key_words = HSD_TREE_KEY_WORDS, .memory_bytes = 1 << 20, .space = &space};
    hsd_sorter *sorter;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, &err), HSD_OK);
    return sorter;
}

static void put(hsd_sorter *sorter, const hsd_tree_node *node)
{
    uint64_t record[HSD_TREE_WORDS];
    if (hsd_tree_write_more(record, node)) cr_assert_eq(hsd_tree_put(sorter, record, &err), HSD_OK);
    hsd_tree_write(record, node);
    cr_assert_eq(hsd_sorter_put(sorter, record, &err), HSD_OK);
}

/* Few have more than fits in a record: up to what the census makes of the largest. */
static uint64_t bytes_of(uint32_t i) { return i % 13 == 5 ? (UINT64_MAX >> (1 + i % 41)) - i : i + 1u; }

static hsd_sorter *records_of(const model *m)
{
    hsd_sorter *sorter = sorter_new();
    for (uint32_t i = 0; i < m->count; i++) {
        put(sorter, &(hsd_tree_node){.first = NUMBERS_FROM + (hsd_node)m->first[i],
                                     .end = NUMBERS_FROM + (hsd_node)(m->first[i] + m->size[i]),
                                     .type = i % 7,
                                     .edge = i % 5,
                                     .node = NUMBERS_FROM + i,
                                     .flags = i % 4,
                                     .bytes = bytes_of(i)});
    }
    cr_assert_eq(hsd_sorter_finish(sorter, 0, &err), HSD_OK);
    return sorter;
}

static hsd_status enter(void *context, const hsd_tree_node *node, void *parent, void *data, hsd_error *e)
{
    model *m = context;
    frame *f = data;
    const uint32_t i = (uint32_t)(node->node - NUMBERS_FROM);
    const uint8_t zeros[sizeof f->rest] = {0};
    (void)e;
    cr_assert_lt(i, m->count);
    cr_assert_eq(((frame *)parent)->node, m->parent[i], "node %u entered below %lu", i, ((frame *)parent)->node);
    cr_assert(f->node == 0 && f->sum == 0);
    if (m->frame_bytes >= sizeof *f) cr_assert_eq(memcmp(f->rest, zeros, sizeof zeros), 0);
    cr_assert(node->type == i % 7 && node->edge == i % 5 && node->flags == i % 4 && node->bytes == bytes_of(i));
    f->node = (uint64_t)i + 1;
    if (m->frame_bytes >= sizeof *f) memset(f->rest, (int)i, sizeof f->rest);
    m->entered++;
    return HSD_OK;
}

/* Each node adds one for itself: the sums must be the sizes of the subtrees. */
static hsd_status leave(void *context, void *data, void *parent, hsd_error *e)
{
    model *m = context;
    frame *f = data, *p = parent;
    (void)e;
    const uint32_t i = (uint32_t)(f->node - 1);
    cr_assert_eq(f->sum + 1, m->size[i], "node %u has %lu below, not %lu", i, f->sum, m->size[i] - 1);
    cr_assert_eq(p->node, m->parent[i]);
    if (m->frame_bytes >= sizeof *f) cr_assert(f->rest[0] == (uint8_t)i && f->rest[sizeof f->rest - 1] == (uint8_t)i);
    p->sum += f->sum + 1;
    m->left++;
    return HSD_OK;
}

/* Both at once: what has nothing below it is no parent. */
static hsd_status see_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *e)
{
    model *m = context;
    frame f = {0};
    cr_assert_eq(m->size[node->node - NUMBERS_FROM], 1);
    m->leaves++;
    HSD_TRY(enter(m, node, parent, &f, e));
    return leave(m, &f, parent, e);
}

static uint64_t leaves_of(const model *m)
{
    uint64_t leaves = 0;
    for (uint32_t i = 0; i < m->count; i++)
        leaves += m->size[i] == 1;
    return leaves;
}

static void check_walk(model *m, size_t frame_bytes, uint64_t memory_bytes)
{
    uint8_t *bits = calloc((size_t)m->count / 8 + 1, 1);
    frame root = {0};
    hsd_sorter *tree = records_of(m);
    m->frame_bytes = frame_bytes;
    for (int round = 0; round < 3; round++) { /* a finished sorter can be walked again */
        const hsd_tree_visitor visitor = {.context = m,
                                          .frame_bytes = frame_bytes,
                                          .reads_ahead = round > 0,
                                          .enter = enter,
                                          .leave = leave,
                                          .leaf = round == 1 ? see_leaf : NULL,
                                          .bits = {round == 1 ? bits : NULL}};
        root.sum = m->entered = m->left = m->leaves = 0;
        cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, memory_bytes, &space, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(m->entered, m->count);
        cr_assert_eq(m->left, m->count);
        cr_assert_eq(m->leaves, round == 1 ? leaves_of(m) : 0);
        cr_assert_eq(root.sum, m->count);
    }
    hsd_sorter_free(tree);
    free(bits);
    cr_assert_eq(space.bytes_now, 0);
}

/* Trees of all kinds: `slope` 1 is nearly a list, large ones are bushes. */
static model random_tree(test_random *random, uint32_t count, uint64_t slope)
{
    model m = model_new(count);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t back = test_below(random, slope) + 1;
        m.parent[i] = back > i ? 0 : i + 1 - (uint32_t)back;
    }
    return m;
}

Test(tree, enters_below_the_parent_and_leaves_with_the_sum_of_the_subtree)
{
    static const uint64_t slopes[] = {1, 2, 3, 10, 1000};
    for (uint64_t i = 0; i < 60; i++) {
        test_random random = {test_seed(5) + i};
        model m = random_tree(&random, 1 + (uint32_t)test_below(&random, MOST_NODES), slopes[i % 5]);
        give_places(&m);
        check_walk(&m, i % 2 == 0 ? sizeof(frame) : 16, TINY);
        model_free(&m);
    }
}

Test(tree, keeps_a_deep_list_in_a_file)
{
    model m = model_new(1000000);
    for (uint32_t i = 0; i < m.count; i++)
        m.parent[i] = i;
    give_places(&m);
    check_walk(&m, 16, TINY);
    cr_assert_gt(space.bytes_peak, 20 * (uint64_t)m.count);
    model_free(&m);
}

/* A comb goes up and down across the same boundary of the window again and again. */
Test(tree, goes_up_and_down_at_the_edge_of_its_window)
{
    model m = model_new(300000);
    for (uint32_t i = 0; i < m.count; i++)
        m.parent[i] = i < 100000 ? i : 100000 - (i - 100000) % 700;
    give_places(&m);
    check_walk(&m, 24, TINY);
    check_walk(&m, 24, ENOUGH_TO_READ_AHEAD);
    model_free(&m);
}

Test(tree, takes_a_wide_star_in_no_space_at_all)
{
    model m = model_new(500000);
    for (uint32_t i = 1; i < m.count; i++)
        m.parent[i] = 1;
    give_places(&m);
    hsd_sorter *tree = records_of(&m);
    const uint64_t before = space.bytes_peak;
    frame root = {0};
    const hsd_tree_visitor visitor = {.context = &m, .frame_bytes = 16, .enter = enter, .leave = leave};
    m.frame_bytes = 16;
    cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, TINY, &space, &err), HSD_OK);
    cr_assert_eq(root.sum, m.count);
    cr_assert_eq(space.bytes_peak, before);
    hsd_sorter_free(tree);
    model_free(&m);
}

Test(tree, takes_an_empty_tree_and_a_visitor_without_leave)
{
    model m = model_new(3);
    frame root = {0};
    hsd_tree_visitor visitor = {.context = &m, .frame_bytes = 16, .enter = enter};
    give_places(&m);
    hsd_sorter *tree = records_of(&m);
    m.frame_bytes = 16;
    cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, 0, &space, &err), HSD_OK);
    cr_assert_eq(m.entered, 3);
    cr_assert_eq(root.sum, 0);
    hsd_sorter_free(tree);
    tree = sorter_new();
    cr_assert_eq(hsd_sorter_finish(tree, 0, &err), HSD_OK);
    cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, 0, &space, &err), HSD_OK);
    cr_assert_eq(m.entered, 3);
    hsd_sorter_free(tree);
    model_free(&m);
}

static hsd_status stop(void *context, void *data, void *parent, hsd_error *e)
{
    (void)context, (void)data, (void)parent;
    return hsd_fail(e, HSD_E_CANCELLED, "enough");
}

Test(tree, ends_with_what_a_visit_returned)
{
    model m = model_new(5000);
    frame root = {0};
    const hsd_tree_visitor visitor = {.context = &m, .frame_bytes = 256, .enter = enter, .leave = stop};
    for (uint32_t i = 0; i < m.count; i++)
        m.parent[i] = i;
    give_places(&m);
    hsd_sorter *tree = records_of(&m);
    cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, 0, &space, &err), HSD_E_CANCELLED);
    cr_assert_str_eq(err.text, "enough");
    hsd_sorter_free(tree);
    cr_assert_eq(space.bytes_now, 0);
    model_free(&m);
}

static hsd_status accept(void *context, const hsd_tree_node *node, void *parent, void *data, hsd_error *e)
{
    (void)context, (void)node, (void)parent, (void)data, (void)e;
    return HSD_OK;
}

Test(tree, refuses_places_that_do_not_nest)
{
    static const hsd_tree_node pairs[][2] = {{{.first = 1, .end = 3}, {.first = 2, .end = 4}},
                                             {{.first = 1, .end = 3}, {.first = 2, .end = 2}}};
    const hsd_tree_visitor visitor = {.frame_bytes = 8, .enter = accept};
    uint64_t root = 0;
    for (int i = 0; i < 2; i++) {
        hsd_sorter *tree = sorter_new();
        put(tree, &pairs[i][0]);
        put(tree, &pairs[i][1]);
        cr_assert_eq(hsd_sorter_finish(tree, 0, &err), HSD_OK);
        cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, 0, &space, &err), HSD_E_MISUSE);
        cr_assert_str_eq(err.text, "place 2 of the dominator tree does not nest");
        hsd_sorter_free(tree);
    }
}

Test(tree, refuses_frames_of_a_size_that_cannot_be)
{
    static const size_t sizes[] = {12, 264};
    uint64_t root = 0;
    hsd_sorter *tree = sorter_new();
    cr_assert_eq(hsd_sorter_finish(tree, 0, &err), HSD_OK);
    for (int i = 0; i < 2; i++) {
        const hsd_tree_visitor visitor = {.frame_bytes = sizes[i], .enter = accept};
        cr_assert_eq(hsd_tree_walk(tree, &visitor, &root, 0, &space, &err), HSD_E_MISUSE);
    }
    hsd_sorter_free(tree);
}

/* ---- records of nodes ---- */

/* A series whose walks stay numbers names anew: of soft references, too, and not what stands in front of a node. */
Test(tree, a_name_is_numbered_anew_and_nothing_else)
{
    static const uint32_t number_of[] = {7, 5, 9};
    uint64_t record[HSD_TREE_WORDS], before[HSD_TREE_WORDS];
    hsd_tree_node node = {.first = 3, .end = 5, .type = 11, .edge = 2, .node = 4, .bytes = 100};
    for (unsigned soft = 0; soft < 2; soft++) {
        node.flags = soft ? HSD_TREE_IS_SOFT : 0;
        hsd_tree_write(record, &node);
        hsd_tree_renumber(record, number_of);
        const hsd_tree_node read = hsd_tree_read(record);
        cr_assert_eq(read.edge, 9);
        cr_assert(read.flags == node.flags && read.type == 11 && read.bytes == 100 && read.first == 3 && read.end == 5);
    }
    node.edge = HSD_TREE_INDIRECT;
    hsd_tree_write(record, &node);
    hsd_tree_renumber(record, number_of);
    cr_assert_eq(hsd_tree_read(record).edge, HSD_TREE_INDIRECT);

    node.bytes = (uint64_t)HSD_TREE_BYTES_MOST + 1;
    cr_assert(hsd_tree_write_more(record, &node));
    memcpy(before, record, sizeof before);
    hsd_tree_renumber(record, number_of);
    cr_assert_arr_eq(record, before, sizeof before);
}
