/*
 * Who holds the growth, on heaps that are made for one question each: more holders than rows, more places than rows,
 * items of a container, helpers of containers, captures that cannot tell. What is held by several is asked in
 * test_together.c; what the numbers must be on any heap is tested in tests/property.
 */
#include <criterion/criterion.h>

#include <time.h>

#include "base/node.h"
#include "holders/holders.h"
#include "unit/diff/holders_kit.h"

TestSuite(holders, .init = setup, .fini = teardown);

/* ---- more than there are rows for ---- */

/* Names of their own for so many references. */
static void define_fields(hsc_writer *w, uint64_t count)
{
    for (uint64_t i = 1; i <= count; i++) {
        char name[32];
        snprintf(name, sizeof name, "field %llu", (unsigned long long)i);
        define(w, (uint32_t)(1000 + i), name);
        good(hsc_define_label(w, (uint32_t)(1000 + i), HSC_LABEL_FIELD, 0, (uint32_t)(1000 + i)));
    }
}

/* Each of `count` old objects gets a new one of its own; the old ones hang from one object, by fields or as its
 * elements. */
static void write_many(bool is_after, uint64_t count, hsc_identity identity, bool has_fields)
{
    hsc_writer *w = begin(is_after, identity);
    if (has_fields) define_fields(w, count);
    for (uint64_t i = 1; i <= count; i++) {
        const uint64_t references[] = {is_after ? count + i : 0, FIELD, 0};
        put(w, i, NODE, 16, references);
        if (is_after) put(w, count + i, ITEM, i, NULL);
    }
    good(hsc_begin_object(w, &(hsc_object){.id = UINT64_C(1) << 40, .type = MAP, .size_bytes = 8}));
    for (uint64_t i = 1; i <= count; i++)
        good(hsc_reference(w, i, has_fields ? (uint32_t)(1000 + i) : ELEMENT, i));
    good(hsc_end_object(w));
    put_root(w, ROOT_STRING, UINT64_C(1) << 40);
    finish(w);
}

static void write_scattered(bool is_after, uint64_t count, hsc_identity identity)
{
    write_many(is_after, count, identity, true);
}
static void write_crowd(bool is_after, uint64_t count, hsc_identity identity)
{
    write_many(is_after, count, identity, false);
}

Test(holders, past_the_rows_are_one_and_nothing_is_lost)
{
    enum { COUNT = 3 * HSD_MAX_HOLDERS };
    write_scattered(false, COUNT, HSC_IDENTITY_EXACT);
    write_scattered(true, COUNT, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->holder_count, HSD_MAX_HOLDERS);
    cr_assert_eq(diff->other_holder_count, COUNT - HSD_MAX_HOLDERS);
    hsd_amount sum = diff->other_holders.new_;
    for (size_t i = 0; i < diff->holder_count; i++) {
        cr_assert_eq(diff->holders[i].growth_bytes, (int64_t)(COUNT - i), "row %zu", i);
        cr_assert_eq(diff->holders[i].id, COUNT - i);
        cr_assert_eq(diff->holders[i].type_count, 1);
        cr_assert_eq(diff->holders[i].edge_count, i < HSD_MAX_EDGED_HOLDERS ? 1 : 0, "row %zu", i);
        cr_assert_eq(diff->holders[i].path_count, 2);
        sum.objects += diff->holders[i].new_.objects;
        sum.bytes += diff->holders[i].new_.bytes;
    }
    cr_assert_eq(sum.objects, diff->total.new_.objects);
    cr_assert_eq(sum.bytes, diff->total.new_.bytes);
    hsd_diff_free(diff);
}

/* So many roots, each with one object, larger and larger. */
static void write_roots(bool is_after, uint32_t count)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        const uint64_t references[] = {i + 1, FIELD, 0};
        snprintf(name, sizeof name, "root %u", i);
        define(w, 100 + i, name);
        put(w, i + 1, NODE, 100 + i, references);
        put_root(w, 100 + i, i + 1);
    }
    finish(w);
}

Test(holders, tree_shows_the_heaviest_places_and_counts_the_others_above)
{
    enum { COUNT = HSD_MAX_TREE_ROWS };
    write_roots(false, COUNT);
    write_roots(true, COUNT);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->tree_count, HSD_MAX_TREE_ROWS - 1, "%zu rows", diff->tree_count); /* two places a root */
    cr_assert_gt(diff->tree_least_bytes, 0);
    uint64_t own = 0;
    for (size_t i = 0; i < diff->tree_count; i++) {
        own += diff->tree[i].own_after.bytes;
        cr_assert_geq(diff->tree[i].before.bytes + diff->tree[i].after.bytes, diff->tree_least_bytes);
    }
    cr_assert_eq(own, diff->total.after.bytes);
    cr_assert_eq(diff->tree[0].after.bytes, diff->total.after.bytes);
    hsd_diff_free(diff);
}

/* ---- program code ---- */

enum { CODE = TYPES, OLD_CODE = 3, NEW_CODE, NEW_FUNCTION, ITS_CODE };

/* cache -> Map(1) -> function Node(2) -> code that grows and code that is new; and a new function with new code of its
 * own. */
static void write_code(bool is_after, hsc_identity identity)
{
    hsc_writer *w = begin(is_after, identity);
    good(hsc_define_type(w, CODE, "Code", 4, HSC_TYPE_CODE | HSC_TYPE_INTERNAL));
    put(w, 1, MAP, 64, (const uint64_t[]){2, BY_ID, is_after ? NEW_FUNCTION : 0, BY_NAME, 0});
    put(w, 2, NODE, 32, (const uint64_t[]){OLD_CODE, FIELD, is_after ? NEW_CODE : 0, VALUE, 0});
    put(w, OLD_CODE, CODE, is_after ? 1020 : 1000, NULL);
    if (is_after) {
        put(w, NEW_CODE, CODE, 300, NULL);
        put(w, NEW_FUNCTION, ITEM, 40, (const uint64_t[]){ITS_CODE, FIELD, 0});
        put(w, ITS_CODE, CODE, 500, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(holders, code_counts_with_what_is_new_and_else_for_itself)
{
    write_code(false, HSC_IDENTITY_EXACT);
    write_code(true, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 2);
    cr_assert(is_text(diff->holders[0].type, "Map"));
    cr_assert_eq(diff->holders[0].growth_bytes, 540);
    cr_assert_eq(diff->holders[0].edges[0].growth_bytes, 540);
    const hsd_holder *code = &diff->holders[1];
    cr_assert(code->is_code);
    cr_assert(is_text(code->root, HSD_PROGRAM_CODE));
    cr_assert_eq(code->new_.bytes, 300);
    cr_assert_eq(code->resized_bytes, 20);
    cr_assert_eq(code->type_count, 1);
    cr_assert_eq(code->types[0].new_.bytes, 300);
    hsd_diff_free(diff);
}

Test(holders, code_of_places_counts_by_their_number)
{
    const hsd_diff_options options = {.match_by = HSD_MATCH_BY_COUNTS};
    write_code(false, HSC_IDENTITY_EXACT);
    write_code(true, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(&options, NULL);
    cr_assert_eq(diff->holder_count, 2);
    cr_assert(is_text(diff->holders[0].type, "Map"));
    cr_assert_eq(diff->holders[0].growth_bytes, 540);
    cr_assert(diff->holders[1].is_code);
    cr_assert_eq(diff->holders[1].growth_bytes, 320);
    hsd_diff_free(diff);
}

/* cache -> Map(1) -> notes of a runtime -> an array that grows, a new one, and notes that are new with an array; no
 * type but that of the notes is code. */
static void write_notes(bool is_after, hsc_identity identity, uint32_t flags)
{
    enum { OLD_NOTES = 3, OLD_ARRAY, NEW_ARRAY, NEW_NOTES, THEIR_ARRAY };
    hsc_writer *w = begin(is_after, identity);
    good(hsc_define_type(w, CODE, "Notes", 5, flags));
    put(w, 1, MAP, 64, (const uint64_t[]){OLD_NOTES, BY_ID, is_after ? NEW_NOTES : 0, BY_NAME, 0});
    put(w, OLD_NOTES, CODE, 24, (const uint64_t[]){OLD_ARRAY, FIELD, is_after ? NEW_ARRAY : 0, VALUE, 0});
    put(w, OLD_ARRAY, ITEM, is_after ? 500 : 300, NULL);
    if (is_after) {
        put(w, NEW_ARRAY, ITEM, 40, NULL);
        put(w, NEW_NOTES, CODE, 24, (const uint64_t[]){THEIR_ARRAY, FIELD, 0});
        put(w, THEIR_ARRAY, ITEM, 1000, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(holders, what_hangs_from_what_is_code_as_a_whole_is_code)
{
    const uint32_t whole = HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE;
    write_notes(false, HSC_IDENTITY_EXACT, whole);
    write_notes(true, HSC_IDENTITY_EXACT, whole);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 1);
    const hsd_holder *code = &diff->holders[0];
    cr_assert(code->is_code);
    cr_assert_eq(code->new_.bytes, 1064);
    cr_assert_eq(code->resized_bytes, 200);
    cr_assert_eq(code->growth_bytes, hsd_change_bytes(&diff->total));
    hsd_diff_free(diff);
}

Test(holders, what_hangs_from_other_code_is_held_by_what_holds_that)
{
    write_notes(false, HSC_IDENTITY_EXACT, HSC_TYPE_CODE | HSC_TYPE_INTERNAL);
    write_notes(true, HSC_IDENTITY_EXACT, HSC_TYPE_CODE | HSC_TYPE_INTERNAL);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_gt(diff->holder_count, 1);
    cr_assert(is_text(diff->holders[0].type, "Map"));
    cr_assert_eq(diff->holders[0].growth_bytes, 1040);
    hsd_diff_free(diff);
}

/* ---- containers ---- */

/* A map whose table is made anew as it grows, and each item with a node between: cache -> Map -> Table -> Node -> Item.
 */
static void write_map(bool is_after, uint64_t items, hsc_identity identity)
{
    const uint64_t table = is_after ? 3 : 2;
    hsc_writer *w = begin(is_after, identity);
    put(w, 1, MAP, 48, (const uint64_t[]){table, INSIDE, 0});
    good(hsc_begin_object(w, &(hsc_object){.id = table, .type = TABLE, .size_bytes = 16 + 8 * items}));
    for (uint64_t i = 0; i < items; i++)
        good(hsc_reference(w, 100 + 2 * i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < items; i++) {
        put(w, 100 + 2 * i, TABLE, 32, (const uint64_t[]){101 + 2 * i, VALUE, 0});
        put(w, 101 + 2 * i, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

static void check_map(const hsd_diff *diff, bool has_identity)
{
    const hsd_holder *map = &diff->holders[0];
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->holder_count, 1);
    cr_assert(is_text(map->type, "Map") && is_text(map->root, "cache"));
    cr_assert_eq(map->has_id, has_identity);
    cr_assert_eq(map->path_count, 1);
    cr_assert_eq(map->net_objects, 2 * 40);
    cr_assert_eq(map->growth_bytes, 40 * (100 + 32 + 8));
    cr_assert_eq(map->growth_bytes, hsd_change_bytes(&diff->total));
    cr_assert_eq(map->new_.objects, has_identity ? 2 * 40 + 1 : 0);
    cr_assert_eq(map->freed.objects, has_identity ? 1 : 0);
    cr_assert_eq(map->edge_count, 1);
    cr_assert(is_text(map->edges[0].edge, "[*].value") && is_text(map->edges[0].type, "Item"));
    cr_assert_eq(map->edges[0].before.objects, 10);
    cr_assert_eq(map->edges[0].after.objects, 50);
    cr_assert_eq(map->edges[0].growth_bytes, 40 * 100);
    cr_assert_eq(map->type_count, 2);
    cr_assert(is_text(map->types[0].type, "Item") && is_text(map->types[1].type, "Table"));
    cr_assert_eq(map->types[1].net_bytes, 40 * (32 + 8));
}

Test(holders, of_items_is_the_container_and_not_its_insides)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    check_map(diff, true);
    hsd_diff_free(diff);
}

static const hsd_diff_options by_counts = {.match_by = HSD_MATCH_BY_COUNTS};

Test(holders, without_identity_is_the_place_that_both_captures_have_once)
{
    write_map(false, 10, HSC_IDENTITY_MOVING);
    write_map(true, 50, HSC_IDENTITY_MOVING);
    hsd_diff *diff = compare(&by_counts, NULL);
    check_map(diff, false);
    hsd_diff_free(diff);
}

/* ---- crowds ---- */

Test(holders, of_a_crowd_is_what_has_it)
{
    write_crowd(false, 100, HSC_IDENTITY_EXACT);
    write_crowd(true, 100, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *array = &diff->holders[0];
    cr_assert_eq(diff->holder_count + diff->other_holder_count, 1);
    cr_assert(is_text(array->type, "Map") && is_text(array->root, "cache"));
    cr_assert_eq(array->new_.objects, 100);
    cr_assert_eq(array->growth_bytes, hsd_change_bytes(&diff->total));
    cr_assert_eq(array->by_count, 0);
    cr_assert_eq(array->edge_count, 2);
    cr_assert(is_text(array->edges[0].edge, "[*]") && is_text(array->edges[0].type, "Node"));
    cr_assert_eq(array->edges[0].before.objects, 100);
    cr_assert_eq(array->edges[0].after.objects, 100);
    cr_assert(is_text(array->edges[1].edge, ".field") && is_text(array->edges[1].type, "Item"));
    cr_assert_eq(array->edges[1].new_.objects, 100);
    hsd_diff_free(diff);
}

/* 20 old objects in an array, each with an array of its own, to which `most` new items come in the first and 1 in each
 * of the others. */
static void write_nested(bool is_after, uint64_t most)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    good(hsc_begin_object(w, &(hsc_object){.id = 1, .type = MAP, .size_bytes = 8}));
    for (uint64_t i = 0; i < 20; i++)
        good(hsc_reference(w, 10 + i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < 20; i++) {
        put(w, 10 + i, NODE, 16, (const uint64_t[]){100 + i, FIELD, 0});
        good(hsc_begin_object(w, &(hsc_object){.id = 100 + i, .type = MAP, .size_bytes = 8}));
        for (uint64_t k = 0; is_after && k < (i == 0 ? most : 1); k++)
            good(hsc_reference(w, 1000 * (i + 1) + k, ELEMENT, k));
        good(hsc_end_object(w));
        for (uint64_t k = 0; is_after && k < (i == 0 ? most : 1); k++)
            put(w, 1000 * (i + 1) + k, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(holders, below_a_crowd_of_a_crowd_are_held_above_both)
{
    write_nested(false, 0);
    write_nested(true, 2);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 1);
    cr_assert_eq(diff->holders[0].path_count, 1);
    cr_assert_eq(diff->holders[0].id, 1);
    cr_assert_eq(diff->holders[0].new_.objects, 21);
    hsd_diff_free(diff);
}

Test(holders, with_most_of_a_place_are_no_crowd)
{
    write_nested(false, 0);
    write_nested(true, 77); /* of 96, and 76 of 95 are not more than four fifths */
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holders[0].id, 100);
    cr_assert_eq(diff->holders[0].new_.objects, 77);
    cr_assert_eq(diff->holder_count, 20);
    hsd_diff_free(diff);
}

/* 2 old objects in an array whose references have no names, as in captures of .NET, with 30 and 20 new items. */
static void write_nameless(bool is_after)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 8, (const uint64_t[]){10, 0, 11, 0, 0});
    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t count = is_after ? 30 - 10 * i : 0;
        good(hsc_begin_object(w, &(hsc_object){.id = 10 + i, .type = NODE, .size_bytes = 16}));
        for (uint64_t k = 0; k < count; k++)
            good(hsc_reference(w, 1000 * (i + 1) + k, 0, 0));
        good(hsc_end_object(w));
        for (uint64_t k = 0; k < count; k++)
            put(w, 1000 * (i + 1) + k, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(holders, of_two_to_which_nameless_references_lead_is_what_has_these)
{
    write_nameless(false);
    write_nameless(true);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 1);
    cr_assert_eq(diff->holders[0].id, 1);
    cr_assert_eq(diff->holders[0].new_.objects, 50);
    hsd_diff_free(diff);
}

enum { TREE_NODES = 31 };

/* A tree of old nodes, each with a list of its own, to which a new item comes in all; in the list of the top `most` of
 * them. */
static void write_lists_of_tree(bool is_after, uint64_t most)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint64_t i = 1; i <= TREE_NODES; i++) {
        const uint64_t count = !is_after ? 0 : i == 1 ? most : 1, left = 2 * i <= TREE_NODES ? 2 * i : 0;
        put(w, i, NODE, 16, (const uint64_t[]){100 + i, VALUE, left, BY_ID, left + 1, BY_NAME, 0});
        good(hsc_begin_object(w, &(hsc_object){.id = 100 + i, .type = MAP, .size_bytes = 8}));
        for (uint64_t k = 0; k < count; k++)
            good(hsc_reference(w, 1000 * i + k, ELEMENT, k));
        good(hsc_end_object(w));
        for (uint64_t k = 0; k < count; k++)
            put(w, 1000 * i + k, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(holders, of_what_each_node_of_a_tree_has_is_the_top)
{
    write_lists_of_tree(false, 0);
    write_lists_of_tree(true, 1);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 1);
    cr_assert_eq(diff->holders[0].id, 1);
    cr_assert_eq(diff->holders[0].new_.objects, TREE_NODES);
    hsd_diff_free(diff);
}

Test(holders, with_most_of_what_nodes_of_a_tree_have_are_the_list_of_one)
{
    write_lists_of_tree(false, 0);
    write_lists_of_tree(true, 200);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holders[0].id, 101);
    cr_assert_eq(diff->holders[0].new_.objects, 200);
    hsd_diff_free(diff);
}

/* ---- threads ---- */

/* Three threads of a pool and one that is none, each with a map, in a field or by a name that is a root of its own. */
static void write_threads(bool is_after, uint64_t first, uint32_t label)
{
    static const char *const names[] = {"thread \"work-1\"", "thread \"work-2\"", "thread \"work-10\"",
                                        "thread \"main-1\""};
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    define(w, LABELS, "parsed");
    good(hsc_define_label(w, LABELS, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, LABELS));
    for (uint64_t t = 0; t < 4; t++) {
        const uint64_t items = !is_after ? 0 : t == 0 ? first : 10;
        put(w, 1 + t, NODE, 16, (const uint64_t[]){11 + t, label, 0});
        good(hsc_begin_object(w, &(hsc_object){.id = 11 + t, .type = MAP, .size_bytes = 8}));
        for (uint64_t i = 0; i < items; i++)
            good(hsc_reference(w, 1000 * (t + 1) + i, ELEMENT, i));
        good(hsc_end_object(w));
        for (uint64_t i = 0; i < items; i++)
            put(w, 1000 * (t + 1) + i, ITEM, 100, NULL);
        define(w, 40 + (uint32_t)t, names[t]);
        put_root(w, 40 + (uint32_t)t, 1 + t);
    }
    finish(w);
}

Test(holders, alike_in_the_threads_of_a_pool_are_one)
{
    write_threads(false, 0, FIELD);
    write_threads(true, 12, FIELD);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *pool = &diff->holders[0];
    cr_assert_eq(diff->holder_count, 2);
    cr_assert(is_text(pool->root, "thread \"work-*\""), "%s", pool->root.data);
    cr_assert_eq(pool->thread_count, 3);
    cr_assert_eq(pool->new_.objects, 32);
    cr_assert_eq(pool->id, 11, "the largest");
    cr_assert(pool->edge_count == 1 && is_text(pool->edges[0].edge, "[*]"));
    cr_assert_eq(pool->edges[0].new_.objects, 32);
    cr_assert_eq(pool->types[0].new_.objects, 32);
    cr_assert(is_text(diff->holders[1].root, "thread \"main-1\""));
    cr_assert_eq(diff->holders[1].thread_count, 0);
    hsd_diff_free(diff);
}

Test(holders, alike_by_a_name_in_the_threads_of_a_pool_are_one)
{
    write_threads(false, 0, LABELS);
    write_threads(true, 12, LABELS);
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *pool = &diff->holders[0];
    cr_assert_eq(diff->holder_count, 2);
    cr_assert(is_text(pool->root, "Node.parsed"), "%s", pool->root.data);
    cr_assert_eq(pool->thread_count, 3);
    cr_assert_eq(pool->new_.objects, 32);
    cr_assert_eq(diff->holders[1].thread_count, 0, "the name in a thread of no pool");
    cr_assert_eq(diff->holders[1].new_.objects, 10);
    hsd_diff_free(diff);
}

/* A thread for each upload that never ends: more of them than there are holders, each with what it alone holds. */
Test(holders, threads_that_came_are_one_where_they_are_alike)
{
    enum { THREADS = 2000 };
    for (int side = 0; side < 2; side++) {
        hsc_writer *w = begin(side == 1, HSC_IDENTITY_EXACT);
        put(w, 1, NODE, 16, (const uint64_t[]){2, FIELD, 0});
        put(w, 2, ITEM, 16, NULL);
        define(w, 40, "thread \"main\"");
        put_root(w, 40, 1);
        for (uint32_t t = 0; side == 1 && t < THREADS; t++) {
            char name[64];
            snprintf(name, sizeof name, "thread \"upload-%u\", Uploads.follow(Uploads.java:16)", (unsigned)t);
            put(w, 10 + t, ITEM, 100, NULL);
            define(w, 41 + t, name);
            put_root(w, 41 + t, 10 + t);
        }
        finish(w);
    }
    hsd_diff *diff = compare(NULL, NULL);
    const hsd_holder *pool = &diff->holders[0];
    cr_assert_eq(diff->holder_count, 1);
    cr_assert(is_text(pool->root, "thread \"upload-*\", Uploads.follow(Uploads.java:16)"), "%s", pool->root.data);
    cr_assert_eq(pool->thread_count, THREADS);
    cr_assert_eq(pool->new_.objects, THREADS);
    cr_assert(pool->edge_count == 1 && pool->edges[0].new_.objects == THREADS);
    hsd_diff_free(diff);
}

Test(holders, with_most_of_a_pool_keep_their_number)
{
    write_threads(false, 0, FIELD);
    write_threads(true, 100, FIELD);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count, 4);
    cr_assert(is_text(diff->holders[0].root, "thread \"work-1\""));
    cr_assert_eq(diff->holders[0].thread_count, 0);
    hsd_diff_free(diff);
}

/* ---- where no two objects stand alike ---- */

enum { MANY = 1500, FIRST_NAME = 100 };

/* A map that refers to each of many nodes by a name of its own; in after each second node has an item, and each third
 * an array that grew. */
static void write_names(bool is_after)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    uint64_t references[2 * MANY + 1] = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "name%u", i);
        define(w, FIRST_NAME + i, name);
        good(hsc_define_label(w, FIRST_NAME + i, HSC_LABEL_FIELD, 0, FIRST_NAME + i));
        references[2 * i] = 10 + i;
        references[2 * i + 1] = FIRST_NAME + i;
    }
    put(w, 1, MAP, 48, references);
    for (uint32_t i = 0; i < MANY; i++) {
        const bool has_item = is_after && i % 2 == 0;
        const uint64_t of_node[] = {10 + MANY + i, FIELD, has_item ? 10 + 2 * MANY + i : 0, VALUE, 0};
        put(w, 10 + i, NODE, 16, of_node);
        put(w, 10 + MANY + i, TABLE, is_after && i % 3 == 0 ? 64 + i : 32, NULL);
        if (has_item) put(w, 10 + 2 * MANY + i, ITEM, 100 + i, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

static void check_same_growth(const hsd_holder *a, const hsd_holder *b)
{
    cr_assert(a->net_bytes == b->net_bytes && a->resized_bytes == b->resized_bytes);
    cr_assert(a->new_.objects == b->new_.objects && a->new_.bytes == b->new_.bytes);
    cr_assert_eq(a->edge_count, b->edge_count);
    for (size_t i = 0; i < a->edge_count; i++) {
        cr_assert_eq(a->edges[i].growth_bytes, b->edges[i].growth_bytes);
        cr_assert_eq(a->edges[i].before.objects, b->edges[i].before.objects);
        cr_assert_eq(a->edges[i].after.bytes, b->edges[i].after.bytes);
    }
}

/* In little memory there is no room for all states of the walks (holders/moves.h), in much there is. */
Test(holders, are_the_same_with_room_for_few_states)
{
    uint64_t items = 0, bytes = 0;
    write_names(false);
    write_names(true);
    hsd_diff *few = compare(NULL, &(hsd_run){.memory_bytes = (uint64_t)HSD_NODE_BYTES << 22, .threads = 1});
    hsd_diff *many = compare(NULL, &(hsd_run){.memory_bytes = UINT64_C(1) << 30, .threads = 2});
    cr_assert_not_null(few, "%s", err.text);
    cr_assert(few->has_holders && few->holder_count == many->holder_count && few->tree_count == many->tree_count);
    for (size_t i = 0; i < few->holder_count; i++) {
        check_same_growth(&few->holders[i], &many->holders[i]);
        items += few->holders[i].new_.objects;
        bytes += (uint64_t)few->holders[i].resized_bytes;
    }
    for (size_t i = 0; i < few->tree_count; i++) {
        cr_assert_eq(few->tree[i].after.bytes, many->tree[i].after.bytes);
        cr_assert_eq(few->tree[i].own_new.objects, many->tree[i].own_new.objects);
    }
    cr_assert_eq(items + few->other_holders.new_.objects, MANY / 2);
    cr_assert_eq(bytes + (uint64_t)few->other_holders.resized_bytes, (MANY / 3) * 32 + MANY / 3 * (MANY - 3) / 2);
    hsd_diff_free(few);
    hsd_diff_free(many);
}

/* ---- captures that cannot tell ---- */

static void check_none(const hsd_diff_options *options, const char *why)
{
    hsd_diff *diff = compare(options, NULL);
    cr_assert_not(diff->has_holders);
    cr_assert(strstr(diff->why_no_holders.data, why) != NULL, "%s", diff->why_no_holders.data);
    cr_assert_eq(diff->holder_count + diff->tree_count + diff->other_holder_count, 0);
    for (size_t i = 0; i < diff->type_count; i++)
        cr_assert_eq(diff->types[i].retained_after, 0);
    hsd_diff_free(diff);
}

Test(holders, were_not_asked_for)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    check_none(&(hsd_diff_options){.no_holders = true}, "not asked for");
}

Test(holders, cannot_be_told_without_roots_or_references)
{
    hsc_writer *w = begin(true, HSC_IDENTITY_EXACT);
    write_map(false, 10, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 48, NULL);
    put_root(w, ROOT_STRING, 1);
    finish(w);
    check_none(NULL, "no references");
    remove(after_path);
    w = begin(true, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 48, (const uint64_t[]){1, FIELD, 0});
    finish(w);
    check_none(NULL, "no roots");
}

Test(holders, are_not_claimed_of_an_incomplete_capture)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 2000, HSC_IDENTITY_EXACT);
    FILE *file = fopen(after_path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    cr_assert_eq(ftruncate(fileno(file), ftell(file) - 200), 0);
    fclose(file);
    check_none(&(hsd_diff_options){.partial = true}, "incomplete");
}

/* ---- a machine that fails ---- */

Test(holders, fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM);
}

Test(holders, of_threads_and_crowds_fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_threads(false, 0, FIELD);
    write_threads(true, 12, FIELD);
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 2, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM), 100);
    remove(before_path);
    remove(after_path);
    write_nested(false, 0);
    write_nested(true, 2);
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 2, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM), 100);
}

/* Every other allocation: the first half of the way is that of the test before. */
Test(holders, without_identity_fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_map(false, 10, HSC_IDENTITY_MOVING);
    write_map(true, 50, HSC_IDENTITY_MOVING);
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 2, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM), 100);
}

Test(holders, fail_cleanly_wherever_reading_or_writing_fails)
{
    write_crowd(false, 2000, HSC_IDENTITY_EXACT);
    write_crowd(true, 2000, HSC_IDENTITY_EXACT);
    fail_each(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO);
    fail_each(HSD_FAULT_PREAD, EIO, HSD_E_IO);
    fail_each(HSD_FAULT_OPEN, EMFILE, HSD_E_IO);
}

/* In so little memory that it takes files; which of them fail, on a sample. */
Test(holders, without_identity_fail_cleanly_wherever_reading_or_writing_fails, .timeout = 300)
{
    const uint64_t memory_bytes = (uint64_t)HSD_NODE_BYTES << 23;
    write_crowd(false, 30000, HSC_IDENTITY_MOVING);
    write_crowd(true, 30000, HSC_IDENTITY_MOVING);
    cr_assert_gt(fail_some(memory_bytes, 27, HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO), 5);
    cr_assert_gt(fail_some(memory_bytes, 11, HSD_FAULT_PREAD, EIO, HSD_E_IO), 5);
    cr_assert_gt(fail_some(memory_bytes, 1, HSD_FAULT_OPEN, EMFILE, HSD_E_IO), 5);
}

/* ---- a user who has seen enough ---- */

/* Progress is told at most ten times a second: whoever takes that long is told of everything. */
static bool stop_at(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    nanosleep(&(struct timespec){.tv_nsec = 101000000}, NULL);
    return strcmp(stage, context) != 0;
}

Test(holders, can_be_cancelled, .timeout = 120)
{
    static const char *const stages[] = {"finding what holds the growth", "matching holders", "following the growth"};
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        const hsd_run run = {.threads = 1, .progress = stop_at, .progress_context = (void *)(uintptr_t)stages[i]};
        cr_assert_null(compare(NULL, &run), "%s", stages[i]);
        cr_assert_eq(err.status, HSD_E_CANCELLED, "%s", stages[i]);
    }
}
