/*
 * The trie against a map of full paths: random trees whose objects get their paths by the rules of holders/trie/trie.h,
 * taken literally and in quadratic time; the same objects in any order; and what the caps do.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "holders/trie/trie.h"
#include "support/random.h"

enum { MAX_OBJECTS = 700, MAX_STEPS = HSD_TRIE_MAX_DEPTH };

typedef struct step {
    uint32_t edge, type;
} step;

typedef struct object {
    uint32_t parent; /* object; itself = the root of all */
    step own;
    hsd_trie_sum sum;
    uint64_t bytes;
    /* by definition */
    step path[MAX_STEPS];
    uint32_t depth, known; /* steps, and those of the last that are looked back at */
    hsd_trie_place place;
} object;

static hsd_temp_space space;
static hsd_error err;
static object objects[MAX_OBJECTS];
static uint32_t object_count;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(trie, .init = setup);

static hsd_trie *new_trie(uint32_t depth_limit, uint64_t memory_bytes)
{
    const hsd_trie_config config = {.memory_bytes = memory_bytes, .depth_limit = depth_limit, .space = &space};
    hsd_trie *trie;
    cr_assert_eq(hsd_trie_new(&trie, &config, &err), HSD_OK, "%s", err.text);
    return trie;
}

/* ---- by definition ---- */

static bool is_same(step a, step b) { return a.edge == b.edge && a.type == b.type; }

static void define_path(object *o, const object *parent, uint32_t depth_limit)
{
    if (parent != NULL) {
        memcpy(o->path, parent->path, sizeof o->path);
        o->depth = parent->depth;
        o->known = parent->known;
    }
    for (uint32_t back = 0; back < o->known; back++) {
        if (!is_same(o->path[o->depth - 1 - back], o->own)) continue;
        o->depth -= back;
        o->known -= back;
        return;
    }
    if (o->depth == depth_limit) return;
    o->path[o->depth++] = o->own;
    if (o->known < HSD_TRIE_LOOK_BACK) o->known++;
}

/* Edges that `path` with `depth` steps has to `type`, over all objects. */
static uint32_t count_edges(const object *of, uint32_t depth, uint32_t type)
{
    static bool seen[4096];
    uint32_t edges = 0;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < object_count; i++) {
        const object *o = &objects[i];
        if (o->depth <= depth || o->path[depth].type != type || o->path[depth].edge >= 4096) continue;
        if (memcmp(o->path, of->path, depth * sizeof(step)) != 0 || seen[o->path[depth].edge]) continue;
        seen[o->path[depth].edge] = true;
        edges++;
    }
    return edges;
}

/* From the top: where too many edges leave, they become one, and with them all that is below. */
static void merge_edges(void)
{
    static bool is_wild[MAX_OBJECTS];
    for (uint32_t depth = 0; depth < MAX_STEPS; depth++) {
        for (uint32_t i = 0; i < object_count; i++) {
            const object *o = &objects[i];
            is_wild[i] = o->depth > depth && o->path[depth].edge < 4096 &&
                         count_edges(o, depth, o->path[depth].type) > HSD_TRIE_FAN_OUT;
        }
        for (uint32_t i = 0; i < object_count; i++) {
            if (is_wild[i]) objects[i].path[depth].edge = HSD_TRIE_ANY;
        }
    }
}

static void add_amounts(hsd_trie_sums *sums, const object *o)
{
    hsd_amount *const side = o->sum == HSD_TRIE_KEPT_BEFORE || o->sum == HSD_TRIE_FREED ? &sums->before : &sums->after;
    hsd_amount *const change = o->sum == HSD_TRIE_NEW ? &sums->new_ : o->sum == HSD_TRIE_FREED ? &sums->freed : NULL;
    side->objects++;
    side->bytes += o->bytes;
    if (change == NULL) return;
    change->objects++;
    change->bytes += o->bytes;
}

/* What must stand at the node that the first `depth` steps of a path lead to. */
static hsd_trie_node define_node(const object *of, uint32_t depth)
{
    hsd_trie_node node = {.depth = depth};
    for (uint32_t i = 0; i < object_count; i++) {
        const object *o = &objects[i];
        if (o->depth < depth || memcmp(o->path, of->path, depth * sizeof(step)) != 0) continue;
        add_amounts(&node.all, o);
        if (o->depth == depth) add_amounts(&node.own, o);
    }
    return node;
}

/* ---- the trie ---- */

/* Objects in an order of their own: place by place as a walk would, whichever child comes first. */
static void add_all(hsd_trie *trie, test_random *random)
{
    static uint32_t order[MAX_OBJECTS];
    for (uint32_t i = 0; i < object_count; i++) {
        object *o = &objects[i];
        static const hsd_trie_place root;
        o->place = hsd_trie_step_to(trie, o->parent == i ? &root : &objects[o->parent].place, o->own.edge, o->own.type);
        order[i] = i;
    }
    for (uint32_t i = object_count; i > 1; i--) {
        const uint32_t other = (uint32_t)test_below(random, i), keep = order[i - 1];
        order[i - 1] = order[other];
        order[other] = keep;
    }
    for (uint32_t i = 0; i < object_count; i++) {
        const object *o = &objects[order[i]];
        if (test_below(random, 2) == 0) {
            cr_assert_eq(hsd_trie_add(trie, &o->place, o->sum, 1, o->bytes, &err), HSD_OK, "%s", err.text);
            continue;
        }
        static const hsd_trie_place root;
        const hsd_trie_place *above = o->parent == order[i] ? &root : &objects[o->parent].place;
        cr_assert_eq(hsd_trie_key_below(trie, above, o->own.edge, o->own.type), hsd_trie_key(&o->place));
        cr_assert_eq(hsd_trie_add_below(trie, above, o->own.edge, o->own.type, o->sum, 1, o->bytes, &err), HSD_OK);
    }
    if (object_count % 2 == 0) hsd_trie_widen(trie, UINT64_C(16) << 20); /* whatever it had: nothing else changes */
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_OK, "%s", err.text);
}

static uint32_t find_child(hsd_trie *trie, uint32_t parent, step by)
{
    for (uint32_t i = 1; i < hsd_trie_count(trie); i++) {
        hsd_trie_node node;
        hsd_trie_get(trie, i, &node);
        if (node.parent == parent && node.edge == by.edge && node.type == by.type) return i;
    }
    cr_assert_fail("no node by edge %u to type %u", by.edge, by.type);
    return 0;
}

static uint32_t find_path(hsd_trie *trie, const step *path, uint32_t depth)
{
    uint32_t node = HSD_TRIE_ROOT;
    for (uint32_t i = 0; i < depth; i++)
        node = find_child(trie, node, path[i]);
    return node;
}

static bool is_same_sums(const hsd_trie_sums *a, const hsd_trie_sums *b) { return memcmp(a, b, sizeof *a) == 0; }

static void check_all(hsd_trie *trie)
{
    static bool is_met[MAX_OBJECTS * MAX_STEPS];
    uint32_t met = 1;
    memset(is_met, 0, sizeof is_met);
    for (uint32_t i = 0; i < object_count; i++) {
        for (uint32_t depth = 0; depth <= objects[i].depth; depth++) {
            /* each node is the end of some object's path */
            if (depth != objects[i].depth && depth != 0) continue;
            const uint32_t at = find_path(trie, objects[i].path, depth);
            if (is_met[at]) continue;
            is_met[at] = true;
            met += depth > 0;
            const hsd_trie_node wanted = define_node(&objects[i], depth);
            hsd_trie_node node;
            hsd_trie_get(trie, at, &node);
            cr_assert_eq(node.depth, depth);
            cr_assert(is_same_sums(&node.own, &wanted.own), "own of node %u", at);
            cr_assert(is_same_sums(&node.all, &wanted.all), "all of node %u", at);
        }
    }
    cr_assert_eq(met, hsd_trie_count(trie), "a node that nobody stands at");
    cr_assert_eq(hsd_trie_check(trie, &err), HSD_OK);
}

/* ---- random trees ---- */

static void grow_tree(test_random *random, uint32_t count, uint32_t edges, uint32_t types)
{
    object_count = count;
    for (uint32_t i = 0; i < count; i++) {
        object *o = &objects[i];
        memset(o, 0, sizeof *o);
        const uint32_t near = i < 8 ? i : 8;
        o->parent = i == 0 || test_below(random, 20) == 0 ? i
                    : test_below(random, 3) == 0          ? (uint32_t)test_below(random, i)
                                                          : i - 1 - (uint32_t)test_below(random, near);
        o->own.edge = test_below(random, 10) == 0   ? HSD_TRIE_INDIRECT
                      : test_below(random, 20) == 0 ? HSD_TRIE_ANY
                                                    : (uint32_t)test_below(random, edges);
        o->own.type = (uint32_t)test_below(random, types) | (test_below(random, 9) == 0 ? HSD_TRIE_IS_ROOT : 0);
        o->sum = (hsd_trie_sum)test_below(random, HSD_TRIE_SUMS);
        o->bytes = test_below(random, 1000);
    }
}

static void define_all(uint32_t depth_limit)
{
    for (uint32_t i = 0; i < object_count; i++) {
        define_path(&objects[i], objects[i].parent == i ? NULL : &objects[objects[i].parent], depth_limit);
    }
    merge_edges();
}

Test(trie, equals_a_map_of_full_paths_in_any_order, .timeout = 300)
{
    static const uint32_t edges[] = {2, 4, 30, 4096}, types[] = {1, 2, 3, 5};
    for (uint64_t i = 0; i < 60; i++) {
        test_random random = {test_seed(1) + i};
        const uint32_t limit = i % 3 == 0 ? 3 + (uint32_t)(i % 5) : HSD_TRIE_MAX_DEPTH;
        grow_tree(&random, 1 + (uint32_t)test_below(&random, i % 4 == 3 ? MAX_OBJECTS : 150), edges[i % 4],
                  types[i / 4 % 4]);
        define_all(limit);
        for (int order = 0; order < 2; order++) {
            hsd_trie *trie = new_trie(limit, 0);
            add_all(trie, &random);
            check_all(trie);
            hsd_trie_free(trie);
        }
    }
}

/* ---- what keeps it small ---- */

/* A chain of `length` objects whose edges and types come round after `period`. */
static hsd_trie *chain(uint32_t length, uint32_t period, uint32_t depth_limit)
{
    hsd_trie *trie = new_trie(depth_limit, 0);
    hsd_trie_place place = {0};
    for (uint32_t i = 0; i < length; i++) {
        place = hsd_trie_step_to(trie, &place, i % period, i % period);
        cr_assert_eq(hsd_trie_add(trie, &place, HSD_TRIE_NEW, 1, 10, &err), HSD_OK);
    }
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_OK, "%s", err.text);
    return trie;
}

Test(trie, makes_a_list_one_node_and_a_list_of_four_kinds_four)
{
    for (uint32_t period = 1; period <= HSD_TRIE_LOOK_BACK; period++) {
        hsd_trie_node node;
        hsd_trie *trie = chain(100000, period, 0);
        cr_assert_eq(hsd_trie_count(trie), 1 + period);
        cr_assert_not(hsd_trie_is_cut(trie));
        hsd_trie_get(trie, 1, &node);
        cr_assert_eq(node.all.new_.objects, 100000);
        cr_assert_eq(node.own.new_.objects, (100000 + period - 1) / period);
        hsd_trie_free(trie);
    }
}

Test(trie, counts_what_is_deeper_than_the_limit_where_it_ends)
{
    hsd_trie_node node;
    hsd_trie *trie = chain(1000, 1000, 0);
    cr_assert(hsd_trie_is_cut(trie));
    cr_assert_eq(hsd_trie_count(trie), 1 + HSD_TRIE_MAX_DEPTH);
    hsd_trie_get(trie, HSD_TRIE_MAX_DEPTH, &node);
    cr_assert_eq(node.own.new_.objects, 1000 - HSD_TRIE_MAX_DEPTH + 1);
    hsd_trie_free(trie);
}

/* A dictionary with so many names, and in each value one field that the others do not have. */
static uint32_t dictionary_nodes(uint32_t names)
{
    hsd_trie *trie = new_trie(0, 0);
    const hsd_trie_place root = {0};
    const hsd_trie_place dictionary = hsd_trie_step_to(trie, &root, 1, 1);
    cr_assert_eq(hsd_trie_add(trie, &dictionary, HSD_TRIE_NEW, 1, 10, &err), HSD_OK);
    for (uint32_t i = 0; i < names; i++) {
        const hsd_trie_place value = hsd_trie_step_to(trie, &dictionary, 100 + i, 2);
        const hsd_trie_place field = hsd_trie_step_to(trie, &value, 100 + i, 3);
        cr_assert_eq(hsd_trie_add(trie, &value, HSD_TRIE_NEW, 1, 10, &err), HSD_OK);
        cr_assert_eq(hsd_trie_add(trie, &field, HSD_TRIE_NEW, 1, 10, &err), HSD_OK);
    }
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_OK, "%s", err.text);
    const uint32_t count = hsd_trie_count(trie);
    hsd_trie_free(trie);
    return count;
}

Test(trie, merges_the_edges_of_a_dictionary_and_then_what_hangs_below)
{
    cr_assert_eq(dictionary_nodes(HSD_TRIE_FAN_OUT), 2 + 2 * HSD_TRIE_FAN_OUT);
    cr_assert_eq(dictionary_nodes(HSD_TRIE_FAN_OUT + 1), 2 + 2);
}

Test(trie, holds_more_paths_than_its_memory)
{
    enum { PATHS = 200000 };
    hsd_trie *trie = new_trie(0, HSD_TRIE_LEAST_BYTES);
    const hsd_trie_place root = {0};
    uint64_t objects_seen = 0;
    for (uint32_t i = 0; i < PATHS; i++) {
        const hsd_trie_place place =
            hsd_trie_step_to(trie, &root, HSD_TRIE_INDIRECT, i % (PATHS / 2) | HSD_TRIE_IS_ROOT);
        cr_assert_eq(hsd_trie_add(trie, &place, i % 2 ? HSD_TRIE_NEW : HSD_TRIE_FREED, 1, i, &err), HSD_OK);
    }
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_trie_count(trie), 1 + PATHS / 2);
    for (uint32_t i = 1; i < hsd_trie_count(trie); i++) {
        hsd_trie_node node;
        hsd_trie_get(trie, i, &node);
        cr_assert_eq(node.own.before.objects + node.own.after.objects, 2);
        objects_seen += node.own.new_.objects;
    }
    cr_assert_eq(objects_seen, PATHS / 2);
    cr_assert_gt(space.bytes_written, 0);
    hsd_trie_free(trie);
}

/* As many as there are numbers of objects. */
Test(trie, counts_all_objects_of_a_capture)
{
    hsd_trie *trie = new_trie(0, 0);
    const hsd_trie_place root = {0}, place = hsd_trie_step_to(trie, &root, 1, 1);
    hsd_trie_node node;
    cr_assert_eq(hsd_trie_add(trie, &place, HSD_TRIE_NEW, HSD_NODE_MAX - 1, 8, &err), HSD_OK);
    cr_assert_eq(hsd_trie_add(trie, &place, HSD_TRIE_NEW, 1, 8, &err), HSD_OK);
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_OK, "%s", err.text);
    hsd_trie_get(trie, HSD_TRIE_ROOT, &node);
    cr_assert(node.all.after.objects == HSD_NODE_MAX && node.all.after.bytes == 16);
    hsd_trie_free(trie);
}

Test(trie, refuses_a_place_that_hangs_in_the_air)
{
    hsd_trie *trie = new_trie(0, 0);
    const hsd_trie_place root = {0};
    const hsd_trie_place above = hsd_trie_step_to(trie, &root, 1, 1), place = hsd_trie_step_to(trie, &above, 2, 2);
    cr_assert_eq(hsd_trie_add(trie, &place, HSD_TRIE_NEW, 1, 1, &err), HSD_OK);
    cr_assert_eq(hsd_trie_finish(trie, &err), HSD_E_MISUSE);
    hsd_trie_free(trie);
    hsd_trie_free(NULL);
}
