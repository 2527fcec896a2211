/*
 * Writes heap snapshots of v8_writer.h as files into a folder, one in each layout: seeds of the fuzz
 * target, and something to look at by hand. write_v8_samples FOLDER
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
    const bool is_well = write_heaps(heap, argv[1]);
    v8_heap_free(heap);
    return is_well ? 0 : 1;
}
