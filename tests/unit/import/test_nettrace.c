/*
 * Heaps that a .NET runtime tells: what of the events gets into the capture, in which words, and what is said of what
 * is missing.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/capture_view.h"
#include "support/memfile.h"
#include "support/nettrace_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static hsd_import_result result;
static hsd_error error;
static unsigned heap_ends;

static hsd_status import(capture_view *view, const nettrace_writer *w, size_t size, const hsd_import_options *options)
{
    int fd = -1;
    memfile file = memfile_of(w->out.data, size);
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    hsd_error_init(&error);
    const hsd_status status = hsd_import_temp(file.path, options, &run, &fd, &result, &error);
    memfile_close(&file);
    if (status == HSD_OK) cr_assert(view_open_fd(view, fd));
    return status;
}

static void import_whole(capture_view *view, nettrace_writer *w)
{
    cr_assert_eq(import(view, w, w->out.size, NULL), HSD_OK, "%s", error.text);
    nt_free(w);
}

/* ---- a heap ---- */

static void check_program(nettrace_writer *w)
{
    capture_view v;
    uint64_t objects, bytes;
    import_whole(&v, w);
    cr_expect(v.info->is_complete);
    cr_expect_eq(result.objects, 42);
    cr_expect_eq(result.references, 1 + 40 + 20 + 1);
    cr_expect_eq(v.info->edges, 1, "the weak table's");
    view_total(&v, "Shop.Session", &objects, &bytes);
    cr_expect_eq(objects, 40);
    cr_expect_eq(bytes, 40 * 48);
    const view_object *map = view_find(&v, 0x1000), *table = view_find(&v, 0x1100);
    cr_assert(map != NULL && table != NULL);
    cr_expect_str_eq(view_type(&v, map->type), "System.Collections.Generic.Dictionary<System.Int32, Shop.Session>");
    cr_expect_eq(v.references[map->first].target, 0x1100);
    cr_expect_eq(table->count, 40);
    cr_expect_eq(v.references[table->first + 39].target, 0x2000 + 0x40 * 39);
    cr_expect_eq(view_find(&v, 0x2000)->count, 0);
    cr_expect_eq(v.references[view_find(&v, 0x2040)->first].target, 0x1000);
    view_close(&v);
}

Test(nettrace, reads_both_forms_of_headers_and_both_sizes_of_pointers)
{
    nettrace_writer w;
    nt_program(&w, NT_PACKED, 8);
    check_program(&w);
    nt_program(&w, NT_WHOLE, 8);
    check_program(&w);
    nt_program(&w, NT_PACKED, 4);
    check_program(&w);
}

Test(nettrace, says_what_it_knows_of_the_process)
{
    capture_view v;
    nettrace_writer w;
    nt_program(&w, NT_PACKED, 4);
    import_whole(&v, &w);
    cr_expect_eq(v.info->pid, 77);
    cr_expect_eq(v.info->pointer_bytes, 4);
    cr_expect_eq(v.info->taken_unix_ns, UINT64_C(1709209815250000000));
    cr_expect_eq(v.info->facts, HSC_FACT_COLLECTED);
    cr_expect_eq(v.info->identity, (hsd_identity)HSC_IDENTITY_MOVING);
    view_close(&v);
}

Test(nettrace, roots_are_named_and_only_static_fields_own)
{
    capture_view v;
    nettrace_writer w;
    nt_program(&w, NT_PACKED, 8);
    import_whole(&v, &w);
    const char *field = "static System.Collections.Generic.Dictionary<System.Int32, Shop.Session> Sessions";
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_STATIC, field, 0x1000), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_STACK, "stack", 0x2000), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_FINALIZER, "finalizer queue", 0x2040), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_HANDLE, "thread static or handle", 0x2080), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_HANDLE, "pinned handle", 0x20c0), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_RUNTIME, "runtime", 0x2140), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_HANDLE, "COM handle", 0x2180), 1);
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_HANDLE, "COM handle", 0x21c0), 1);
    cr_expect_eq(v.root_count, 8, "weak handles and empty slots are no roots");
    for (size_t i = 0; i < v.root_count; i++)
        cr_expect_eq(v.roots[i].flags, v.roots[i].kind == HSC_ROOT_STATIC ? 0u : HSC_ROOT_SECONDARY);
    view_close(&v);
}

static void expect_type(const char *told, const char *expected, unsigned flags)
{
    capture_view v;
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_collection(&w, 1);
    nt_nodes(&w, (nt_node[]){{0x100, 16, 5, 0}}, 1);
    nt_type(&w, 5, told);
    nt_type(&w, 5, "told twice");
    nt_collected(&w, 1);
    nt_end(&w);
    import_whole(&v, &w);
    const uint32_t type = view_find(&v, 0x100)->type;
    cr_expect_str_eq(view_type(&v, type), expected);
    cr_expect_eq(v.type_flags[type], flags, "%s", expected);
    view_close(&v);
}

Test(nettrace, types_are_called_as_in_the_source)
{
    expect_type("System.String", "System.String", 0);
    expect_type("System.Int32[,][]", "System.Int32[,][]", 0);
    expect_type("System.Byte[*]", "System.Byte[*]", 0);
    expect_type("A`1[B`2[C,D[]]][,]", "A<B<C, D[]>>[,]", 0);
    expect_type("Shop.Cart`1[Shop.Cart`1+Line[System.Int32]]", "Shop.Cart<Shop.Cart.Line<System.Int32>>", 0);
    expect_type("<Main>c__AnonStorey0", "<Main>c__AnonStorey0", 0);
    expect_type("\xc3\x84pfel.\xe2\x82\xac", "\xc3\x84pfel.\xe2\x82\xac", 0);
    expect_type("odd]`[,", "odd]`<, ", 0);
    expect_type("", "told twice", 0);
}

Test(nettrace, what_collections_keep_their_items_in_is_internal)
{
    expect_type("Entry[System.Int32,Shop.Session][]", "Entry<System.Int32, Shop.Session>[]", HSC_TYPE_INTERNAL);
    expect_type("Slot[System.Int32][]", "Slot<System.Int32>[]", HSC_TYPE_INTERNAL);
    expect_type("bucket[]", "bucket[]", HSC_TYPE_INTERNAL);
    expect_type("Tables[A,B]", "Tables<A, B>", HSC_TYPE_INTERNAL);
    expect_type("System.Collections.Concurrent.ConcurrentQueueSegment`1[A]",
                "System.Collections.Concurrent.ConcurrentQueueSegment<A>", HSC_TYPE_INTERNAL);
    expect_type("System.Collections.Concurrent.ConcurrentQueue`1[A]",
                "System.Collections.Concurrent.ConcurrentQueue<A>", 0);
    expect_type("Node[System.Int32,Shop.Session][]", "Node<System.Int32, Shop.Session>[]", HSC_TYPE_INTERNAL);
    expect_type("Node[System.Int32,Shop.Session]", "Node<System.Int32, Shop.Session>", HSC_TYPE_INTERNAL);
    expect_type("Node[Shop.Pair[A,B]]", "Node<Shop.Pair<A, B>>", 0);
    expect_type("Node[A]", "Node<A>", 0);
    expect_type("Entry[]", "Entry[]", 0);
    expect_type("Shop.Entry`1[A][]", "Shop.Entry<A>[]", 0);
}

Test(nettrace, what_the_runtime_knows_of_compiled_methods_is_code)
{
    expect_type("System.Runtime.CompilerServices.GCHeapHash", "System.Runtime.CompilerServices.GCHeapHash",
                HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE);
    expect_type("Shop.GCHeapHash", "Shop.GCHeapHash", 0);
}

Test(nettrace, a_type_that_is_never_told_has_a_name_all_the_same)
{
    capture_view v;
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_collection(&w, 1);
    nt_nodes(&w, (nt_node[]){{0x100, 16, 5, 0}}, 1);
    nt_static(&w, 0x100, 6, 1, "cache");
    nt_collected(&w, 1);
    nt_end(&w);
    import_whole(&v, &w);
    cr_expect_str_eq(view_type(&v, view_find(&v, 0x100)->type), "(unknown type)");
    cr_expect_eq(view_count_roots(&v, HSC_ROOT_STATIC, "[ThreadStatic] static (unknown type) cache", 0x100), 1);
    view_close(&v);
}

Test(nettrace, a_summary_has_totals_alone)
{
    capture_view v;
    nettrace_writer w;
    uint64_t objects, bytes;
    const hsd_import_options options = {.summary_only = true};
    nt_program(&w, NT_PACKED, 8);
    cr_assert_eq(import(&v, &w, w.out.size, &options), HSD_OK, "%s", error.text);
    view_total(&v, "Shop.Session", &objects, &bytes);
    cr_expect_eq(objects, 40);
    cr_expect_eq(bytes, 40 * 48);
    cr_expect_eq(v.object_count, 0);
    cr_expect_eq(result.objects, 42);
    view_close(&v);
    nt_free(&w);
}

/* ---- which collection ---- */

Test(nettrace, other_collections_tell_nothing)
{
    capture_view v;
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_start(&w, 1, 2, 1); /* in the background */
    nt_stop(&w, 1, 2);
    nt_collection(&w, 2); /* had begun before it was asked for a heap */
    nt_stop(&w, 2, 2);
    nt_collection(&w, 3);
    nt_nodes(&w, (nt_node[]){{0x100, 16, 5, 0}}, 1);
    nt_stop(&w, 1, 1);
    nt_nodes(&w, (nt_node[]){{0x200, 16, 5, 0}}, 1);
    nt_collected(&w, 3);
    nt_collection(&w, 4);
    nt_nodes(&w, (nt_node[]){{0x300, 16, 5, 0}}, 1);
    nt_collected(&w, 4);
    nt_end(&w);
    import_whole(&v, &w);
    cr_expect_eq(v.object_count, 2, "the first heap and no other");
    cr_expect(v.info->is_complete);
    view_close(&v);
}

Test(nettrace, a_stream_without_a_heap_is_refused_in_words)
{
    capture_view v;
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_start(&w, 1, 1, 0);
    nt_stop(&w, 1, 1);
    nt_end(&w);
    cr_expect_eq(import(&v, &w, w.out.size, NULL), HSD_E_UNSUPPORTED);
    cr_expect(strstr(error.text, "holds no heap") != NULL, "%s", error.text);
    cr_expect(strstr(error.hint, "hsdiff capture") != NULL, "%s", error.hint);
    nt_free(&w);
}

static void count_end(void *context)
{
    (void)context;
    heap_ends++;
}

static size_t give_metric(void *context, hsd_origin_metric *out, size_t most)
{
    (void)context;
    if (most > 0) out[0] = (hsd_origin_metric){"process.rss", "bytes", heap_ends};
    return 1;
}

Test(nettrace, the_origin_is_told_once_that_the_heap_has_ended)
{
    capture_view v;
    nettrace_writer w;
    const hsd_import_origin origin = {.heap_end = count_end, .metrics = give_metric};
    const hsd_import_options options = {.origin = &origin};
    nt_program(&w, NT_PACKED, 8);
    heap_ends = 0;
    cr_assert_eq(import(&v, &w, w.out.size, &options), HSD_OK, "%s", error.text);
    cr_expect_eq(heap_ends, 1);
    view_close(&v);
    nt_free(&w);
}

Test(nettrace, a_running_process_that_tells_no_heap_is_given_up)
{
    capture_view v;
    nettrace_writer w;
    const hsd_import_origin origin = {.heap_end = count_end};
    const hsd_import_options options = {.origin = &origin};
    for (unsigned seconds = 299; seconds <= 301; seconds += 2) {
        nt_begin(&w, NT_PACKED, 8);
        nt_start(&w, 1, 0, 0);
        w.ticks += seconds * UINT64_C(1000000000);
        nt_stop(&w, 1, 0);
        nt_collection(&w, 2);
        nt_nodes(&w, (nt_node[]){{0x100, 16, 5, 0}}, 1);
        nt_collected(&w, 2);
        nt_end(&w);
        const hsd_status status = import(&v, &w, w.out.size, &options);
        cr_expect_eq(status, seconds < 300 ? HSD_OK : HSD_E_UNSUPPORTED, "%s", error.text);
        if (status == HSD_OK) view_close(&v);
        nt_free(&w);
    }
}

/* ---- the two streams ---- */

#define MANY 70000u /* more than one chunk of references that wait */

static uint64_t *many_targets(void)
{
    uint64_t *targets = malloc(MANY * sizeof *targets);
    for (unsigned i = 0; targets != NULL && i < MANY; i++)
        targets[i] = 0x10000 + 16 * (uint64_t)i;
    cr_assert_not_null(targets);
    return targets;
}

Test(nettrace, references_may_come_before_their_object_and_long_after_it)
{
    capture_view v;
    nettrace_writer w;
    uint64_t *targets = many_targets();
    for (unsigned order = 0; order < 2; order++) {
        nt_begin(&w, NT_PACKED, 8);
        nt_collection(&w, 1);
        if (order == 1) nt_nodes(&w, (nt_node[]){{0x100, 32, 1, 4 * MANY}, {0x200, 16, 1, 0}, {0x300, 16, 1, 2}}, 3);
        for (unsigned i = 0; i < 4; i++)
            nt_edges(&w, targets, MANY);
        nt_edges(&w, (uint64_t[]){0x100, 0x200}, 2);
        if (order == 0) nt_nodes(&w, (nt_node[]){{0x100, 32, 1, 4 * MANY}, {0x200, 16, 1, 0}, {0x300, 16, 1, 2}}, 3);
        nt_collected(&w, 1);
        nt_end(&w);
        import_whole(&v, &w);
        const view_object *late = view_find(&v, 0x300), *big = view_find(&v, 0x100);
        cr_assert(late != NULL && big != NULL);
        cr_expect(v.info->is_complete);
        cr_expect_eq(result.references, 4 * MANY + 2);
        cr_expect_eq(v.info->references + v.info->edges, 4 * MANY + 2);
        cr_expect_eq(late->count, 2);
        cr_expect_eq(v.references[late->first].target, 0x100);
        for (size_t i = 0; i < big->count; i++)
            cr_assert_eq(v.references[big->first + i].target, targets[i % MANY]);
        view_close(&v);
    }
    free(targets);
}

/* ---- what is missing ---- */

static void expect_torn(nettrace_writer *w, size_t objects, uint64_t events, uint64_t references)
{
    capture_view v;
    nt_collected(w, 1);
    nt_end(w);
    import_whole(&v, w);
    cr_expect_not(v.info->is_complete);
    cr_expect_not(result.is_complete);
    cr_expect_eq(v.object_count, objects);
    cr_expect_eq(view_loss(&v, "events dropped by the runtime"), events);
    cr_expect_eq(view_loss(&v, "references without their object"), references);
    cr_expect(strstr(v.info->incomplete_reason, events == 0 ? "do not fit" : "dropped by the runtime") != NULL, "%s",
              v.info->incomplete_reason);
    view_close(&v);
}

static void begin_torn(nettrace_writer *w)
{
    nt_begin(w, NT_PACKED, 8);
    nt_collection(w, 1);
    nt_nodes(w, (nt_node[]){{0x100, 16, 1, 2}, {0x200, 16, 1, 2}}, 2);
    nt_edges(w, (uint64_t[]){0x200, 0x200, 0x100}, 3);
}

Test(nettrace, dropped_references_leave_objects_and_are_counted)
{
    nettrace_writer w;
    begin_torn(&w);
    nt_drop(&w, 19, 3);
    nt_edges(&w, (uint64_t[]){0x100}, 1);
    nt_nodes(&w, (nt_node[]){{0x300, 16, 1, 1}}, 1);
    expect_torn(&w, 3, 3, 3); /* one of 0x200, the one behind the gap, that of 0x300 */
}

Test(nettrace, dropped_objects_take_the_references_behind_them_along)
{
    nettrace_writer w;
    begin_torn(&w);
    nt_drop(&w, 18, 1);
    nt_nodes(&w, (nt_node[]){{0x300, 16, 1, 1}}, 1);
    nt_edges(&w, (uint64_t[]){0x100, 0x300}, 2);
    expect_torn(&w, 3, 1, 2);
}

Test(nettrace, other_events_of_the_heap_that_are_dropped_make_it_incomplete)
{
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_collection(&w, 1);
    nt_nodes(&w, (nt_node[]){{0x100, 16, 1, 0}}, 1);
    nt_drop(&w, 0, 5);
    expect_torn(&w, 1, 5, 0);
}

Test(nettrace, references_that_do_not_fit_make_it_incomplete)
{
    nettrace_writer w;
    begin_torn(&w);
    expect_torn(&w, 2, 0, 1);
    begin_torn(&w);
    nt_edges(&w, (uint64_t[]){0x100, 0x100, 0x100}, 3);
    expect_torn(&w, 2, 0, 2);
}

Test(nettrace, what_is_dropped_behind_the_heap_is_not_of_it)
{
    capture_view v;
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_collection(&w, 1);
    nt_nodes(&w, (nt_node[]){{0x100, 16, 1, 0}}, 1);
    nt_collected(&w, 1);
    nt_drop(&w, 0, 5);
    nt_event(&w, 99, "", 0);
    nt_end(&w);
    import_whole(&v, &w);
    cr_expect(v.info->is_complete);
    view_close(&v);
}

/* ---- damage ---- */

Test(nettrace, a_prefix_ends_in_words_or_in_an_incomplete_capture)
{
    capture_view v;
    nettrace_writer w;
    const hsd_import_options salvage = {.salvage = true};
    nt_program(&w, NT_PACKED, 8);
    for (size_t size = 0; size < w.out.size; size += size < 400 ? 1 : 7) {
        const hsd_status status = import(&v, &w, size, NULL);
        cr_expect_lt(status, 0, "%zu bytes", size);
        cr_expect_neq(error.text[0], '\0', "%zu bytes", size);
        if (size < 32) continue;
        cr_expect(status == HSD_E_TRUNCATED, "%zu bytes: %s", size, error.text);
        if (import(&v, &w, size, &salvage) != HSD_OK) continue;
        cr_expect_eq(v.info->is_complete, 0, "%zu bytes", size);
        view_close(&v);
    }
    nt_free(&w);
}

Test(nettrace, newer_streams_are_told_apart_from_damaged_ones)
{
    static const uint8_t newer[64] = {'N', 'e', 't', 't', 'r', 'a', 'c', 'e', 0, 0, 0, 0, 6};
    capture_view v;
    nettrace_writer w = {.out = {.data = (uint8_t *)newer, .size = sizeof newer}};
    cr_expect_eq(import(&v, &w, sizeof newer, NULL), HSD_E_TOO_NEW);
    cr_expect(strstr(error.text, "version 6") != NULL, "%s", error.text);
    nt_begin(&w, NT_PACKED, 8);
    w.out.data[32 + 3 + 4] = 9; /* oldest reader of the trace */
    cr_expect_eq(import(&v, &w, w.out.size, NULL), HSD_E_TOO_NEW, "%s", error.text);
    w.out.data[32 + 3 + 4] = 4;
    w.out.data[32 + 3 + 12] = '?';
    cr_expect_eq(import(&v, &w, w.out.size, NULL), HSD_E_CORRUPT, "%s", error.text);
    nt_free(&w);
}
