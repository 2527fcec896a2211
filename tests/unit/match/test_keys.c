/*
 * Keys of objects against their definition: which objects have equal ones, and that nothing else shows in them, neither
 * memory nor the numbers of nodes nor the order of references.
 */
#include "keys_kit.h"

static hsd_temp_space space;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(keys, .init = setup);

/* ---- the definition ---- */

#define MOST 80u

typedef struct naive {
    bool refers[MOST][MOST];
    uint64_t seen_as[MOST];          /* first pass: shapes; second: number of the structure */
    uint64_t around[MOST][MOST + 2]; /* what a node is, how many it refers to, what these are called, sorted */
} naive;

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void look_around(const key_graph *g, naive *n)
{
    for (hsd_node i = 0; i < g->objects; i++) {
        uint64_t *row = n->around[i];
        hsd_node count = 0;
        memset(row, 0, sizeof n->around[i]);
        for (hsd_node t = 0; t < g->nodes; t++) {
            if (n->refers[i][t]) row[2 + count++] = n->seen_as[t];
        }
        qsort(row + 2, count, sizeof *row, compare_words);
        row[0] = g->shape[i];
        row[1] = count;
    }
}

static bool are_equal(const naive *n, hsd_node i, hsd_node j)
{
    return memcmp(n->around[i], n->around[j], sizeof n->around[i]) == 0;
}

/* Named objects are what they are; others are what they and their targets are. Numbers tell them apart. */
static void number_structures(const key_graph *g, naive *n)
{
    for (hsd_node i = g->objects; i < g->nodes; i++)
        n->seen_as[i] = UINT64_C(1) << 40 | g->root_hash[i - g->objects];
    for (hsd_node i = 0; i < g->objects; i++) {
        hsd_node first = 0;
        if (key_is_named(g, i)) {
            while (!key_is_named(g, first) || g->shape[first] != g->shape[i])
                first++;
        } else {
            while (key_is_named(g, first) || !are_equal(n, first, i))
                first++;
        }
        n->seen_as[i] = first;
    }
}

static hsd_node naive_referrer(const key_graph *g, const naive *n, hsd_node object)
{
    hsd_node count = 0, found = 0;
    for (hsd_node i = 0; i < g->nodes; i++) {
        if (!n->refers[i][object]) continue;
        count++;
        found = i < g->objects ? kit_type_hash[g->type[i]] : g->root_hash[i - g->objects];
    }
    if (count != 1) return count == 0 ? HSD_REFERRER_NONE : HSD_REFERRER_MANY;
    return found < HSD_REFERRER_FIRST ? found + HSD_REFERRER_FIRST : found;
}

/* The position of the only referrer, if that is an object that has one. */
static hsd_node naive_owner(const key_graph *g, const naive *n, hsd_node object)
{
    hsd_node count = 0, found = 0;
    for (hsd_node i = 0; i < g->nodes; i++) {
        if (!n->refers[i][object]) continue;
        count++;
        found = i;
    }
    return count == 1 && found < g->objects ? g->position[found] : HSD_NO_POSITION;
}

/* The whole at a position; false if there is none. */
static bool whole_at(const key_result *r, hsd_node position, uint64_t *whole)
{
    for (uint64_t i = 0; i < r->whole_count; i++) {
        if (r->wholes[2 * i + 1] != position) continue;
        *whole = r->wholes[2 * i];
        return true;
    }
    return false;
}

static void check_structures(const key_graph *g, const naive *n, const key_result *r)
{
    for (hsd_node i = 0; i < g->objects; i++) {
        for (hsd_node j = 0; j < g->objects; j++) {
            if (g->position[i] == HSD_NO_POSITION || g->position[j] == HSD_NO_POSITION) continue;
            const hsd_element *a = &r->elements[g->position[i]], *b = &r->elements[g->position[j]];
            cr_assert_eq(a->shape == b->shape, g->shape[i] == g->shape[j]);
            cr_assert_eq(a->structure == b->structure, n->seen_as[i] == n->seen_as[j],
                         "objects %" HSD_PRI_NODE " %" HSD_PRI_NODE, i, j);
        }
    }
}

static void check_wholes(const key_graph *g, const naive *n, const key_result *r)
{
    for (hsd_node i = 0; i < g->objects; i++) {
        uint64_t a = 0, b;
        if (g->position[i] == HSD_NO_POSITION) continue;
        cr_assert_eq(whole_at(r, g->position[i], &a), !key_is_named(g, i));
        for (hsd_node j = 0; j < i && !key_is_named(g, i); j++) {
            if (g->position[j] == HSD_NO_POSITION || !whole_at(r, g->position[j], &b)) continue;
            cr_assert_eq(a == b, are_equal(n, i, j), "objects %" HSD_PRI_NODE " %" HSD_PRI_NODE, i, j);
        }
    }
}

static void check_alone(const key_graph *g, const naive *n, const key_result *r)
{
    for (hsd_node i = 0; i < g->objects; i++) {
        if (g->position[i] == HSD_NO_POSITION) continue;
        const hsd_element *e = &r->elements[g->position[i]];
        cr_assert_eq(e->type, g->type[i]);
        cr_assert_eq(e->referrer, naive_referrer(g, n, i), "object %" HSD_PRI_NODE, i);
        cr_assert_eq(r->owners[g->position[i]], naive_owner(g, n, i), "object %" HSD_PRI_NODE, i);
    }
}

/* Positions of the objects that roots of one name refer to, ascending, an object once for each root. */
static hsd_node naive_places(const key_graph *g, const naive *n, uint64_t name, uint64_t *out)
{
    hsd_node count = 0;
    for (hsd_node root = g->objects; root < g->nodes; root++) {
        for (hsd_node i = 0; i < g->objects && g->shape[root] == name; i++) {
            if (n->refers[root][i] && g->position[i] != HSD_NO_POSITION) out[count++] = g->position[i];
        }
    }
    qsort(out, count, sizeof *out, compare_words);
    return count;
}

static bool is_first_of_name(const key_graph *g, hsd_node root)
{
    for (hsd_node i = g->objects; i < root; i++) {
        if (g->shape[i] == g->shape[root]) return false;
    }
    return true;
}

/* The positions under one hash, which start at `from`, are those. */
static bool has_places(const key_result *r, uint64_t from, const uint64_t *wanted, hsd_node count)
{
    if (from + count > r->place_count || r->places[2 * from] != r->places[2 * (from + count - 1)]) return false;
    if (from + count < r->place_count && r->places[2 * from] == r->places[2 * (from + count)]) return false;
    for (hsd_node i = 0; i < count; i++) {
        if (r->places[2 * (from + i) + 1] != wanted[i]) return false;
    }
    return true;
}

/* Each name's objects are there under one hash, and no others. */
static void check_places(const key_graph *g, const naive *n, const key_result *r)
{
    uint64_t total = 0;
    for (hsd_node root = g->objects; root < g->nodes; root++) {
        uint64_t wanted[8 * MOST];
        bool is_found = false;
        const hsd_node count = is_first_of_name(g, root) ? naive_places(g, n, g->shape[root], wanted) : 0;
        for (uint64_t from = 0; from < r->place_count && count > 0; from++)
            is_found = is_found || has_places(r, from, wanted, count);
        cr_assert(count == 0 || is_found, "root %" HSD_PRI_NODE, root);
        total += count;
    }
    cr_assert_eq(r->place_count, total);
}

static naive *naive_of(const key_graph *g)
{
    naive *n = calloc(1, sizeof *n);
    for (hsd_node e = 0; e < g->edge_count; e++) {
        if (g->edges[e][0] != g->edges[e][1]) n->refers[g->edges[e][0]][g->edges[e][1]] = true;
    }
    return n;
}

static void check_graph(key_graph *g)
{
    naive *n = naive_of(g);
    key_result r = key_find(g, KIT_PLENTY, 1 << 20, &space);
    memcpy(n->seen_as, g->shape, g->nodes * sizeof *g->shape);
    look_around(g, n);
    number_structures(g, n);
    check_structures(g, n, &r);
    check_alone(g, n, &r);
    check_places(g, n, &r);
    look_around(g, n);
    check_wholes(g, n, &r);
    key_release(&r);
    free(n);
}

Test(keys, are_equal_where_the_definition_is)
{
    test_random random = {test_seed(1)};
    for (int round = 0; round < 300; round++) {
        key_graph g = key_random(&random, 60, 120);
        check_graph(&g);
        key_graph_release(&g);
    }
}

/* ---- what must not show ---- */

static void check_same(const key_result *a, const key_result *b, hsd_node positions)
{
    cr_assert_eq(memcmp(a->elements, b->elements, positions * sizeof *a->elements), 0);
    cr_assert_eq(memcmp(a->owners, b->owners, positions * sizeof *a->owners), 0);
    cr_assert_eq(a->whole_count, b->whole_count);
    cr_assert_eq(a->place_count, b->place_count);
    cr_assert_eq(memcmp(a->wholes, b->wholes, a->whole_count * 16), 0);
    cr_assert_eq(memcmp(a->places, b->places, a->place_count * 16), 0);
}

static void check_renumbered(key_graph *g, test_random *random, uint64_t memory)
{
    key_graph other = key_renumbered(g, random);
    key_result a = key_find(g, KIT_PLENTY, 1 << 20, &space), b = key_find(&other, memory, 0, &space);
    check_same(&a, &b, g->positions);
    key_release(&a);
    key_release(&b);
    key_graph_release(&other);
}

Test(keys, do_not_depend_on_numbers)
{
    test_random random = {test_seed(2)};
    for (int round = 0; round < 100; round++) {
        key_graph g = key_random(&random, 300, 900);
        if (g.edge_count > 0) check_renumbered(&g, &random, KIT_LEAST);
        key_graph_release(&g);
    }
}

/* More nodes than fit into the fewest pages. */
Test(keys, do_not_depend_on_memory)
{
    enum { OBJECTS = 150000, OTHERS = 3000, EDGES = 400000 };
    test_random random = {test_seed(3)};
    key_graph g = key_graph_new(OBJECTS, OTHERS, EDGES);
    key_fill(&g, &random, 1000);
    for (hsd_node e = 0; e < EDGES; e++)
        key_refer(&g, (hsd_node)test_below(&random, g.nodes), (hsd_node)test_below(&random, OBJECTS + OTHERS / 2));
    cr_assert_lt(hsd_keys_least_bytes(g.nodes), hsd_keys_full_bytes(g.nodes));
    const uint64_t least = hsd_keys_least_bytes(g.nodes), full = hsd_keys_full_bytes(g.nodes);
    const uint64_t memory[] = {KIT_LEAST, (least + full) / 2, (least + full) / 2, full};
    key_result a = key_find(&g, KIT_PLENTY, 64 << 20, &space);
    for (int i = 0; i < 4; i++) {
        key_result b = key_find(&g, memory[i], i % 2 == 0 ? 0 : 100000, &space);
        check_same(&a, &b, g.positions);
        key_release(&b);
    }
    key_release(&a);
    check_renumbered(&g, &random, KIT_LEAST);
    key_graph_release(&g);
    cr_assert_eq(space.bytes_now, 0);
}

/* Where nothing lies near, what does not fit is not asked for one by one: that would be a page for each of the
 * references, and for each object. */
Test(keys, move_a_small_multiple_with_little_memory)
{
    enum { OBJECTS = 400000, OTHERS = 100, EDGES = 1000000 };
    test_random random = {test_seed(6)};
    key_graph g = key_graph_new(OBJECTS, OTHERS, EDGES);
    key_fill(&g, &random, 1000);
    for (hsd_node e = 0; e < EDGES; e++)
        key_refer(&g, (hsd_node)test_below(&random, OBJECTS), (hsd_node)test_below(&random, OBJECTS));
    key_result little = key_find(&g, KIT_LEAST, 0, &space);
    const uint64_t records = OBJECTS * UINT64_C(32) + EDGES * UINT64_C(8);
    const uint64_t moved = little.moved_bytes;
    cr_assert_leq(moved, 12 * records * (HSD_NODE_BITS / 32), "%llu bytes", (unsigned long long)moved);
    key_result plenty = key_find(&g, KIT_PLENTY, 64 << 20, &space);
    check_same(&plenty, &little, g.positions);
    key_release(&little);
    key_release(&plenty);
    key_graph_release(&g);
}

/* Lists of several parts, whose duplicates fall into one part or into two. */
Test(keys, see_each_target_of_a_long_list_once)
{
    enum { OBJECTS = 9000, LONG = 7000 };
    test_random random = {test_seed(4)};
    for (int round = 0; round < 5; round++) {
        key_graph g = key_graph_new(OBJECTS, 4, 3 * LONG);
        key_fill(&g, &random, 3);
        for (hsd_node i = 0; i < LONG; i++) {
            key_refer(&g, 17, (hsd_node)test_below(&random, OBJECTS));
            /* nearly all of them several times */
            key_refer(&g, 18, (hsd_node)test_below(&random, OBJECTS / 4));
            key_refer(&g, OBJECTS + 2, (hsd_node)test_below(&random, OBJECTS));
        }
        check_renumbered(&g, &random, KIT_PLENTY);
        key_graph_release(&g);
    }
}

/* Two objects that refer to the same, one of them four times over, look alike. */
Test(keys, do_not_count_duplicates_across_parts)
{
    enum { TARGETS = 3000 };
    key_graph g = key_graph_new(TARGETS + 2, 0, 5 * TARGETS);
    for (hsd_node i = 0; i < g.objects; i++) {
        g.shape[i] = i < 2 ? 1 : 100 + i;
        g.position[i] = g.positions++;
    }
    for (hsd_node i = 0; i < TARGETS; i++)
        key_refer(&g, 0, 2 + i);
    for (hsd_node i = 0; i < 4 * TARGETS; i++)
        key_refer(&g, 1, 2 + i % TARGETS);
    key_result r = key_find(&g, KIT_PLENTY, 0, &space);
    uint64_t a, b;
    cr_assert_eq(r.elements[0].structure, r.elements[1].structure);
    cr_assert_eq(r.elements[2].referrer, HSD_REFERRER_MANY, "two refer to it");
    cr_assert(whole_at(&r, 0, &a) && whole_at(&r, 1, &b));
    cr_assert_eq(a, b);
    key_release(&r);
    g.edge_count -= 4 * TARGETS; /* now the first one alone */
    for (hsd_node i = 0; i < 4 * TARGETS; i++)
        key_refer(&g, 0, 2 + i % TARGETS);
    r = key_find(&g, KIT_PLENTY, 0, &space);
    cr_assert_geq(r.elements[2].referrer, HSD_REFERRER_FIRST, "one refers to it, often");
    key_release(&r);
    key_graph_release(&g);
}

/* ---- limits ---- */

Test(keys, are_shapes_without_references)
{
    test_random random = {test_seed(5)};
    key_graph g = key_random(&random, 60, 0);
    g.is_bare = true;
    key_result r = key_find(&g, KIT_LEAST, 0, &space);
    for (hsd_node i = 0; i < g.objects; i++) {
        uint64_t whole;
        if (g.position[i] == HSD_NO_POSITION) continue;
        const hsd_element *e = &r.elements[g.position[i]];
        cr_assert_eq(e->structure, e->shape);
        cr_assert_eq(e->referrer, HSD_REFERRER_NONE);
        cr_assert_eq(e->type, g.type[i]);
        cr_assert_eq(whole_at(&r, g.position[i], &whole), !key_is_named(&g, i));
    }
    cr_assert_eq(r.place_count, 0);
    key_release(&r);
    key_graph_release(&g);
}

static hsd_status try_with(uint64_t memory, uint64_t sort, hsd_error *err)
{
    key_graph g = key_graph_new(10, 0, 0);
    hsd_sequence s;
    hsd_paged shapes, types;
    kit_sequence(&s, 0, 10, KIT_LEAST, &space);
    kit_open(&shapes, 80, KIT_LEAST, &space);
    kit_open(&types, 40, KIT_LEAST, &space);
    const hsd_keys_config config = {
        .object_count = 10,
        .node_count = 10,
        .shapes = &shapes,
        .type_hash = kit_type_hash,
        .types = &types,
        .memory_bytes = memory,
        .sort_bytes = sort,
        .serve_bytes = sort,
        .space = &space,
    };
    hsd_adjacency *adjacency = key_adjacency(&g, &space);
    const hsd_status status = hsd_keys_find(adjacency, &config, &s, err);
    hsd_adjacency_free(adjacency);
    hsd_paged_close(&shapes);
    hsd_paged_close(&types);
    hsd_sequence_release(&s);
    key_graph_release(&g);
    return status;
}

Test(keys, refuse_less_than_they_need)
{
    const uint64_t least = hsd_keys_least_bytes(10), sort = 2 * HSD_SORT_MIN_BYTES;
    hsd_error err;
    cr_assert_eq(try_with(least, sort, &err), HSD_OK);
    cr_assert_eq(try_with(least - 1, sort, &err), HSD_E_OVER_BUDGET);
    cr_assert(strstr(err.text, "needs at least") != NULL, "%s", err.text);
    cr_assert_eq(try_with(least, sort - 1, &err), HSD_E_OVER_BUDGET);
    cr_assert(strstr(err.text, "needs at least") != NULL, "%s", err.text);
}
