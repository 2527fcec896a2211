/*
 * Writes Firefox heap snapshots for tests, unpacked, as HeapSnapshot.cpp does: texts are numbered in the order in which
 * they are met, in a frame source and function before the parent. What makes sense is up to the test.
 *
 *      firefox_writer w;
 *      fw_begin(&w, 1700000000000000);
 *      fw_put(&w, &(fw_node){.id = 0x7ffc10, .type = "JS::ubi::RootList", .size = 1, FW_EDGES({0x1000, "mCallback, holder 0x7fa7"})});
 *      fw_put(&w, &(fw_node){.id = 0x1000, .type = "JSObject", .class_name = "Array", .coarse = 1, .size = 48});
 *      … w.out …
 *      fw_free(&w);
 *
 * Running out of memory ends the program.
 */
#ifndef HSD_TESTS_FIREFOX_WRITER_H
#define HSD_TESTS_FIREFOX_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef struct fw_bytes {
    uint8_t *data;
    size_t size, capacity;
} fw_bytes;

typedef struct fw_texts { /* texts that have a number */
    char **texts;
    uint32_t *slots; /* number + 1 */
    uint32_t count, slot_count;
} fw_texts;

typedef struct fw_frame {
    uint64_t id;
    const struct fw_frame *parent;
    uint32_t line, column;
    const char *source, *function;
} fw_frame;

typedef struct fw_edge {
    uint64_t target;
    const char *name; /* NULL = none */
} fw_edge;

typedef struct fw_node {
    uint64_t id, size;
    const char *type, *class_name, *script, *description; /* NULL = none */
    const fw_edge *edges;
    size_t edge_count;
    const fw_frame *stack;
    unsigned coarse;
} fw_node;

#define FW_EDGES(...)                                                                                                  \
    .edges = (const fw_edge[]){__VA_ARGS__}, .edge_count = sizeof((const fw_edge[]){__VA_ARGS__}) / sizeof(fw_edge)

typedef struct firefox_writer {
    fw_bytes out, node, edge;
    fw_texts wide, narrow;
    uint64_t *frames; /* that were told */
    size_t frame_count;
} firefox_writer;

void fw_begin(firefox_writer *w, uint64_t moment_us);
void fw_put(firefox_writer *w, const fw_node *node);
void fw_free(firefox_writer *w);

/*
 * A shop: Sandbox (0x2000) with the array `sessions` (0x3000) of two objects (0x4000, 0x4100), each with a payload;
 * allocation stacks with a parent that has texts of its own; scripts, DOM nodes, a Map, a weak reference, names with
 * addresses and beyond the first plane.
 */
void fw_shop(firefox_writer *w);

/* The root list, a global and an array of so many elements: one message of any length. */
void fw_long_array(firefox_writer *w, uint32_t count);

#endif
