/*
 * What top says at its edges: lists and equals among the biggest objects, very deep heaps, few objects and none, little
 * memory, a machine that fails. That the sizes are right is tested in tests/property/test_top.c.
 */
#include <criterion/criterion.h>

#include "unit/diff/single_kit.h"
#include <hsdiff/top.h>

TestSuite(top, .init = setup, .fini = teardown);

/* ---- captures ---- */

enum { STRING_NEXT = 1, STRING_VALUE, STRING_MAIN };
enum { LABEL_NEXT = 1, LABEL_VALUE };
enum { TYPE_NODE = 1, TYPE_VALUE };

static hsc_writer *begin(void)
{
    hsc_writer *w = kit_begin(HSC_IDENTITY_ADDRESS, false);
    hsc_define_string(w, STRING_NEXT, "next", 4);
    hsc_define_string(w, STRING_VALUE, "value", 5);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_type(w, TYPE_NODE, "Node", 4, 0);
    hsc_define_type(w, TYPE_VALUE, "Value", 5, 0);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_FIELD, 0, STRING_VALUE);
    return w;
}

static void put_root(hsc_writer *w, uint64_t target) { kit_put_root(w, STRING_MAIN, target); }

/* main -> Node 1 .next Node 2 .next … Node `count`, each with a Value of 8 bytes, ids from 1,000,001 on. */
static void write_list(uint64_t count)
{
    hsc_writer *w = begin();
    for (uint64_t id = 1; id <= count; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = TYPE_NODE, .size_bytes = 16});
        if (id < count) hsc_reference(w, id + 1, LABEL_NEXT, 0);
        hsc_reference(w, 1000000 + id, LABEL_VALUE, 0);
        hsc_end_object(w);
        hsc_begin_object(w, &(hsc_object){.id = 1000000 + id, .type = TYPE_VALUE, .size_bytes = 8});
        hsc_end_object(w);
    }
    if (count > 0) put_root(w, 1);
    kit_end(w);
}

/* Roots of their own for `count` Values of 8 bytes, the greatest id first. */
static void write_equals(uint64_t count)
{
    hsc_writer *w = begin();
    for (uint64_t id = count; id >= 1; id--) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = TYPE_VALUE, .size_bytes = 8});
        if (id == 1) hsc_reference(w, 1, LABEL_NEXT, 0);
        hsc_end_object(w);
        put_root(w, id);
    }
    kit_end(w);
}

static hsd_status look(hsd_top **out, const hsd_top_options *options, uint64_t memory_bytes)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1};
    hsd_capture *capture;
    *out = NULL;
    hsd_status status = hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err);
    if (status != HSD_OK) return status;
    status = hsd_top_run(out, capture, options, &run, &err);
    hsd_capture_close(capture);
    return status;
}

static hsd_top *answer(const hsd_top_options *options)
{
    hsd_top *top;
    cr_assert_eq(look(&top, options, UINT64_C(64) << 20), HSD_OK, "%s", err.text);
    return top;
}

/* ---- answers ---- */

Test(top, shows_a_list_by_its_first_two_links)
{
    write_list(1000);
    hsd_top *top = answer(&(hsd_top_options){.objects = 4});
    cr_assert_eq(top->object_count, 4);
    cr_expect_eq(top->objects[0].id, 1);
    cr_expect_eq(top->objects[0].retained_bytes, 24000);
    cr_expect_eq(top->objects[0].retained_objects, 2000);
    cr_expect_eq(top->objects[1].id, 2, "the second hangs by .next, the first by the root");
    cr_expect_eq(top->objects[1].retained_bytes, 23976);
    cr_expect_str_eq(top->objects[2].type.data, "Value");
    cr_expect_eq(top->objects[2].id, 1000002, "the least ids among equals, .next.value before .value");
    cr_expect_eq(top->objects[3].id, 1000001);
    cr_expect_eq(top->types[0].retained_bytes, 24000);
    cr_expect_str_eq(top->types[0].name.data, "Node");
    cr_expect_eq(top->types[1].retained_bytes, 8000);
    cr_expect_eq(top->root_count, 1);
    cr_expect_eq(top->roots[0].retained_bytes, 24000);
    cr_expect_eq(top->accumulation->id, 1, "the whole list, by its first link");
    hsd_top_free(top);
}

/* main -> Node 1, a wrapper, .next Node 2, which has `count` Values by .value; Node 1 has one Value of 100 bytes, too.
 */
static void write_wrapped(uint64_t count)
{
    hsc_writer *w = begin();
    hsc_define_type(w, 3, "Wrapper", 7, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 3, .size_bytes = 16});
    hsc_reference(w, 2, LABEL_NEXT, 0);
    hsc_reference(w, 3, LABEL_VALUE, 0);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 2, .type = TYPE_NODE, .size_bytes = 16});
    for (uint64_t i = 0; i < count; i++)
        hsc_reference(w, 1000 + i, LABEL_VALUE, 0);
    hsc_end_object(w);
    for (uint64_t i = 0; i <= count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i == 0 ? 3 : 999 + i, .type = TYPE_VALUE, .size_bytes = 100});
        hsc_end_object(w);
    }
    put_root(w, 1);
    kit_end(w);
}

Test(top, finds_where_much_comes_together_and_no_wrapper)
{
    write_wrapped(100);
    hsd_top *top = answer(&(hsd_top_options){.objects = 1});
    cr_assert_eq(top->object_count, 1);
    cr_expect_eq(top->objects[0].id, 1);
    cr_expect_eq(top->accumulation->id, 2, "with its path, though it is not among the biggest that were asked for");
    cr_expect_eq(top->accumulation->path_count, 2);
    cr_expect_eq(top->accumulation->retained_bytes, 10016);
    hsd_top_free(top);
    write_wrapped(2); /* two that have half of it each: each of them is a place, and there is nothing below */
    top = answer(&(hsd_top_options){.objects = 1});
    cr_expect_str_eq(top->accumulation->type.data, "Value");
    hsd_top_free(top);
}

Test(top, takes_the_least_ids_among_equals)
{
    write_equals(5000);
    hsd_top *top = answer(&(hsd_top_options){.objects = 10});
    cr_assert_eq(top->object_count, 10);
    for (size_t i = 0; i < 10; i++)
        cr_expect_eq(top->objects[i].id, i + 1);
    hsd_top_free(top);
    top = answer(&(hsd_top_options){.objects = SIZE_MAX});
    cr_expect_eq(top->object_count, 5000);
    hsd_top_free(top);
    top = answer(NULL);
    cr_expect_eq(top->object_count, 0);
    cr_expect_null(top->accumulation);
    cr_expect_eq(top->type_count, 1);
    hsd_top_free(top);
}

Test(top, counts_what_an_object_owns_outside_the_heap)
{
    hsc_writer *w = begin();
    hsc_define_type(w, 3, "Part", 4, HSC_TYPE_PART);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = TYPE_NODE, .size_bytes = 16});
    hsc_reference(w, 2, LABEL_VALUE, 0);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 2, .type = TYPE_VALUE, .size_bytes = 64, .native_bytes = 10000});
    hsc_reference(w, 3, LABEL_VALUE, 0);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 3, .type = 3, .size_bytes = 8, .native_bytes = 500});
    hsc_end_object(w);
    put_root(w, 1);
    kit_end(w);
    hsd_top *top = answer(&(hsd_top_options){.objects = 2});
    cr_expect_eq(top->types[1].live.bytes, 64 + 10000 + 8 + 500, "and what its parts own");
    cr_expect_eq(top->objects[0].retained_bytes, 16 + 64 + 10000 + 8 + 500);
    hsd_top_free(top);
}

typedef struct sums {
    uint64_t count, last_id, retained_bytes, roots;
} sums;

static hsd_status add_up(void *context, const hsd_retained *object, hsd_error *e)
{
    sums *s = context;
    (void)e;
    cr_assert(s->count == 0 || object->id > s->last_id);
    s->count++;
    s->last_id = object->id;
    s->retained_bytes += object->retained_bytes;
    s->roots += !object->has_dominator;
    return HSD_OK;
}

Test(top, lists_every_object_of_a_heap_deeper_than_its_memory)
{
    const uint64_t n = 300000;
    sums s = {0};
    hsd_top *top;
    write_list(n);
    cr_assert_eq(look(&top, &(hsd_top_options){.objects = 3, .each = add_up, .each_context = &s}, UINT64_C(24) << 20),
                 HSD_OK, "%s", err.text);
    cr_assert(top->has_retained, "%s", top->why_no_retained.data);
    cr_expect_eq(s.count, 2 * n);
    cr_expect_eq(s.roots, 1);
    cr_expect_eq(s.retained_bytes, 24 * n * (n + 1) / 2 + 8 * n);
    cr_expect_eq(top->objects[0].retained_objects, 2 * n);
    hsd_top_free(top);
}

Test(top, of_an_empty_heap_is_empty)
{
    write_list(0);
    hsd_top *top = answer(&(hsd_top_options){.objects = 3});
    cr_expect_eq(top->type_count + top->root_count + top->object_count, 0);
    cr_expect_not(top->has_retained);
    hsd_top_free(top);
    hsd_top_free(NULL);
}

Test(top, claims_no_retained_size_of_a_part_of_a_capture)
{
    hsd_capture *capture;
    hsd_top *top;
    write_list(100000);
    kit_damage_the_middle();
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_gt(hsd_capture_get_info(capture)->damaged_blocks, 0);
    cr_assert_gt(hsd_capture_get_info(capture)->roots, 0);
    cr_assert_eq(hsd_top_run(&top, capture, &(hsd_top_options){.objects = 3}, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    cr_expect_not(top->has_retained);
    cr_expect_str_eq(top->why_no_retained.data, "the capture is incomplete: what was lost may hold what is left");
    cr_expect_eq(top->object_count, 0);
    cr_expect_eq(top->types[0].retained_bytes, 0);
    cr_expect_gt(top->side.live.objects, 1000);
    hsd_top_free(top);
}

/* ---- a machine that fails ---- */

static hsd_status look_once(const void *nothing, bool *is_there)
{
    sums s = {0};
    hsd_top *top;
    const hsd_status status =
        look(&top, &(hsd_top_options){.objects = 3, .each = add_up, .each_context = &s}, UINT64_C(64) << 20);
    (void)nothing;
    *is_there = top != NULL;
    hsd_top_free(top);
    return status;
}

Test(top, fails_cleanly_wherever_memory_runs_out)
{
    write_list(5);
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, look_once, NULL);
}

Test(top, fails_cleanly_wherever_reading_or_writing_fails)
{
    write_list(5);
    kit_fail_each_file_call(look_once, NULL);
}

/* ---- references that lead nowhere ---- */

static void write_missing(const char *runtime, uint64_t missing)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.runtime = runtime;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_type(w, TYPE_NODE, "Node", 4, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = TYPE_NODE, .size_bytes = 16});
    for (uint64_t i = 0; i < missing; i++)
        hsc_reference(w, 1000 + i, 0, 0);
    hsc_end_object(w);
    put_root(w, 1);
    kit_end(w);
}

/* Dumps of HotSpot leave out strings of the JDK that an array of its archive refers to. */
Test(top, warns_of_references_to_what_is_not_there_but_for_those_of_hotspots_archive)
{
    static const struct {
        const char *runtime;
        uint64_t missing;
        bool warns;
    } rows[] = {{"HotSpot 17.0.15", 926, false}, {"HotSpot 17.0.15", 5000, true}, {"go1.26", 926, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hsd_top *top;
        write_missing(rows[i].runtime, rows[i].missing);
        cr_assert_eq(look(&top, NULL, 0), HSD_OK, "%s", err.text);
        cr_expect_eq(top->warning_count > 0, rows[i].warns, "row %zu", i);
        hsd_top_free(top);
    }
}
