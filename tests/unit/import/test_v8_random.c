/*
 * Random heaps, imported, against what they were made of: every node and edge must come out with its
 * numbers and the name that its own rule gives it. What depends on several nodes at once (roots, owners,
 * detachedness) is tested by example in test_v8_snapshot.c.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/v8_loaded.h"
#include "support/v8_writer.h"
#include <hscapture/hscapture.h>

static const char *const node_types[] = {"hidden", "array",  "string", "object", "code",         "closure",
                                         "regexp", "number", "symbol", "bigint", "object shape", "concatenated string"};
static const char *const edge_types[] = {"context", "element", "property", "internal", "hidden", "shortcut", "weak"};
static const char *const words[] = {"a",
                                    "b",
                                    "left",
                                    "right",
                                    "next",
                                    "value",
                                    "two words",
                                    "9",
                                    "x@y",
                                    "table",
                                    "3 / part of key (K @1) -> value (V @2) pair in WeakMap (table @5)"};

static v8_heap *random_heap(test_random *random)
{
    v8_heap *heap = v8_heap_new();
    v8_node(heap, "synthetic", "", 0);
    const uint64_t count = 1 + test_below(random, 60);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size =
            test_below(random, 4) == 0 ? test_next(random) >> test_below(random, 64) >> 16 : test_below(random, 20) * 8;
        const uint32_t node = v8_node(heap, node_types[test_below(random, 12)], words[test_below(random, 11)], size);
        if (test_below(random, 3) == 0) heap->nodes[node].id = test_next(random) >> 8 << 8 | i;
    }
    const uint64_t edges = test_below(random, 300);
    for (uint64_t i = 0; i < edges; i++) {
        const uint32_t from = (uint32_t)test_below(random, heap->node_count),
                       to = (uint32_t)test_below(random, heap->node_count);
        const char *kind = edge_types[test_below(random, 7)];
        if (strcmp(kind, "element") == 0 || strcmp(kind, "hidden") == 0)
            v8_edge_at(heap, from, kind, (uint32_t)(test_next(random) >> test_below(random, 64)), to);
        else
            v8_edge(heap, from, kind, words[test_below(random, 11)], to);
    }
    return heap;
}

static const char *class_of(const v8_heap_node *node, const char *name)
{
    static char text[64];
    if (strcmp(node->type, "object") == 0) return name;
    if (strcmp(node->type, "hidden") == 0) return "(system)";
    if (strcmp(node->type, "code") == 0) return "(compiled code)";
    if (strcmp(node->type, "closure") == 0) return "Function";
    if (strcmp(node->type, "regexp") == 0) return "RegExp";
    snprintf(text, sizeof text, "(%s)", node->type);
    return text;
}

static bool has_name(const v8_heap_node *node)
{
    return strcmp(node->type, "closure") == 0 || strcmp(node->type, "code") == 0 || strcmp(node->type, "hidden") == 0 ||
           strcmp(node->type, "object shape") == 0;
}

/* The name of a reference, by the kind of its edge and of its source. */
static const char *label_of(const v8_heap *heap, const v8_heap_edge *edge)
{
    const char *name = heap->strings[edge->name], *from = heap->nodes[edge->from].type;
    const bool is_word = strcmp(name, "9") != 0 && strchr(name, '/') == NULL && strchr(name, '@') == NULL;
    if (strcmp(edge->kind, "property") == 0) return is_word && strcmp(name, "two words") != 0 ? name : "";
    if (strcmp(edge->kind, "context") == 0) return name;
    if (strcmp(edge->kind, "weak") == 0) return strcmp(from, "object") == 0 && is_word ? name : "internal";
    if (strcmp(edge->kind, "shortcut") == 0) return edge->from != 0 && is_word ? name : "internal";
    if (strcmp(from, "array") == 0) return "";
    if (strcmp(from, "synthetic") == 0) return "internal";
    if (strcmp(from, "hidden") != 0 && strstr(name, "part of key") != NULL) return "WeakMap value";
    return is_word ? name : "internal";
}

static void check_edge(const v8_heap *heap, const v8_heap_edge *edge, const loaded_reference *found, uint64_t seed)
{
    const bool is_indexed = strcmp(edge->kind, "element") == 0 || strcmp(edge->kind, "hidden") == 0;
    cr_assert_eq(found->target, edge->to, "seed %lu", (unsigned long)seed);
    cr_assert_eq(found->index, is_indexed ? edge->name : 0, "seed %lu", (unsigned long)seed);
    const char *name = strcmp(edge->kind, "element") == 0  ? ""
                       : strcmp(edge->kind, "hidden") == 0 ? "internal"
                                                           : label_of(heap, edge);
    cr_assert_str_eq(found->name, name, "seed %lu: %s edge %s of a %s is %s", (unsigned long)seed, edge->kind,
                     is_indexed ? "" : heap->strings[edge->name], heap->nodes[edge->from].type, found->name);
    const bool is_weak = (found->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK;
    if (strcmp(edge->kind, "weak") == 0) cr_assert(is_weak, "seed %lu", (unsigned long)seed);
    if (strcmp(edge->kind, "property") == 0 || strcmp(edge->kind, "element") == 0 || strcmp(edge->kind, "context") == 0)
        cr_assert(!is_weak, "seed %lu", (unsigned long)seed);
}

static void check(const v8_heap *heap, const loaded *capture, uint64_t seed)
{
    size_t *next = calloc(heap->node_count, sizeof *next);
    cr_assert(next != NULL);
    cr_assert_eq(capture->object_count, heap->node_count, "seed %lu", (unsigned long)seed);
    for (uint32_t i = 0; i < heap->node_count; i++) {
        const v8_heap_node *node = &heap->nodes[i];
        const loaded_object *object = &capture->objects[i];
        cr_assert_eq(object->id, node->id, "seed %lu", (unsigned long)seed);
        cr_assert_eq(object->size, node->size, "seed %lu", (unsigned long)seed);
        cr_assert_str_eq(object->type, class_of(node, heap->strings[node->name]), "seed %lu: %s for %s %s",
                         (unsigned long)seed, object->type, node->type, heap->strings[node->name]);
        cr_assert_str_eq(object->name, has_name(node) ? heap->strings[node->name] : "", "seed %lu: %s for %s %s",
                         (unsigned long)seed, object->name, node->type, heap->strings[node->name]);
    }
    for (uint32_t i = 0; i < heap->edge_count; i++) {
        const v8_heap_edge *edge = &heap->edges[i];
        const loaded_object *from = &capture->objects[edge->from];
        cr_assert_lt(next[edge->from], from->reference_count, "seed %lu", (unsigned long)seed);
        check_edge(heap, edge, &from->references[next[edge->from]++], seed);
    }
    cr_assert_eq(capture->info.references, heap->edge_count);
    free(next);
}

Test(v8_random, heaps_come_out_as_they_went_in)
{
    static const hsd_import_options options = {.compression = 1};
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + 300; seed++) {
        test_random random = {seed};
        v8_heap *heap = random_heap(&random);
        size_t size;
        char *json = v8_heap_write(heap, (v8_form)(V8_FORM_NODE_20 + test_below(&random, V8_FORM_COUNT - 1)), &size);
        loaded capture;
        hsd_error err;
        hsd_error_init(&err);
        cr_assert_eq(loaded_import(&capture, json, size, &options, NULL, &err), HSD_OK, "seed %lu: %s",
                     (unsigned long)seed, err.text);
        check(heap, &capture, seed);
        loaded_release(&capture);
        free(json);
        v8_heap_free(heap);
    }
}
