/*
 * What is held by several together: by which, and what each reaches. On heaps that are made for one question each;
 * shares of roots on any heap are held against an oracle in tests/property.
 */
#include "base/node.h"
#include "unit/diff/holders_kit.h"

TestSuite(together, .init = setup, .fini = teardown);

/* Of three maps in one object each item is in two: the first half in the first and second, the rest in the first and
 * third. */
static void write_together(bool is_after, uint64_t items, bool is_of_roots)
{
    static const char *const names[] = {"ids", "names", "ages"};
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    if (!is_of_roots) put(w, 1, NODE, 40, (const uint64_t[]){2, BY_ID, 3, BY_NAME, 4, BY_AGE, 0});
    for (uint64_t map = 0; map < 3; map++) {
        put(w, 2 + map, MAP, 48, (const uint64_t[]){12 + map, INSIDE, 0});
        good(hsc_begin_object(w, &(hsc_object){.id = 12 + map, .type = TABLE, .size_bytes = 64}));
        for (uint64_t i = 0; i < items; i++) {
            if (map == 0 || (map == 1) == (i < items / 2)) good(hsc_reference(w, 100 + i, ELEMENT, i));
        }
        good(hsc_end_object(w));
        define(w, 30 + (uint32_t)map, names[map]);
        if (is_of_roots) put_root(w, 30 + (uint32_t)map, 2 + map);
    }
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    if (!is_of_roots) put_root(w, ROOT_STRING, 1);
    finish(w);
}

static void check_co_holder(const hsd_co_holder *by, const char *root, const char *edge, uint64_t items)
{
    cr_assert(is_text(by->root, root), "%s", by->root.data);
    cr_assert(is_text(by->type, "Map"));
    cr_assert_eq(by->path_count, edge[0] != 0 ? 2 : 1);
    if (edge[0] != 0) cr_assert(is_text(by->path[1].edge, edge), "%s", by->path[1].edge.data);
    cr_assert_eq(by->bytes, items * 100, "%s: %llu", edge, (unsigned long long)by->bytes);
    cr_assert_eq(by->growth_bytes, 0);
}

Test(together, are_named_with_what_each_reaches)
{
    write_together(false, 0, false);
    write_together(true, 40, false);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->type, "Node"));
    cr_assert_eq(holder->new_.objects, 40);
    cr_assert_eq(holder->by_bytes, 4000);
    cr_assert_eq(holder->by_count, 3);
    check_co_holder(&holder->by[0], "cache", ".byId", 40);
    check_co_holder(&holder->by[1], "cache", ".byAge", 20);
    check_co_holder(&holder->by[2], "cache", ".byName", 20);
    cr_assert_eq(holder->edge_count, 1);
    cr_assert(is_text(holder->edges[0].edge, "") && is_text(holder->edges[0].type, "Item"),
              "a skipped reference is no element");
    hsd_diff_free(diff);
}

Test(together, of_no_one_object_are_named_by_roots)
{
    write_together(false, 0, true);
    write_together(true, 40, true);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->type, "") && is_text(holder->root, "(roots)"));
    cr_assert_eq(holder->by_count, 3);
    check_co_holder(&holder->by[0], "ids", "", 40);
    check_co_holder(&holder->by[1], "ages", "", 20);
    check_co_holder(&holder->by[2], "names", "", 20);
    hsd_diff_free(diff);
}

/* New items know each other in a ring. One map has them all; five others each have a new node that leads into the ring.
 */
static void write_ring(bool is_after, uint64_t items)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint64_t map = 2; map <= 7; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = 0; i < items && map == 2; i++)
            good(hsc_reference(w, 100 + i, ELEMENT, i));
        if (map == 2) good(hsc_reference(w, 8, FIELD, 0));
        if (items > 0 && map > 2) good(hsc_reference(w, 10 + map, FIELD, 0));
        good(hsc_end_object(w));
        if (items > 0 && map > 2) put(w, 10 + map, NODE, 32, (const uint64_t[]){98 + map, FIELD, 0});
    }
    put(w, 8, NODE, 32, NULL);
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, (const uint64_t[]){100 + (i + 1) % items, FIELD, 0});
    for (uint32_t root = 0; root < 6; root++) {
        char name[] = "users0";
        name[5] = (char)('0' + root);
        define(w, 30 + root, root == 0 ? "modules" : name);
        put_root(w, 30 + root, 2 + root);
    }
    finish(w);
}

/* Whoever can be reached from anywhere is held by what has it, and not by no one. */
Test(together, by_many_is_told_of_the_one_that_refers_to_all)
{
    write_ring(false, 0);
    write_ring(true, 40);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert_eq(holder->new_.objects, 40);
    cr_assert_eq(holder->by_bytes, 4000);
    cr_assert_eq(holder->by_count, 1);
    cr_assert(is_text(holder->by[0].root, "modules"), "%s", holder->by[0].root.data);
    cr_assert(holder->is_reached_elsewhere);
    hsd_diff_free(diff);
}

/* New items that only a pseudo object refers to, which a map below the root "ids" and one of the root "names" share.
 * The first map and another beside it share items, too: so the object that has both is a holder whose ways part before
 * those of all roots are looked at. */
static void write_behind_pseudo(bool is_after, uint64_t items)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    const uint64_t pseudo = is_after ? 40 : 0;
    put(w, 1, NODE, 40, (const uint64_t[]){2, BY_ID, 3, BY_NAME, 0});
    for (uint64_t map = 2; map <= 4; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = 0; i < items && map < 4; i++)
            good(hsc_reference(w, 100 + i, ELEMENT, i));
        if (map != 3 && is_after) good(hsc_reference(w, pseudo, FIELD, 0));
        good(hsc_end_object(w));
    }
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    if (is_after) {
        good(hsc_begin_object(w, &(hsc_object){.id = pseudo, .type = NODE, .flags = HSC_OBJECT_PSEUDO}));
        for (uint64_t i = 0; i < 2 * items; i++)
            good(hsc_reference(w, 1000 + i, ELEMENT, i));
        good(hsc_end_object(w));
    }
    for (uint64_t i = 0; i < 2 * items; i++)
        put(w, 1000 + i, ITEM, 100, NULL);
    define(w, 30, "ids");
    define(w, 31, "names");
    put_root(w, 30, 1);
    put_root(w, 31, 4);
    finish(w);
}

Test(together, reach_what_is_behind_a_pseudo_object_from_each_side)
{
    write_behind_pseudo(false, 0);
    write_behind_pseudo(true, 20);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 2);
    const hsd_holder *all = &diff->holders[0], *one = &diff->holders[1];
    cr_assert(is_text(all->root, "(roots)") && is_text(one->type, "Node"));
    cr_assert_eq(all->by_bytes, 4000);
    cr_assert_eq(all->by_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(all->by[i].bytes, 4000, "%s", all->by[i].root.data);
    cr_assert_eq(one->by_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(one->by[i].bytes, 2000);
    hsd_diff_free(diff);
}

static void put_named_root(hsc_writer *w, uint32_t name, const char *text, uint64_t target, bool is_secondary)
{
    define(w, name, text);
    good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC,
                                        .label = name,
                                        .target = target,
                                        .flags = is_secondary ? HSC_ROOT_SECONDARY : 0}));
}

/* New items in maps of the roots "handles" and "console" and, behind a pseudo object, by a name that is a root of its
 * own. "console" is secondary. Either "handles" is, too, and both have the pseudo object; or "handles" and "cache" are
 * primary and have it. */
static void write_named_root(bool is_after, uint64_t items, bool is_primary)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    define(w, 20, "shown");
    good(hsc_define_label(w, 20, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, 20));
    for (uint64_t map = 2; map <= 4; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = 0; i < items && map < 4; i++)
            good(hsc_reference(w, 100 + i, ELEMENT, i));
        if (map == 2 || map == (is_primary ? 4 : 3)) good(hsc_reference(w, 40, FIELD, 0));
        good(hsc_end_object(w));
    }
    good(hsc_begin_object(w, &(hsc_object){.id = 40, .type = NODE, .flags = HSC_OBJECT_PSEUDO}));
    good(hsc_reference(w, 41, 20, 0));
    good(hsc_end_object(w));
    good(hsc_begin_object(w, &(hsc_object){.id = 41, .type = MAP, .size_bytes = 48}));
    for (uint64_t i = 0; i < items; i++)
        good(hsc_reference(w, 100 + i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    put_named_root(w, 30, "handles", 2, !is_primary);
    put_named_root(w, 31, "console", 3, true);
    put_root(w, ROOT_STRING, 4);
    finish(w);
}

Test(together, of_a_secondary_round_are_all_alike)
{
    write_named_root(false, 0, false);
    write_named_root(true, 20, false);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert(is_text(diff->holders[0].root, "(roots)"));
    cr_assert_eq(diff->holders[0].by_count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(diff->holders[0].by[i].bytes, 2000);
    hsd_diff_free(diff);
}

Test(together, of_the_first_round_leave_none_to_the_second)
{
    write_named_root(false, 0, true);
    write_named_root(true, 20, true);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->root, "(roots)"));
    cr_assert_eq(holder->by_count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(holder->by[i].bytes, 2000);
        cr_assert(is_text(holder->by[i].root, "handles") || is_text(holder->by[i].root, "Node.shown"), "%s",
                  holder->by[i].root.data);
    }
    hsd_diff_free(diff);
}

/* One root has several classes, two of which have a map by a name that is a root of its own; both maps have the same
 * items. What the root has no name for, a class, does not hold them: the maps do. Another root is secondary. */
static void write_classes(bool is_after, uint64_t items)
{
    static const char *const names[] = {"stored", "unsent"};
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    define(w, 31, "classes");
    for (uint32_t i = 0; i < 2; i++) {
        define(w, 20 + i, names[i]);
        good(hsc_define_label(w, 20 + i, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, 20 + i));
        put(w, 2 + i, NODE, 40, (const uint64_t[]){12 + i, 20 + i, 5, FIELD, 0});
        good(hsc_begin_object(w, &(hsc_object){.id = 12 + i, .type = MAP, .size_bytes = 48}));
        for (uint64_t k = 0; k < items; k++)
            good(hsc_reference(w, 100 + k, ELEMENT, k));
        good(hsc_end_object(w));
        put_root(w, 31, 2 + i);
    }
    put(w, 5, NODE, 40, NULL);
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    put_root(w, 31, 5);
    put_named_root(w, 32, "console", 5, true);
    finish(w);
}

Test(together, in_a_second_round_too_are_named_and_not_what_has_no_name)
{
    write_classes(false, 0);
    write_classes(true, 40);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert_eq(holder->new_.objects, 40);
    cr_assert_eq(holder->by_count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(holder->by[i].bytes, 4000);
        cr_assert(is_text(holder->by[i].root, i == 0 ? "Node.stored" : "Node.unsent"), "%s", holder->by[i].root.data);
    }
    hsd_diff_free(diff);
}

/* Who has the ends of the tree: an object, which a variable leads to or which is an item of a table, or the variable.
 * Then each node has an item of a list of which another variable has the ends. */
typedef enum tree_place { IN_OBJECT, IN_ITEM, IN_VARIABLE } tree_place;

static void write_items(hsc_writer *w, uint32_t nodes)
{
    for (uint32_t node = 0; node < nodes; node++) {
        good(hsc_begin_object(w, &(hsc_object){.id = 1000 + node, .type = ITEM, .size_bytes = 500}));
        if (node > 0) good(hsc_reference(w, 999 + node, FIELD, 0));
        if (node + 1 < nodes) good(hsc_reference(w, 1001 + node, FIELD, 0));
        good(hsc_end_object(w));
    }
    define(w, 30, "ids");
    put_root(w, 30, 1000);
    put_root(w, 30, 999 + nodes);
    put_root(w, ROOT_STRING, 175);
    put_root(w, ROOT_STRING, 99 + nodes);
}

/* A tree whose nodes refer to their parents. An object has the first node and the last, so it dominates all nodes
 * between them. */
static void write_tree_in(tree_place place, bool is_after, uint32_t nodes, uint64_t last)
{
    enum { MOST = 400, WIDTH = 4 };
    static uint32_t above[MOST], children[MOST][WIDTH], count[MOST];
    memset(count, 0, sizeof count);
    for (uint32_t node = 1; node < nodes; node++) {
        uint32_t at = 0;
        for (uint32_t rest = node * UINT32_C(0x9e3779b1); count[at] == WIDTH; rest = rest >> 2 | rest << 30)
            at = children[at][rest & 3];
        children[at][count[at]++] = node;
        above[node] = at;
    }
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    if (place == IN_ITEM) put(w, 2, TABLE, 40, (const uint64_t[]){1, ELEMENT, 0});
    if (place != IN_VARIABLE) put(w, 1, NODE, 40, (const uint64_t[]){100, BY_ID, 99 + nodes, last, 0});
    for (uint32_t node = 0; node < nodes; node++) {
        good(hsc_begin_object(w, &(hsc_object){.id = 100 + node, .type = ITEM, .size_bytes = 100}));
        if (node > 0) good(hsc_reference(w, 100 + above[node], FIELD, 0));
        for (uint32_t i = 0; i < count[node]; i++)
            good(hsc_reference(w, 100 + children[node][i], ELEMENT, i));
        if (place == IN_VARIABLE) good(hsc_reference(w, 1000 + node, VALUE, 0));
        good(hsc_end_object(w));
    }
    if (place != IN_VARIABLE) put_root(w, ROOT_STRING, place == IN_ITEM ? 2 : 1);
    if (place == IN_VARIABLE) write_items(w, nodes);
    finish(w);
}

static void write_tree(bool is_after, uint32_t nodes, uint64_t last)
{
    write_tree_in(IN_OBJECT, is_after, nodes, last);
}

Test(together, lead_into_a_tree_from_both_ends)
{
    write_tree(false, 150, BY_NAME);
    write_tree(true, 300, BY_NAME);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->type, "Node"), "%s", holder->type.data);
    cr_assert_eq(holder->new_.objects, 149, "the last one hangs from the object alone");
    cr_assert_eq(holder->by_count, 2);
    cr_assert_eq(holder->by[0].path_count, 2);
    cr_assert(is_text(holder->by[0].path[1].edge, ".byId") && is_text(holder->by[1].path[1].edge, ".byName"), "%s",
              holder->by[0].path[1].edge.data);
    hsd_diff_free(diff);
}

/* The first and the last node behind one name, as in an intrusive list whose head is a member: the name says both. */
Test(together, by_both_ends_of_one_member_is_said_once)
{
    write_tree(false, 150, BY_ID);
    write_tree(true, 300, BY_ID);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->type, "Node"), "%s", holder->type.data);
    cr_assert_eq(holder->by_count, 1);
    cr_assert(is_text(holder->by[0].path[1].edge, ".byId"), "%s", holder->by[0].path[1].edge.data);
    hsd_diff_free(diff);
}

/* So of a map in an item of another one: all that is told hangs from the same item. */
Test(together, by_both_ends_of_one_member_of_an_item_is_said_once)
{
    write_tree_in(IN_ITEM, false, 150, BY_ID);
    write_tree_in(IN_ITEM, true, 300, BY_ID);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->type, "Node"), "%s", holder->type.data);
    cr_assert_eq(holder->by_count, 1);
    cr_assert(is_text(holder->by[0].path[holder->by[0].path_count - 1].edge, ".byId"));
    hsd_diff_free(diff);
}

/* A variable that has more than one node of a tree, and such a node behind it, are one to whoever reads it. */
Test(together, by_a_variable_and_what_it_leads_to_is_said_once)
{
    write_tree_in(IN_VARIABLE, false, 150, BY_ID);
    write_tree_in(IN_VARIABLE, true, 300, BY_ID);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert_eq(holder->by_count, 2);
    cr_assert_eq(holder->by[0].path_count + holder->by[1].path_count, 0);
    hsd_diff_free(diff);
}

static void write_frame_word(hsc_writer *w, uint32_t name, uint64_t target)
{
    good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                        .label = name,
                                        .target = target,
                                        .thread = 1,
                                        .frame = 1,
                                        .flags = HSC_ROOT_SECONDARY}));
}

/* Three words of a frame lead to a map: of no variable, of one, and of another one. */
static void write_frame(bool is_after, uint64_t items)
{
    static const char *const names[] = {"stack of shop: main", "stack of shop: main.shop.orders",
                                        "stack of shop: main.last"};
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    good(hsc_begin_object(w, &(hsc_object){.id = 1, .type = MAP, .size_bytes = 48}));
    for (uint64_t i = 0; i < items; i++)
        good(hsc_reference(w, 100 + i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    define(w, 40, "shop");
    good(hsc_define_thread(w, 1, 40));
    good(hsc_frame(w, 1, 0, 40, 0, 0));
    for (uint32_t i = 0; i < 3; i++) {
        define(w, 30 + i, names[i]);
        write_frame_word(w, 30 + i, 1);
    }
    finish(w);
}

/* A copy that the compiler put aside, and a second variable, do not hold together with the first. */
Test(together, words_of_one_frame_are_one)
{
    write_frame(false, 2);
    write_frame(true, 40);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert_eq(holder->new_.objects, 38);
    cr_assert_eq(holder->by_count, 0);
    cr_assert(is_text(holder->root, "stack of shop: main.shop.orders"), "%s", holder->root.data);
    hsd_diff_free(diff);
}

/* Two maps, roots by name, hold the same items; each has a node of its own for every item, too. A loader reaches both,
 * and more that is new. */
static void write_indexes(bool is_after, uint64_t items)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    put(w, 1, NODE, 40, (const uint64_t[]){2, BY_ID, 3, BY_NAME, 0});
    put(w, 9, NODE, 40, (const uint64_t[]){2, BY_ID, 3, BY_NAME, 0});
    for (uint64_t map = 2; map <= 3; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = 0; i < items; i++)
            good(hsc_reference(w, map * 1000 + i, ELEMENT, i));
        good(hsc_end_object(w));
        for (uint64_t i = 0; i < items; i++)
            put(w, map * 1000 + i, NODE, 32, (const uint64_t[]){100 + i, FIELD, 0});
    }
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, ITEM, 100, NULL);
    define(w, 30, "loader");
    define(w, 31, "thread");
    put_root(w, 30, 1);
    put_root(w, 31, 9);
    finish(w);
}

Test(together, are_the_nearest_with_what_each_holds_alone)
{
    write_indexes(false, 0);
    write_indexes(true, 40);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 1);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert_eq(holder->growth_bytes, 40 * (100 + 2 * 32));
    cr_assert_eq(holder->new_.objects, 120);
    cr_assert_eq(holder->by_bytes, 4000);
    cr_assert_eq(holder->by_count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert(is_text(holder->by[i].type, "Map"), "%s", holder->by[i].type.data);
        cr_assert_eq(holder->by[i].bytes, 4000);
        cr_assert_eq(holder->by[i].growth_bytes, 40 * 32);
    }
    cr_assert_eq(holder->type_count, 2);
    hsd_diff_free(diff);
}

/* Items come and go: what hung together before counts against what does now. */
static void write_churn(bool is_after)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    const uint64_t first = is_after ? 200 : 100;
    for (uint64_t map = 2; map <= 3; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = 0; i < 40; i++)
            good(hsc_reference(w, first + i, ELEMENT, i));
        good(hsc_end_object(w));
    }
    for (uint64_t i = 0; i < 40; i++)
        put(w, first + i, ITEM, 100, NULL);
    define(w, 30, "ids");
    define(w, 31, "names");
    put_root(w, 30, 2);
    put_root(w, 31, 3);
    finish(w);
}

Test(together, is_no_growth_where_as_much_went)
{
    write_churn(false);
    write_churn(true);
    hsd_diff *diff = compare(NULL, NULL);
    for (size_t i = 0; i < diff->holder_count; i++) {
        cr_assert_eq(diff->holders[i].by_count, 0);
        cr_assert_eq(diff->holders[i].growth_bytes, 0);
    }
    hsd_diff_free(diff);
}

/* All that a map holds was exchanged. What is left in a register, a list of one, leads to half of what came and to none
 * of what went. */
static void write_exchange(bool is_after)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    const uint64_t first = is_after ? 200 : 100;
    put(w, 1, NODE, 16, (const uint64_t[]){is_after ? first : 0, FIELD, 0});
    good(hsc_begin_object(w, &(hsc_object){.id = 2, .type = MAP, .size_bytes = 48}));
    for (uint64_t i = 0; i < 40; i++)
        good(hsc_reference(w, first + i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < 40; i++)
        put(w, first + i, ITEM, 100, (const uint64_t[]){is_after && i % 40 < 20 ? first + i + 1 : 0, FIELD, 0});
    define(w, 30, "alive");
    define(w, 31, "left over");
    put_root(w, 30, 2);
    put_root(w, 31, 1);
    finish(w);
}

Test(together, is_no_growth_where_one_alone_lost_as_much)
{
    write_exchange(false);
    write_exchange(true);
    hsd_diff *diff = compare(NULL, NULL);
    for (size_t i = 0; i < diff->holder_count; i++)
        cr_assert_eq(diff->holders[i].growth_bytes, 0, "%s: %lld", diff->holders[i].root.data,
                     (long long)diff->holders[i].growth_bytes);
    hsd_diff_free(diff);
}

/* A list with both ends known, and references either way: `old` nodes and `fresh` behind them. Both ends reach all of
 * it. */
static void write_queue(bool is_after, uint64_t nodes)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint64_t i = 0; i < nodes; i++) {
        const uint64_t next = i + 1 < nodes ? 100 + i + 1 : i > 0 ? 100 + i - 1 : 0;
        put(w, 100 + i, ITEM, 100, (const uint64_t[]){next, BY_ID, i > 0 ? 100 + i - 1 : 0, BY_NAME, 0});
    }
    define(w, 30, "head");
    define(w, 31, "tail");
    put_root(w, 30, 100);
    put_root(w, 31, 100 + nodes - 1);
    finish(w);
}

Test(together, reach_what_is_new_from_end_to_end)
{
    write_queue(false, 10);
    write_queue(true, 1000);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *holder = &diff->holders[0];
    cr_assert(is_text(holder->root, "(roots)"));
    cr_assert_eq(holder->new_.objects, 990);
    cr_assert_eq(holder->by_count, 2);
    cr_assert(is_text(holder->by[0].root, "head") && is_text(holder->by[1].root, "tail"));
    cr_assert_eq(holder->by[0].bytes, 99000);
    cr_assert_eq(holder->by[1].bytes, 99000);
    hsd_diff_free(diff);
}

/* New items in a map that share what is new, too: nothing but the map holds them. */
static void write_shared(bool is_after, uint64_t items)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    good(hsc_begin_object(w, &(hsc_object){.id = 1, .type = MAP, .size_bytes = 8}));
    for (uint64_t i = 0; i < items; i++)
        good(hsc_reference(w, 100 + i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < items; i++)
        put(w, 100 + i, NODE, 16, (const uint64_t[]){1000 + i / 2, FIELD, 0});
    for (uint64_t i = 0; i < items; i += 2)
        put(w, 1000 + i / 2, ITEM, 1000, NULL);
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(together, of_items_that_share_are_alone)
{
    write_shared(false, 2);
    write_shared(true, 42);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holders[0].id, 1);
    cr_assert_eq(diff->holders[0].new_.objects, 60);
    cr_assert_eq(diff->holders[0].by_count, 0);
    hsd_diff_free(diff);
}

/* ---- whatever memory there is ---- */

#define MANY UINT64_C(150000)

/* Kept nodes in a map below one root and in another below a second one; each has an item of its own, new ones from
 * `old` on, half of which the node after it has, too. So there are as many places as nodes. */
static void write_many_places(bool is_after, uint64_t old)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint64_t map = 1; map <= 2; map++) {
        good(hsc_begin_object(w, &(hsc_object){.id = map, .type = MAP, .size_bytes = 48}));
        for (uint64_t i = map - 1; i < MANY; i += 2)
            good(hsc_reference(w, 100 + i, ELEMENT, i));
        good(hsc_end_object(w));
    }
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t own = is_after || i < old ? MANY + 100 + i / 2 * 2 : 0;
        put(w, 100 + i, NODE, 24, (const uint64_t[]){own, BY_ID, 0});
    }
    for (uint64_t i = 0; i < MANY && (is_after || i < old); i += 2)
        put(w, MANY + 100 + i, ITEM, 100, NULL);
    define(w, 30, "even");
    define(w, 31, "odd");
    put_root(w, 30, 1);
    put_root(w, 31, 2);
    finish(w);
}

typedef struct ways { /* how what holds together was found */
    uint32_t in_memory, in_order, in_order_later;
} ways;

static void see_way(void *context, hsd_note_level level, const char *text)
{
    ways *seen = context;
    (void)level;
    if (strstr(text, "what holds together: ") == NULL || strstr(text, " places ") == NULL) return;
    seen->in_memory += strstr(text, "fit in memory") != NULL;
    seen->in_order += strstr(text, "as numbers of nodes are") != NULL;
    seen->in_order_later += strstr(text, "from now on") != NULL;
}

static void check_same_holders(const hsd_diff *diff, const hsd_diff *wanted)
{
    cr_assert_eq(diff->holder_count, wanted->holder_count);
    for (size_t i = 0; i < wanted->holder_count; i++) {
        const hsd_holder *x = &diff->holders[i], *y = &wanted->holders[i];
        cr_assert_eq(x->growth_bytes, y->growth_bytes);
        cr_assert_eq(x->by_bytes, y->by_bytes);
        cr_assert_eq(x->by_count, y->by_count);
        for (size_t j = 0; j < y->by_count; j++) {
            cr_assert(is_text(x->by[j].root, y->by[j].root.data));
            cr_assert_eq(x->by[j].bytes, y->by[j].bytes);
            cr_assert_eq(x->by[j].growth_bytes, y->by[j].growth_bytes);
        }
    }
}

Test(together, are_the_same_whatever_fits_in_memory, .timeout = 300)
{
    static const uint64_t mib[] = {24, 32, 9 * HSD_NODE_BYTES, 10 * HSD_NODE_BYTES, 16 * HSD_NODE_BYTES};
    ways seen = {0, 0, 0};
    write_many_places(false, 1000);
    write_many_places(true, 1000);
    hsd_diff *wanted = compare(NULL, NULL);
    cr_assert_eq(wanted->holders[0].by_count, 2);
    for (size_t i = 0; i < sizeof mib / sizeof mib[0]; i++) {
        const hsd_run run = {.memory_bytes = mib[i] << 20, .threads = 1, .note = see_way, .note_context = &seen};
        hsd_diff *diff = compare(NULL, &run);
        check_same_holders(diff, wanted);
        hsd_diff_free(diff);
    }
    hsd_diff_free(wanted);
    cr_assert(seen.in_memory > 0 && seen.in_order > 0 && seen.in_order_later > 0, "%u in memory, %u in order, %u later",
              seen.in_memory, seen.in_order, seen.in_order_later);
}

/* Every other one: those of the beginning are tried in test_holders.c. */
Test(together, fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_together(false, 0, true);
    write_together(true, 40, true);
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 2, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM), 100);
}
