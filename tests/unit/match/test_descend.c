/*
 * Places below named roots, on graphs small enough to be written down: who has one, which are equal, and where nobody
 * goes.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "match/descend.h"

#define ENOUGH ((uint64_t)8 << 20)

enum { WIDE = HSD_DESCEND_CHILDREN + 1, TABLE = HSD_DESCEND_TABLE + 1, MOST = TABLE + 10 };

static hsd_temp_space space;
static hsd_error err;
static hsd_adjacency *graph;
static hsd_paged types, shapes, referrers;
static hsd_sequence sequence;
static hsd_node objects, nodes, refers_to_it[MOST];
static uint64_t place_of[MOST]; /* by position; 0 = none */

static const uint32_t type_hash[] = {11, 22, 33};

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    memset(refers_to_it, 0, sizeof refers_to_it);
    memset(place_of, 0, sizeof place_of);
}

static void good(hsd_status status) { cr_assert_eq(status, HSD_OK, "%s", err.text); }

static void begin(hsd_node object_count, hsd_node node_count)
{
    const hsd_sorter_config config = {
        .record_words = 2, .key_words = 1, .space = &space, .memory_bytes = HSD_SORT_MIN_BYTES};
    objects = object_count;
    nodes = node_count;
    good(hsd_adjacency_begin(&graph, ENOUGH, &space, &err));
    good(hsd_paged_open(&types, 4 * MOST, ENOUGH, &space, &err));
    good(hsd_paged_open(&shapes, 8 * MOST, ENOUGH, &space, &err));
    good(hsd_paged_open(&referrers, HSD_NODE_BYTES * MOST, ENOUGH, &space, &err));
    good(hsd_paged_open(&sequence.positions, HSD_NODE_BYTES * MOST, ENOUGH, &space, &err));
    good(hsd_sorter_new(&sequence.places, &config, &err));
    for (hsd_node i = 0; i < object_count; i++)
        hsd_paged_set_node(&sequence.positions, i, i);
}

static void refer(hsd_node source, const hsd_node *targets, hsd_node count)
{
    for (hsd_node i = 0; i < count; i++)
        refers_to_it[targets[i]]++;
    good(hsd_adjacency_add(graph, source, targets, NULL, count, &err));
}

static uint64_t hash_of_root(void *context, hsd_node node)
{
    (void)context;
    return 1000 + node;
}

static void descend(void)
{
    const hsd_descend_config config = {.adjacency = graph,
                                       .object_count = objects,
                                       .node_count = nodes,
                                       .types = &types,
                                       .shapes = &shapes,
                                       .referrers = &referrers,
                                       .type_hash = type_hash,
                                       .hash_of_root = hash_of_root};
    const uint64_t *record;
    hsd_status status;
    for (hsd_node i = 0; i < objects; i++) {
        const hsd_node referrer = refers_to_it[i] == 0   ? HSD_REFERRER_NONE
                                  : refers_to_it[i] == 1 ? HSD_REFERRER_FIRST
                                                         : HSD_REFERRER_MANY;
        hsd_paged_set_node(&referrers, i, referrer);
    }
    good(hsd_adjacency_finish(graph, nodes, &err));
    good(hsd_descend(&config, &sequence, &err));
    good(hsd_sorter_finish(sequence.places, 0, &err));
    while ((status = hsd_sorter_next(sequence.places, &record, &err)) == HSD_OK) {
        cr_assert_eq(place_of[record[1]], 0, "object %lu has two places", (unsigned long)record[1]);
        place_of[record[1]] = record[0];
    }
    cr_assert_eq(status, HSD_END);
    hsd_adjacency_free(graph);
    hsd_paged_close(&types);
    hsd_paged_close(&shapes);
    hsd_paged_close(&referrers);
    hsd_sequence_release(&sequence);
}

TestSuite(descend, .init = setup);

/* root -> 0 -> 1 -> 2, and 0 -> 3 -> 4: types on the way tell 2 from 4, and 1 from 3 is told by its own type. */
Test(descend, follows_only_referrers)
{
    begin(5, 6);
    hsd_paged_set_u32(&types, 3, 1);
    refer(0, (const hsd_node[]){1, 3}, 2);
    refer(1, (const hsd_node[]){2}, 1);
    refer(3, (const hsd_node[]){4}, 1);
    refer(5, (const hsd_node[]){0}, 1);
    descend();
    cr_assert_eq(place_of[0], 0); /* the caller's */
    cr_assert_neq(place_of[1], 0);
    cr_assert_eq(place_of[1], place_of[3]);
    cr_assert(place_of[2] != 0 && place_of[4] != 0 && place_of[2] != place_of[4]);
    cr_assert_neq(place_of[1], place_of[2]);
}

Test(descend, leaves_out_what_several_refer_to_and_what_has_elements)
{
    begin(5, 6);
    hsd_paged_set_u64(&shapes, 1, HSD_SHAPE_HAS_ELEMENTS | 8);
    hsd_paged_set_node(&sequence.positions, 4, HSD_NO_POSITION);
    refer(0, (const hsd_node[]){1, 2}, 2);
    refer(1, (const hsd_node[]){2, 3, 4}, 3);
    refer(5, (const hsd_node[]){0}, 1);
    descend();
    cr_assert_eq(place_of[1], 0);
    cr_assert_eq(place_of[2], 0);
    cr_assert_neq(place_of[3], 0); /* below an array goes on */
    cr_assert_eq(place_of[4], 0);
}

/* root -> 0 -> … -> `depth` -> children. */
static void star(hsd_node depth, hsd_node children)
{
    hsd_node targets[TABLE];
    const hsd_node first = depth + 1;
    for (hsd_node i = 0; i < children; i++)
        targets[i] = first + i;
    begin(first + children, first + children + 1);
    for (hsd_node i = 0; i < depth; i++)
        refer(i, (const hsd_node[]){i + 1}, 1);
    refer(depth, targets, children);
    refer(first + children, (const hsd_node[]){0}, 1);
    descend();
}

Test(descend, stops_at_objects_with_many_children)
{
    star(1, WIDE - 1);
    cr_assert_neq(place_of[2], 0);
    cr_assert_eq(place_of[2], place_of[WIDE]);
    setup();
    star(1, WIDE);
    cr_assert_eq(place_of[2], 0);
}

/* What statics without a name refer to stands in one array, which the root itself refers to. */
Test(descend, goes_through_tables_of_roots)
{
    star(0, TABLE - 1);
    cr_assert_neq(place_of[1], 0);
    cr_assert_eq(place_of[1], place_of[TABLE - 1]);
    setup();
    star(0, TABLE);
    cr_assert_eq(place_of[1], 0);
}

Test(descend, ends_at_its_depth_and_in_circles)
{
    begin(40, 41);
    /* the last one leads back */
    for (hsd_node i = 0; i < 40; i++)
        refer(i, (const hsd_node[]){i < 39 ? i + 1 : 5}, 1);
    refer(40, (const hsd_node[]){0}, 1);
    refers_to_it[5] = 1;
    descend();
    for (hsd_node i = 1; i < 40; i++)
        cr_assert_eq(place_of[i] != 0, i < HSD_DESCEND_DEEPEST, "object %" HSD_PRI_NODE, i);
}
