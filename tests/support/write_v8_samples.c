/*
 * Writes heap snapshots of v8_writer.h as files into a folder, one in each layout: seeds of the fuzz
 * target, and something to look at by hand. write_v8_samples FOLDER
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/v8_bundle.h"
#include "support/v8_writer.h"

/* A program with a page, and a name of each kind. */
static v8_heap *make_heap(void)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t div = v8_node(heap, "native", "<div id=\"x\">", 40), text = v8_node(heap, "native", "Text", 24);
    const uint32_t table = v8_node(heap, "array", "", 104), shape = v8_node(heap, "hidden", "system / Map", 80);
    heap->nodes[div].state = 2;
    v8_edge(heap, p.leak, "property", "div", div);
    v8_edge(heap, p.leak, "property", "\xc3\xa9\xf0\x9f\x98\x80 \"quoted\" \\", text);
    v8_edge(heap, p.leak, "internal", "map", shape);
    v8_edge(heap, div, "element", "1", text);
    v8_edge(heap, p.sessions, "internal", "table", table);
    v8_edge(heap, table, "weak", "3", p.leak);
    v8_edge(heap, table, "internal", "3 / part of key (K @1) -> value (V @2) pair in WeakMap (table @5)", p.leak);
    v8_edge_at(heap, p.sessions, "element", 4294967290u, p.leak);
    return heap;
}

static bool put(FILE *file, const char *text, size_t size) { return fwrite(text, 1, size, file) == size; }

/* That of the main thread, of a worker, of one that did not answer. */
static bool write_heaps(const v8_heap *heap, const char *folder)
{
    static const char worker[] = "\n{\"thread\":3,", silent[] = "\n{\"thread\":4}";
    char path[1024];
    size_t size;
    char *json = v8_heap_write(heap, V8_FORM_NODE_20, &size);
    snprintf(path, sizeof path, "%s/heaps.heapsnapshot", folder);
    FILE *file = fopen(path, "wb");
    bool is_well = file != NULL && put(file, json, size) && put(file, worker, sizeof worker - 1) &&
                   put(file, json + 1, size - 1) && put(file, silent, sizeof silent - 1);
    if (file != NULL && fclose(file) != 0) is_well = false;
    if (!is_well) perror(path);
    free(json);
    return is_well;
}

static bool write_sample(const char *folder, const char *name, const char *json, size_t size, const char *behind,
                         size_t behind_size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.heapsnapshot", folder, name);
    FILE *file = fopen(path, "wb");
    bool is_well = file != NULL && put(file, json, size) && put(file, behind, behind_size);
    if (file != NULL && fclose(file) != 0) is_well = false;
    if (!is_well) perror(path);
    return is_well;
}

/* A bundle: the snapshot, and behind a byte 0 each its script and the map of that, as the fuzz target has them. */
static bool write_bundle(const char *folder)
{
    static const char behind[] = "\0" V8_BUNDLE V8_BUNDLE_COMMENT "\0" V8_BUNDLE_MAP;
    size_t size;
    v8_heap *heap = v8_heap_new();
    v8_add_bundle(heap, V8_BUNDLE_FOLDER "app.js");
    char *json = v8_heap_write(heap, V8_FORM_NODE_20, &size);
    const bool is_well = write_sample(folder, "bundle", json, size, behind, sizeof behind - 1);
    free(json);
    v8_heap_free(heap);
    return is_well;
}

static void put_slot(v8_heap *heap, const v8_program *p, const char *name, uint32_t node)
{
    v8_edge(heap, p->stack, "internal", name, node);
}

/* A context of a block and its scope: two variables, of which the second may have a number. */
static void add_block(v8_heap *heap, const v8_program *p)
{
    const uint32_t info = v8_node(heap, "code", "system / ScopeInfo", 56),
                   context = v8_node(heap, "object", "system / Context", 40);
    v8_edge(heap, info, "internal", "map", v8_node(heap, "hidden", "system / Map", 72));
    for (uint32_t i = 0; i < 3; i++)
        v8_edge_at(heap, info, "hidden", i, v8_node(heap, "string", i == 0 ? "one" : "other", 24));
    v8_edge_at(heap, info, "hidden", 3, v8_node(heap, "code", "system / ScopeInfo", 56));
    v8_edge(heap, p->leak, "property", "context", context);
    v8_edge(heap, context, "internal", "scope_info", info);
    v8_edge(heap, context, "internal", "previous", p->module);
    for (uint32_t i = 0; i < 2; i++)
        v8_edge_at(heap, context, "hidden", i, v8_node(heap, "object", "Value", 24));
}

/* A function that runs, with a local; a class that is a key of a WeakMap, in a file of the same name; a block. */
static bool write_running(const char *folder)
{
    size_t size;
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t scripts[2] = {v8_node(heap, "code", "/srv/app/models/users.js", 128),
                                 v8_node(heap, "code", "/srv/app/routes/users.js", 128)};
    const uint32_t running = v8_add_closure(heap, &p, "load", p.module, scripts[0]),
                   class = v8_add_closure(heap, &p, "Orders", p.native_context, scripts[1]);
    for (unsigned i = 0; i < 2; i++) {
        v8_edge(heap, scripts[i], "internal", "source", p.function);
        v8_edge(heap, scripts[i], "internal", "name", p.function);
    }
    v8_locate(heap, running, 6, 10);
    v8_locate(heap, class, 19, 4);
    v8_edge(heap, class, "internal", "1 / part of key (Orders @9) -> value (Map @11) pair in WeakMap (table @7)",
            v8_node(heap, "object", "Map", 32));
    put_slot(heap, &p, "1", v8_node(heap, "object", "Array", 32));
    put_slot(heap, &p, "2", v8_node(heap, "code", "system / BytecodeArray", 100));
    put_slot(heap, &p, "3", running);
    put_slot(heap, &p, "4", p.module);
    put_slot(heap, &p, "5", v8_node(heap, "code", "(InterpreterEntryTrampoline builtin)", 80));
    put_slot(heap, &p, "6 / deoptimization literal", p.sessions);
    add_block(heap, &p);
    char *json = v8_heap_write(heap, V8_FORM_NODE_20, &size);
    const bool is_well = write_sample(folder, "running", json, size, "", 0);
    free(json);
    v8_heap_free(heap);
    return is_well;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_v8_samples FOLDER\n");
        return 2;
    }
    v8_heap *heap = make_heap();
    for (int form = 0; form < V8_FORM_COUNT; form++) {
        char path[1024];
        size_t size;
        char *json = v8_heap_write(heap, (v8_form)form, &size);
        snprintf(path, sizeof path, "%s/form%d.heapsnapshot", argv[1], form);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(json, 1, size, file) != size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        free(json);
    }
    const bool is_well = write_heaps(heap, argv[1]) && write_bundle(argv[1]) && write_running(argv[1]);
    v8_heap_free(heap);
    return is_well ? 0 : 1;
}
