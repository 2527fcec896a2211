/*
 * What paths says at its edges: no such type or id, patterns, captures that cannot tell, very deep and very wide heaps,
 * a machine that fails. That the paths are right is tested in tests/property/test_paths.c.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "paths/paths.h"
#include "unit/diff/single_kit.h"

TestSuite(paths, .init = setup, .fini = teardown);

/* ---- captures ---- */

enum { STRING_NEXT = 1, STRING_MAIN, STRING_MAP, STRING_VALUE };
/* LABEL_WAY and those behind it: way 0 … 6 */
enum { LABEL_NEXT = 1, LABEL_MAP, LABEL_VALUE, LABEL_WAY, WAYS = 7, STRING_WAY = 40 };
enum { TYPE_NODE = 1, TYPE_SESSION, TYPE_CACHE, TYPE_STORE };

static hsc_identity identity; /* of what is written */

static hsc_writer *begin(bool by_ordinal)
{
    static const char *const strings[] = {"next", "main", "map", "value"};
    static const char *const types[] = {"com.acme.Node", "com.acme.Session", "com.acme.Cache", "Store[]"};
    hsc_writer *w = kit_begin(identity, by_ordinal);
    for (uint32_t i = 0; i < 4; i++)
        hsc_define_string(w, 1 + i, strings[i], strlen(strings[i]));
    for (uint32_t i = 0; i < 4; i++) {
        hsc_define_type(w, 1 + i, types[i], strlen(types[i]), i + 1 == TYPE_STORE ? HSC_TYPE_PART : 0);
    }
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_MAP, HSC_LABEL_FIELD, 0, STRING_MAP);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_FIELD, 0, STRING_VALUE);
    for (uint32_t i = 0; i < WAYS; i++) {
        const char name[] = {'w', 'a', 'y', (char)('0' + i)};
        hsc_define_string(w, STRING_WAY + i, name, sizeof name);
        hsc_define_label(w, LABEL_WAY + i, HSC_LABEL_FIELD, 0, STRING_WAY + i);
    }
    return w;
}

static void put(hsc_writer *w, uint64_t id, uint32_t type, uint64_t size, uint64_t target, uint32_t label)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = size});
    if (label != 0) hsc_reference(w, target, label, 0);
    hsc_end_object(w);
}

static void put_root(hsc_writer *w, uint64_t target) { kit_put_root(w, STRING_MAIN, target); }

/* main -> Cache 0x10 .map Store[] 0x20 (part, 100 bytes) .value Session 0x30 .next 0x10; Session 0x40 is unreached */
static void write_small(void)
{
    hsc_writer *w = begin(false);
    put(w, 0x10, TYPE_CACHE, 16, 0x20, LABEL_MAP);
    put(w, 0x20, TYPE_STORE, 100, 0x30, LABEL_VALUE);
    put(w, 0x30, TYPE_SESSION, 24, 0x10, LABEL_NEXT);
    put(w, 0x40, TYPE_SESSION, 40, 0, 0);
    put_root(w, 0x10);
    kit_end(w);
}

static hsd_status ask(const hsd_paths_options *options, hsd_paths **out)
{
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20, .threads = 1};
    hsd_capture *capture;
    *out = NULL;
    hsd_status status = hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err);
    if (status != HSD_OK) return status;
    status = hsd_paths_run(out, capture, options, &run, &err);
    hsd_capture_close(capture);
    return status;
}

static hsd_paths *answer(const hsd_paths_options *options)
{
    hsd_paths *paths;
    cr_assert_eq(ask(options, &paths), HSD_OK, "%s", err.text);
    return paths;
}

/* main -> Cache 0x10 "shop" .map Session 0x20 .next Session 0x30 "last" .next Node 0x40 "end", all over ids or ordinals
 */
static void write_named(bool by_ordinal)
{
    static const uint32_t types[] = {TYPE_CACHE, TYPE_SESSION, TYPE_SESSION, TYPE_NODE}, names[] = {5, 0, 6, 7};
    hsc_writer *w = begin(by_ordinal);
    hsc_define_string(w, 5, "shop", 4);
    hsc_define_string(w, 6, "last", 4);
    hsc_define_string(w, 7, "end", 3);
    for (uint32_t i = 0; i < 4; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 0x10 * (i + 1), .type = types[i], .size_bytes = 8, .name = names[i]});
        if (i < 3) hsc_reference(w, by_ordinal ? i + 1 : 0x10 * (i + 2), i == 0 ? LABEL_MAP : LABEL_NEXT, 0);
        hsc_end_object(w);
    }
    put_root(w, by_ordinal ? 0 : 0x10);
    kit_end(w);
}

/* ---- answers ---- */

Test(paths, name_the_objects_on_the_way_to_one)
{
    for (int by_ordinal = 0; by_ordinal < 2; by_ordinal++) {
        write_named(by_ordinal);
        hsd_paths *p = answer(&(hsd_paths_options){.is_id = true, .id = 0x40});
        cr_assert_eq(p->row_count, 1);
        cr_assert_eq(p->rows[0].step_count, 4);
        cr_expect_str_eq(p->rows[0].steps[0].name.data, "shop");
        cr_expect_eq(p->rows[0].steps[1].name.size, 0);
        cr_expect_str_eq(p->rows[0].steps[2].name.data, "last");
        cr_expect_str_eq(p->rows[0].steps[3].name.data, "end");
        hsd_paths_free(p);
    }
}

/* The path of a type is that of many objects. */
Test(paths, name_nothing_on_the_way_to_a_type)
{
    write_named(false);
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Node"});
    cr_assert_eq(p->row_count, 1);
    for (size_t i = 0; i < p->rows[0].step_count; i++)
        cr_expect_eq(p->rows[0].steps[i].name.size, 0);
    hsd_paths_free(p);
}

Test(paths, of_a_type_count_live_objects_and_name_the_unreached)
{
    write_small();
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Session"});
    cr_assert_eq(p->live.objects, 1);
    cr_assert_eq(p->live.bytes, 24);
    cr_assert_eq(p->unreached.objects, 1);
    cr_assert_eq(p->unreached.bytes, 40);
    cr_assert_eq(p->row_count, 1);
    cr_assert_str_eq(p->rows[0].root.data, "main");
    cr_assert_eq(p->rows[0].root_kind, HSC_ROOT_STACK);
    cr_assert_eq(p->rows[0].length, 3);
    cr_assert_eq(p->rows[0].objects.bytes, 24);
    cr_assert_str_eq(p->type.data, "com.acme.Session");
    cr_assert_not(p->is_id);
    cr_assert_eq(p->side.live.objects, 2);
    cr_assert_eq(p->side.live.bytes, 140);
    hsd_paths_free(p);
}

/* A word of a frame that no variable has may be left over; it leads there in fewer steps. */
Test(paths, begin_at_a_variable_rather_than_at_a_bare_frame)
{
    static const char *const roots[] = {"stack of worker: run", "stack of worker: run.cache"};
    hsc_writer *w = begin(false);
    put(w, 0x10, TYPE_CACHE, 16, 0x20, LABEL_MAP);
    put(w, 0x20, TYPE_SESSION, 24, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        hsc_define_string(w, 5 + i, roots[i], strlen(roots[i]));
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                       .label = 5 + i,
                                       .target = i == 0 ? 0x20 : 0x10,
                                       .flags = HSC_ROOT_SECONDARY});
    }
    kit_end(w);
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Session"});
    cr_assert_eq(p->row_count, 1);
    cr_expect_str_eq(p->rows[0].root.data, roots[1]);
    cr_expect_eq(p->rows[0].step_count, 2);
    hsd_paths_free(p);
}

Test(paths, give_folded_parts_to_their_owner)
{
    write_small();
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Cache"});
    cr_assert_eq(p->live.bytes, 116);
    hsd_paths_free(p);
    cr_assert_eq(ask(&(hsd_paths_options){.type = "Store[]"}, &p), HSD_E_NOT_FOUND);
}

Test(paths, of_an_id_lead_through_each_referrer_but_not_through_the_object)
{
    write_small();
    hsd_paths *p = answer(&(hsd_paths_options){.is_id = true, .id = 0x10});
    cr_assert_eq(p->row_count, 1, "its only other referrer lives by it alone");
    cr_assert_eq(p->rows[0].step_count, 1);
    cr_assert_eq(p->rows[0].objects.objects, 1);
    cr_assert_eq(p->live.bytes, 116);
    cr_assert_eq(p->side.live.objects, 2);
    hsd_paths_free(p);
    p = answer(&(hsd_paths_options){.is_id = true, .id = 0x40});
    cr_assert_eq(p->row_count, 0);
    cr_assert_eq(p->unreached.objects, 1);
    hsd_paths_free(p);
}

Test(paths, take_patterns_for_types)
{
    write_small();
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.*e"});
    cr_assert_eq(p->live.objects, 1);
    cr_assert_eq(p->row_count, 1);
    cr_assert_str_eq(p->rows[0].steps[0].type.data, "com.acme.Cache");
    hsd_paths_free(p);
    p = answer(&(hsd_paths_options){.type = "com.acme.?*"});
    cr_assert_eq(p->live.objects, 2);
    cr_assert_eq(p->row_count, 2);
    hsd_paths_free(p);
}

/* ---- nothing of the kind ---- */

Test(paths, name_what_comes_close_to_a_type_that_is_not_there)
{
    hsd_paths *p;
    write_small();
    cr_assert_eq(ask(&(hsd_paths_options){.type = "Sesion"}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.text, "the capture holds no object of type Sesion");
    cr_assert_str_eq(err.hint, "did you mean com.acme.Session?");
    cr_assert_str_eq(err.file, path);
    cr_assert_eq(ask(&(hsd_paths_options){.type = "ACME"}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.hint, "did you mean com.acme.Cache, com.acme.Node or com.acme.Session?");
    cr_assert_eq(ask(&(hsd_paths_options){.type = "*Customer"}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.text, "the capture holds no object whose type fits *Customer");
    cr_assert_not_null(strstr(err.hint, "hsdiff top"));
    cr_assert_eq(ask(&(hsd_paths_options){.type = "com.acme.Node"}, &p), HSD_E_NOT_FOUND, "a type without objects");
    cr_assert_null(p);
}

Test(paths, name_the_ids_on_either_side_of_one_that_is_not_there)
{
    hsd_paths *p;
    write_small();
    cr_assert_eq(ask(&(hsd_paths_options){.is_id = true, .id = 0x25}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.text, "the capture holds no object with the id 0x25");
    cr_assert_str_eq(err.hint, "the nearest ids are 0x20 and 0x30");
    cr_assert_eq(ask(&(hsd_paths_options){.is_id = true, .id = 0x99}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.hint, "the nearest id is 0x40");
    cr_assert_eq(ask(&(hsd_paths_options){.type = NULL}, &p), HSD_E_MISUSE);
    identity = HSC_IDENTITY_EXACT;
    write_small();
    cr_assert_eq(ask(&(hsd_paths_options){.is_id = true, .id = 0x25}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.text, "the capture holds no object with the id @37");
    cr_assert_str_eq(err.hint, "the nearest ids are @32 and @48");
    cr_assert_eq(ask(&(hsd_paths_options){.is_id = true, .id = 0x99}, &p), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.hint, "the nearest id is @64");
}

Test(paths, cannot_be_told_without_roots_or_references)
{
    hsd_paths *p;
    hsc_writer *w = begin(false);
    put(w, 0x10, TYPE_SESSION, 16, 0x20, LABEL_NEXT);
    kit_end(w);
    cr_assert_eq(ask(&(hsd_paths_options){.type = "com.acme.Session"}, &p), HSD_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "the capture carries no roots, so nothing can be said about paths");
    w = begin(false);
    put(w, 0x10, TYPE_SESSION, 16, 0, 0);
    put_root(w, 0x10);
    kit_end(w);
    cr_assert_eq(ask(&(hsd_paths_options){.type = "com.acme.Session"}, &p), HSD_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "the capture carries no references, so nothing can be said about paths");
}

/* ---- deep, wide ---- */

Test(paths, through_a_long_list_are_one_row)
{
    enum { LONG = 50000 };
    hsc_writer *w = begin(true);
    for (uint32_t i = 0; i < LONG; i++)
        put(w, i + 1, TYPE_NODE, 16, i + 1, i + 1 < LONG ? LABEL_NEXT : 0);
    put_root(w, 0);
    kit_end(w);
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Node"});
    cr_assert_eq(p->row_count, 2, "the first node, and all behind it");
    cr_assert_eq(p->rows[1].objects.objects, LONG - 1);
    cr_assert_eq(p->rows[1].step_count, 2);
    cr_assert_eq(p->rows[1].length, 2);
    hsd_paths_free(p);
    p = answer(&(hsd_paths_options){.is_id = true, .id = LONG});
    cr_assert_eq(p->rows[0].length, LONG);
    cr_assert_eq(p->rows[0].step_count, 2);
    cr_assert_eq(p->rows[0].steps[1].repeat, LONG - 1);
    hsd_paths_free(p);
}

/* So many steps by turns: of more than are looked back at each is a path of its own. */
static void write_turns(uint32_t count, uint32_t ways)
{
    hsc_writer *w = begin(true);
    for (uint32_t i = 0; i < count; i++)
        put(w, i + 1, TYPE_NODE, 16, i + 1, i + 1 == count ? 0 : LABEL_WAY + i % ways);
    put_root(w, 0);
    kit_end(w);
}

Test(paths, through_a_tree_are_few_rows)
{
    write_turns(5000, 3);
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Node"});
    cr_assert_eq(p->row_count, 4, "the first node, and those behind each of three references");
    for (size_t i = 1; i < p->row_count; i++) {
        cr_assert_eq(p->rows[i].length, i + 1);
        cr_assert_eq(p->rows[i].step_count, i + 1);
    }
    cr_assert_eq(p->rows[1].objects.objects, 1667);
    hsd_paths_free(p);
}

Test(paths, beyond_the_most_that_are_told_apart_count_as_others)
{
    enum { MANY = HSD_MAX_PATHS + 5000 };
    write_turns(MANY, WAYS);
    hsd_paths *p = answer(&(hsd_paths_options){.type = "com.acme.Node", .most = 70});
    cr_assert_eq(p->row_count, 70);
    cr_assert_eq(p->live.objects, MANY);
    cr_assert_eq(p->others.objects, MANY - 70);
    cr_assert_eq(p->others.bytes, UINT64_C(16) * (MANY - 70));
    cr_assert_eq(p->other_rows, HSD_MAX_PATHS - 70 + 1);
    cr_assert_eq(p->rows[69].length, 70);
    cr_assert_eq(p->rows[69].step_count, HSD_MAX_PATH_STEPS);
    cr_assert_eq(p->rows[69].step_cut, 70 - HSD_MAX_PATH_STEPS);
    hsd_paths_free(p);
    p = answer(&(hsd_paths_options){.is_id = true, .id = MANY});
    cr_assert_eq(p->rows[0].step_cut, MANY - HSD_MAX_PATH_STEPS);
    hsd_paths_free(p);
}

Test(paths, beyond_the_most_places_count_as_others)
{
    enum { MANY = HSD_MAX_PATH_PLACES + 1000 };
    write_turns(MANY, WAYS);
    hsd_paths *p = answer(&(hsd_paths_options){.is_id = true, .id = MANY});
    cr_assert_eq(p->row_count, 0);
    cr_assert_eq(p->others.objects, 1);
    cr_assert_eq(p->other_rows, 1);
    hsd_paths_free(p);
}

/* ---- a capture with a hole ---- */

static hsd_paths *answer_in_part(const hsd_paths_options *options)
{
    hsd_capture *capture;
    hsd_paths *paths;
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_gt(hsd_capture_get_info(capture)->damaged_blocks, 0);
    cr_assert_eq(hsd_paths_run(&paths, capture, options, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    return paths;
}

/* Every object refers to the next two, so what stands in the lost block is reached, and leads nowhere. */
static void write_braid(uint32_t count)
{
    hsc_writer *w = begin(true);
    for (uint32_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i + 1, .type = i % 3 == 0 ? TYPE_NODE : TYPE_SESSION, .size_bytes = 8});
        for (uint32_t j = 1; j <= 2 && i + j < count; j++)
            hsc_reference(w, i + j, j == 1 ? LABEL_NEXT : LABEL_MAP, 0);
        hsc_end_object(w);
        if (i % 1000 == 0) put_root(w, i);
    }
    kit_end(w);
}

Test(paths, in_a_damaged_capture_lead_to_what_is_there)
{
    write_braid(200000);
    kit_damage_the_middle();
    hsd_paths *p = answer_in_part(&(hsd_paths_options){.type = "*", .most = HSD_MAX_PATHS});
    uint64_t objects = p->others.objects;
    for (size_t i = 0; i < p->row_count; i++) {
        cr_assert_gt(p->rows[i].objects.objects, 0);
        objects += p->rows[i].objects.objects;
    }
    cr_assert_eq(objects, p->live.objects);
    cr_assert_lt(p->live.objects + p->unreached.objects, 200000);
    cr_assert_gt(p->live.objects, 1000);
    cr_assert_gt(p->warning_count, 0);
    hsd_paths_free(p);
}

/* ---- patterns by themselves ---- */

static bool fits(const char *pattern, const char *name)
{
    return hsd_glob_fits(pattern, (hsd_bytes){(const uint8_t *)name, strlen(name)});
}

Test(paths, patterns_fit_as_they_do_in_a_shell)
{
    cr_assert(fits("*", "") && fits("*", "x") && fits("", "") && fits("a*b*c", "aXXbYYc") && fits("a?c", "abc"));
    cr_assert(fits("*ab", "aab") && fits("*a*b", "xaxbxab") && fits("**?", "x") && fits("byte[]", "byte[]"));
    cr_assert(!fits("a?c", "ac") && !fits("a*c", "ab") && !fits("", "x") && !fits("?", "") && !fits("abc", "ab"));
}

/* ---- a machine that fails ---- */

static hsd_status ask_once(const void *options, bool *is_there)
{
    hsd_paths *p;
    const hsd_status status = ask(options, &p);
    *is_there = p != NULL;
    hsd_paths_free(p);
    return status;
}

Test(paths, fail_cleanly_wherever_memory_runs_out)
{
    write_small();
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask_once, &(hsd_paths_options){.type = "com.acme.Session"});
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask_once, &(hsd_paths_options){.is_id = true, .id = 0x30});
}

Test(paths, fail_cleanly_wherever_reading_or_writing_fails)
{
    write_small();
    kit_fail_each_file_call(ask_once, &(hsd_paths_options){.type = "com.acme.Session"});
}
