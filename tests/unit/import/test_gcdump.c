#define _GNU_SOURCE /* memmem */
/*
 * The importer of .gcdump: a shop in every form of the file, heaps drawn at random against what was drawn, and all that
 * is wrong.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/gcdump_writer.h"
#include "support/import_bytes.h"
#include "support/random.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static const hsd_import_options plain = {.compression = 1}, summary = {.compression = 1, .summary_only = true},
                                salvage = {.compression = 1, .salvage = true};

static hsd_status import(const uint8_t *data, size_t size, const hsd_import_options *options, uint64_t memory,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory};
    return import_bytes(data, size, "dump", options, &run, result, view, err);
}

static void open_heap(const gw_heap *heap, const hsd_import_options *options, hsd_import_result *result,
                      capture_view *view)
{
    hsd_error err;
    gw_bytes bytes = gw_write(heap);
    const hsd_status status = import(bytes.data, bytes.size, options, UINT64_C(2) << 20, result, view, &err);
    cr_assert(status == HSD_OK, "%s", err.text);
    free(bytes.data);
}

static const gw_heap *sample(const char *name)
{
    for (size_t i = 0; i < gw_sample_count; i++)
        if (strcmp(gw_samples[i].name, name) == 0) return &gw_samples[i].heap;
    cr_assert(false, "no sample %s", name);
    return NULL;
}

/* ---- the shop ---- */

static const char *type_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object 0x%llx", (unsigned long long)id);
    return view_type(view, object->type);
}

/* References are ordinals here: does object `from` refer to object `to`? */
static bool refers(const capture_view *view, uint64_t from, uint64_t to)
{
    const view_object *object = view_find(view, from);
    for (size_t i = 0; i < object->count; i++)
        if (view->objects[view->references[object->first + i].target].id == to) return true;
    return false;
}

static uint64_t ordinal(const capture_view *view, uint64_t id)
{
    return (uint64_t)(view_find(view, id) - view->objects);
}

static void check_shop(const capture_view *view, const char *form)
{
    cr_expect_str_eq(type_of(view, 0x10000), "System.Object[]", "%s", form);
    cr_expect_str_eq(type_of(view, 0x20100), "System.Byte[]");
    cr_expect_str_eq(type_of(view, 0x90000), "System.Byte[]");
    cr_expect_str_eq(type_of(view, 0x20300), "K\xc3\xa4se\xe2\x82\xac\xf0\x9f\xa7\x80");
    cr_expect_eq(view->type_flags[view_find(view, 0x20200)->type], HSC_TYPE_INTERNAL);
    cr_expect(view_find(view, 0x20000)->size_bytes == 32 && view_find(view, 0x20040)->size_bytes == 36, "%s", form);
    cr_expect(refers(view, 0x10000, 0x20000) && refers(view, 0x20040, 0x20000) && refers(view, 0x20200, 0x20300), "%s",
              form);
    cr_expect_eq(view_find(view, 0x10000)->count, 4);
    cr_expect_eq(view_find(view, 0x20400)->flags, HSC_OBJECT_PSEUDO);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_STATIC, "static var Shop.Registry.Sessions", ordinal(view, 0x10000)),
                 1, "%s", form);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_STACK, "local vars", ordinal(view, 0x20000)), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_HANDLE, "strong Handles", ordinal(view, 0x10000)), 1);
    cr_expect(view->root_count == 3 && view_loss(view, "objects that are referred to and not told") == 1, "%s", form);
}

Test(gcdump, reads_every_form_of_the_file)
{
    static const char *const forms[] = {"v10", "v9", "v7", "v6", "v5", "v4", "wide", "graph", "graph_old", "sampled"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        hsd_import_result result, totals;
        capture_view view, sums;
        open_heap(sample(forms[i]), &plain, &result, &view);
        cr_expect(result.is_complete && result.objects == 8 && result.bytes == gw_total(sample(forms[i])),
                  "%s: %llu objects", forms[i], (unsigned long long)result.objects);
        cr_expect(view.info->identity == HSD_IDENTITY_MOVING && view.info->pointer_bytes == 8);
        check_shop(&view, forms[i]);
        view_close(&view);
        if (strcmp(forms[i], "sampled") == 0) continue;
        open_heap(sample(forms[i]), &summary, &totals, &sums);
        uint64_t objects, bytes;
        view_total(&sums, "Shop.Session", &objects, &bytes);
        cr_expect(totals.objects == result.objects && totals.bytes == result.bytes && objects == 3 && bytes == 100,
                  "%s", forms[i]);
        view_close(&sums);
    }
}

Test(gcdump, says_of_what_process_it_is)
{
    hsd_import_result result;
    capture_view view;
    open_heap(sample("v10"), &plain, &result, &view);
    cr_expect_str_eq(view.info->process_name, "shop");
    cr_expect_str_eq(view.info->runtime, ".NET");
    cr_expect(view.info->pid == 4711 && (view.info->facts & HSC_FACT_COLLECTED) != 0);
    cr_expect_eq(view.info->taken_unix_ns, (UINT64_C(638000000000000000) - UINT64_C(621355968000000000)) * 100);
    view_close(&view);
    open_heap(sample("v9"), &plain, &result, &view);
    cr_expect(view.info->taken_unix_ns == UINT64_MAX || view.info->taken_unix_ns == 0);
    cr_expect_eq(view.info->facts & HSC_FACT_COLLECTED, 0);
    view_close(&view);
}

Test(gcdump, has_generations_as_categories)
{
    hsd_import_result result;
    capture_view view;
    open_heap(sample("v10"), &plain, &result, &view);
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x20000)->category), "generation 2");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x20040)->category), "generation 1");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x20300)->category), "generation 0");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x90000)->category), "large objects");
    cr_expect_eq(view_find(&view, 0x10000)->category, 0);
    view_close(&view);
}

Test(gcdump, says_that_it_was_sampled_and_scales_the_totals)
{
    hsd_import_result result;
    capture_view view;
    uint64_t objects, bytes;
    open_heap(sample("sampled"), &plain, &result, &view);
    cr_expect((view.info->facts & HSC_FACT_SAMPLED) != 0 && result.objects == 8);
    view_close(&view);
    open_heap(sample("sampled"), &summary, &result, &view);
    cr_expect((view.info->facts & HSC_FACT_SAMPLED) != 0);
    view_total(&view, "Shop.Session", &objects, &bytes);
    cr_expect(objects == 30 && bytes == 1000, "%llu, %llu", (unsigned long long)objects, (unsigned long long)bytes);
    view_total(&view, "System.Byte[]", &objects, &bytes); /* one by 2.5, one by 1 */
    cr_expect(objects == 4 && bytes == 12274, "%llu, %llu", (unsigned long long)objects, (unsigned long long)bytes);
    view_close(&view);
}

Test(gcdump, names_types_whose_names_come_late)
{
    static const char *const forms[] = {"late", "late_graph"};
    for (size_t i = 0; i < 2; i++) {
        hsd_import_result result;
        capture_view view;
        open_heap(sample(forms[i]), &plain, &result, &view);
        cr_expect_str_eq(type_of(&view, 0x100), "shop.dll!type 0x1234");
        cr_expect_str_eq(type_of(&view, 0x200), "shop.dll!type 0x1238[]");
        cr_expect_str_eq(type_of(&view, 0x300), "other.dll!type 0x10");
        view_close(&view);
    }
}

Test(gcdump, takes_sizes_out_of_names_and_nothing_else)
{
    static const char *const names[][2] = {
        {"A (Bytes > 1K)", "A"},
        {"A[] (Bytes > 100M)(NoPtrs,ElemSize=4)", "A[]"},
        {"A[] (Ptrs,ElemSize=8)", "A[]"},
        {"A (Bytes > )", "A (Bytes > )"},
        {"A (Type  JSFunction)", "A (Type  JSFunction)"},
        {"A (Bytes > 1K) x", "A (Bytes > 1K) x"},
        {"(Bytes > 1K)", "(Bytes > 1K)"},
        {"", "(unknown type)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const gw_type types[] = {{.name = "UNDEFINED", .size = -1}, {.name = names[i][0], .size = 8}};
        const gw_node node = {.type = 1, .address = 64};
        const gw_heap heap = {.version = 10, .types = types, .type_count = 2, .nodes = &node, .node_count = 1};
        hsd_import_result result;
        capture_view view;
        open_heap(&heap, &plain, &result, &view);
        cr_expect_str_eq(type_of(&view, 64), names[i][1]);
        /* it is the root of the graph, and an object */
        cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "root", 0), 1);
        view_close(&view);
    }
}

/* ---- at random ---- */

enum { MOST_CHILDREN = 6 };

typedef struct drawn {
    gw_node *nodes;
    uint32_t *children;
    gw_heap heap;
} drawn;

static const gw_type drawn_types[] = {{.name = "UNDEFINED", .size = -1}, {.name = "[.NET Roots]", .size = 0},
                                      {.name = "A", .size = 24},         {.name = "B", .size = -1},
                                      {.name = "[x]", .size = 8},        {.name = "A (Bytes > 1K)", .size = 1024}};

static drawn draw(test_random *random, uint32_t count)
{
    drawn d = {.nodes = calloc(count, sizeof *d.nodes),
               .children = calloc((size_t)count * MOST_CHILDREN, sizeof *d.children)};
    for (uint32_t i = 0; i < count; i++) {
        gw_node *node = &d.nodes[i];
        const bool is_root = i == 0 || test_below(random, 50) == 0;
        node->type = is_root ? 1 : 2 + (uint32_t)test_below(random, 4); /* "[x]" at an address is an object */
        node->address = is_root ? 0 : 0x1000 + 16 * (uint64_t)(i * UINT32_C(2654435761) >> 1);
        node->size = node->type == 3 ? 1 + (int32_t)test_below(random, 100000) : 0;
        node->is_untold = !is_root && test_below(random, 40) == 0;
        node->children = d.children + (size_t)i * MOST_CHILDREN;
        node->count = node->is_untold ? 0 : (uint32_t)test_below(random, MOST_CHILDREN + 1);
        for (uint32_t k = 0; k < node->count; k++)
            d.children[(size_t)i * MOST_CHILDREN + k] = (uint32_t)test_below(random, count);
    }
    d.heap = (gw_heap){.version = test_below(random, 2) ? 10 : 0,
                       .types = drawn_types,
                       .type_count = 6,
                       .nodes = d.nodes,
                       .node_count = count,
                       .has_wide_counts = test_below(random, 2) != 0,
                       .is_backwards = test_below(random, 2) != 0,
                       .tool = "dotnet-gcdump"};
    d.heap.has_wide_labels = d.heap.version == 0;
    return d;
}

static bool is_object(const gw_node *node) { return node->type != 1 && !node->is_untold; }

static void compare(const drawn *d, const capture_view *view)
{
    size_t roots = 0;
    cr_assert_eq(view->object_count, d->heap.node_count);
    for (uint32_t i = 0; i < d->heap.node_count; i++) {
        const gw_node *node = &d->nodes[i];
        const view_object *object = &view->objects[i];
        cr_assert_eq(object->flags, is_object(node) ? 0 : HSC_OBJECT_PSEUDO);
        for (uint32_t k = 0; node->type == 1 && k < node->count; k++)
            roots += is_object(&d->nodes[node->children[k]]);
        if (!is_object(node)) continue;
        static const char *const names[] = {"A", "B", "[x]", "A"};
        const uint64_t size = node->type == 3 ? (uint64_t)node->size : (uint64_t)drawn_types[node->type].size;
        cr_assert(object->id == node->address && object->size_bytes == size && object->count == node->count);
        cr_assert_str_eq(view_type(view, object->type), names[node->type - 2]);
        for (uint32_t k = 0; k < node->count; k++)
            cr_assert_eq(view->references[object->first + k].target, node->children[k]);
    }
    cr_assert_eq(view->root_count, roots);
}

Test(gcdump, has_what_was_drawn_at_random_in_any_memory)
{
    test_random random = {test_seed(20)};
    for (unsigned round = 0; round < 12; round++) {
        drawn d = draw(&random, round < 10 ? 1 + (uint32_t)test_below(&random, 3000) : 70000);
        gw_bytes bytes = gw_write(&d.heap);
        /* the blob in a file, and in memory */
        static const uint64_t memories[] = {UINT64_C(700) << 10, UINT64_C(16) << 20};
        for (size_t i = 0; i < 2; i++) {
            hsd_import_result result;
            capture_view view;
            hsd_error err;
            cr_assert(import(bytes.data, bytes.size, &plain, memories[i], &result, &view, &err) == HSD_OK, "%s",
                      err.text);
            cr_expect(result.bytes == gw_total(&d.heap) && result.is_complete);
            compare(&d, &view);
            view_close(&view);
        }
        free(bytes.data);
        free(d.nodes);
        free(d.children);
    }
}

/* ---- what is wrong ---- */

/* A file that is cut is said to be cut; with salvage it is read if its table of nodes is there. */
Test(gcdump, is_known_when_it_is_cut)
{
    size_t salvaged = 0, whole = 0;
    for (size_t i = 0; i < gw_sample_count; i++) {
        gw_bytes bytes = gw_write(&gw_samples[i].heap);
        for (size_t size = 48; size < bytes.size; size++) {
            hsd_import_result result;
            capture_view view;
            hsd_error err;
            const hsd_status status = import(bytes.data, size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
            whole += status == HSD_OK; /* behind the end of what is read stand tables of places */
            if (status == HSD_OK) continue;
            cr_assert(status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT || status == HSD_E_NOT_THIS_FORMAT,
                      "%s, %zu: %s", gw_samples[i].name, size, err.text);
            if (import(bytes.data, size, &salvage, UINT64_C(2) << 20, &result, &view, &err) != HSD_OK) continue;
            cr_expect(!result.is_complete && !view.info->is_complete, "%s, %zu", gw_samples[i].name, size);
            salvaged++;
            view_close(&view);
        }
        free(bytes.data);
    }
    cr_expect(salvaged > 2000 && whole < 40 * gw_sample_count, "%zu, %zu", salvaged, whole);
}

/* Cut behind its table of nodes, which have no types. It was read through a null pointer with --partial. */
static const char no_types[] =
    "\x14\x00\x00\x00\x21\x46\x61\x73\x74\x53\x65\x72\x69\x61\x6c\x69\x7a\x61\x74\x69\x6f\x6e"
    "\x2e\x31\x04\x04\x01\x01\x00\x00\x00\x00\x00\x00\x00\x12\x00\x00\x00\x47\x72\x61\x70\x68"
    "\x73\x2e\x4d\x65\x6d\x6f\x72\x79\x47\x72\x61\x70\x68\x06\xf8\x37\xff\xff\xff\xf8\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\xa6\x9e\x00\xa1\xda\x2e\x73";

Test(gcdump, refuses_nodes_without_types)
{
    const hsd_import_options *const options[] = {&plain, &salvage};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        hsd_import_result result;
        hsd_error err;
        const hsd_status status =
            import((const uint8_t *)no_types, sizeof no_types - 1, options[i], UINT64_C(2) << 20, &result, NULL, &err);
        cr_expect_eq(status, HSD_E_TRUNCATED, "%zu: %d, %s", i, status, err.text);
    }
}

/* Every byte of a file made another: read or refused in words, never more. */
Test(gcdump, says_what_is_wrong)
{
    gw_bytes bytes = gw_write(sample("v10"));
    size_t refused = 0;
    for (size_t i = 40; i < bytes.size; i++) {
        const uint8_t before = bytes.data[i];
        hsd_import_result result;
        hsd_error err;
        bytes.data[i] = (uint8_t)(before ^ 0xa5);
        const hsd_status status = import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
        cr_expect(status == HSD_OK || (err.text[0] != '\0' && status != HSD_E_MISUSE), "byte %zu", i);
        refused += status != HSD_OK;
        bytes.data[i] = before;
    }
    cr_expect_gt(refused, 100);
    free(bytes.data);
}

/* Four bytes anywhere that are a count of two thousand million: the file is damaged, and no memory would help. */
Test(gcdump, takes_a_count_for_a_claim)
{
    static const uint8_t most[] = {0xff, 0xff, 0xff, 0x7f};
    static const char *const names[] = {"v10", "v7"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        gw_bytes bytes = gw_write(sample(names[n]));
        for (size_t i = 40; i + sizeof most <= bytes.size; i++) {
            uint8_t before[sizeof most];
            hsd_import_result result;
            hsd_error err;
            memcpy(before, bytes.data + i, sizeof most);
            memcpy(bytes.data + i, most, sizeof most);
            const hsd_status status = import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
            cr_expect_neq(status, HSD_E_OVER_BUDGET, "%s, byte %zu: %s", names[n], i, err.text);
            memcpy(bytes.data + i, before, sizeof most);
        }
        free(bytes.data);
    }
}

Test(gcdump, refuses_versions_that_it_does_not_know)
{
    static const struct {
        uint8_t version, least;
        hsd_status expected;
    } cases[] = {{3, 3, HSD_E_UNSUPPORTED}, {8, 8, HSD_E_UNSUPPORTED}, {12, 11, HSD_E_TOO_NEW}, {11, 9, HSD_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gw_bytes bytes = gw_write(sample("v10"));
        hsd_import_result result;
        hsd_error err;
        bytes.data[27] = cases[i].version;
        bytes.data[31] = cases[i].least;
        cr_expect_eq(import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err), cases[i].expected,
                     "%zu: %s", i, err.text);
        free(bytes.data);
    }
}

/* Nodes that all have one record, the one of a node with many children, would make much of little. */
Test(gcdump, refuses_records_that_lie_over_one_another)
{
    enum { COUNT = 2000 };
    uint32_t children[COUNT] = {0};
    gw_node nodes[COUNT] = {{.type = 1, .address = 8, .children = children, .count = COUNT}};
    const gw_type types[] = {{.name = "UNDEFINED", .size = -1}, {.name = "A", .size = 8}};
    for (uint32_t i = 1; i < COUNT; i++)
        nodes[i] = (gw_node){.type = 1, .address = 8 + 8 * (uint64_t)i};
    const gw_heap heap = {.types = types, .type_count = 2, .nodes = nodes, .node_count = COUNT};
    gw_bytes bytes = gw_write(&heap);
    uint8_t *table = memmem(bytes.data, bytes.size, "\xd0\x07\0\0\x02\0\0\0", 8);
    cr_assert(table != NULL);
    for (uint32_t i = 1; i < COUNT; i++)
        memcpy(table + 4 + 4 * (size_t)i, table + 4, 4);
    hsd_import_result result;
    hsd_error err;
    cr_expect_eq(import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err), HSD_E_CORRUPT, "%s",
                 err.text);
    free(bytes.data);
}
