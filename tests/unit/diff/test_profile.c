/*
 * Profiles at their edges: captures that hold nothing or not everything, few places and little memory, type totals, a
 * machine that fails. That the sums are right is tested in tests/property/test_profile.c, baselines that are wrong in
 * test_profile_read.c.
 */
#include <criterion/criterion.h>

#include "unit/diff/single_kit.h"
#include "unit/diff/test_profile_kit.h"

TestSuite(profile, .init = setup, .fini = teardown);

enum { STRING_NEXT = 1, STRING_VALUE, STRING_MAIN, STRING_TABLE };
enum { LABEL_NEXT = 1, LABEL_VALUE, LABEL_TABLE };
enum { TYPE_NODE = 1, TYPE_VALUE, TYPE_HELPER };

static hsc_writer *begin(void)
{
    hsc_writer *w = kit_begin(HSC_IDENTITY_ADDRESS, false);
    hsc_define_string(w, STRING_NEXT, "next", 4);
    hsc_define_string(w, STRING_VALUE, "value", 5);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_string(w, STRING_TABLE, "table", 5);
    hsc_define_type(w, TYPE_NODE, "Node", 4, 0);
    hsc_define_type(w, TYPE_VALUE, "Value", 5, 0);
    hsc_define_type(w, TYPE_HELPER, "Helper", 6, HSC_TYPE_INTERNAL);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_FIELD, 0, STRING_VALUE);
    hsc_define_label(w, LABEL_TABLE, HSC_LABEL_FIELD, HSC_LABEL_FOLD, STRING_TABLE);
    return w;
}

static void put(hsc_writer *w, uint64_t id, uint32_t type, uint64_t bytes, uint64_t target, uint32_t label)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes});
    if (target != 0) hsc_reference(w, target, label, 0);
    hsc_end_object(w);
}

/* main -> Node 1 .next Node 2 … Node `count`, of 16 bytes; and an object that nobody reaches. */
static void write_list(uint64_t count)
{
    hsc_writer *w = begin();
    for (uint64_t id = 1; id <= count; id++)
        put(w, id, TYPE_NODE, 16, id < count ? id + 1 : 0, LABEL_NEXT);
    put(w, count + 1, TYPE_VALUE, 8, 0, 0);
    kit_put_root(w, STRING_MAIN, 1);
    hsc_metric(w, "heap.used", "bytes", 1);
    hsc_metric(w, "cpu", "ns", 7);
    hsc_metric(w, "heap.used", "KiB", 2);
    kit_end(w);
}

static hsd_status make(hsd_profile **out, const hsd_profile_options *options, uint64_t memory_bytes, hsd_damage damage)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1};
    hsd_capture *capture;
    *out = NULL;
    const hsd_status opened = hsd_capture_open(&capture, path, damage, &run, &err);
    if (opened != HSD_OK) return opened;
    const hsd_status status = hsd_profile_make(out, capture, options, &run, &err);
    hsd_capture_close(capture);
    return status;
}

static hsd_profile *answer(const hsd_profile_options *options)
{
    hsd_profile *profile;
    cr_assert_eq(make(&profile, options, UINT64_C(64) << 20, HSD_DAMAGE_REFUSE), HSD_OK, "%s", err.text);
    return profile;
}

/* ---- what is there ---- */

Test(profile, of_a_list_has_one_place_for_all_its_links)
{
    write_list(1000);
    hsd_profile *p = answer(NULL);
    cr_assert_eq(p->place_count, 4);
    cr_expect_str_eq(p->places[1].type.data, "main");
    cr_expect(p->places[1].is_root && p->places[1].can_hold);
    cr_expect_str_eq(p->places[2].edge.data, "");
    cr_expect_eq(p->places[2].own.objects, 1, "the first hangs by the root");
    cr_expect_str_eq(p->places[3].edge.data, ".next");
    cr_expect_eq(p->places[3].own.objects, 999);
    cr_expect_eq(p->places[0].all.bytes, 16000);
    cr_expect_eq(p->types[0].retained_bytes, 16000);
    cr_expect_eq(p->types[1].unreached.bytes, 8);
    cr_expect_eq(p->side.unreached.objects, 1);
    cr_expect_eq(p->roots[0].retained_bytes, 16000);
    cr_expect_eq(p->place_least_bytes, 0);
    hsd_profile_free(p);
}

Test(profile, has_the_last_of_each_metric_by_name)
{
    write_list(2);
    hsd_profile *p = answer(NULL);
    cr_assert_eq(p->metric_count, 2);
    cr_expect_str_eq(p->metrics[0].name.data, "cpu");
    cr_expect_str_eq(p->metrics[1].name.data, "heap.used");
    cr_expect_str_eq(p->metrics[1].unit.data, "KiB");
    cr_expect_eq(p->metrics[1].value, 2);
    hsd_profile_free(p);
}

Test(profile, tells_insides_of_containers_from_what_can_hold)
{
    hsc_writer *w = begin();
    put(w, 1, TYPE_NODE, 16, 2, LABEL_TABLE);
    put(w, 2, TYPE_NODE, 16, 3, LABEL_VALUE);
    put(w, 3, TYPE_HELPER, 16, 4, LABEL_VALUE);
    put(w, 4, TYPE_VALUE, 8, 0, 0);
    kit_put_root(w, STRING_MAIN, 1);
    kit_end(w);
    hsd_profile *p = answer(NULL);
    cr_assert_eq(p->place_count, 6);
    static const bool can_hold[] = {true, true, true, false, false, true},
                      is_fold[] = {false, false, false, true, false, false};
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(p->places[i].can_hold, can_hold[i], "place %d", i);
        cr_expect_eq(p->places[i].is_fold, is_fold[i], "place %d", i);
    }
    hsd_profile_free(p);
}

Test(profile, of_an_empty_heap_is_empty)
{
    kit_list list = {0};
    kit_end(begin());
    hsd_profile *p = answer(&(hsd_profile_options){.each = kit_take, .each_context = &list});
    cr_expect_eq(p->type_count + p->root_count + p->place_count + p->metric_count + list.count, 0);
    cr_expect_not(p->has_places || p->has_roots || p->is_summary || p->is_baseline);
    cr_expect_str_eq(p->why_no_places.data, "the capture carries no references");
    hsd_profile_free(p);
}

Test(profile, without_roots_counts_everything_as_live)
{
    kit_list list = {0};
    hsc_writer *w = begin();
    put(w, 2, TYPE_NODE, 16, 1, LABEL_NEXT);
    put(w, 1, TYPE_NODE, 16, 0, 0);
    kit_end(w);
    hsd_profile *p = answer(&(hsd_profile_options){.each = kit_take, .each_context = &list});
    cr_expect_not(p->has_places || p->has_roots);
    cr_expect_str_eq(p->why_no_places.data, "the capture carries no roots");
    cr_expect_eq(p->side.live.objects, 2);
    cr_expect_eq(p->types[0].retained_bytes, 0);
    cr_expect_eq(p->root_count, 0);
    cr_expect_gt(p->warning_count, 0);
    cr_assert_eq(list.count, 2);
    cr_expect_eq(list.rows[0].id, 1);
    free(list.rows);
    hsd_profile_free(p);
}

Test(profile, stops_at_owners_when_it_is_told)
{
    write_list(10);
    hsd_profile *p = answer(&(hsd_profile_options){.no_places = true});
    cr_expect_not(p->has_places);
    cr_expect_str_eq(p->why_no_places.data, "they were not asked for");
    cr_expect(p->has_roots);
    cr_expect_eq(p->roots[0].live.bytes, 160);
    cr_expect_eq(p->roots[0].retained_bytes + p->types[0].retained_bytes, 0);
    hsd_profile_free(p);
}

Test(profile, of_a_part_of_a_capture_has_no_places)
{
    hsc_writer *w = begin();
    for (uint64_t id = 1; id <= 200000; id++)
        put(w, id, TYPE_NODE, 16, id + 1, LABEL_NEXT);
    kit_put_root(w, STRING_MAIN, 1);
    kit_end(w);
    kit_damage_the_middle();
    hsd_profile *p;
    cr_assert_eq(make(&p, NULL, UINT64_C(64) << 20, HSD_DAMAGE_REFUSE), HSD_E_CORRUPT);
    cr_assert_null(p);
    cr_assert_eq(make(&p, &(hsd_profile_options){.partial = true}, UINT64_C(64) << 20, HSD_DAMAGE_SKIP), HSD_OK, "%s",
                 err.text);
    cr_expect_not(p->has_places);
    cr_expect_str_eq(p->why_no_places.data, "the capture is incomplete: what was lost may hold what is left");
    cr_expect_lt(p->side.live.objects + p->side.unreached.objects, 200000);
    cr_expect_gt(p->warning_count, 0);
    hsd_profile_free(p);
}

/* ---- little memory ---- */

/* A place for each of `count` types below one object. */
static void write_wide(uint32_t count)
{
    hsc_writer *w = begin();
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        hsc_define_type(w, 10 + i, name, (size_t)snprintf(name, sizeof name, "Type%u", i), 0);
    }
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = TYPE_NODE, .size_bytes = 16});
    for (uint32_t i = 0; i < count; i++)
        hsc_reference(w, 2 + i, LABEL_VALUE, 0);
    hsc_end_object(w);
    for (uint32_t i = 0; i < count; i++)
        put(w, 2 + i, 10 + i, 8 + i, 0, 0);
    kit_put_root(w, STRING_MAIN, 1);
    kit_end(w);
}

static uint64_t told_memory(const hsd_profile *p)
{
    const char *number = strstr(p->why_no_places.data, "too few for so many, ");
    cr_assert_not_null(number, "%s", p->why_no_places.data);
    return strtoull(number + strlen("too few for so many, "), NULL, 10) << 20;
}

Test(profile, leaves_places_out_that_memory_cannot_hold_and_says_what_suffices)
{
    const hsd_profile_options options = {.places = SIZE_MAX};
    hsd_profile *p;
    write_wide(60000);
    cr_assert_eq(make(&p, &options, UINT64_C(32) << 20, HSD_DAMAGE_REFUSE), HSD_OK, "%s", err.text);
    cr_assert_not(p->has_places);
    cr_expect_eq(p->types[0].retained_bytes + p->place_count, 0);
    const uint64_t told = told_memory(p);
    hsd_profile_free(p);
    cr_assert_eq(make(&p, &options, told, HSD_DAMAGE_REFUSE), HSD_OK, "%s", err.text);
    cr_assert(p->has_places, "%s", p->why_no_places.data);
    cr_expect_eq(p->place_count, 60003);
    hsd_profile_free(p);
    p = answer(NULL);
    cr_assert(p->has_places);
    cr_expect_eq(p->place_count, HSD_PLACES_USUAL);
    cr_expect_eq(p->place_least_bytes, 8 + 60000 - (HSD_PLACES_USUAL - 3));
    hsd_profile_free(p);
}

Test(profile, of_a_heap_deeper_than_its_memory)
{
    kit_list list = {0};
    hsd_profile *p;
    write_list(300000);
    cr_assert_eq(make(&p, &(hsd_profile_options){.each = kit_take, .each_context = &list}, UINT64_C(24) << 20,
                      HSD_DAMAGE_REFUSE),
                 HSD_OK, "%s", err.text);
    cr_assert(p->has_places, "%s", p->why_no_places.data);
    cr_expect_eq(p->place_count, 4);
    cr_assert_eq(list.count, 300000);
    for (size_t i = 0; i < list.count; i++)
        cr_assert_eq(list.rows[i].id, i + 1);
    free(list.rows);
    hsd_profile_free(p);
}

/* ---- type totals ---- */

static void write_totals(void)
{
    hsc_writer *w = begin();
    hsc_count(w, TYPE_VALUE, 3, 24);
    hsc_count(w, TYPE_NODE, 2, 32);
    hsc_count(w, TYPE_HELPER, 0, 0);
    hsc_metric(w, "heap.used", "bytes", 99);
    kit_end(w);
}

Test(profile, of_totals_alone_has_types_and_metrics)
{
    write_totals();
    hsd_profile *p = answer(NULL);
    cr_expect(p->is_summary);
    cr_expect_not(p->has_roots || p->has_places);
    cr_expect_str_eq(p->why_no_places.data, "totals by type alone tell of no places");
    cr_assert_eq(p->type_count, 2);
    cr_expect_str_eq(p->types[0].name.data, "Node");
    cr_expect_eq(p->types[1].live.objects, 3);
    cr_expect_eq(p->side.live.bytes, 56);
    cr_assert_eq(p->metric_count, 1);
    cr_expect_eq(p->metrics[0].value, 99);
    hsd_profile_free(p);
    cr_assert_eq(make(&p, &(hsd_profile_options){.each = kit_take}, 0, HSD_DAMAGE_REFUSE), HSD_E_UNSUPPORTED);
    cr_assert_null(p);
    cr_expect_str_eq(err.file, path);
    cr_expect_gt(strlen(err.hint), 0);
}

Test(profile, takes_the_totals_of_a_whole_capture_when_it_is_told)
{
    write_list(10);
    hsd_profile *p = answer(&(hsd_profile_options){.summary_only = true});
    cr_expect(p->is_summary);
    cr_expect_eq(p->side.live.objects, 11, "what is unreached counts, too");
    cr_expect_eq(p->side.unreached.objects, 0);
    hsd_profile_free(p);
    kit_damage_the_middle();
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    cr_assert_eq(ftruncate(fileno(file), ftell(file) - 40), 0);
    fclose(file);
    cr_assert_eq(make(&p, &(hsd_profile_options){.summary_only = true}, 0, HSD_DAMAGE_SKIP), HSD_E_TRUNCATED, "%s",
                 err.text);
    cr_expect_str_eq(err.file, path);
}

/* ---- failures ---- */

static hsd_status refuse(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                         hsd_error *e)
{
    (void)context, (void)bytes;
    cr_assert_lt(type, profile->type_count);
    return id < 3 ? HSD_OK : hsd_fail(e, HSD_E_IO, "cannot write");
}

Test(profile, ends_with_what_each_returned)
{
    hsd_profile *p;
    write_list(10);
    cr_assert_eq(make(&p, &(hsd_profile_options){.each = refuse}, 0, HSD_DAMAGE_REFUSE), HSD_E_IO);
    cr_assert_null(p);
    cr_expect_str_eq(err.text, "cannot write");
}

static hsd_status skip(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                       hsd_error *e)
{
    (void)context, (void)profile, (void)type, (void)id, (void)bytes, (void)e;
    return HSD_OK;
}

static hsd_status ask(const void *what, bool *is_there)
{
    hsd_profile *p;
    const hsd_status status = make(&p, what, UINT64_C(20) << 20, HSD_DAMAGE_REFUSE);
    *is_there = p != NULL;
    hsd_profile_free(p);
    return status;
}

Test(profile, survives_a_machine_that_fails)
{
    const hsd_profile_options options = {.each = skip};
    write_list(300);
    kit_fail_each_file_call(ask, &options);
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask, &options);
    write_totals();
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask, &(hsd_profile_options){0});
}
