/*
 * Heap snapshots out of captures: ids, names that no JSON may carry as they are, captures of other kinds, a heap too
 * large for the memory given, and machines that fail. That all of a heap is in its snapshot: test_heapsnapshot.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/random.h"
#include "unit/export/heapsnapshot_case.h"

TestSuite(heapsnapshot_forms, .init = begin_test, .fini = end_test, .timeout = 300);

/* ---- ids ---- */

static void write_ids(hsc_identity identity, const uint64_t *ids, size_t count)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = identity;
    options.capture_id[0] = 7;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Thing", 5, 0);
    for (size_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = ids[i], .type = 1, .size_bytes = 8 * (i + 1)});
        hsc_end_object(w);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = ids[i]});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

/* Ids of the objects in the snapshot, by their place in the capture. */
static void ids_of(hsc_identity identity, const uint64_t *ids, size_t count, uint64_t *out)
{
    loaded view;
    write_ids(identity, ids, count);
    round_trip(&view);
    for (size_t i = 0; i < count; i++) {
        out[i] = view.objects[3 + i].id;
        cr_assert_eq(view.objects[3 + i].size, 8 * (i + 1));
        cr_assert(out[i] % 2 == 1 && out[i] <= UINT32_MAX, "id %llu", (unsigned long long)out[i]);
        for (size_t k = 0; k < i; k++)
            cr_assert_neq(out[i], out[k]);
    }
    loaded_release(&view);
}

Test(heapsnapshot_forms, gives_an_object_the_same_id_in_two_snapshots)
{
    static const uint64_t before[] = {1, 77, 0x3fffffff, 0x40000000, 0x7f1200000010, 0x7f1200000020, UINT64_MAX};
    static const uint64_t after[] = {0x7f1200000020, 5, 77, UINT64_MAX, 0x40000000, 0x7f1200000040};
    uint64_t a[7], b[6];
    for (int identity = HSC_IDENTITY_EXACT; identity <= HSC_IDENTITY_ADDRESS; identity++) {
        ids_of((hsc_identity)identity, before, 7, a);
        ids_of((hsc_identity)identity, after, 6, b);
        cr_assert_eq(b[0], a[5]);
        cr_assert_eq(b[2], a[1]);
        cr_assert_eq(b[3], a[6]);
        cr_assert_eq(b[4], a[3]);
        for (size_t i = 0; i < 7; i++)
            cr_assert(b[1] != a[i] && b[5] != a[i]);
    }
    ids_of(HSC_IDENTITY_EXACT, before, 7, a);
    cr_assert_eq(a[1], 2 * (77 + 65536) + 1);
}

/* Where ids say nothing, they must not look as if they did. */
Test(heapsnapshot_forms, gives_ids_that_say_nothing_no_meaning)
{
    static const uint64_t ids[] = {0x1000, 0x2000, 0x3000};
    uint64_t a[3], exact[3];
    ids_of(HSC_IDENTITY_EXACT, ids, 3, exact);
    for (int i = 0; i < 2; i++) {
        ids_of(i == 0 ? HSC_IDENTITY_MOVING : HSC_IDENTITY_NONE, ids, 3, a);
        cr_assert(a[1] == a[0] + 2 && a[2] == a[0] + 4);
        cr_assert_neq(a[0], exact[0]);
    }
}

Test(heapsnapshot_forms, tells_objects_apart_whose_hashes_meet)
{
    enum { COUNT = 150000 };
    uint64_t *ids = malloc(COUNT * sizeof *ids);
    loaded view;
    cr_assert_not_null(ids);
    for (size_t i = 0; i < COUNT; i++)
        ids[i] = UINT64_C(0x7f0000000000) + i * 16;
    write_ids(HSC_IDENTITY_ADDRESS, ids, COUNT); /* about five pairs meet */
    round_trip(&view);
    uint8_t *seen = calloc((size_t)1 << 28, 1);
    cr_assert_not_null(seen);
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t half = view.objects[3 + i].id / 2;
        cr_assert_eq(seen[half >> 3] >> (half & 7) & 1, 0, "id %llu twice", (unsigned long long)half * 2 + 1);
        seen[half >> 3] = (uint8_t)(seen[half >> 3] | 1u << (half & 7));
    }
    free(seen);
    free(ids);
    loaded_release(&view);
}

/* ---- texts ---- */

typedef struct hostile {
    const char *bytes;
    size_t size;
    const char *json;
} hostile;

static const hostile hostile_names[] = {
    {"plain", 5, "\"plain\""},
    {"a\"b\\c", 5, "\"a\\\"b\\\\c\""},
    {"\b\f\n\r\t\x01\x7f", 7, "\"\\b\\f\\n\\r\\t\\u0001\\u007f\""},
    {"nul\0nul", 7, "\"nul\\u0000nul\""},
    {"caf\xc3\xa9 \xe2\x82\xac", 9, "\"caf\\u00e9 \\u20ac\""},
    {"\xf0\x9f\x98\x80", 4, "\"\\ud83d\\ude00\""},
    {"\xff\xc3(\xe2\x82", 5, "\"\\ufffd\\ufffd(\\ufffd\\ufffd\""},
    {"\xc0\xaf\xed\xa0\x80", 5, "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
    {"\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
};
enum { HOSTILE = sizeof hostile_names / sizeof hostile_names[0] };

static void write_hostile(void)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.facts = HSC_FACT_VALUES;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, HOSTILE + 1, "string", 6, 0);
    for (uint32_t i = 0; i < HOSTILE; i++) {
        hsc_define_type(w, i + 1, hostile_names[i].bytes, hostile_names[i].size, 0);
        hsc_define_string(w, i + 1, hostile_names[i].bytes, hostile_names[i].size);
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
        hsc_begin_object(w, &(hsc_object){.id = i + 1, .type = i + 1, .size_bytes = 16});
        hsc_reference(w, (i + 1) % HOSTILE + 1, i + 1, 0);
        hsc_end_object(w);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .target = i + 1, .label = i + 1});
    }
    hsc_begin_object(w, &(hsc_object){.id = 100, .type = HOSTILE + 1, .size_bytes = 32});
    hsc_value(w, "the \"secret\"", 12);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 101, .type = 1, .size_bytes = 32});
    hsc_value(w, "id=17", 5);
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(heapsnapshot_forms, is_pure_ascii_whatever_the_names)
{
    size_t size;
    loaded view;
    write_hostile();
    round_trip(&view);
    char *text = read_snapshot(&size);
    for (size_t i = 0; i < size; i++)
        cr_assert(text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f), "byte %d at %zu", text[i], i);
    for (size_t i = 0; i < HOSTILE; i++)
        cr_assert_not_null(strstr(text, hostile_names[i].json), "no %s", hostile_names[i].json);
    for (size_t i = 0; i < 5; i++) /* what is UTF-8 comes back as it was; a NUL ends the text */
        cr_assert_eq(strncmp(view.objects[2 + HOSTILE + i].type, hostile_names[i].bytes, hostile_names[i].size), 0);
    cr_assert_null(strstr(text, "secret"));
    cr_assert_null(strstr(text, "id=17"));
    free(text);
    loaded_release(&view);
}

Test(heapsnapshot_forms, tells_values_only_when_asked)
{
    const hsd_export_options options = {.with_values = true};
    size_t size;
    write_hostile();
    export_with(&options, NULL);
    char *text = read_snapshot(&size);
    cr_assert_not_null(strstr(text, "\"the \\\"secret\\\"\""));
    cr_assert_not_null(strstr(text, "\"id=17\""));
    free(text);
}

/* ---- captures of other kinds ---- */

/* Without roots everything counts as live, and does so afterwards. */
Test(heapsnapshot_forms, keeps_everything_live_where_no_roots_are_known)
{
    hsc_options options;
    hsc_writer *w;
    loaded view;
    bool live[16] = {false};
    hsc_options_init(&options);
    options.facts = HSC_FACT_NO_ROOTS;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Ring", 4, 0);
    for (uint64_t i = 0; i < 5; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i + 1, .type = 1, .size_bytes = 16});
        hsc_reference(w, (i + 1) % 5 + 1, 0, 0);
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    round_trip(&view);
    for (size_t i = 0; i < view.root_count; i++)
        reach(&view, (uint32_t)view.roots[i].target, live);
    for (size_t i = 2; i < 7; i++)
        cr_assert(live[i]);
    loaded_release(&view);
}

Test(heapsnapshot_forms, adds_what_an_object_owns_outside_the_heap)
{
    hsc_options options;
    hsc_writer *w;
    loaded view;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_begin_object(w, &(hsc_object){.id = 1, .size_bytes = 48, .native_bytes = UINT64_C(5) << 30});
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    round_trip(&view);
    cr_assert_eq(view.info.bytes, (UINT64_C(5) << 30) + 48);
    loaded_release(&view);
}

/* ---- snapshots that were snapshots ---- */

/* A page: its window has a detached element, whose span is detached with it, but not the document, which is attached,
 * with its body. */
static const char page[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\",\"native\","
    "\"synthetic\"],"
    "\"string\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_"
    "number\",\"node\"]},"
    "\"node_count\":9,\"edge_count\":9,\"extra_native_bytes\":4096},\n"
    "\"nodes\":[9,1,1,0,3,0, 9,2,3,0,1,0, 3,4,5,16,1,0, 8,5,7,32,2,2, 8,6,9,32,0,0, 8,7,11,64,1,1, 8,8,13,40,0,0, "
    "9,3,15,0,1,0, 9,14,17,24,0,0],\n"
    "\"edges\":[1,1,6, 5,13,12, 1,2,48, 1,1,42, 2,9,18, 3,10,24, 3,11,30, 3,12,36, 1,1,30],\n"
    "\"strings\":[\"<dummy>\",\"\",\"(GC roots)\",\"(Global "
    "handles)\",\"Window\",\"HTMLDivElement\",\"HTMLSpanElement\",\"Document\","
    "\"HTMLBodyElement\",\"div\",\"parent\",\"doc\",\"body\",\"1\",\"C++ roots\"]}";

static const loaded_object *by_id(const loaded *view, uint64_t id)
{
    for (size_t i = 0; i < view->object_count; i++)
        if (view->objects[i].id == id) return &view->objects[i];
    return NULL;
}

Test(heapsnapshot_forms, keeps_what_is_detached_and_the_roots_of_a_page)
{
    static const hsd_import_options usual;
    hsd_import_result result;
    loaded before, after;
    FILE *file = fopen(snapshot, "wb");
    cr_assert(file != NULL && fwrite(page, 1, sizeof page - 1, file) == sizeof page - 1);
    fclose(file);
    cr_assert_eq(hsd_import_file(snapshot, path, true, &usual, NULL, &result, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(loaded_import(&before, page, sizeof page - 1, &usual, NULL, &err), HSD_OK, "%s", err.text);
    round_trip(&after);
    for (uint64_t id = 5; id <= 17; id += 2) {
        const loaded_object *was = by_id(&before, id), *is = by_id(&after, id);
        if (id == 15) continue; /* a group of roots */
        cr_assert(was != NULL && is != NULL, "object %llu", (unsigned long long)id);
        cr_assert_str_eq(is->type, was->type);
        cr_assert(is->size == was->size && is->flags == was->flags && is->reference_count == was->reference_count);
    }
    cr_assert_str_eq(by_id(&after, 9)->type, "Detached HTMLSpanElement");
    cr_assert_str_eq(by_id(&after, 13)->type, "HTMLBodyElement");
    cr_assert_eq(after.root_count, before.root_count);
    for (size_t i = 0; i < before.root_count; i++) {
        const loaded_root *root = &before.roots[i];
        const loaded_object *target = by_id(&after, before.objects[root->target].id);
        cr_assert(loaded_has_root(&after, root->kind, root->label, (uint64_t)(target - after.objects)), "root %s",
                  root->label);
    }
    cr_assert_eq(after.native_used, 4096);
    loaded_release(&before);
    loaded_release(&after);
}

/* ---- memory ---- */

static void write_many(uint64_t count)
{
    hsc_options options;
    hsc_writer *w;
    test_random random = {5};
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_ADDRESS;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Many", 4, 0);
    hsc_define_string(w, 1, "next", 4);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1);
    hsc_define_label(w, 2, HSC_LABEL_ELEMENT, HSC_STRENGTH_WEAK, 0);
    for (uint64_t i = 1; i <= count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i << 20, .type = 1, .size_bytes = 16 + i % 64});
        for (uint64_t k = test_below(&random, 5); k > 0; k--)
            hsc_reference(w, (1 + test_below(&random, count)) << 20, 1, 0);
        if (i % 16 == 0) hsc_reference(w, (1 + test_below(&random, count)) << 20, 2, i);
        hsc_end_object(w);
        if (i % 1000 == 0) hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .target = i << 20});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(heapsnapshot_forms, writes_the_same_bytes_with_little_memory)
{
    const hsd_run much = {.memory_bytes = UINT64_C(1) << 30}, little = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    size_t a_size, b_size;
    write_many(300000);
    export_with(NULL, &much);
    char *a = read_snapshot(&a_size);
    export_with(NULL, &little);
    char *b = read_snapshot(&b_size);
    cr_assert(a_size == b_size && memcmp(a, b, a_size) == 0);
    free(a);
    free(b);
}

Test(heapsnapshot_forms, refuses_a_pair)
{
    write_many(10);
    hsd_capture *capture = open_capture(NULL);
    cr_assert_eq(hsd_export_file(capture, capture, snapshot, NULL, NULL, NULL, &err), HSD_E_UNSUPPORTED);
    cr_assert_neq(access(snapshot, F_OK), 0);
    hsd_capture_close(capture);
}

/* ---- when something fails ---- */

static hsd_status try_export(hsd_capture *capture)
{
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    return hsd_export_file(NULL, capture, snapshot, NULL, &run, NULL, &err);
}

/* Each call in turn: the export fails with that status, and leaves nothing. */
static void fail_at_each(hsd_capture *capture, hsd_fault_family family, hsd_status expected)
{
    remove(snapshot);
    hsd_fault_reset();
    cr_assert_eq(try_export(capture), HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family), step = calls / 60 + 1;
    uint64_t failed = 0;
    for (uint64_t at = 1; at <= calls; at += step) {
        remove(snapshot);
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, ENOSPC);
        const hsd_status status = try_export(capture);
        hsd_fault_reset();
        if (status == HSD_OK) continue; /* what can be done without: a sorter takes less */
        failed++;
        cr_assert_eq(status, expected, "%s call %llu: status %d", hsd_fault_name(family), (unsigned long long)at,
                     (int)status);
        cr_assert_neq(access(snapshot, F_OK), 0);
    }
    cr_assert_gt(failed, 0);
}

Test(heapsnapshot_forms, leaves_nothing_behind_when_something_fails)
{
    write_many(40000); /* enough for temporary files */
    hsd_capture *capture = open_capture(NULL);
    fail_at_each(capture, HSD_FAULT_MALLOC, HSD_E_NOMEM);
    fail_at_each(capture, HSD_FAULT_PWRITE, HSD_E_IO);
    fail_at_each(capture, HSD_FAULT_WRITE, HSD_E_IO);
    hsd_capture_close(capture);
}
