/*
 * Writes .gcdump bytes for tests, as all versions of PerfView and dotnet-gcdump do: in versions 4 to 10, as a graph
 * alone, with narrow and wide counts and labels, with names that come late. What makes sense is up to the test.
 *
 *      const gw_type types[] = {{"UNDEFINED", -1}, {"[.NET Roots]", 0}, {"Shop.Session", 32}};
 *      const gw_node nodes[] = {{.type = 1, .children = (uint32_t[]){1}, .count = 1}, {.type = 2, .address = 0x1000}};
 *      const gw_heap heap = {.version = 10, .types = types, .type_count = 3, .nodes = nodes, .node_count = 2};
 *      gw_bytes file = gw_write(&heap);
 *
 * Running out of memory ends the program.
 */
#ifndef HSD_TESTS_GCDUMP_WRITER_H
#define HSD_TESTS_GCDUMP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gw_bytes { /* to be freed: data */
    uint8_t *data;
    size_t size, capacity;
} gw_bytes;

typedef struct gw_type {
    const char *name; /* NULL: it comes late, as `module`!type 0x`late_id``suffix` */
    int32_t size;     /* -1 = each object says its own */
    const char *module;
    uint32_t late_id;
    const char *suffix;
} gw_type;

typedef struct gw_node {
    uint32_t type;
    int32_t size; /* 0 = that of the type */
    uint64_t address;
    const uint32_t *children; /* numbers of nodes */
    uint32_t count;
    bool is_untold; /* referred to and never defined */
} gw_node;

typedef struct gw_segment {
    uint64_t start, end, generation_end[5];
} gw_segment;

typedef struct gw_heap {
    uint32_t version;     /* of GCHeapDump; 0: a MemoryGraph alone */
    const gw_type *types; /* the first is UNDEFINED */
    uint32_t type_count;
    const gw_node *nodes;
    uint32_t node_count, root;
    bool has_wide_counts, has_wide_labels, is_backwards /* records stand in the other order */, has_interop, has_extras;
    float count_multiplier, size_multiplier; /* 0 = 1 */
    const float *multipliers;
    uint32_t multiplier_count;
    const gw_segment *segments;
    uint32_t segment_count;
    const char *process, *tool; /* NULL = none */
    uint32_t pid;
    uint64_t taken_ticks, resident_bytes;
} gw_heap;

gw_bytes gw_write(const gw_heap *heap);

/* Sum of all sizes, as the header has it. */
uint64_t gw_total(const gw_heap *heap);

/* Some heaps of every form, for tests and as seeds of the fuzz target. */
typedef struct gw_sample {
    const char *name;
    gw_heap heap;
} gw_sample;

extern const gw_sample gw_samples[];
extern const size_t gw_sample_count;

#endif
