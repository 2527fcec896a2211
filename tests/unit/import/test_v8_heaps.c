/*
 * Several heaps in one capture: that of the main thread of Node, and behind it those of its workers.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_heaps, .init = case_v8_setup);

typedef struct snapshots {
    char *text;
    size_t size;
} snapshots;

/* Behind those that are there; with the number of a thread, unless that is 0. */
static void append(snapshots *all, const v8_heap *heap, v8_form form, unsigned thread)
{
    char first[32];
    size_t size;
    char *json = v8_heap_write(heap, form, &size);
    const int length =
        thread == 0 ? snprintf(first, sizeof first, "{") : snprintf(first, sizeof first, "\n{\"thread\":%u,", thread);
    all->text = realloc(all->text, all->size + (size_t)length + size);
    cr_assert_not_null(all->text);
    memcpy(all->text + all->size, first, (size_t)length);
    memcpy(all->text + all->size + length, json + 1, size - 1);
    all->size += (size_t)length + size - 1;
    free(json);
}

static void append_text(snapshots *all, const char *text)
{
    all->text = realloc(all->text, all->size + strlen(text));
    cr_assert_not_null(all->text);
    memcpy(all->text + all->size, text, strlen(text));
    all->size += strlen(text);
}

static hsd_status import_all(loaded *out, const snapshots *all, bool salvage, const hsd_run *run)
{
    const hsd_import_options options = {.compression = 1, .salvage = salvage};
    return loaded_import(out, all->text, all->size, &options, run, &case_v8_err);
}

/* A program with a class of its own. */
static v8_heap *make_program(v8_program *p, const char *class)
{
    v8_heap *heap = v8_heap_new();
    *p = v8_add_program(heap);
    v8_edge(heap, p->sessions, "property", "newest", v8_node(heap, "object", class, 56));
    return heap;
}

typedef struct notes {
    size_t missing, silent;
} notes;

static void count_note(void *context, hsd_note_level level, const char *text)
{
    notes *seen = context;
    if (level != HSD_NOTE_WARNING) return;
    seen->missing += strstr(text, "threads with heaps of their own") != NULL;
    seen->silent += strstr(text, "worker thread 5 of") != NULL;
}

Test(v8_heaps, each_keeps_its_objects_names_and_roots)
{
    for (v8_form form = V8_FORM_NODE_12; form < V8_FORM_COUNT; form++) {
        v8_program main_program, worker;
        v8_heap *first = make_program(&main_program, "Order"), *second = make_program(&worker, "Page");
        snapshots all = {0};
        append(&all, first, form, 0);
        append(&all, second, form, 3);
        append(&all, first, form, 7);
        loaded c;
        cr_assert_eq(import_all(&c, &all, false, NULL), HSD_OK, "form %d: %s", (int)form, case_v8_err.text);
        cr_assert_not(c.has_undefined);
        const uint32_t nodes = first->node_count;
        cr_assert_eq(c.object_count, 3 * (size_t)nodes);
        const char *const pages[] = {"Order", "Page", "Order"}, *const globals[] = {"global", "worker global",
                                                                                    "worker global"};
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t base = i * nodes;
            const loaded_reference *newest = case_v8_reference(&c, base + main_program.sessions, "newest");
            cr_expect_eq(newest->target, base + nodes - 1);
            cr_expect_str_eq(c.objects[base + nodes - 1].type, pages[i]);
            cr_expect_eq(c.objects[base + nodes - 1].size, 56);
            cr_expect_str_eq(c.objects[base + main_program.module].name, "store.js");
            cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "store.js", base + main_program.module));
            cr_expect(loaded_has_root(&c, HSC_ROOT_STACK, "(Stack roots)", base + main_program.closure));
            cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, globals[i], base + main_program.global) ||
                          form == V8_FORM_CHROME,
                      "form %d", (int)form);
            cr_expect_eq(case_v8_reference(&c, base + main_program.module, "sessions")->flags, HSC_LABEL_NAMED_ROOT);
        }
        const uint64_t id = c.objects[nodes - 1].id;
        cr_expect_eq(c.objects[2 * nodes - 1].id, id + (UINT64_C(3) << 44), "ids are those of the thread");
        cr_expect_eq(c.objects[3 * nodes - 1].id, id + (UINT64_C(7) << 44));
        loaded_release(&c);
        free(all.text);
        v8_heap_free(first);
        v8_heap_free(second);
    }
}

/* Whose heap is there is not told to be missing. */
Test(v8_heaps, a_worker_without_a_heap_is_told)
{
    v8_program p, q;
    v8_heap *first = make_program(&p, "Order"), *second = make_program(&q, "Page");
    v8_edge_at(first, p.root, "element", 9, v8_node(first, "synthetic", "Node / Worker", 424));
    for (unsigned round = 0; round < 3; round++) {
        notes seen = {0};
        const hsd_run run = {.note = count_note, .note_context = &seen};
        snapshots all = {0};
        append(&all, first, V8_FORM_NODE_20, 0);
        if (round == 1) append_text(&all, "{\"thread\":5}\n");
        if (round == 2) append(&all, second, V8_FORM_NODE_20, 5);
        loaded c;
        cr_assert_eq(import_all(&c, &all, false, &run), HSD_OK, "%s", case_v8_err.text);
        cr_expect_eq(seen.missing, round == 0);
        cr_expect_eq(seen.silent, round == 1);
        cr_expect_eq(c.object_count, first->node_count + (round == 2 ? second->node_count : 0));
        loaded_release(&c);
        free(all.text);
    }
    v8_heap_free(first);
    v8_heap_free(second);
}

Test(v8_heaps, threads_come_in_order_and_once)
{
    static const unsigned wrong[][2] = {{5, 5}, {5, 3}, {1u << 20, 0}};
    v8_program p;
    v8_heap *heap = make_program(&p, "Order");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snapshots all = {0};
        append(&all, heap, V8_FORM_NODE_20, 0);
        append(&all, heap, V8_FORM_NODE_20, wrong[i][0]);
        append(&all, heap, V8_FORM_NODE_20, wrong[i][1]);
        loaded c;
        cr_expect_eq(import_all(&c, &all, false, NULL), HSD_E_CORRUPT, "case %zu", i);
        free(all.text);
    }
    v8_heap_free(heap);
}

Test(v8_heaps, what_is_no_snapshot_behind_one_is_passed_over)
{
    static const char *const behind[] = {"", "\n", " \n\t", "\nbye", "]"};
    v8_program p;
    v8_heap *heap = make_program(&p, "Order");
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        snapshots all = {0};
        append(&all, heap, V8_FORM_NODE_20, 0);
        append_text(&all, behind[i]);
        loaded c;
        cr_assert_eq(import_all(&c, &all, false, NULL), HSD_OK, "%s", case_v8_err.text);
        cr_expect_eq(c.object_count, heap->node_count);
        loaded_release(&c);
        free(all.text);
    }
    v8_heap_free(heap);
}

/* Cut at any place: an error, or with salvage what there is of it, which says so. */
Test(v8_heaps, a_heap_that_is_cut_off_ends_a_capture_that_says_so)
{
    v8_program p;
    v8_heap *heap = make_program(&p, "Order");
    snapshots all = {0};
    append(&all, heap, V8_FORM_NODE_20, 0);
    const size_t first = all.size + 1;
    append(&all, heap, V8_FORM_NODE_20, 3);
    for (size_t size = all.size - 1; size > first; size -= size > first + 97 ? 97 : 1) {
        const snapshots cut = {all.text, size};
        loaded c;
        cr_expect_eq(import_all(&c, &cut, false, NULL), HSD_E_TRUNCATED, "at %zu", size - first);
        cr_assert_eq(import_all(&c, &cut, true, NULL), HSD_OK, "at %zu: %s", size - first, case_v8_err.text);
        cr_expect_not(c.result.is_complete);
        cr_expect_geq(c.object_count, heap->node_count);
        cr_expect_not(c.has_undefined, "at %zu", size - first);
        loaded_release(&c);
    }
    free(all.text);
    v8_heap_free(heap);
}
