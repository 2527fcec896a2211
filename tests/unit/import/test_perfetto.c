/*
 * The importer of Android's heap graphs in traces of Perfetto, on a program that is known object by object.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include "support/fault.h"
#include "support/perfetto_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <hsdiff/import.h>

static hsd_error err;
static hsd_import_result result;
static pf_message trace;

static void begin_test(void) { hsd_error_init(&err); }
static void end_test(void) { pf_release(&trace); }

TestSuite(perfetto, .init = begin_test, .fini = end_test);

static int temporary(void)
{
    char path[] = "/tmp/perfetto-XXXXXX";
    const int fd = mkstemp(path);
    if (fd >= 0) unlink(path);
    return fd;
}

static hsd_status import_bytes(size_t size, const hsd_import_options *options, const hsd_run *run, int *out)
{
    const int in = temporary();
    *out = temporary();
    cr_assert(in >= 0 && *out >= 0 && write(in, trace.data, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0);
    const hsd_status status = hsd_import_descriptor(in, "trace", *out, options, run, &result, &err);
    close(in);
    return status;
}

static hsd_status import(const hsd_import_options *options, capture_view *view)
{
    int out;
    const hsd_status status = import_bytes(trace.size, options, NULL, &out);
    if (status == HSD_OK && view != NULL)
        cr_assert(view_open_fd(view, out));
    else
        close(out);
    return status;
}

static void open_heap(const pf_heap *heap, capture_view *view)
{
    pf_add_heap(&trace, heap);
    cr_assert_eq(import(NULL, view), HSD_OK, "%s", err.text);
}

static const view_object *object(const capture_view *view, uint64_t id)
{
    const view_object *o = view_find(view, id);
    cr_assert_not_null(o, "0x%llx", (unsigned long long)id);
    return o;
}

/* The only reference of that name, or index, leads there and is of that kind. */
static void expect_reference(const capture_view *view, uint64_t source, const char *name, uint64_t index,
                             uint64_t target, uint32_t kind, uint32_t flags)
{
    const view_reference *reference = view_reference_of(view, object(view, source), name, index);
    cr_assert_not_null(reference, "0x%llx.%s", (unsigned long long)source, name == NULL ? "[]" : name);
    const view_label label = view_label_of(view, reference);
    cr_expect_eq(reference->target, target);
    cr_expect(label.kind == kind && label.flags == flags, "%s: kind %u, flags %u", name, label.kind, label.flags);
}

static void expect_program(const capture_view *view, unsigned sessions)
{
    uint64_t objects, bytes;
    cr_expect_eq(view->object_count, 7 + sessions);
    cr_expect_eq(result.objects, view->object_count);
    cr_expect(view->info->is_complete && view->info->identity == HSD_IDENTITY_MOVING && view->info->pid == 17);
    expect_reference(view, 0x10, "sessions", 0, 0x20, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT);
    expect_reference(view, 0x20, NULL, sessions - 1, 0xff + sessions, HSC_LABEL_ELEMENT, 0);
    expect_reference(view, 0x100, "next", 0, 0x101, HSC_LABEL_FIELD, 0);
    expect_reference(view, 0x101, "shop", 0, 0x10, HSC_LABEL_FIELD, 0);
    expect_reference(view, 0x30, "referent", 0, 0x40, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK);
    expect_reference(view, 0x31, "referent", 0, 0x41, HSC_LABEL_FIELD, HSC_STRENGTH_SOFT);
    cr_expect_eq(object(view, 0x100)->count, 2);
    cr_expect_str_eq(view_type(view, object(view, 0x10)->type), "java.lang.Class");
    cr_expect_str_eq(view_string(view, object(view, 0x10)->name), "com.shop.Shop");
    cr_expect_str_eq(view_string(view, object(view, 0x10)->category), "boot image");
    cr_expect_str_eq(view_string(view, object(view, 0x100)->category), "app");
    cr_expect_eq(object(view, 0x10)->size_bytes, 96);
    cr_expect_eq(object(view, 0x41)->size_bytes, 32);
    cr_expect_eq(object(view, 0x20)->elements, sessions);
    view_total(view, "com.shop.Session", &objects, &bytes);
    cr_expect(objects == sessions && bytes == 48 * (uint64_t)sessions);
    cr_expect_eq(view->info->native_bytes, 40 * (uint64_t)sessions);
    cr_expect_eq(view->root_count, 3);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_CLASS, "", 0x10), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_HANDLE, "", 0x31), 1);
}

Test(perfetto, is_read_in_every_form)
{
    const pf_heap heaps[] = {{.sessions = 25},
                             {.sessions = 25, .is_unpacked = true},
                             {.sessions = 25, .has_field_ids = true, .has_plain_ids = true},
                             {.sessions = 25, .packet_objects = 1000},
                             {.sessions = 25, .packet_objects = 1}};
    for (size_t i = 0; i < sizeof heaps / sizeof heaps[0]; i++) {
        capture_view view;
        open_heap(&heaps[i], &view);
        expect_program(&view, 25);
        view_close(&view);
        trace.size = 0;
    }
}

Test(perfetto, is_read_from_compressed_packets_with_its_process_and_moment)
{
    capture_view view;
    pf_add_clocks(&trace);
    pf_add_heap(&trace, &(pf_heap){.sessions = 300});
    pf_compress(&trace);
    pf_add_processes(&trace); /* behind it */
    cr_assert_eq(import(NULL, &view), HSD_OK, "%s", err.text);
    expect_program(&view, 300);
    cr_expect_str_eq(view.info->process_name, "com.shop");
    cr_expect_str_eq(view.info->runtime, "Android Runtime");
    cr_expect_eq(view.info->taken_unix_ns, UINT64_C(1700000004000000000));
    view_close(&view);
}

Test(perfetto, is_asked_for_by_its_place_where_there_are_several)
{
    capture_view view;
    hsd_import_options options = {0};
    pf_add_heap(&trace, &(pf_heap){.sessions = 2, .pid = 18, .sequence = 2});
    pf_add_heap(&trace, &(pf_heap){.sessions = 3, .time_ns = UINT64_C(65000000000)});
    pf_add_processes(&trace);
    cr_expect_eq(import(NULL, NULL), HSD_E_UNSUPPORTED);
    cr_expect_str_eq(err.text,
                     "this trace holds 2 heap graphs: 1 = com.bank (pid 18, 0 s), 2 = com.shop (pid 17, 60 s)");
    cr_expect_str_eq(err.hint, "say which by its place: --dump N");
    options.dump_number = 3;
    cr_expect_eq(import(&options, NULL), HSD_E_UNSUPPORTED);
    options.dump_number = 2;
    cr_assert_eq(import(&options, &view), HSD_OK, "%s", err.text);
    expect_program(&view, 3);
    view_close(&view);
}

/* Packets of two processes, one after the other. */
Test(perfetto, is_put_together_by_sequence)
{
    pf_message one = {0}, other = {0};
    capture_view view;
    const hsd_import_options options = {.dump_number = 1};
    pf_add_heap(&one, &(pf_heap){.sessions = 25});
    pf_add_heap(&other, &(pf_heap){.sessions = 25, .pid = 18, .sequence = 2});
    for (size_t at = 0, from = 0; at < one.size && from < other.size;) {
        size_t sizes[2];
        const pf_message *const both[2] = {&one, &other};
        const size_t offsets[2] = {at, from};
        for (int i = 0; i < 2; i++) {
            const uint8_t *length = both[i]->data + offsets[i] + 1;
            sizes[i] =
                length[0] < 0x80 ? 2 + (size_t)length[0] : 3 + (size_t)(length[0] & 0x7f) + ((size_t)length[1] << 7);
            pf_message packet = {0};
            const size_t head = length[0] < 0x80 ? 2 : 3;
            pf_bytes(&trace, 1, both[i]->data + offsets[i] + head, sizes[i] - head);
            pf_release(&packet);
        }
        at += sizes[0];
        from += sizes[1];
    }
    pf_release(&one);
    pf_release(&other);
    cr_assert_eq(import(&options, &view), HSD_OK, "%s", err.text);
    expect_program(&view, 25);
    view_close(&view);
}

Test(perfetto, is_incomplete_where_packets_were_lost)
{
    capture_view view;
    open_heap(&(pf_heap){.sessions = 25, .lost = 2}, &view);
    cr_expect_eq(view.object_count, 22);
    cr_expect(!view.info->is_complete && !result.is_complete);
    cr_expect(strstr(view.info->incomplete_reason, "packets of the heap graph were lost") != NULL, "%s",
              view.info->incomplete_reason);
    view_close(&view);
    trace.size = 0;
    open_heap(&(pf_heap){.sessions = 25, .is_unfinished = true}, &view);
    cr_expect(strstr(view.info->incomplete_reason, "the trace ends before the heap graph does") != NULL, "%s",
              view.info->incomplete_reason);
    view_close(&view);
}

Test(perfetto, is_refused_or_used_in_part_where_it_was_cut)
{
    const hsd_import_options salvage = {.salvage = true};
    capture_view view;
    int out;
    pf_add_heap(&trace, &(pf_heap){.sessions = 100});
    cr_expect_eq(import_bytes(trace.size - 30, NULL, NULL, &out), HSD_E_TRUNCATED);
    cr_expect_str_eq(err.hint, "to use what is there: --partial (the numbers are then lower bounds)");
    close(out);
    cr_assert_eq(import_bytes(trace.size - 30, &salvage, NULL, &out), HSD_OK, "%s", err.text);
    cr_assert(view_open_fd(&view, out));
    cr_expect(!view.info->is_complete && view.object_count >= 100);
    view_close(&view);
}

Test(perfetto, without_a_heap_graph_says_so)
{
    pf_add_clocks(&trace);
    pf_add_processes(&trace);
    cr_expect_eq(import(NULL, NULL), HSD_E_UNSUPPORTED);
    cr_expect_str_eq(err.text, "this trace of Perfetto holds no heap graph");
}

Test(perfetto, has_totals_alone_when_asked)
{
    const hsd_import_options options = {.summary_only = true};
    capture_view view;
    uint64_t objects, bytes;
    pf_add_heap(&trace, &(pf_heap){.sessions = 25});
    cr_assert_eq(import(&options, &view), HSD_OK, "%s", err.text);
    view_total(&view, "com.shop.Session", &objects, &bytes);
    cr_expect(view.object_count == 0 && objects == 25 && bytes == 25 * (48 + 40), "%llu", (unsigned long long)bytes);
    cr_expect_eq(result.bytes, view.info->summary_bytes);
    const uint64_t summary_bytes = result.bytes;
    view_close(&view);
    trace.size = 0;
    open_heap(&(pf_heap){.sessions = 25}, &view);
    cr_expect_eq(summary_bytes, view.info->bytes + view.info->native_bytes);
    cr_expect_eq(summary_bytes, result.bytes);
    view_close(&view);
}

Test(perfetto, takes_what_a_finalizer_holds_as_told)
{
    pf_message packet = {0}, graph = {0}, type = {0}, made = {0}, name = {0};
    const uint64_t field[] = {5}, target[] = {9};
    pf_number(&graph, 1, 17);
    pf_number(&type, 1, 1);
    pf_text(&type, 3, "java.lang.ref.FinalizerReference");
    pf_number(&type, 7, 10);
    pf_put(&graph, 9, &type);
    pf_number(&made, 1, 8);
    pf_number(&made, 2, 1);
    pf_numbers(&made, 4, field, 1, true);
    pf_numbers(&made, 5, target, 1, true);
    pf_put(&graph, 2, &made);
    pf_number(&made, 7, 1);
    pf_number(&made, 2, 77); /* a type that is not there */
    pf_number(&made, 3, 12);
    pf_put(&graph, 2, &made);
    pf_number(&made, 7, 1);
    pf_numbers(&made, 4, field, 1, true); /* a field without a reference */
    pf_put(&graph, 2, &made);
    pf_number(&name, 1, 5);
    pf_text(&name, 2, "java.lang.Object java.lang.ref.Reference.referent");
    pf_put(&graph, 4, &name);
    pf_number(&packet, 8, 1);
    pf_put(&packet, 56, &graph);
    pf_put(&trace, 1, &packet);
    for (int i = 0; i < 2; i++) {
        const hsd_import_options options = {.final_is_strong = i == 1};
        capture_view view;
        cr_assert_eq(import(&options, &view), HSD_OK, "%s", err.text);
        expect_reference(&view, 8, "referent", 0, 9, HSC_LABEL_FIELD, i == 1 ? 0 : HSC_STRENGTH_WEAK);
        cr_expect_str_eq(view_type(&view, object(&view, 9)->type), "(unknown class)");
        cr_expect(view.object_count == 2 &&
                  view_loss(&view, "objects with other numbers of references than of fields") == 1);
        view_close(&view);
    }
    pf_message *const all[] = {&packet, &graph, &type, &made, &name};
    for (size_t i = 0; i < 5; i++)
        pf_release(all[i]);
}

/* As Android 11 writes it: no kinds of types, and lists number by number. */
Test(perfetto, has_arrays_and_inherited_fields_without_kinds)
{
    static const char *const names[] = {"Node", "Middle", "Base", "Node[]"};
    static const char *const fields[] = {"Node.first", "Node.second", "int Base.third"};
    const uint64_t own[] = {1, 2}, inherited[] = {3}, targets[] = {12, 0, 12};
    pf_message packet = {0}, graph = {0}, inner = {0};
    capture_view view;
    for (uint32_t i = 0; i < 4; i++) {
        pf_number(&inner, 1, i + 1);
        pf_text(&inner, 3, names[i]);
        pf_number(&inner, 4, 64);
        if (i < 2) pf_number(&inner, 5, i + 2);
        if (i != 1 && i != 3) pf_numbers(&inner, 6, i == 0 ? own : inherited, i == 0 ? 2 : 1, false);
        pf_put(&graph, 9, &inner);
    }
    for (uint64_t i = 0; i < 3; i++) {
        pf_number(&inner, 1, i + 1);
        pf_text(&inner, 2, fields[i]);
        pf_put(&graph, 4, &inner);
    }
    for (uint64_t i = 0; i < 2; i++) {
        pf_number(&inner, 1, 11 + i);
        pf_number(&inner, 2, i == 0 ? 1 : 4);
        pf_numbers(&inner, 5, targets, 3, false);
        pf_put(&graph, 2, &inner);
    }
    pf_number(&packet, 8, 1);
    pf_put(&packet, 56, &graph);
    pf_put(&trace, 1, &packet);
    cr_assert_eq(import(NULL, &view), HSD_OK, "%s", err.text);
    expect_reference(&view, 11, "first", 0, 12, HSC_LABEL_FIELD, 0);
    expect_reference(&view, 11, "third", 0, 12, HSC_LABEL_FIELD, 0);
    expect_reference(&view, 12, NULL, 2, 12, HSC_LABEL_ELEMENT, 0);
    cr_expect(object(&view, 11)->count == 2 && object(&view, 12)->elements == 3 && object(&view, 11)->size_bytes == 64);
    view_close(&view);
    pf_release(&packet);
    pf_release(&graph);
    pf_release(&inner);
}

Test(perfetto, compressed_by_zstd_is_refused)
{
    pf_message packet = {0};
    pf_add_clocks(&trace);
    pf_text(&packet, 133, "?");
    pf_put(&trace, 1, &packet);
    cr_expect_eq(import(NULL, NULL), HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "zstd") != NULL && strstr(err.hint, "COMPRESSION_TYPE_DEFLATE") != NULL, "%s", err.text);
    pf_release(&packet);
}

Test(perfetto, is_known_by_its_first_bytes)
{
    pf_add_clocks(&trace);
    cr_expect_str_eq(hsd_import_probe(trace.data, trace.size), "perfetto");
    trace.size = 0;
    pf_add_heap(&trace, &(pf_heap){.sessions = 1});
    cr_expect_str_eq(hsd_import_probe(trace.data, trace.size), "perfetto");
    cr_expect_str_eq(hsd_import_probe(trace.data, trace.size / 2), "perfetto");
}

Test(perfetto, whose_classes_outgrow_the_memory_is_refused_with_what_helps)
{
    pf_message packet = {0}, graph = {0}, type = {0};
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    int out;
    pf_number(&packet, 8, 1);
    for (uint64_t i = 1; i < 400000; i++) {
        pf_number(&type, 1, i * 977);
        pf_text(&type, 3, "C");
        pf_put(&graph, 9, &type);
    }
    pf_put(&packet, 56, &graph);
    pf_put(&trace, 1, &packet);
    cr_expect_eq(import_bytes(trace.size, NULL, &run, &out), HSD_E_OVER_BUDGET);
    cr_expect(strstr(err.text, "take more than") != NULL && strstr(err.hint, "--memory") != NULL, "%s", err.text);
    close(out);
    pf_release(&packet);
    pf_release(&graph);
    pf_release(&type);
}

/* Every allocation, and every read and write of the temporary file, fails once. */
static void fail_at_each(hsd_fault_family family, int error)
{
    int out;
    hsd_fault_reset();
    cr_assert_eq(import_bytes(trace.size, NULL, NULL, &out), HSD_OK, "%s", err.text);
    close(out);
    const uint64_t calls = hsd_fault_calls(family);
    cr_assert_gt(calls, 0);
    for (uint64_t at = 1; at <= calls; at++) {
        hsd_fault_reset();
        hsd_error_init(&err);
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = import_bytes(trace.size, NULL, NULL, &out);
        hsd_fault_reset();
        cr_expect(status == HSD_OK || err.text[0] != '\0', "call %llu", (unsigned long long)at);
        close(out);
    }
}

Test(perfetto, fails_with_a_reason)
{
    pf_add_clocks(&trace);
    pf_add_heap(&trace, &(pf_heap){.sessions = 25});
    pf_compress(&trace);
    pf_add_processes(&trace);
    fail_at_each(HSD_FAULT_MALLOC, ENOMEM);
    fail_at_each(HSD_FAULT_PREAD, EIO);
    fail_at_each(HSD_FAULT_PWRITE, ENOSPC);
}

/* ---- a leak ---- */

static hsd_capture *capture_of(const pf_heap *heap)
{
    hsd_capture *capture;
    int out;
    trace.size = 0;
    pf_add_heap(&trace, heap);
    cr_assert_eq(import_bytes(trace.size, NULL, NULL, &out), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open_fd(&capture, out, "capture", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

Test(perfetto, shows_what_leaked_and_where_it_hangs)
{
    hsd_diff *diff;
    hsd_capture *before = capture_of(&(pf_heap){.sessions = 200}), *after = capture_of(&(pf_heap){.sessions = 1200});
    cr_assert_eq(hsd_diff_run(&diff, before, after, NULL, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(diff->type_count > 0 && diff->root_count > 0 && diff->holder_count > 0);
    cr_expect_str_eq(diff->types[0].name.data, "com.shop.Session");
    cr_expect_eq(hsd_change_objects(&diff->types[0].live), 1000);
    cr_expect_str_eq(diff->roots[0].name.data, "static com.shop.Shop.sessions");
    /* a string that nothing holds, and one that is weakly held */
    cr_expect_eq(diff->after.unreached.objects, 2);
    cr_expect_eq(diff->after.soft.objects, 1);
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
}
