/*
 * References beside their objects, against a reading of the same capture that looks every target up by walking through
 * all objects: small random heaps in every form, and one too large for the memory given.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/joined.h"
#include "support/heap_model.h"

enum { MOST_OBJECTS = 70000, MOST_REFERENCES = 400000 };

typedef struct known_reference {
    uint64_t source, target, target_id, index;
    uint32_t label;
} known_reference;

static struct {
    uint64_t ids[MOST_OBJECTS];
    known_reference references[MOST_REFERENCES];
    uint64_t object_count, reference_count, root_count, dangling;
    hsd_joined_root roots[64];
    bool by_ordinal;
} known;

static char path[64];
static hsd_error err;

static void begin_test(void)
{
    snprintf(path, sizeof path, "/tmp/hsdiff-joined-%d.hs", (int)getpid());
    hsd_error_init(&err);
}

static void end_test(void) { remove(path); }

TestSuite(joined, .init = begin_test, .fini = end_test, .timeout = 300);

/* ---- by definition ---- */

static bool look_up(uint64_t target, uint64_t *ordinal)
{
    if (known.by_ordinal) {
        *ordinal = target;
        return target < known.object_count;
    }
    for (*ordinal = 0; *ordinal < known.object_count; ++*ordinal)
        if (known.ids[*ordinal] == target) return true;
    return false;
}

static void know_reference(uint64_t source, uint64_t target, uint32_t label, uint64_t index)
{
    uint64_t ordinal;
    if (!look_up(target, &ordinal)) {
        known.dangling++;
        return;
    }
    cr_assert_lt(known.reference_count, MOST_REFERENCES);
    known.references[known.reference_count++] = (known_reference){
        .source = source, .target = ordinal, .target_id = known.ids[ordinal], .index = index, .label = label};
}

static void read_objects(hsd_capture *capture, bool ids_alone)
{
    hsd_object_reader *reader;
    hsd_object object;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK, "%s", err.text);
    while (hsd_object_reader_next(reader, &object, &err) == HSD_OK) {
        if (ids_alone && !object.is_continuation) known.ids[known.object_count++] = object.id;
        for (uint32_t i = 0; !ids_alone && i < object.reference_count; i++)
            know_reference(object.ordinal, object.targets[i], object.labels[i], object.indexes[i]);
    }
    hsd_object_reader_close(reader);
}

static void read_records(hsd_capture *capture, hsd_record_kind kind)
{
    hsd_record_reader *reader;
    hsd_record record;
    uint64_t source, target;
    cr_assert_eq(hsd_record_reader_open(&reader, capture, kind, &err), HSD_OK, "%s", err.text);
    while (hsd_record_reader_next(reader, &record, &err) == HSD_OK) {
        if (kind == HSD_RECORD_ROOT) {
            if (!look_up(record.root.target, &target))
                known.dangling++;
            else
                known.roots[known.root_count++] = (hsd_joined_root){target,
                                                                    known.ids[target],
                                                                    record.root.kind,
                                                                    record.root.label,
                                                                    record.root.thread,
                                                                    record.root.frame,
                                                                    record.root.flags};
            continue;
        }
        const bool was_by_ordinal = known.by_ordinal;
        known.by_ordinal = record.edge.source_is_ordinal;
        const bool has_source = look_up(record.edge.source, &source);
        known.by_ordinal = was_by_ordinal;
        if (has_source)
            know_reference(source, record.edge.target, record.edge.label, record.edge.index);
        else
            known.dangling++;
    }
    hsd_record_reader_close(reader);
}

static void know(hsd_capture *capture)
{
    memset(&known, 0, sizeof known);
    known.by_ordinal = hsd_capture_get_info(capture)->targets_are_ordinals;
    read_objects(capture, true);
    read_objects(capture, false);
    read_records(capture, HSD_RECORD_EDGE);
    read_records(capture, HSD_RECORD_ROOT);
}

/* By source, then as they came: the sort must be stable. */
static int by_source(const void *a, const void *b)
{
    const known_reference *left = a, *right = b;
    if (left->source != right->source) return left->source < right->source ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* ---- against it ---- */

static void check_references(hsd_joined *joined, uint64_t *at, uint64_t source, bool want_ids)
{
    hsd_joined_reference one;
    while (hsd_joined_next_reference(joined, &one, &err) == HSD_OK) {
        const known_reference *wanted = &known.references[(*at)++];
        cr_assert_leq(*at, known.reference_count, "there are too many references");
        cr_assert(wanted->source == source && wanted->target == one.target && wanted->label == one.label &&
                      wanted->index == one.index,
                  "reference %llu of object %llu", (unsigned long long)*at, (unsigned long long)source);
        cr_assert_eq(one.target_id, want_ids ? wanted->target_id : 0);
    }
}

static void check_pass(hsd_joined *joined, bool want_ids, bool skip_some)
{
    hsd_object object;
    hsd_status status;
    uint64_t count = 0, at = 0;
    while ((status = hsd_joined_next_object(joined, &object, &err)) == HSD_OK) {
        cr_assert_eq(object.ordinal, count++);
        cr_assert_eq(object.id, known.ids[object.ordinal]);
        if (skip_some && object.ordinal % 3 == 1)
            while (at < known.reference_count && known.references[at].source == object.ordinal)
                at++;
        else
            check_references(joined, &at, object.ordinal, want_ids);
    }
    cr_assert_eq(status, HSD_END, "%s", err.text);
    cr_assert_eq(count, known.object_count);
    cr_assert_eq(at, known.reference_count);
    cr_assert_eq(hsd_joined_reference_count(joined), known.reference_count);
    cr_assert_eq(hsd_joined_dangling(joined), known.dangling);
}

static void check_roots(hsd_joined *joined, bool want_ids)
{
    hsd_joined_root root;
    uint64_t count = 0;
    while (hsd_joined_next_root(joined, &root, &err) == HSD_OK) {
        hsd_joined_root wanted = known.roots[count++];
        if (!want_ids) wanted.target_id = 0;
        cr_assert(root.target == wanted.target && root.target_id == wanted.target_id && root.kind == wanted.kind &&
                      root.label == wanted.label,
                  "root %llu", (unsigned long long)count);
        cr_assert(root.thread == wanted.thread && root.frame == wanted.frame && root.flags == wanted.flags);
    }
    cr_assert_eq(count, known.root_count);
    cr_assert_eq(hsd_joined_root_count(joined), known.root_count);
}

static void check_one_way(bool want_ids, bool sorts_always)
{
    hsd_capture *capture;
    hsd_joined *joined;
    hsd_temp_space space;
    hsd_temp_space_init(&space, NULL);
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    know(capture);
    qsort(known.references, known.reference_count, sizeof known.references[0], by_source);
    const hsd_joined_options options = {.want = HSD_WANT_IDS | HSD_WANT_SIZES,
                                        .want_ids = want_ids,
                                        .sorts_always = sorts_always,
                                        .memory_bytes = HSD_JOINED_MIN_BYTES,
                                        .space = &space};
    cr_assert_eq(hsd_joined_new(&joined, capture, &options, &err), HSD_OK, "%s", err.text);
    check_pass(joined, want_ids, false);
    check_roots(joined, want_ids);
    cr_assert_eq(hsd_joined_rewind(joined, &err), HSD_OK);
    cr_assert_eq(hsd_joined_rewind_roots(joined, &err), HSD_OK);
    check_pass(joined, want_ids, true);
    check_roots(joined, want_ids);
    hsd_joined_free(joined);
    hsd_capture_close(capture);
    cr_assert_eq(space.bytes_now, 0, "temporary files are left");
}

/* With places in memory, and by sorting. */
static void check_file(bool want_ids)
{
    check_one_way(want_ids, false);
    check_one_way(want_ids, true);
}

Test(joined, agrees_with_the_definition_on_random_heaps)
{
    test_random random = {.state = test_seed(71)};
    for (int round = 0; round < 400; round++) {
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        cr_assert(model_write(&heap, &form, path));
        check_file(round % 2 == 0);
        remove(path);
    }
}

/* An array with references in several parts among small objects; targets so far back and ahead that sorters spill. */
static void write_large(bool by_ordinal, uint64_t distance)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.targets_are_ordinals = by_ordinal;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    const uint64_t step = by_ordinal ? 1 : distance, count = 1200;
    for (uint64_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i * distance, .type = 1, .size_bytes = 16});
        const unsigned fan_out = i == 700 ? 200000 : 3;
        for (unsigned k = 0; k < fan_out; k++)
            hsc_reference(w, (i * 7919 + k * 104729) % (count + 5) * step, 1 + k % 2, k);
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

Test(joined, spills_and_follows_long_lists)
{
    write_large(false, 16);
    check_file(false);
    remove(path);
    write_large(true, 16);
    check_file(false);
    check_file(true);
}

/* Ids all over the address space, which do not ascend: a page each. */
Test(joined, finds_scattered_ids)
{
    write_large(false, UINT64_C(0x9e3779b97f4a7c15));
    check_file(false);
    check_file(true);
}

/* Addresses from the last to the first. */
Test(joined, finds_ids_that_descend)
{
    write_large(false, 0 - UINT64_C(48));
    check_file(true);
}

/* Roots and objects alone, of captures of both kinds. */
static void check_without_references(void)
{
    hsd_capture *capture;
    hsd_joined *joined;
    hsd_object object;
    hsd_joined_reference none;
    hsd_temp_space space;
    uint64_t count = 0;
    hsd_temp_space_init(&space, NULL);
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    const hsd_joined_options options = {
        .want = HSD_WANT_IDS, .no_references = true, .memory_bytes = HSD_JOINED_MIN_BYTES, .space = &space};
    cr_assert_eq(hsd_joined_new(&joined, capture, &options, &err), HSD_OK, "%s", err.text);
    while (hsd_joined_next_object(joined, &object, &err) == HSD_OK) {
        cr_assert_eq(object.ordinal, count++);
        if (count % 2 == 0) cr_assert_eq(hsd_joined_next_reference(joined, &none, &err), HSD_END);
    }
    cr_assert_eq(count, hsd_capture_get_info(capture)->objects);
    cr_assert_eq(hsd_joined_reference_count(joined), 0);
    hsd_joined_free(joined);
    hsd_capture_close(capture);
}

Test(joined, tells_objects_alone)
{
    write_large(false, 16);
    check_without_references();
    remove(path);
    write_large(true, 16);
    check_without_references();
}

Test(joined, refuses_too_little_memory)
{
    hsd_joined *joined;
    const hsd_joined_options options = {.memory_bytes = HSD_JOINED_MIN_BYTES - 1};
    cr_assert_eq(hsd_joined_new(&joined, NULL, &options, &err), HSD_E_OVER_BUDGET);
    cr_assert_not_null(strstr(err.text, "4 MiB"));
    cr_assert_null(joined);
}
