/*
 * Writes heap snapshots. The layouts differ in more ways than the importer should ever notice; the same
 * heap in all of them must give the same capture.
 */
#define _GNU_SOURCE /* open_memstream */
#include "support/v8_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the heap ---- */

static void *grow(void *items, uint32_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0) return items; /* room is a power of two */
    void *grown = realloc(items, (count == 0 ? 1 : (size_t)count * 2) * size);
    if (grown == NULL) abort();
    return grown;
}

v8_heap *v8_heap_new(void)
{
    v8_heap *heap = calloc(1, sizeof *heap);
    if (heap == NULL) abort();
    v8_string(heap, "<dummy>");
    return heap;
}

void v8_heap_free(v8_heap *heap)
{
    for (uint32_t i = 0; i < heap->string_count; i++)
        free(heap->strings[i]);
    free(heap->strings);
    free(heap->nodes);
    free(heap->edges);
    free(heap->locations);
    free(heap);
}

uint32_t v8_string(v8_heap *heap, const char *text)
{
    for (uint32_t i = 0; i < heap->string_count; i++)
        if (strcmp(heap->strings[i], text) == 0) return i;
    heap->strings = grow(heap->strings, heap->string_count, sizeof *heap->strings);
    heap->strings[heap->string_count] = strdup(text);
    if (heap->strings[heap->string_count] == NULL) abort();
    return heap->string_count++;
}

uint32_t v8_node(v8_heap *heap, const char *type, const char *name, uint64_t size)
{
    heap->nodes = grow(heap->nodes, heap->node_count, sizeof *heap->nodes);
    heap->nodes[heap->node_count] = (v8_heap_node){
        .type = type, .name = v8_string(heap, name), .id = heap->node_count * UINT64_C(2) + 1, .size = size};
    return heap->node_count++;
}

void v8_locate(v8_heap *heap, uint32_t node, uint32_t line, uint32_t column)
{
    heap->locations = grow(heap->locations, heap->location_count, sizeof *heap->locations);
    uint32_t *location = heap->locations[heap->location_count++];
    location[0] = node;
    location[1] = line;
    location[2] = column;
}

void v8_edge_at(v8_heap *heap, uint32_t from, const char *kind, uint32_t index, uint32_t to)
{
    heap->edges = grow(heap->edges, heap->edge_count, sizeof *heap->edges);
    heap->edges[heap->edge_count] =
        (v8_heap_edge){.from = from, .to = to, .kind = kind, .name = index, .order = heap->edge_count};
    heap->edge_count++;
}

void v8_edge(v8_heap *heap, uint32_t from, const char *kind, const char *name, uint32_t to)
{
    v8_edge_at(heap, from, kind, v8_string(heap, name), to);
}

/* ---- layouts ---- */

typedef struct v8_layout {
    const char *node_fields[12]; /* up to a NULL */
    const char *node_types[24];
    const char *edge_fields[6];
    const char *edge_types[10];
    const char *line;  /* before each node and edge but the first */
    const char *space; /* wherever JSON allows it */
} v8_layout;

#define NODE_TYPES                                                                                                     \
    "hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",               \
        "concatenated string", "sliced string", "symbol", "bigint"
#define EDGE_TYPES "context", "element", "property", "internal", "hidden", "shortcut", "weak"

static const v8_layout layouts[V8_FORM_COUNT] = {
    [V8_FORM_NODE_12] =
        {
            .node_fields = {"type", "name", "id", "self_size", "edge_count", "trace_node_id"},
            .node_types = {NODE_TYPES},
            .edge_fields = {"type", "name_or_index", "to_node"},
            .edge_types = {EDGE_TYPES},
            .line = "\n,",
            .space = "",
        },
    [V8_FORM_NODE_20] =
        {
            .node_fields = {"type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"},
            .node_types = {NODE_TYPES, "object shape", "wasm object"},
            .edge_fields = {"type", "name_or_index", "to_node"},
            .edge_types = {EDGE_TYPES},
            .line = "\n,",
            .space = "",
        },
    [V8_FORM_NODE_26] =
        {
            .node_fields = {"type", "name", "id", "self_size", "edge_count", "detachedness"},
            .node_types = {NODE_TYPES, "object shape"},
            .edge_fields = {"type", "name_or_index", "to_node"},
            .edge_types = {EDGE_TYPES},
            .line = ",",
            .space = "",
        },
    [V8_FORM_CHROME] =
        {
            .node_fields = {"type", "name", "id", "self_size", "edge_count", "detachedness"},
            .node_types = {NODE_TYPES, "object shape"},
            .edge_fields = {"type", "name_or_index", "to_node"},
            .edge_types = {EDGE_TYPES},
            .line = ",",
            .space = "",
        },
    [V8_FORM_ODD] =
        {
            .node_fields = {"colour", "id", "detachedness", "name", "edge_count", "type", "self_size", "shade"},
            .node_types = {"wonder", "synthetic", "bigint", "symbol", "sliced string", "concatenated string", "native",
                           "number", "regexp", "closure", "code", "object", "string", "array", "hidden", "object shape",
                           "wasm object"},
            .edge_fields = {"to_node", "weight", "type", "name_or_index"},
            .edge_types = {"weak", "shortcut", "strange", "hidden", "internal", "property", "element", "context"},
            .line = " ,\r\n\t",
            .space = " \n ",
        },
};

static unsigned place_of(const char *const *list, const char *word)
{
    unsigned i = 0;
    while (list[i] != NULL && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* ---- JSON ---- */

typedef struct output {
    FILE *file;
    const v8_heap *heap;
    const v8_layout *layout;
    v8_form form;
    uint32_t *edge_counts; /* by node */
} output;

static void put_space(output *out) { fputs(out->layout->space, out->file); }

static void put_word(output *out, const char *word)
{
    put_space(out);
    fprintf(out->file, "\"%s\"", word);
    put_space(out);
}

static void put_key(output *out, const char *key)
{
    put_word(out, key);
    fputc(':', out->file);
    put_space(out);
}

/* The next code point of UTF-8 that is known to be valid. */
static uint32_t next_point(const char **at)
{
    const unsigned char *p = (const unsigned char *)*at;
    const unsigned length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? *p : *p & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++)
        point = point << 6 | (p[i] & 0x3f);
    *at += length;
    return point;
}

/* As V8 escapes: pure ASCII. */
static void put_string(output *out, const char *text)
{
    fputc('"', out->file);
    while (*text != '\0') {
        const uint32_t point = next_point(&text);
        const char *found = point < 0x80 ? strchr("\"\\\b\f\n\r\t", (int)point) : NULL;
        if (found != NULL && *found != '\0')
            fprintf(out->file, "\\%c", "\"\\bfnrt"[found - &"\"\\\b\f\n\r\t"[0]]);
        else if (point >= 0x20 && point < 0x7f)
            fputc((int)point, out->file);
        else if (point < 0x10000)
            fprintf(out->file, "\\u%04x", point);
        else
            fprintf(out->file, "\\u%04X\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff));
    }
    fputc('"', out->file);
}

static void put_list(output *out, const char *const *list)
{
    fputc('[', out->file);
    for (unsigned i = 0; list[i] != NULL; i++) {
        if (i > 0) fputc(',', out->file);
        put_word(out, list[i]);
    }
    fputc(']', out->file);
}

/* Types of all columns: a list where the column is "type", words elsewhere. */
static void put_types(output *out, const char *const *fields, const char *const *types)
{
    fputc('[', out->file);
    for (unsigned i = 0; fields[i] != NULL; i++) {
        if (i > 0) fputc(',', out->file);
        if (strcmp(fields[i], "type") == 0)
            put_list(out, types);
        else
            put_word(out, "number");
    }
    fputc(']', out->file);
}

static void put_number(output *out, uint64_t value, bool *is_first, bool begins_item)
{
    if (!*is_first) fputs(begins_item ? out->layout->line : ",", out->file);
    *is_first = false;
    fprintf(out->file, "%llu", (unsigned long long)value);
}

/* V8 prints indexes as int since version 13. */
static void put_index(output *out, uint32_t index, bool *is_first, bool begins_item)
{
    const bool is_signed = out->form == V8_FORM_NODE_26 || out->form == V8_FORM_CHROME;
    if (!is_signed || index <= INT32_MAX) {
        put_number(out, index, is_first, begins_item);
        return;
    }
    if (!*is_first) fputs(begins_item ? out->layout->line : ",", out->file);
    *is_first = false;
    fprintf(out->file, "%lld", (long long)index - (INT64_C(1) << 32));
}

/* ---- parts ---- */

static unsigned width_of(const char *const *fields)
{
    unsigned width = 0;
    while (fields[width] != NULL)
        width++;
    return width;
}

static void put_node(output *out, uint32_t number, bool *is_first)
{
    const v8_layout *layout = out->layout;
    const v8_heap_node *node = &out->heap->nodes[number];
    for (unsigned i = 0; layout->node_fields[i] != NULL; i++) {
        const char *field = layout->node_fields[i];
        uint64_t value = 7; /* what nobody knows */
        if (strcmp(field, "type") == 0)
            value = place_of(layout->node_types, node->type);
        else if (strcmp(field, "name") == 0)
            value = node->name;
        else if (strcmp(field, "id") == 0)
            value = node->id;
        else if (strcmp(field, "self_size") == 0)
            value = node->size;
        else if (strcmp(field, "edge_count") == 0)
            value = out->edge_counts[number];
        else if (strcmp(field, "trace_node_id") == 0)
            value = 0;
        else if (strcmp(field, "detachedness") == 0)
            value = node->state;
        put_number(out, value, is_first, i == 0);
    }
}

static void put_edge(output *out, const v8_heap_edge *edge, bool *is_first)
{
    const v8_layout *layout = out->layout;
    for (unsigned i = 0; layout->edge_fields[i] != NULL; i++) {
        const char *field = layout->edge_fields[i];
        if (strcmp(field, "type") == 0)
            put_number(out, place_of(layout->edge_types, edge->kind), is_first, i == 0);
        else if (strcmp(field, "name_or_index") == 0)
            put_index(out, edge->name, is_first, i == 0);
        else if (strcmp(field, "to_node") == 0)
            put_number(out,
                       edge->to == UINT32_MAX ? out->heap->dangling_offset
                                              : (uint64_t)edge->to * width_of(layout->node_fields),
                       is_first, i == 0);
        else
            put_number(out, 99, is_first, i == 0);
    }
}

static int compare_edges(const void *a, const void *b)
{
    const v8_heap_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void put_edges(output *out)
{
    bool is_first = true;
    const uint32_t count = out->heap->edge_count;
    v8_heap_edge *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) abort();
    if (count > 0) memcpy(sorted, out->heap->edges, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_edges);
    for (uint32_t i = 0; i < count; i++)
        put_edge(out, &sorted[i], &is_first);
    free(sorted);
}

static void put_header(output *out)
{
    const v8_layout *layout = out->layout;
    put_key(out, "snapshot");
    fputc('{', out->file);
    if (out->form == V8_FORM_ODD)
        fputs("\"title\":\"odd \\\"one\\\"\",\"uid\":3,\"more\":{\"a\":[{},[]],\"b\":null},", out->file);
    put_key(out, "meta");
    fputc('{', out->file);
    put_key(out, "node_fields");
    put_list(out, layout->node_fields);
    fputc(',', out->file);
    put_key(out, "node_types");
    put_types(out, layout->node_fields, layout->node_types);
    fputc(',', out->file);
    put_key(out, "edge_fields");
    put_list(out, layout->edge_fields);
    fputc(',', out->file);
    put_key(out, "edge_types");
    put_types(out, layout->edge_fields, layout->edge_types);
    fprintf(out->file,
            ",\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},\"node_"
            "count\":%u,\"edge_count\":%u,\"trace_function_count\":0",
            out->heap->node_count, out->heap->edge_count);
    if (out->form == V8_FORM_NODE_26) fputs(",\"extra_native_bytes\":4096", out->file);
    fputc('}', out->file);
}

/* What stands between the edges and the strings. */
static void put_other(output *out)
{
    switch ((unsigned)out->form) {
    case V8_FORM_CHROME:
        fputs(",\"trace_function_infos\":[1,2,3,4,5,6],\"trace_tree\":[1,0,2,64,[2,1,1,32,[],3,1,1,"
              "32,[]]],"
              "\"samples\":[100,5,200,9],\"locations\":[12,3,60,1,2],\"scopes\":[1,2,3,4,5],"
              "\"scope_uses\":[]",
              out->file);
        break;
    case V8_FORM_ODD:
        fputs(", \"scopes\" : [[1,[2,[3]]],{\"x\":\"]}\\\"\"}] , \"flag\" : "
              "true,\"none\":null,\"real\":-1.5e3,\"text\":\"\\u0041\"",
              out->file);
        break;
    default:
        fputs(",\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":"
              "[6,1,2,3",
              out->file);
        for (uint32_t i = 0; i < out->heap->location_count; i++) {
            const uint32_t *location = out->heap->locations[i];
            fprintf(out->file, ",%u,1,%u,%u", location[0] * width_of(layouts[out->form].node_fields), location[1],
                    location[2]);
        }
        fputc(']', out->file);
    }
}

static void put_all(output *out)
{
    bool is_first = true;
    fputc('{', out->file);
    if (out->form == V8_FORM_ODD) fputs("\"before\":[{\"nodes\":[1]}],", out->file);
    put_header(out);
    fputs(",\n", out->file);
    put_key(out, "nodes");
    fputc('[', out->file);
    for (uint32_t i = 0; i < out->heap->node_count; i++)
        put_node(out, i, &is_first);
    fputs("\n],\n", out->file);
    put_key(out, "edges");
    fputc('[', out->file);
    put_edges(out);
    fputs("\n]", out->file);
    put_other(out);
    fputs(",\n", out->file);
    put_key(out, "strings");
    fputc('[', out->file);
    for (uint32_t i = 0; i < out->heap->string_count; i++) {
        if (i > 0) fputs(",\n", out->file);
        put_string(out, out->heap->strings[i]);
    }
    fputs("]}", out->file);
    if (out->form == V8_FORM_ODD) fputc('\n', out->file);
}

char *v8_heap_write(const v8_heap *heap, v8_form form, size_t *size)
{
    char *text = NULL;
    output out = {.heap = heap, .layout = &layouts[form], .form = form};
    out.file = open_memstream(&text, size);
    out.edge_counts = calloc((size_t)heap->node_count + 1, sizeof *out.edge_counts);
    if (out.file == NULL || out.edge_counts == NULL) abort();
    for (uint32_t i = 0; i < heap->edge_count; i++)
        out.edge_counts[heap->edges[i].from]++;
    put_all(&out);
    free(out.edge_counts);
    if (fclose(out.file) != 0) abort();
    return text;
}

/* ---- a program ---- */

static void add_global(v8_heap *heap, v8_program *p)
{
    char name[32];
    const uint32_t builtin = v8_node(heap, "closure", "Builtin", 56);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "Builtin%u", i);
        v8_edge(heap, p->global, "property", name, builtin);
    }
    v8_edge(heap, p->global, "property", "leak", p->leak);
    v8_edge(heap, p->global, "property", "an odd name", p->leak);
    v8_edge(heap, p->global, "internal", "native_context", p->native_context);
    v8_edge(heap, p->global, "internal", "global_proxy", p->proxy);
    v8_edge(heap, p->global, "internal", "properties", p->dictionary);
    v8_edge(heap, p->dictionary, "internal", "7", p->cell);
    v8_edge(heap, p->cell, "internal", "value", p->leak);
    v8_edge_at(heap, p->cell, "hidden", 1, builtin);
}

static void add_module(v8_heap *heap, v8_program *p)
{
    const uint32_t home = v8_node(heap, "code", "system / ScopeInfo", 80);
    v8_edge(heap, p->module, "context", "sessions", p->sessions);
    v8_edge(heap, p->module, "context", "limit", p->limit);
    v8_edge(heap, p->module, "internal", "scope_info", home);
    v8_edge(heap, p->module, "internal", "previous", p->native_context);
    v8_edge(heap, p->closure, "property", "__proto__", p->global);
    v8_edge(heap, p->closure, "internal", "feedback_cell", home);
    v8_edge(heap, p->closure, "internal", "shared", p->function);
    v8_edge(heap, p->closure, "internal", "context", p->module);
    v8_edge(heap, p->function, "internal", "name_or_scope_info", home);
    v8_edge(heap, p->function, "internal", "script_or_debug_info", p->script);
    v8_edge(heap, p->script, "internal", "source", home);
    v8_edge(heap, p->script, "internal", "name", home);
}

static void add_roots(v8_heap *heap, const v8_program *p)
{
    v8_edge_at(heap, p->root, "element", 1, p->gc_roots);
    v8_edge(heap, p->root, "shortcut", "2", p->global);
    v8_edge_at(heap, p->gc_roots, "element", 1, p->stack);
    v8_edge_at(heap, p->gc_roots, "element", 2, p->handles);
    v8_edge_at(heap, p->gc_roots, "element", 3, p->interned);
    v8_edge(heap, p->stack, "internal", "1", p->closure);
    v8_edge(heap, p->handles, "internal", "1", p->native_context);
    v8_edge(heap, p->handles, "weak", "2", p->leak);
}

v8_program v8_add_program(v8_heap *heap)
{
    v8_program p;
    p.root = v8_node(heap, "synthetic", "", 0);
    p.gc_roots = v8_node(heap, "synthetic", "(GC roots)", 0);
    p.stack = v8_node(heap, "synthetic", "(Stack roots)", 0);
    p.handles = v8_node(heap, "synthetic", "(Global handles)", 0);
    p.interned = v8_node(heap, "synthetic", "(Internalized strings)", 0);
    p.native_context = v8_node(heap, "hidden", "system / NativeContext", 2000);
    p.global = v8_node(heap, "object", "global", 40);
    p.proxy = v8_node(heap, "object", "global", 32);
    p.dictionary = v8_node(heap, "array", "(object properties)", 1040);
    p.cell = v8_node(heap, "hidden", "system / PropertyCell", 40);
    p.module = v8_node(heap, "object", "system / Context", 64);
    p.sessions = v8_node(heap, "object", "Map", 32);
    p.limit = v8_node(heap, "number", "heap number", 16);
    p.closure = v8_node(heap, "closure", "add", 64);
    p.function = v8_node(heap, "code", "add", 56);
    p.script = v8_node(heap, "code", "/srv/app/store.js", 128);
    p.leak = v8_node(heap, "object", "Leak", 24);
    v8_edge(heap, p.native_context, "internal", "global_object", p.global);
    add_global(heap, &p);
    add_module(heap, &p);
    add_roots(heap, &p);
    return p;
}
