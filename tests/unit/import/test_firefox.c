/*
 * The importer of Firefox's heap snapshots: a shop that is known node by node, snapshots drawn at random against what
 * was drawn, and what is wrong.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/firefox_writer.h"
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

static void open_shop(const hsd_import_options *options, hsd_import_result *result, capture_view *view)
{
    firefox_writer w;
    hsd_error err;
    fw_shop(&w);
    cr_assert(import(w.out.data, w.out.size, options, UINT64_C(2) << 20, result, view, &err) == HSD_OK, "%s", err.text);
    fw_free(&w);
}

static const char *type_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object 0x%llx", (unsigned long long)id);
    return view_type(view, object->type);
}

/* Target, kind and flags of the reference of an object with this name. */
static void expect_reference(const capture_view *view, uint64_t from, const char *name, uint64_t to, uint32_t kind,
                             uint32_t flags)
{
    const view_reference *reference = view_reference_of(view, view_find(view, from), name, 0);
    cr_assert(reference != NULL, "0x%llx has no %s", (unsigned long long)from, name);
    cr_expect_eq(reference->target, to, "%s", name);
    cr_expect_eq(view_label_of(view, reference).kind, kind, "%s: kind %u", name, view_label_of(view, reference).kind);
    cr_expect_eq(view_label_of(view, reference).flags, flags, "%s", name);
}

/* ---- the shop ---- */

Test(firefox, names_types_by_what_says_most_of_them)
{
    hsd_import_result result;
    capture_view view;
    open_shop(&plain, &result, &view);
    cr_expect(result.is_complete && result.objects == 15 && view.object_count == 15, "%zu", view.object_count);
    cr_expect_str_eq(view.info->runtime, "Firefox");
    cr_expect(view.info->identity == HSD_IDENTITY_MOVING && view.info->taken_unix_ns == UINT64_C(1700000000000000000));
    cr_expect_str_eq(type_of(&view, 0x3000), "Array");
    cr_expect_str_eq(type_of(&view, 0x4200), "Uint16Array");
    cr_expect_str_eq(type_of(&view, 0x5000), "JSString");
    cr_expect_str_eq(type_of(&view, 0x8000), "<menuitem>");
    cr_expect_str_eq(type_of(&view, 0x8100), "#text");
    cr_expect_str_eq(type_of(&view, 0x9200), "js::BaseScript");
    cr_expect_eq(view.type_flags[view_find(&view, 0x9000)->type], HSC_TYPE_INTERNAL);
    cr_expect_eq(view.type_flags[view_find(&view, 0x9200)->type], HSC_TYPE_INTERNAL | HSC_TYPE_CODE);
    cr_expect_eq(view.type_flags[view_find(&view, 0x3000)->type], 0);
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x9200)->name), "resource://shop/shop.js");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x2000)->name), "Sandbox");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x8000)->category), "DOMNode");
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x9000)->category), "Other");
    cr_expect(view_find(&view, 0x7ffc08c6aff8) == NULL && view_find(&view, 0x2000)->size_bytes == 4184);
    view_close(&view);
}

Test(firefox, says_of_references_what_they_are)
{
    hsd_import_result result;
    capture_view view;
    open_shop(&plain, &result, &view);
    expect_reference(&view, 0x2000, "sessions", 0x3000, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT);
    expect_reference(&view, 0x2000, "CLASS_OBJECT(Object)", 0x6000, HSC_LABEL_INTERNAL, 0);
    /* a field's name is left alone */
    expect_reference(&view, 0x2000, "0xface", 0x7000, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT);
    expect_reference(&view, 0x2000, "shape", 0x9000, HSC_LABEL_INTERNAL, 0);
    expect_reference(&view, 0x4000, "payload", 0x4200, HSC_LABEL_FIELD, 0);
    expect_reference(&view, 0x4100, "K\xc3\xa4se\xf0\x9f\xa7\x80", 0x5000, HSC_LABEL_FIELD, 0);
    expect_reference(&view, 0x6000, "HashableValue", 0x5000, HSC_LABEL_KEY, 0);
    expect_reference(&view, 0x6000, "OrderedHashMapObject value", 0x4000, HSC_LABEL_VALUE, 0);
    expect_reference(&view, 0x7000, "WeakRefObject::target", 0x4100, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK);
    expect_reference(&view, 0x9200, "cacheir-weak-object", 0x3000, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK);
    expect_reference(&view, 0x8000, "Child Node", 0x8100, HSC_LABEL_INTERNAL, 0);
    expect_reference(&view, 0x9300, "found", 0x4000, HSC_LABEL_VARIABLE, 0);
    expect_reference(&view, 0x9300, "enclosing_environment", 0x2000, HSC_LABEL_INTERNAL, 0);
    const view_reference *second = view_reference_of(&view, view_find(&view, 0x3000), NULL, 1);
    cr_expect(second != NULL && second->target == 0x4100);
    /* one has no name, and leads to a node that is not there */
    cr_expect_eq(view_find(&view, 0x7000)->count, 2);
    view_close(&view);
}

Test(firefox, has_roots_without_addresses_in_their_names)
{
    hsd_import_result result;
    capture_view view;
    open_shop(&plain, &result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "mCallbackGlobal", 0x2000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "mCallbackGlobal", 0x8100), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "exact-Object", 0x6000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_INTERNED, "pinned atom", 0x5000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "at * of 0x12", 0x8000), 1);
    cr_expect_eq(view.root_count, 5);
    for (size_t i = 0; i < view.root_count; i++)
        cr_expect_eq(view.roots[i].flags, view.roots[i].kind == HSC_ROOT_STACK ? HSC_ROOT_SECONDARY : 0);
    view_close(&view);
}

/* The texts of a frame are numbered before those of its parent, which stands in front of them: all that follows would
 * be wrong. */
Test(firefox, reads_stacks_in_the_order_of_their_texts)
{
    static const char *const expected[][3] = {{"Session", "resource://shop/session.js", "12"},
                                              {"open", "resource://shop/shop.js", "40"},
                                              {"main", "resource://shop/main.js", "90"}};
    hsd_import_result result;
    capture_view view;
    open_shop(&plain, &result, &view);
    uint32_t site = view_find(&view, 0x4000)->site;
    cr_expect_eq(site, view_find(&view, 0x4100)->site);
    for (size_t i = 0; i < 3; i++) {
        cr_assert(site != 0 && site < view.site_limit);
        cr_expect_str_eq(view_string(&view, view.sites[site].function), expected[i][0]);
        cr_expect_str_eq(view_string(&view, view.sites[site].file), expected[i][1]);
        cr_expect_eq(view.sites[site].line, (uint32_t)strtoul(expected[i][2], NULL, 10));
        site = view.sites[site].parent;
    }
    cr_expect_eq(site, 0);
    const hsd_site other = view.sites[view_find(&view, 0x4200)->site];
    cr_expect_str_eq(view_string(&view, other.function), "Payload");
    cr_expect_eq(other.parent, view.sites[view_find(&view, 0x4000)->site].parent);
    view_close(&view);
}

Test(firefox, has_the_same_totals_in_a_summary)
{
    hsd_import_result whole, result;
    capture_view view;
    uint64_t objects, bytes;
    open_shop(&plain, &whole, &view);
    view_close(&view);
    open_shop(&summary, &result, &view);
    view_total(&view, "Uint16Array", &objects, &bytes);
    cr_expect(objects == 2 && bytes == 144 && result.objects == whole.objects && result.bytes == whole.bytes &&
              view.object_count == 0);
    view_close(&view);
}

/* ---- at random ---- */

enum { MOST_EDGES = 8, NAMES = 60 };

typedef struct drawn {
    fw_node *nodes;
    fw_edge *edges;
    fw_frame *frames;
    size_t count, frame_count;
} drawn;

static char names[NAMES][24];

static drawn draw(test_random *random)
{
    static const char *const classes[] = {"Object", "Array", "Function", "Map", "Window"}, *const types[] = {
                                                                                               "JSObject", "JSString",
                                                                                               "js::Shape"};
    drawn d = {.count = 2 + (size_t)test_below(random, 800), .frame_count = 1 + (size_t)test_below(random, 50)};
    d.nodes = calloc(d.count, sizeof *d.nodes);
    d.edges = calloc(d.count * MOST_EDGES, sizeof *d.edges);
    d.frames = calloc(d.frame_count, sizeof *d.frames);
    for (size_t i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i], i % 2 == 0 ? "name%zu" : "objectElements[%zu]", i);
    for (size_t i = 0; i < d.frame_count; i++)
        d.frames[i] =
            (fw_frame){.id = 0xf00 + 16 * i,
                       .parent = i == 0 || test_below(random, 8) == 0 ? NULL : &d.frames[test_below(random, i)],
                       .line = 1 + (uint32_t)i,
                       .source = names[2 * test_below(random, NAMES / 2)],
                       .function = test_below(random, 3) == 0 ? NULL : names[2 * test_below(random, NAMES / 2)]};
    for (size_t i = 0; i < d.count; i++) {
        fw_node *node = &d.nodes[i];
        const unsigned type = (unsigned)test_below(random, 3);
        *node = (fw_node){.id = 0x1000 + 8 * (i * 2654435761u % (1u << 30)),
                          .type = i == 0 ? "JS::ubi::RootList" : types[type],
                          .size = test_below(random, 5000),
                          .edges = d.edges + i * MOST_EDGES,
                          .edge_count = (size_t)test_below(random, MOST_EDGES + 1)};
        node->class_name = i > 0 && type == 0 ? classes[test_below(random, 5)] : NULL;
        node->stack = i > 0 && test_below(random, 3) == 0 ? &d.frames[test_below(random, d.frame_count)] : NULL;
        node->coarse = type == 0 ? 1 : type == 1 ? 3 : 0;
    }
    for (size_t i = 0; i < d.count; i++)
        for (size_t k = 0; k < d.nodes[i].edge_count; k++)
            d.edges[i * MOST_EDGES + k] =
                (fw_edge){d.nodes[1 + test_below(random, d.count - 1)].id,
                          test_below(random, 10) == 0 ? NULL : names[test_below(random, NAMES)]};
    return d;
}

static void compare_edges(const capture_view *view, const view_object *object, const fw_node *node)
{
    cr_assert_eq(object->count, node->edge_count);
    for (size_t k = 0; k < node->edge_count; k++) {
        const view_reference *reference = &view->references[object->first + k];
        const char *name = node->edges[k].name;
        cr_assert_eq(reference->target, node->edges[k].target);
        if (name == NULL)
            cr_assert_eq(reference->label, 0);
        else if (name[0] == 'o')
            cr_assert_eq(reference->index, strtoull(name + strlen("objectElements["), NULL, 10));
        else
            cr_assert_str_eq(view_string(view, view_label_of(view, reference).name), name);
    }
}

static void compare_stack(const capture_view *view, uint32_t site, const fw_frame *frame)
{
    for (; frame != NULL; frame = frame->parent, site = view->sites[site].parent) {
        cr_assert(site != 0 && site < view->site_limit);
        cr_assert_str_eq(view_string(view, view->sites[site].file), frame->source);
        cr_assert_str_eq(view_string(view, view->sites[site].function), frame->function == NULL ? "" : frame->function);
        cr_assert_eq(view->sites[site].line, frame->line);
    }
    cr_assert_eq(site, 0);
}

Test(firefox, has_what_was_drawn_at_random)
{
    test_random random = {test_seed(7)};
    for (unsigned round = 0; round < 40; round++) {
        drawn d = draw(&random);
        firefox_writer w;
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        fw_begin(&w, UINT64_C(1700000000000000));
        for (size_t i = 0; i < d.count; i++)
            fw_put(&w, &d.nodes[i]);
        cr_assert(import(w.out.data, w.out.size, &plain, UINT64_C(2) << 20, &result, &view, &err) == HSD_OK, "%s",
                  err.text);
        cr_assert(view.object_count == d.count - 1 && view.root_count == d.nodes[0].edge_count);
        for (size_t i = 1; i < d.count; i++) {
            const view_object *object = &view.objects[i - 1];
            const fw_node *node = &d.nodes[i];
            cr_assert(object->id == node->id && object->size_bytes == node->size);
            cr_assert_str_eq(view_type(&view, object->type), node->class_name == NULL ? node->type : node->class_name);
            compare_edges(&view, object, node);
            compare_stack(&view, object->site, node->stack);
        }
        view_close(&view);
        fw_free(&w);
        free(d.nodes);
        free(d.edges);
        free(d.frames);
    }
}

/* ---- what is long, and what is wrong ---- */

Test(firefox, takes_a_node_of_any_length)
{
    enum { COUNT = 300000 };
    firefox_writer w;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    fw_long_array(&w, COUNT);
    cr_assert(import(w.out.data, w.out.size, &plain, UINT64_C(16) << 20, &result, &view, &err) == HSD_OK, "%s",
              err.text);
    cr_expect(result.references == COUNT && view.object_count == 2 &&
              view_find(&view, 0x20)->size_bytes == 16 + 8 * (uint64_t)COUNT);
    view_close(&view);
    /* its texts */
    cr_expect_eq(import(w.out.data, w.out.size, &plain, UINT64_C(1) << 20, &result, NULL, &err), HSD_E_OVER_BUDGET);
    cr_expect(strstr(err.hint, "--memory") != NULL);
    fw_free(&w);
}

/* Whole where a message ends, else cut off; with salvage it gives the nodes that are there. */
Test(firefox, is_known_when_it_is_cut)
{
    firefox_writer w;
    size_t salvaged = 0, whole = 0;
    uint64_t most = 0;
    fw_shop(&w);
    for (size_t size = 64; size < w.out.size; size++) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        const hsd_status status = import(w.out.data, size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
        cr_assert(status == HSD_OK || status == HSD_E_TRUNCATED, "%zu: %s", size, err.text);
        whole += status == HSD_OK;
        if (status == HSD_OK || import(w.out.data, size, &salvage, UINT64_C(2) << 20, &result, &view, &err) != HSD_OK)
            continue;
        cr_expect(!result.is_complete && !view.info->is_complete && result.objects >= most &&
                  view.object_count == result.objects);
        most = result.objects;
        salvaged++;
        view_close(&view);
    }
    cr_expect(whole == 15 && most == 14 && salvaged > 500, "%zu, %zu", whole, salvaged);
    fw_free(&w);
}

Test(firefox, says_what_is_wrong)
{
    firefox_writer w;
    size_t refused = 0;
    fw_shop(&w);
    for (size_t i = 0; i < w.out.size; i++) {
        const uint8_t before = w.out.data[i];
        hsd_import_result result;
        hsd_error err;
        w.out.data[i] = (uint8_t)(before ^ 0x95);
        const hsd_status status = import(w.out.data, w.out.size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
        cr_expect(status == HSD_OK || (err.text[0] != '\0' && status != HSD_E_MISUSE), "byte %zu", i);
        refused += status != HSD_OK;
        w.out.data[i] = before;
    }
    cr_expect_gt(refused, 200);
    fw_free(&w);
}
