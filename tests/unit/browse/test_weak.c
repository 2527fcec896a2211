/*
 * Weak references of an object: behind the strong ones, in the order of the capture, each once; more than are looked
 * at, over several blocks, with names and without; and what there is none of.
 */
#include <criterion/criterion.h>

#include "unit/diff/single_kit.h"
#include <hsdiff/browse.h>

TestSuite(weak, .init = setup, .fini = teardown);

enum { STRING_MAIN = 1, STRING_REFERENT, STRING_NEXT };
enum { LABEL_NEXT = 1, LABEL_REFERENT, LABEL_ENTRY, LABEL_ANY };
enum { TYPE = 1, MOST = 4096 };

static const hsd_run run = {.memory_bytes = UINT64_C(24) << 20, .threads = 1};

static hsc_writer *begin(bool by_ordinal, bool has_weak_labels)
{
    const uint32_t weak = has_weak_labels ? HSC_STRENGTH_WEAK : 0;
    hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, by_ordinal);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_string(w, STRING_REFERENT, "referent", 8);
    hsc_define_string(w, STRING_NEXT, "next", 4);
    hsc_define_type(w, TYPE, "Node", 4, 0);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_REFERENT, HSC_LABEL_FIELD, weak, STRING_REFERENT);
    hsc_define_label(w, LABEL_ENTRY, HSC_LABEL_KEY, weak | HSC_LABEL_NAMED_ROOT, STRING_REFERENT);
    hsc_define_label(w, LABEL_ANY, HSC_LABEL_ELEMENT, weak, 0);
    return w;
}

static void begin_object(hsc_writer *w, uint64_t ordinal)
{
    hsc_begin_object(w, &(hsc_object){.id = 1000 + 8 * ordinal, .type = TYPE, .size_bytes = 16});
}

static void refer(hsc_writer *w, uint64_t ordinal, uint32_t label, bool by_ordinal)
{
    hsc_reference(w, by_ordinal ? ordinal : 1000 + 8 * ordinal, label, 0);
}

static hsd_browse *open_it(hsd_capture **capture)
{
    hsd_browse *browse;
    *capture = open_capture(&run);
    cr_assert_eq(hsd_browse_open(&browse, capture, 1, NULL, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_null(hsd_browse_why_not(browse, 0), "%s", hsd_browse_why_not(browse, 0));
    return browse;
}

static void close_it(hsd_browse *browse, hsd_capture *capture)
{
    hsd_browse_close(browse);
    hsd_capture_close(capture);
}

static hsd_browse_list *referents(hsd_browse *browse, uint64_t node, uint64_t from, size_t count)
{
    hsd_browse_list *list;
    cr_assert_eq(hsd_browse_referents(browse, 0, (hsd_browse_ref){node}, from, count, &list, &err), HSD_OK, "%s",
                 err.text);
    return list;
}

static uint64_t count_of(hsd_browse *browse, uint64_t node)
{
    hsd_browse_object *object;
    cr_assert_eq(hsd_browse_object_get(browse, 0, (hsd_browse_ref){node}, &object, &err), HSD_OK, "%s", err.text);
    const uint64_t count = object->referents;
    hsd_browse_object_free(object);
    return count;
}

static void check_line(const hsd_browse_node *line, uint64_t ordinal, const char *edge, bool is_weak)
{
    cr_assert_eq(line->id, 1000 + 8 * ordinal, "%lx", line->id);
    cr_assert_str_eq(line->edge.data, edge);
    cr_assert_eq(line->is_weak, is_weak);
}

/* 0 refers to 1 strongly and weakly, weakly to 3 under two names, to 2, to itself and to nothing; 1 to 2. */
static void write_few(bool by_ordinal)
{
    hsc_writer *w = begin(by_ordinal, true);
    begin_object(w, 0);
    refer(w, 3, LABEL_REFERENT, by_ordinal);
    refer(w, 1, LABEL_NEXT, by_ordinal);
    refer(w, 3, LABEL_ANY, by_ordinal);
    refer(w, 2, LABEL_ENTRY, by_ordinal);
    refer(w, 0, LABEL_ANY, by_ordinal);
    if (!by_ordinal) refer(w, 4711, LABEL_ANY, by_ordinal);
    refer(w, 1, LABEL_ANY, by_ordinal);
    hsc_end_object(w);
    begin_object(w, 1);
    refer(w, 2, LABEL_NEXT, by_ordinal);
    hsc_end_object(w);
    for (int i = 2; i < 4; i++) {
        begin_object(w, (uint64_t)i);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, by_ordinal ? 0 : 1000);
    kit_end(w);
}

Test(weak, ones_stand_behind_the_strong_ones)
{
    for (int by_ordinal = 0; by_ordinal < 2; by_ordinal++) {
        hsd_capture *capture;
        write_few(by_ordinal);
        hsd_browse *browse = open_it(&capture);
        for (int asks_first = 0; asks_first < 2; asks_first++) {
            if (asks_first) cr_assert_eq(count_of(browse, 0), 4);
            hsd_browse_list *list = referents(browse, 0, 0, 100);
            cr_assert(list->total == 4 && list->count == 4 && list->is_total_known, "%lu", list->total);
            check_line(&list->nodes[0], 1, ".next", false);
            check_line(&list->nodes[1], 1, "[*]", true);
            check_line(&list->nodes[2], 2, "[\"referent\"]", true);
            check_line(&list->nodes[3], 3, ".referent", true);
            hsd_browse_list_free(list);
            cr_assert_eq(count_of(browse, 1), 1);
        }
        close_it(browse, capture);
    }
}

Test(weak, ones_come_in_any_piece)
{
    hsd_capture *capture;
    write_few(true);
    hsd_browse *browse = open_it(&capture);
    hsd_browse_list *all = referents(browse, 0, 0, 100);
    for (uint64_t from = 0; from < 7; from++) {
        for (size_t count = 0; count < 6; count++) {
            hsd_browse_list *list = referents(browse, 0, from, count);
            const size_t left = from < 4 ? 4 - (size_t)from : 0;
            cr_assert(list->total == 4 && list->count == (count < left ? count : left), "%zu from %lu: %zu", count,
                      from, list->count);
            for (size_t i = 0; i < list->count; i++) {
                cr_assert(list->nodes[i].id == all->nodes[from + i].id &&
                          list->nodes[i].is_weak == all->nodes[from + i].is_weak);
            }
            hsd_browse_list_free(list);
        }
    }
    hsd_browse_list_free(all);
    close_it(browse, capture);
}

/* Object 0 refers weakly to the last `weak` of all, strongly to those before, and to these first: over several blocks.
 */
static void write_hub(uint64_t strong, uint64_t weak)
{
    hsc_writer *w = begin(true, true);
    begin_object(w, 0);
    for (uint64_t i = 0; i < strong; i++)
        refer(w, 1 + i, LABEL_NEXT, true);
    for (uint64_t i = weak; i > 0; i--)
        refer(w, strong + i, LABEL_ANY, true);
    hsc_end_object(w);
    for (uint64_t i = 1; i <= strong + weak; i++) {
        begin_object(w, i);
        if (i == strong + weak) refer(w, 1, LABEL_REFERENT, true);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, 0);
    kit_end(w);
}

Test(weak, ones_are_found_behind_many_strong_ones, .timeout = 600)
{
    enum { STRONG = 600000, WEAK = 50 };
    hsd_capture *capture;
    write_hub(STRONG, WEAK);
    hsd_browse *browse = open_it(&capture);
    hsd_browse_list *list = referents(browse, 0, STRONG - 2, 100);
    cr_assert(list->total == STRONG + WEAK && list->is_total_known && list->count == WEAK + 2, "%lu", list->total);
    for (size_t i = 0; i < list->count; i++)
        check_line(&list->nodes[i], STRONG - 1 + i, i < 2 ? ".next" : "[*]", i >= 2);
    hsd_browse_list_free(list);
    cr_assert_eq(count_of(browse, STRONG + WEAK), 1, "the last object of all");
    cr_assert_eq(count_of(browse, 0), STRONG + WEAK);
    close_it(browse, capture);
}

Test(weak, ones_beyond_the_bound_are_left_out)
{
    for (uint64_t weak = MOST - 1; weak <= MOST + 1; weak++) {
        hsd_capture *capture;
        write_hub(3, weak);
        const uint64_t looked = weak < MOST ? weak : MOST;
        hsd_browse *browse = open_it(&capture);
        hsd_browse_list *list = referents(browse, 0, 3 + looked - 2, 100);
        cr_assert(list->total == 3 + looked && list->count == 2, "%lu", list->total);
        cr_assert_eq(list->is_total_known, weak <= MOST);
        check_line(&list->nodes[1], 3 + weak, "[*]", true);
        hsd_browse_list_free(list);
        list = referents(browse, 1, 0, 10);
        cr_assert(list->total == 0 && list->is_total_known, "of another object nothing is left");
        hsd_browse_list_free(list);
        close_it(browse, capture);
    }
}

/* Roots, and objects of a capture without weak labels. */
Test(weak, ones_that_are_not_there)
{
    for (int has_labels = 0; has_labels < 2; has_labels++) {
        hsd_capture *capture;
        hsd_browse_list *roots;
        hsc_writer *w = begin(true, has_labels);
        for (uint64_t i = 0; i < 3; i++) {
            begin_object(w, i);
            if (i < 2) refer(w, i + 1, i == 0 ? LABEL_NEXT : LABEL_REFERENT, true);
            hsc_end_object(w);
        }
        kit_put_root(w, STRING_MAIN, 0);
        kit_end(w);
        hsd_browse *browse = open_it(&capture);
        hsd_browse_list *list = referents(browse, 1, 0, 10);
        cr_assert(list->count == 1 && list->nodes[0].is_weak == has_labels);
        hsd_browse_list_free(list);
        cr_assert_eq(hsd_browse_referents(browse, 0, (hsd_browse_ref){HSD_BROWSE_ALL}, 0, 10, &roots, &err), HSD_OK);
        list = referents(browse, roots->nodes[0].ref.node, 0, 10);
        cr_assert(list->count == 1 && !list->nodes[0].is_weak && list->nodes[0].id == 1000);
        cr_assert_eq(count_of(browse, roots->nodes[0].ref.node), 1);
        hsd_browse_list_free(list);
        hsd_browse_list_free(roots);
        close_it(browse, capture);
    }
}

/* Weak referrers are in no index, and references apart from their objects cannot be found by object. */
Test(weak, ones_that_are_not_told)
{
    hsd_capture *capture;
    hsd_browse_list *list;
    hsc_writer *w = begin(true, true);
    for (uint64_t i = 0; i < 3; i++) {
        begin_object(w, i);
        if (i < 2) refer(w, i + 1, LABEL_NEXT, true);
        if (i == 0) refer(w, 2, LABEL_REFERENT, true);
        hsc_end_object(w);
    }
    hsc_edge(w, 1, 0, LABEL_ANY, 0);
    kit_put_root(w, STRING_MAIN, 0);
    kit_end(w);
    hsd_browse *browse = open_it(&capture);
    list = referents(browse, 1, 0, 10);
    cr_assert(list->count == 1 && !list->nodes[0].is_weak);
    hsd_browse_list_free(list);
    cr_assert_eq(hsd_browse_referrers(browse, 0, (hsd_browse_ref){2}, 0, 10, &list, &err), HSD_OK);
    cr_assert(list->count == 1 && list->nodes[0].id == 1008 && !list->nodes[0].is_weak);
    hsd_browse_list_free(list);
    close_it(browse, capture);
}
