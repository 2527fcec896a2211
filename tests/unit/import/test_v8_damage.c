/*
 * Heap snapshots that are cut off, damaged, or no heap snapshots: each gets an error that names the place,
 * and salvage gets what is there.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"
#include "import/v8/late.h"
#include "support/v8_loaded.h"
#include "support/v8_writer.h"
#include <hscapture/hscapture.h>

static hsd_error err;
static const hsd_import_options defaults = {.compression = 1};
static const hsd_import_options salvage = {.compression = 1, .salvage = true};

static void setup(void) { hsd_error_init(&err); }

TestSuite(v8_damage, .init = setup);

static char *write_program(v8_form form, size_t *size)
{
    v8_heap *heap = v8_heap_new();
    v8_add_program(heap);
    char *json = v8_heap_write(heap, form, size);
    v8_heap_free(heap);
    return json;
}

/* Small buffers: there are many imports. */
static const hsd_run small = {.memory_bytes = HSD_MEMORY_MIN_BYTES};

static hsd_status import(const void *bytes, size_t size, const hsd_import_options *options)
{
    loaded capture;
    const hsd_status status = loaded_import(&capture, bytes, size, options, &small, &err);
    if (status == HSD_OK) loaded_release(&capture);
    return status;
}

/* ---- cut off ---- */

/* As few bytes as possible: each of them is the end once. */
static char *write_little(v8_form form, size_t *size)
{
    v8_heap *heap = v8_heap_new();
    const uint32_t root = v8_node(heap, "synthetic", "", 0), leak = v8_node(heap, "object", "Leak", 24);
    const uint32_t div = v8_node(heap, "native", "<div>", 40), text = v8_node(heap, "native", "Text", 123456);
    heap->nodes[div].state = 2;
    v8_edge(heap, root, "shortcut", "1", leak);
    v8_edge(heap, leak, "property", "div", div);
    v8_edge(heap, div, "element", "1", text);
    v8_edge(heap, div, "internal", "\xc3\xa9\xf0\x9f\x98\x80 \"quoted\" \\", leak);
    char *json = v8_heap_write(heap, form, size);
    v8_heap_free(heap);
    return json;
}

Test(v8_damage, every_prefix_says_where_it_ends)
{
    for (int form = 0; form < V8_FORM_COUNT; form++) {
        size_t size;
        char *json = write_little((v8_form)form, &size);
        const size_t whole = json[size - 1] == '\n' ? size - 1 : size;
        for (size_t cut = 0; cut < whole; cut += form == V8_FORM_NODE_20 ? 1 : 11) {
            const hsd_status status = import(json, cut, &defaults);
            if (status == HSD_E_NOT_THIS_FORMAT) {
                cr_assert_lt(cut, 200, "form %d, %zu bytes: not recognised", form, cut);
                continue;
            }
            cr_assert_eq(status, HSD_E_TRUNCATED, "form %d, %zu bytes: %s", form, cut, err.text);
            cr_assert_eq(err.offset_bytes, cut, "form %d, %zu bytes: offset %lu", form, cut,
                         (unsigned long)err.offset_bytes);
            cr_assert(strstr(err.hint, "--partial") != NULL);
        }
        cr_expect_eq(import(json, whole, &defaults), HSD_OK);
        free(json);
    }
}

Test(v8_damage, every_prefix_with_nodes_can_be_salvaged)
{
    size_t size;
    char *json = write_little(V8_FORM_NODE_20, &size);
    size_t objects = 0, references = 0;
    for (size_t cut = (size_t)(strstr(json, "\"nodes\"") - json); cut < size; cut++) {
        loaded capture;
        const hsd_status status = loaded_import(&capture, json, cut, &salvage, &small, &err);
        if (status != HSD_OK) {
            cr_assert_eq(status, HSD_E_TRUNCATED, "%zu bytes: %s", cut, err.text);
            cr_assert_eq(objects, 0, "%zu bytes: what was there is gone", cut);
            continue;
        }
        cr_assert(!capture.info.is_complete && !capture.result.is_complete);
        cr_assert(strstr(capture.info.incomplete_reason, "ends inside") != NULL, "%s", capture.info.incomplete_reason);
        cr_assert_geq(capture.object_count, objects);
        cr_assert_geq(capture.info.references, references);
        cr_assert(!capture.has_undefined, "%zu bytes", cut);
        objects = capture.object_count;
        references = capture.info.references;
        loaded_release(&capture);
    }
    cr_expect_eq(objects, 4);
    cr_expect_eq(references, 4);
    free(json);
}

Test(v8_damage, without_strings_classes_are_told_apart_by_number)
{
    size_t size;
    char *json = write_program(V8_FORM_NODE_20, &size);
    loaded capture;
    const size_t cut = (size_t)(strstr(json, "\"strings\"") - json);
    cr_assert_eq(loaded_import(&capture, json, cut, &salvage, NULL, &err), HSD_OK, "%s", err.text);
    cr_expect(loaded_mentions(&capture, "(name ") && !loaded_mentions(&capture, "Leak"));
    cr_expect(loaded_mentions(&capture, "(string)") == false && loaded_mentions(&capture, "(compiled code)"));
    loaded_release(&capture);
    const hsd_import_options summary = {.compression = 1, .salvage = true, .summary_only = true};
    cr_assert_eq(loaded_import(&capture, json, cut, &summary, NULL, &err), HSD_OK, "%s", err.text);
    cr_expect(!capture.info.is_complete && capture.info.summary_objects == 14);
    loaded_release(&capture);
    free(json);
}

/* ---- damaged ---- */

/* The text with the first `from` replaced by `to`; to be freed. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    cr_assert(at != NULL, "no %s", from);
    const size_t room = strlen(text) + strlen(to) + 1;
    char *out = malloc(room);
    cr_assert(out != NULL);
    snprintf(out, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

Test(v8_damage, says_what_is_wrong)
{
    static const struct {
        const char *from, *to, *text;
        hsd_status status;
    } cases[] = {
        {"\"id\"", "\"ident\"", "no column \"id\"", HSD_E_CORRUPT},
        {"\"to_node\"", "\"towards\"", "no column \"to_node\"", HSD_E_CORRUPT},
        {"\"edge_types\"", "\"edge_kinds\"", "does not list the types", HSD_E_CORRUPT},
        {"\"meta\"", "\"mata\"", "no \"meta\"", HSD_E_CORRUPT},
        {"\"trace_function_count\":0", "\"root_index\":7", "root is node 7", HSD_E_UNSUPPORTED},
        {"\"nodes\":[", "\"nodes\":[1,", "ends inside node", HSD_E_CORRUPT},
        {"\"nodes\":[", "\"nodes\":[1.5,", "no whole number", HSD_E_CORRUPT},
        {"\"nodes\":[", "\"nodes\":{", "no opening bracket", HSD_E_CORRUPT},
        {"\"edges\":[", "\"edges\":[2,2,7,", "more edges than", HSD_E_CORRUPT},
        {"\"edges\":[", "\"edges\":[],\"fringes\":[", "fewer edges than", HSD_E_CORRUPT},
        {"\"edges\":", "\"hedges\":", "strings stand before its edges", HSD_E_CORRUPT},
        {"\"nodes\":", "\"toads\":", "edges stand before its nodes", HSD_E_CORRUPT},
        {"\"strings\":", "\"things\":", "no nodes, no edges or no strings", HSD_E_CORRUPT},
        {"\"locations\":", "\"nodes\":", "two lists of nodes", HSD_E_CORRUPT},
        {"\"locations\":", "\"edges\":", "two lists of edges", HSD_E_CORRUPT},
        {"\"locations\":[6,1,2,3]", "\"snapshot\":{\"meta\":{}}", "two headers", HSD_E_CORRUPT},
        {"\"strings\":[", "\"strings\":[],\"strings\":[", "two lists of strings", HSD_E_CORRUPT},
        {"\"locations\"", "locations", "should stand here", HSD_E_CORRUPT},
        {"\"Leak\"", "\"Le\\x\"", "known escape", HSD_E_CORRUPT},
        {"\"<dummy>\"", "7", "should stand here", HSD_E_CORRUPT},
        {"[9,1,1,0,", "[9,1,1,18446744073709551615,", "size of node 0", HSD_E_CORRUPT},
        {"[9,1,1,0,2,", "[9,1,1,0,4294967296,", "edge count of node 0", HSD_E_CORRUPT},
    };
    size_t size;
    char *json = write_program(V8_FORM_NODE_20, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = replaced(json, cases[i].from, cases[i].to);
        const hsd_status status = import(text, strlen(text), &salvage);
        cr_expect_eq(status, cases[i].status, "%s: %d %s", cases[i].to, (int)status, err.text);
        cr_expect(strstr(err.text, cases[i].text) != NULL, "%s: %s", cases[i].to, err.text);
        cr_expect_neq(err.offset_bytes, HSD_NO_OFFSET, "%s", cases[i].to);
        free(text);
    }
    free(json);
}

Test(v8_damage, wild_edge_counts_and_columns_are_refused)
{
    size_t size;
    char *json = write_program(V8_FORM_NODE_20, &size), *columns = malloc(4096);
    char *text = replaced(json, "[9,1,1,0,2,", "[9,1,1,0,4000000000,");
    cr_expect_eq(import(text, strlen(text), &defaults), HSD_E_CORRUPT);
    free(text);
    cr_assert(columns != NULL);
    for (unsigned count = 40; count <= 100; count += 60) { /* past the limit of columns, and of any list */
        size_t used = (size_t)snprintf(columns, 4096, "\"node_fields\":[");
        for (unsigned i = 0; i < count; i++)
            used += (size_t)snprintf(columns + used, 4096 - used, "\"c%u\",", i);
        text = replaced(json, "\"node_fields\":[", columns);
        cr_expect_eq(import(text, strlen(text), &defaults), HSD_E_UNSUPPORTED);
        free(text);
    }
    free(columns);
    free(json);
}

/* ---- memory ---- */

/* The text with `count` nodes more, written by `put`; to be freed. */
static char *with_nodes(const char *json, unsigned count, size_t (*put)(char *at, unsigned i))
{
    const char *nodes = strstr(json, "\"nodes\":[");
    char *text = malloc(strlen(json) + (size_t)count * 24 + 1);
    cr_assert(nodes != NULL && text != NULL);
    nodes += strlen("\"nodes\":[");
    size_t used = (size_t)(nodes - json);
    memcpy(text, json, used);
    for (unsigned i = 0; i < count; i++)
        used += put(text + used, i);
    memcpy(text + used, nodes, strlen(nodes) + 1);
    return text;
}

static size_t put_root(char *at, unsigned i)
{
    (void)i;
    memcpy(at, "9,1,1,0,0,0,", 12);
    return 12;
}

/* Of a class of its own, whose name is not among the strings. */
static size_t put_class(char *at, unsigned i) { return (size_t)snprintf(at, 24, "3,%u,1,8,0,0,", 1000 + i); }

Test(v8_damage, classes_past_the_limit_share_a_type)
{
    enum { CLASSES = 524288 + 5000 };
    size_t size;
    char *json = write_little(V8_FORM_NODE_26, &size), *text = with_nodes(json, CLASSES, put_class);
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    loaded capture;
    cr_assert_eq(loaded_import(&capture, text, strlen(text), &summary, &small, &err), HSD_OK, "%s", err.text);
    cr_expect(loaded_mentions(&capture, "(other classes)") && loaded_mentions(&capture, "(name 1000)"));
    cr_expect_eq(capture.result.objects, CLASSES + 3);
    loaded_release(&capture);
    free(text);
    free(json);
}

Test(v8_damage, a_page_of_too_many_references_is_refused_with_a_number)
{
    hsd_temp_space space;
    hsd_v8_late late;
    hsd_v8_marks marks;
    hsd_status status = HSD_OK;
    hsd_temp_space_init(&space, NULL);
    hsd_v8_marks_init(&marks, 1 << 20);
    cr_assert_eq(hsd_v8_marks_put(&marks, HSD_V8_MARK_NATIVE, &err), HSD_OK);
    cr_assert_eq(hsd_v8_late_open(&late, &marks, &space, 1 << 16, &err), HSD_OK);
    for (uint32_t i = 0; status == HSD_OK && i < 100000; i++)
        status = hsd_v8_late_pair(&late, i, 0, &err);
    cr_expect_eq(status, HSD_E_OVER_BUDGET);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
    hsd_v8_late_release(&late);
    hsd_v8_marks_release(&marks);
}

Test(v8_damage, more_nodes_than_memory_can_mark_are_refused_with_a_number)
{
    size_t size;
    char *json = write_little(V8_FORM_NODE_26, &size), *text = with_nodes(json, 12000000, put_root);
    const hsd_status status = import(text, strlen(text), &defaults);
    cr_expect_eq(status, HSD_E_OVER_BUDGET, "%d: %s", (int)status, err.text);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
    free(text);
    free(json);
}

/* ---- the row ---- */

Test(v8_damage, probe_knows_its_own)
{
    static const struct {
        const char *text;
        bool is_mine;
    } cases[] = {
        {"{\"snapshot\":{\"meta\":{\"node_fields\":[", true},
        {" \n{ \"snapshot\" : {", true},
        {"{\"snap", true},
        {"{\"a\":1,\"snapshot\":{\"meta\":{\"node_fields\":[", true},
        {"{", false},
        {"", false},
        {"{\"schema\":1}", false},
        {"[1,2]", false},
        {"JAVA PROFILE 1.0.2", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const unsigned bits = hsd_import_v8.probe((const uint8_t *)cases[i].text, strlen(cases[i].text));
        cr_expect_eq(bits > 0, cases[i].is_mine, "%s: %u bits", cases[i].text, bits);
    }
}
