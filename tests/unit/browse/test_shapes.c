/*
 * Heaps of hard shapes with the least memory: a list as long as the heap, an object that refers to all others, one to
 * which all others refer; captures that cannot be browsed; questions about what is not there.
 */
#include <criterion/criterion.h>

#include "support/sizes.h"
#include "unit/diff/single_kit.h"
#include <hsdiff/browse.h>

TestSuite(browse_shapes, .init = setup, .fini = teardown);

enum { STRING_NEXT = 1, STRING_ITEM, STRING_MAIN };
enum { LABEL_NEXT = 1, LABEL_ITEM };
enum { TYPE_NODE = 1, TYPE_HUB };

static const hsd_run run = {.memory_bytes = UINT64_C(24) << 20, .threads = 1};

static uint64_t size(void) { return test_size(300000, 50000); }

static hsc_writer *begin(void)
{
    hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
    hsc_define_string(w, STRING_NEXT, "next", 4);
    hsc_define_string(w, STRING_ITEM, "item", 4);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_type(w, TYPE_NODE, "Node", 4, 0);
    hsc_define_type(w, TYPE_HUB, "Hub", 3, 0);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_ITEM, HSC_LABEL_FIELD, 0, STRING_ITEM);
    return w;
}

static void put_object(hsc_writer *w, uint64_t ordinal, uint32_t type)
{
    hsc_begin_object(w, &(hsc_object){.id = 1000 + 8 * ordinal, .type = type, .size_bytes = 16, .elements = ordinal});
}

/* main -> 0 .next 1 .next 2 … */
static void write_list(uint64_t count)
{
    hsc_writer *w = begin();
    for (uint64_t i = 0; i < count; i++) {
        put_object(w, i, TYPE_NODE);
        if (i + 1 < count) hsc_reference(w, i + 1, LABEL_NEXT, 0);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, 0);
    kit_end(w);
}

/* main -> 0, a hub that refers to all, which refer to the last, a hub too. */
static void write_hubs(uint64_t count)
{
    hsc_writer *w = begin();
    for (uint64_t i = 0; i < count; i++) {
        put_object(w, i, i == 0 || i + 1 == count ? TYPE_HUB : TYPE_NODE);
        for (uint64_t t = 1; i == 0 && t + 1 < count; t++)
            hsc_reference(w, t, LABEL_ITEM, 0);
        if (i > 0 && i + 1 < count) hsc_reference(w, count - 1, LABEL_NEXT, 0);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, 0);
    kit_end(w);
}

static hsd_browse *open_one(hsd_capture **capture)
{
    hsd_browse *browse;
    *capture = open_capture(&run);
    cr_assert_eq(hsd_browse_open(&browse, capture, 1, NULL, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_null(hsd_browse_why_not(browse, 0), "%s", hsd_browse_why_not(browse, 0));
    return browse;
}

static hsd_browse_ref find(hsd_browse *browse, uint64_t ordinal)
{
    hsd_browse_ref ref;
    cr_assert_eq(hsd_browse_find(browse, 0, 1000 + 8 * ordinal, &ref, &err), HSD_OK, "%s", err.text);
    return ref;
}

/* Its first line is the root, its last the object `last`. */
static void check_way(const hsd_browse_list *list, uint64_t total, uint64_t last)
{
    cr_assert_eq(list->total, total, "%lu, not %lu", list->total, total);
    cr_assert_eq(list->count, HSD_BROWSE_MOST);
    cr_assert_eq(list->from, total - HSD_BROWSE_MOST / 2);
    cr_assert(list->nodes[0].is_root);
    for (uint64_t i = 1; i < list->count; i++) {
        const uint64_t at = i < HSD_BROWSE_MOST / 2 ? i - 1 : last + 1 - (list->count - i);
        cr_assert_eq(list->nodes[i].id, 1000 + 8 * at, "line %lu", i);
        if (i > 1) cr_assert_str_eq(list->nodes[i].edge.data, ".next");
    }
}

Test(browse_shapes, a_list_as_long_as_the_heap, .timeout = 600)
{
    const uint64_t count = size();
    hsd_capture *capture;
    hsd_browse_list *list;
    write_list(count);
    hsd_browse *browse = open_one(&capture);
    const hsd_browse_ref last = find(browse, count - 1);
    cr_assert_eq(hsd_browse_path(browse, 0, last, &list, &err), HSD_OK, "%s", err.text);
    check_way(list, count + 1, count - 1);
    hsd_browse_list_free(list);
    cr_assert_eq(hsd_browse_dominators(browse, 0, last, &list, &err), HSD_OK, "%s", err.text);
    check_way(list, count, count - 2);
    hsd_browse_list_free(list);
    cr_assert_eq(hsd_browse_dominated(browse, 0, find(browse, 10), 0, 10, &list, &err), HSD_OK);
    cr_assert(list->total == 1 && list->nodes[0].retained_bytes == 16 * (count - 11) &&
              list->nodes[0].retained_objects == count - 11);
    hsd_browse_list_free(list);
    hsd_browse_close(browse);
    hsd_capture_close(capture);
}

static void check_piece(hsd_browse_list *list, uint64_t total, uint64_t from, uint64_t first_ordinal, const char *edge)
{
    cr_assert(list->total == total && list->is_total_known && list->from == from && list->count == 100, "%lu of %lu",
              list->from, list->total);
    for (uint64_t i = 0; i < list->count; i++) {
        cr_assert_eq(list->nodes[i].id, 1000 + 8 * (first_ordinal + i));
        cr_assert_str_eq(list->nodes[i].edge.data, edge);
    }
    hsd_browse_list_free(list);
}

Test(browse_shapes, hubs_to_either_side, .timeout = 600)
{
    const uint64_t count = size(), middle = count / 2 + 13;
    hsd_capture *capture;
    hsd_browse_list *list;
    hsd_browse_object *object;
    write_hubs(count);
    hsd_browse *browse = open_one(&capture);
    const hsd_browse_ref first = find(browse, 0), last = find(browse, count - 1);
    cr_assert_eq(hsd_browse_referents(browse, 0, first, middle, 100, &list, &err), HSD_OK);
    check_piece(list, count - 2, middle, middle + 1, ".item");
    cr_assert_eq(hsd_browse_referrers(browse, 0, last, middle, 100, &list, &err), HSD_OK);
    check_piece(list, count - 2, middle, middle + 1, ".next");
    /* all retain alike */
    cr_assert_eq(hsd_browse_dominated(browse, 0, first, middle, 100, &list, &err), HSD_OK);
    check_piece(list, count - 1, middle, middle + 1, ".item");
    cr_assert_eq(hsd_browse_objects(browse, 0, (hsd_text){"Node", 4}, middle, 100, &list, &err), HSD_OK);
    check_piece(list, count - 2, middle, middle + 1, "");
    cr_assert_eq(hsd_browse_object_get(browse, 0, last, &object, &err), HSD_OK);
    cr_assert(object->referrers == count - 2 && object->referents == 0 && object->has_length &&
              object->length == count - 1);
    hsd_browse_object_free(object);
    cr_assert_eq(hsd_browse_referents(browse, 0, first, count, 100, &list, &err), HSD_OK,
                 "behind the end there is nothing");
    cr_assert(list->count == 0 && list->total == count - 2);
    hsd_browse_list_free(list);
    hsd_browse_close(browse);
    hsd_capture_close(capture);
}

/* Blocks of a graph that is barely more than the least of its memory. */
Test(browse_shapes, graphs_of_every_size_wait_on_disk, .timeout = 600)
{
    for (uint64_t count = 20000; count < 100000; count += 10000) {
        hsd_browse *browse;
        write_list(count);
        hsd_capture *captures[2] = {open_capture(&run), open_capture(&run)};
        cr_assert_eq(hsd_browse_open(&browse, captures, 2, NULL, &run, &err), HSD_OK, "%lu objects: %s", count,
                     err.text);
        hsd_browse_close(browse);
        hsd_capture_close(captures[0]);
        hsd_capture_close(captures[1]);
    }
}

/* ---- what cannot be browsed ---- */

static hsd_status take_report(void *context, const hsd_diff *diff, const hsd_top *top, hsd_error *e)
{
    (void)e;
    *(int *)context += diff != NULL ? 100 : top != NULL ? 1 : 0;
    return HSD_OK;
}

Test(browse_shapes, without_roots_there_is_a_report_and_a_reason)
{
    int told = 0;
    const hsd_browse_options options = {.report = take_report, .report_context = &told};
    hsd_browse *browse;
    hsd_browse_ref ref;
    hsc_writer *w = begin();
    put_object(w, 0, TYPE_NODE);
    hsc_reference(w, 0, LABEL_NEXT, 0);
    hsc_end_object(w);
    kit_end(w);
    hsd_capture *captures[2] = {open_capture(&run), open_capture(&run)};
    cr_assert_eq(hsd_browse_open(&browse, captures, 1, &options, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(told, 1);
    cr_assert_str_eq(hsd_browse_why_not(browse, 0), "the capture carries no roots");
    cr_assert_str_eq(hsd_browse_why_not(browse, 1), "there is no such capture");
    cr_assert_eq(hsd_browse_find(browse, 0, 1000, &ref, &err), HSD_E_UNSUPPORTED);
    hsd_browse_close(browse);
    cr_assert_eq(hsd_browse_open(&browse, captures, 2, &options, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(told, 101);
    cr_assert(hsd_browse_diff(browse) != NULL && hsd_browse_top(browse) == NULL);
    cr_assert_str_eq(hsd_browse_why_not(browse, 1), "the capture carries no roots");
    hsd_browse_close(browse);
    hsd_capture_close(captures[0]);
    hsd_capture_close(captures[1]);
}

Test(browse_shapes, options_that_leave_nothing_to_browse_are_refused)
{
    hsd_browse *browse;
    write_list(10);
    hsd_capture *captures[] = {open_capture(&run)};
    cr_assert_eq(hsd_browse_open(&browse, captures, 1,
                                 &(hsd_browse_options){.diff = &(hsd_diff_options){.no_holders = true}}, &run, &err),
                 HSD_E_MISUSE);
    cr_assert_eq(hsd_browse_open(&browse, captures, 1,
                                 &(hsd_browse_options){.diff = &(hsd_diff_options){.summary_only = true}}, &run, &err),
                 HSD_E_MISUSE);
    cr_assert_eq(hsd_browse_open(&browse, captures, 0, NULL, &run, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_browse_open(&browse, captures, 3, NULL, &run, &err), HSD_E_MISUSE);
    cr_assert_null(browse);
    hsd_capture_close(captures[0]);
}

static hsd_status refuse(void *context, const hsd_diff *diff, const hsd_top *top, hsd_error *e)
{
    (void)context;
    (void)diff;
    (void)top;
    return hsd_fail(e, HSD_E_CANCELLED, "enough");
}

Test(browse_shapes, who_gets_the_report_may_end_it_all)
{
    hsd_browse *browse;
    write_list(10);
    hsd_capture *capture = open_capture(&run);
    cr_assert_eq(hsd_browse_open(&browse, &capture, 1, &(hsd_browse_options){.report = refuse}, &run, &err),
                 HSD_E_CANCELLED);
    cr_assert_null(browse);
    hsd_capture_close(capture);
}

Test(browse_shapes, what_is_not_there_is_not_found)
{
    hsd_capture *capture;
    hsd_browse_list *list;
    hsd_browse_types *types;
    hsd_browse_object *object;
    hsd_browse_ref ref;
    write_list(10);
    hsd_browse *browse = open_one(&capture);
    const hsd_browse_ref nobody = {4711}, all = {HSD_BROWSE_ALL};
    cr_assert_eq(hsd_browse_find(browse, 0, 7, &ref, &err), HSD_E_NOT_FOUND);
    cr_assert_str_eq(err.text, "none of the 10 objects has the id 0x7");
    cr_assert_eq(hsd_browse_find(browse, 1, 1000, &ref, &err), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_browse_path(browse, 0, nobody, &list, &err), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_browse_dominators(browse, 0, all, &list, &err), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_browse_object_get(browse, 0, nobody, &object, &err), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_browse_objects(browse, 0, (hsd_text){"Hub", 3}, 0, 10, &list, &err), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_browse_referrers(browse, 0, all, 0, 10, &list, &err), HSD_OK);
    cr_assert_eq(list->total, 0);
    hsd_browse_list_free(list);
    cr_assert_eq(hsd_browse_referents(browse, 0, all, 0, 10, &list, &err), HSD_OK);
    cr_assert(list->total == 1 && list->nodes[0].is_root && strcmp(list->nodes[0].type.data, "main") == 0);
    hsd_browse_list_free(list);
    cr_assert_eq(hsd_browse_types_get(browse, 0, (hsd_text){"NOD", 3}, HSD_BROWSE_BY_NAME, 0, 10, &types, &err),
                 HSD_OK);
    cr_assert(types->total == 1 && types->count == 1 && types->types[0].live.objects == 10);
    hsd_browse_types_free(types);
    cr_assert_eq(hsd_browse_types_get(browse, 0, (hsd_text){"x", 1}, HSD_BROWSE_BY_BYTES, 5, 10, &types, &err), HSD_OK);
    cr_assert(types->total == 0 && types->count == 0);
    hsd_browse_types_free(types);
    hsd_browse_close(browse);
    hsd_capture_close(capture);
}
