/*
 * Objects at one address that are two: of which company says so, and of which it does not.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff/compare.h"
#include "diff/replaced.h"
#include "walk/keep.h"
#include <hsdiff/diff.h>

#include "support/fault.h"

enum { THING = 1, PART_OF_THING = 2, ELSE = 3, TYPES };

static char paths[2][40];
static hsd_diff *diff;
static hsd_error err;
static hsc_writer *w;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-replaced-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
}

static void teardown(void)
{
    hsd_diff_free(diff);
    diff = NULL;
    hsd_fault_reset();
    for (int side = 0; side < 2; side++)
        remove(paths[side]);
}

TestSuite(replaced, .init = setup, .fini = teardown);

/* ---- captures: objects 1 and 2 are parents that two roots hold; 100 is what it is about ---- */

static void begin(int side)
{
    hsc_options options;
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_ADDRESS;
    for (int i = 0; i < 16; i++)
        options.domain[i] = (uint8_t)(i + 1);
    remove(paths[side]);
    cr_assert_eq(hsc_open_file(&w, paths[side], &options), HSC_OK);
    hsc_define_type(w, THING, "Thing", 5, 0);
    hsc_define_type(w, PART_OF_THING, "Inside", 6, HSC_TYPE_PART);
    hsc_define_type(w, ELSE, "Else", 4, 0);
    hsc_define_string(w, 1, "one", 3);
    hsc_define_string(w, 2, "two", 3);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, 0, 2);
}

static void put(uint64_t id, uint32_t type, uint64_t bytes, const uint64_t *targets)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes});
    for (; *targets != 0; targets++)
        hsc_reference(w, *targets, 0, 0);
    hsc_end_object(w);
}

#define TO(...)                                                                                                        \
    (const uint64_t[]) { __VA_ARGS__, 0 }

static void end(void)
{
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1, .label = 1});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 2, .label = 2});
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

/* The object, in the parent, of that size, with one child. */
static void write_simple(int side, uint64_t parent, uint64_t bytes, uint64_t child)
{
    begin(side);
    put(1, ELSE, 16, parent == 1 ? TO(100) : TO(0));
    put(2, ELSE, 16, parent == 2 ? TO(100) : TO(0));
    put(100, THING, bytes, TO(child));
    if (child != 0) put(child, ELSE, 8, TO(0));
    end();
}

static const hsd_type_row *compare(bool is_reversed)
{
    hsd_capture *captures[2];
    hsd_diff_free(diff);
    for (int side = 0; side < 2; side++)
        cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
    cr_assert_eq(hsd_diff_run(&diff, captures[is_reversed], captures[!is_reversed], NULL, NULL, &err), HSD_OK, "%s",
                 err.text);
    for (int side = 0; side < 2; side++)
        hsd_capture_close(captures[side]);
    for (size_t i = 0; i < diff->type_count; i++)
        if (strcmp(diff->types[i].name.data, "Thing") == 0) return &diff->types[i];
    cr_assert_fail("no such type");
    return NULL;
}

/* Both ways round. */
static void expect_replaced(uint64_t replaced)
{
    for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
        const hsd_type_row *row = compare(is_reversed);
        cr_expect_eq(row->live.new_.objects, replaced, "%d: %u new", is_reversed, (unsigned)row->live.new_.objects);
        cr_expect_eq(row->live.freed.objects, replaced, "%d: %u freed", is_reversed, (unsigned)row->live.freed.objects);
        cr_expect_eq(diff->match.reused, replaced);
    }
}

/* ---- what company says ---- */

Test(replaced, with_other_parent_size_and_children_it_is_another_one)
{
    write_simple(0, 1, 64, 200);
    write_simple(1, 2, 80, 300);
    expect_replaced(1);
}

Test(replaced, with_other_parent_and_size_a_leaf_is_another_one)
{
    write_simple(0, 1, 64, 0);
    write_simple(1, 2, 80, 0);
    expect_replaced(1);
}

Test(replaced, what_grew_where_it_hangs_is_one)
{
    write_simple(0, 1, 64, 200);
    write_simple(1, 1, 80, 300);
    expect_replaced(0);
}

Test(replaced, what_moved_with_what_it_holds_is_one)
{
    write_simple(0, 1, 64, 200);
    write_simple(1, 2, 80, 200);
    expect_replaced(0);
}

Test(replaced, of_one_size_below_another_root_with_other_children_it_is_another_one)
{
    write_simple(0, 1, 64, 200);
    write_simple(1, 2, 64, 300);
    expect_replaced(1);
}

Test(replaced, of_one_size_without_children_it_is_one)
{
    write_simple(0, 1, 64, 0);
    write_simple(1, 2, 64, 0);
    expect_replaced(0);
    write_simple(1, 2, 64, 300);
    expect_replaced(0);
}

/* ---- more of it ---- */

/* What three and more refer to is nobody's own. */
static void write_shared(int side, uint64_t parent, unsigned sharers)
{
    begin(side);
    put(1, ELSE, 16, parent == 1 ? TO(100, 10, 11) : TO(10, 11));
    put(2, ELSE, 16, parent == 2 ? TO(100) : TO(0));
    put(100, THING, 64 + (uint64_t)side * 16, TO(200));
    put(200, ELSE, 8, TO(0));
    put(10, ELSE, 8, sharers > 1 ? TO(200) : TO(0));
    put(11, ELSE, 8, sharers > 2 ? TO(200) : TO(0));
    end();
}

Test(replaced, a_child_that_many_share_says_nothing)
{
    write_shared(0, 1, 2);
    write_shared(1, 2, 2);
    expect_replaced(0);
    write_shared(0, 1, 3);
    write_shared(1, 2, 3);
    expect_replaced(1);
}

/* A parent that is a part lies elsewhere once its owner grows. */
static void write_in_part(int side)
{
    const uint64_t part = 50 + (uint64_t)side;
    begin(side);
    put(1, ELSE, 16, TO(part));
    put(2, ELSE, 16, TO(0));
    put(part, PART_OF_THING, 32, TO(100));
    put(100, THING, 64 + (uint64_t)side * 16, TO(0));
    end();
}

Test(replaced, in_a_part_of_what_stayed_it_is_one)
{
    write_in_part(0);
    write_in_part(1);
    expect_replaced(0);
}

/* ---- names ---- */

/* Of a reference to `target`: 0 = without a name, else the number of "one", "two", "three". */
typedef struct named {
    uint64_t target;
    uint32_t label;
} named;

enum { ONE = 11, TWO, THREE, ELEMENT };

static void define_fields(void)
{
    hsc_define_string(w, 3, "three", 5);
    for (uint32_t i = 0; i < 3; i++)
        hsc_define_label(w, ONE + i, HSC_LABEL_FIELD, 0, 1 + i);
    hsc_define_label(w, ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
}

static void put_named(uint64_t id, uint32_t type, uint64_t bytes, const named *targets)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes});
    for (; targets->target != 0; targets++)
        hsc_reference(w, targets->target, targets->label, 0);
    hsc_end_object(w);
}

#define BY(...)                                                                                                        \
    (const named[])                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__, { 0, 0 }                                                                                          \
    }

/* 100 below its parent by `inner`, with the child 200 by `outer`. */
static void write_named(int side, uint64_t parent, uint64_t bytes, uint32_t inner, uint64_t child, uint32_t outer)
{
    begin(side);
    define_fields();
    put_named(1, ELSE, 16, parent == 1 ? BY({100, inner}) : BY({0, 0}));
    put_named(2, ELSE, 16, parent == 2 ? BY({100, inner}) : BY({0, 0}));
    put_named(100, THING, bytes, BY({child, outer}));
    if (child != 0) put(child, ELSE, 8, TO(0));
    end();
}

/* A page and its parts went, and an answer and its body have their addresses. */
Test(replaced, what_is_around_under_another_name_is_no_company)
{
    write_named(0, 1, 64, ONE, 200, TWO);
    write_named(1, 2, 80, ONE, 200, THREE);
    expect_replaced(1);
    write_named(1, 2, 80, ONE, 200, TWO);
    expect_replaced(0);
    write_named(1, 1, 80, THREE, 300, TWO);
    expect_replaced(1);
}

/* Which key it is may be told in one capture alone. */
Test(replaced, a_reference_without_a_name_may_be_any)
{
    write_named(0, 1, 64, ONE, 200, TWO);
    write_named(1, 2, 80, ONE, 200, ELEMENT);
    expect_replaced(0);
    write_named(1, 2, 80, ONE, 200, 0);
    expect_replaced(0);
    write_named(1, 1, 80, ELEMENT, 300, TWO);
    expect_replaced(0);
}

/* An array that was freed, and in its place a table. */
Test(replaced, of_one_size_with_nothing_alike_it_is_another_one)
{
    write_named(0, 1, 64, ONE, 0, 0);
    write_named(1, 2, 64, TWO, 200, THREE);
    expect_replaced(1);
}

Test(replaced, of_one_size_held_or_holding_alike_it_is_one)
{
    write_named(0, 1, 64, ONE, 0, 0);
    write_named(1, 2, 64, ONE, 200, THREE);
    expect_replaced(0);
    write_named(1, 2, 64, TWO, 0, 0);
    expect_replaced(0);
}

/* 100 stays below 1; beside it so many others that stay. */
static void write_stayed(int side, uint32_t inner, uint64_t child, uint32_t outer, uint64_t others)
{
    begin(side);
    define_fields();
    put_named(1, ELSE, 16, BY({100, inner}));
    put(2, ELSE, 16, TO(0));
    put_named(100, THING, 64, BY({child, outer}));
    put(child, ELSE, 8, TO(0));
    for (uint64_t i = 0; i < others; i++)
        put(1000 + i, ELSE, 8, TO(0));
    for (uint64_t i = 0; i < others; i++)
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1000 + i, .label = 2});
    end();
}

Test(replaced, what_kept_size_and_root_is_another_one_only_with_nothing_alike)
{
    write_stayed(0, ONE, 200, ONE, 0);
    write_stayed(1, TWO, 300, TWO, 0);
    expect_replaced(1);
    write_stayed(1, ONE, 300, TWO, 0);
    expect_replaced(0);
    write_stayed(1, TWO, 300, ONE, 0);
    expect_replaced(0);
    write_stayed(1, TWO, 200, ONE, 0);
    expect_replaced(0);
}

/* 100 stays below 1, by another name on each side, and refers to these. */
static void write_speaking(int side, const named *targets)
{
    begin(side);
    define_fields();
    put_named(1, ELSE, 16, BY({100, side == 0 ? ONE : TWO}));
    put(2, ELSE, 16, TO(0));
    put_named(100, THING, 64, targets);
    for (const named *one = targets; one->target != 0; one++)
        put(one->target, ELSE, 8, TO(0));
    end();
}

Test(replaced, any_name_that_both_have_is_alike_and_so_are_two_that_refer_to_nothing)
{
    write_speaking(0, BY({200, ONE}, {201, THREE})); /* in the order of names one, three, two */
    write_speaking(1, BY({300, THREE}, {301, TWO}));
    expect_replaced(0);
    write_speaking(1, BY({300, TWO}));
    expect_replaced(1);
    write_speaking(1, BY({300, TWO}, {301, ELEMENT}));
    expect_replaced(0);
    write_speaking(1, BY({0, 0}));
    expect_replaced(1);
    write_speaking(0, BY({0, 0}));
    expect_replaced(0);
}

Test(replaced, of_many_that_kept_size_and_root_none_is_looked_at)
{
    write_stayed(0, ONE, 200, ONE, HSD_REPLACED_SUSPECTS);
    write_stayed(1, TWO, 300, TWO, HSD_REPLACED_SUSPECTS);
    expect_replaced(0);
    write_stayed(0, ONE, 200, ONE, HSD_REPLACED_SUSPECTS - 3);
    write_stayed(1, TWO, 300, TWO, HSD_REPLACED_SUSPECTS - 3);
    expect_replaced(1);
}

/* 200 is nobody's own. */
static void write_sharing(int side, uint64_t parent, uint32_t inner, uint32_t outer)
{
    begin(side);
    define_fields();
    put_named(1, ELSE, 16,
              parent == 1 ? BY({100, inner}, {10, ONE}, {11, ONE}, {12, ONE}) : BY({10, ONE}, {11, ONE}, {12, ONE}));
    put_named(2, ELSE, 16, parent == 2 ? BY({100, inner}) : BY({0, 0}));
    put_named(100, THING, 64, BY({200, outer}));
    put(200, ELSE, 8, TO(0));
    for (uint64_t i = 10; i < 13; i++)
        put_named(i, ELSE, 8, BY({200, ONE}));
    end();
}

Test(replaced, names_of_what_many_share_tell_sorts_apart)
{
    write_sharing(0, 1, ONE, TWO);
    write_sharing(1, 2, THREE, THREE);
    expect_replaced(1);
    write_sharing(1, 2, THREE, TWO);
    expect_replaced(0);
    write_sharing(1, 2, THREE, ELEMENT);
    expect_replaced(0);
}

/* ---- tables ---- */

/* A table of so many, each of which the table alone refers to; `first` is the first of them. */
static void write_table(int side, uint64_t parent, uint64_t count, uint64_t first)
{
    begin(side);
    put(1, ELSE, 16, parent == 1 ? TO(100) : TO(0));
    put(2, ELSE, 16, parent == 2 ? TO(100) : TO(0));
    hsc_begin_object(w, &(hsc_object){.id = 100, .type = THING, .size_bytes = 16 * count});
    for (uint64_t i = 0; i < count; i++)
        hsc_reference(w, first + i, 0, 0);
    hsc_end_object(w);
    for (uint64_t i = 0; i < count; i++)
        put(first + i, ELSE, 8, TO(0));
    end();
}

Test(replaced, a_large_table_and_a_small_one_in_its_place_are_two)
{
    write_table(0, 1, 5000, 100000);
    write_table(1, 2, 3, 200000);
    expect_replaced(1);
}

Test(replaced, a_table_that_keeps_one_of_many_is_one)
{
    write_table(0, 1, 5000, 100000);
    write_table(1, 2, 5100, 104999);
    expect_replaced(0);
}

Test(replaced, past_what_is_looked_at_a_table_is_one)
{
    write_table(0, 1, HSD_REPLACED_AROUND + 1, 100000);
    write_table(1, 2, 3, 900000);
    expect_replaced(0);
    write_table(0, 1, HSD_REPLACED_AROUND, 100000);
    expect_replaced(1);
}

/* Things in parents of their own, every other one of which moved on. */
enum { MANY = 5000 };

static void write_many(int side)
{
    begin(side);
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t thing = 100000 + i, parent = 200000 + 2 * i + (i % 2 == 1 && side == 1);
        put(thing, THING, 64 + (uint64_t)side * 16, TO(0));
        put(parent, ELSE, 16, TO(thing));
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = parent, .label = 1});
    }
    put(1, ELSE, 16, TO(0));
    put(2, ELSE, 16, TO(0));
    end();
}

Test(replaced, many_are_told_one_by_one)
{
    write_many(0);
    write_many(1);
    const hsd_type_row *row = compare(false);
    cr_assert_eq(row->live.freed.objects, MANY / 2);
    cr_assert_eq(row->live.new_.objects, MANY / 2);
    cr_assert_eq(diff->total.new_.objects, MANY);
}

static hsd_status run_once(hsd_capture *const captures[2])
{
    const hsd_status status = hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err);
    if (status == HSD_OK) hsd_diff_free(diff);
    diff = NULL;
    return status;
}

Test(replaced, survives_any_allocation_that_fails)
{
    hsd_capture *captures[2];
    write_simple(0, 1, 64, 200);
    write_simple(1, 2, 80, 300);
    for (int side = 0; side < 2; side++)
        cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
    hsd_fault_reset();
    cr_assert_eq(run_once(captures), HSD_OK);
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    for (uint64_t at = 1; at <= calls; at++) {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = run_once(captures);
        hsd_fault_reset();
        cr_assert(status == HSD_E_NOMEM || status == HSD_OK, "call %lu: %d", (unsigned long)at, (int)status);
    }
    for (int side = 0; side < 2; side++)
        hsd_capture_close(captures[side]);
}

/* ---- who works on the graph meanwhile ---- */

static hsd_status see(void *context, const hsd_seen *seen, hsd_error *error)
{
    (void)context, (void)seen, (void)error;
    return HSD_OK;
}

static hsd_status search(void *context, hsd_error *error)
{
    (void)error;
    *(bool *)context = true;
    return HSD_OK;
}

/* Pairs are merged behind the look around suspects. */
static hsd_status expect_both_searched(void *context, hsd_node before, hsd_node after, hsd_error *error)
{
    const bool *is_searched = context;
    (void)before, (void)after, (void)error;
    cr_expect(is_searched[0] && is_searched[1], "a graph was read that is its keeper's");
    return HSD_OK;
}

Test(replaced, a_keeper_that_works_on_the_graphs_is_waited_for)
{
    bool is_searched[2] = {false, false};
    const hsd_keep keep = {.sides = {{&is_searched[0], see, NULL, search}, {&is_searched[1], see, NULL, search}},
                           .pair = expect_both_searched,
                           .pair_context = is_searched};
    hsd_capture *captures[2];
    hsd_comparison comparison;
    hsd_reporter reporter;
    hsd_diff_options options = HSD_OPTIONS_INIT(hsd_diff_options);
    write_simple(0, 1, 64, 200);
    write_simple(1, 2, 80, 300);
    for (int side = 0; side < 2; side++)
        cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    hsd_reporter_init(&reporter, NULL);
    cr_assert_eq(hsd_diff_run_kept(&diff, &comparison, &keep, captures[0], captures[1], &options, NULL, &reporter,
                                   &err),
                 HSD_OK, "%s", err.text);
    cr_expect_eq(diff->match.reused, 1);
    cr_expect(is_searched[0] && is_searched[1]);
    hsd_compare_release(&comparison);
    hsd_reporter_release(&reporter);
    for (int side = 0; side < 2; side++)
        hsd_capture_close(captures[side]);
}
