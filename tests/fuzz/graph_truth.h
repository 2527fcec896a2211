/*
 * What a program of fuzz_graph wrote, and how many of its objects roots reach: by definition, in plain arrays.
 */
#ifndef HSD_TESTS_GRAPH_TRUTH_H
#define HSD_TESTS_GRAPH_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRUTH_MAX_OBJECTS = 600 };

typedef struct truth_object {
    uint64_t id;
    uint32_t ordinal;
    bool is_pseudo, is_live;
} truth_object;

typedef struct truth_link { /* a reference, an edge; a root without a source */
    uint64_t source, target;
    bool is_root, source_is_ordinal;
} truth_link;

typedef struct graph_truth {
    truth_object objects[TRUTH_MAX_OBJECTS]; /* by ordinal */
    uint32_t object_count;
    truth_link *links;
    size_t link_count, link_capacity;
    bool by_ordinal;
    bool is_told; /* no id stands there twice: the numbers below are what they must be */
    uint64_t live, unreached;
} graph_truth;

void graph_truth_object(graph_truth *truth, uint64_t id, bool is_pseudo);
/* Links that are not weak. */
void graph_truth_link(graph_truth *truth, truth_link link);
/* Counts, and forgets the links. */
void graph_truth_tell(graph_truth *truth);

#endif
