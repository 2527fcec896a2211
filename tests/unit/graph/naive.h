/*
 * The graph stage's definitions, taken literally: dense arrays, no tricks. What the product computes
 * with paged arrays and worklists must equal this on every small graph.
 */
#ifndef HSD_TESTS_NAIVE_GRAPH_H
#define HSD_TESTS_NAIVE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/owners.h"
#include "support/random.h"

typedef struct naive_graph {
    uint32_t nodes, objects; /* nodes behind objects are label nodes */
    uint32_t edge_count;
    uint32_t (*edges)[2]; /* by source, ascending */
    uint32_t *node_label; /* of label nodes */
    uint32_t seed_count;
    hsd_seed *seeds;
    uint8_t *is_part; /* bits */
} naive_graph;

static inline int naive_compare_edges(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* A random graph: duplicates and self references among its edges, few or many owners. */
static inline naive_graph naive_random(test_random *random)
{
    naive_graph g = {0};
    g.objects = 1 + (uint32_t)test_below(random, 60);
    const uint32_t label_nodes = (uint32_t)test_below(random, 6);
    g.nodes = g.objects + label_nodes;
    g.edge_count = (uint32_t)test_below(random, 150);
    g.edges = calloc(g.edge_count + label_nodes * 2 + 1, sizeof *g.edges);
    for (uint32_t i = 0; i < g.edge_count; i++) {
        g.edges[i][0] = (uint32_t)test_below(random, g.objects);
        g.edges[i][1] = (uint32_t)test_below(random, g.objects);
    }
    g.node_label = calloc(label_nodes + 1, sizeof *g.node_label);
    for (uint32_t i = 0; i < label_nodes; i++) { /* one source, one target each */
        g.edges[g.edge_count][0] = (uint32_t)test_below(random, g.objects);
        g.edges[g.edge_count++][1] = g.objects + i;
        g.edges[g.edge_count][0] = g.objects + i;
        g.edges[g.edge_count++][1] = (uint32_t)test_below(random, g.objects);
        g.node_label[i] = HSD_OWNER_FIRST + (uint32_t)test_below(random, 8);
    }
    qsort(g.edges, g.edge_count, sizeof *g.edges, naive_compare_edges);
    g.seed_count = (uint32_t)test_below(random, 5);
    g.seeds = calloc(g.seed_count + 1, sizeof *g.seeds);
    for (uint32_t i = 0; i < g.seed_count; i++) {
        g.seeds[i] = (hsd_seed){(uint32_t)test_below(random, g.objects),
                                HSD_OWNER_FIRST + (uint32_t)test_below(random, 8)};
    }
    g.is_part = calloc(g.objects / 8 + 1, 1);
    for (uint32_t i = 0; i < g.objects; i++) {
        if (test_below(random, 3) == 0) g.is_part[i / 8] = (uint8_t)(g.is_part[i / 8] | 1u << (i % 8));
    }
    return g;
}

static inline void naive_release(naive_graph *g)
{
    free(g->edges);
    free(g->node_label);
    free(g->seeds);
    free(g->is_part);
}

/* Nodes that `label` reaches: from its seeds and from its label nodes that are live, never on through
 * label nodes, whose own label goes on instead. */
static inline void naive_reach(const naive_graph *g, uint32_t label, const bool *live, bool *reached)
{
    for (uint32_t i = 0; i < g->seed_count; i++) {
        if (g->seeds[i].label == label) reached[g->seeds[i].node] = true;
    }
    for (uint32_t i = g->objects; i < g->nodes; i++) {
        if (live[i] && g->node_label[i - g->objects] == label) reached[i] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const uint32_t target = g->edges[e][1];
            if (!reached[g->edges[e][0]] || reached[target] || target >= g->objects) continue;
            reached[target] = changed = true;
        }
    }
}

/* Owner of each node by definition: none, the one label that reaches it, or shared. */
static inline void naive_owners(const naive_graph *g, uint32_t *owners)
{
    bool live[128] = {false};
    for (uint32_t i = 0; i < g->seed_count; i++) live[g->seeds[i].node] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            if (live[g->edges[e][0]] && !live[g->edges[e][1]]) live[g->edges[e][1]] = changed = true;
        }
    }
    memset(owners, 0, g->nodes * sizeof *owners);
    for (uint32_t label = HSD_OWNER_FIRST; label < HSD_OWNER_FIRST + 8; label++) {
        bool reached[128] = {false};
        naive_reach(g, label, live, reached);
        for (uint32_t i = 0; i < g->nodes; i++) {
            if (reached[i]) owners[i] = owners[i] == HSD_OWNER_NONE ? label : HSD_OWNER_SHARED;
        }
    }
}

static inline bool naive_is_part(const naive_graph *g, uint32_t node)
{
    return node >= g->objects || (g->is_part[node / 8] >> (node % 8) & 1);
}

/* Ordinal + 1 of the one object that is no part from which `part` is reached through parts; 0 = none. */
static inline uint32_t naive_holder(const naive_graph *g, uint32_t part)
{
    bool back[128] = {false}; /* parts from which `part` is reached, itself among them */
    uint32_t holder = 0;
    back[part] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const uint32_t source = g->edges[e][0];
            if (!back[g->edges[e][1]]) continue;
            if (naive_is_part(g, source)) {
                if (!back[source]) back[source] = changed = true;
            } else if (holder != source + 1) {
                if (holder != 0) return 0;
                holder = source + 1;
            }
        }
    }
    return holder;
}

/* The same graph as the product stores it. */
static inline hsd_adjacency *naive_to_adjacency(const naive_graph *g, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *adjacency;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_adjacency_begin(&adjacency, memory, space, &err) != HSD_OK) return NULL;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (hsd_adjacency_add(adjacency, g->edges[e][0], &g->edges[e][1], 1, &err) != HSD_OK) return NULL;
    }
    if (hsd_adjacency_finish(adjacency, g->nodes, &err) != HSD_OK) return NULL;
    return adjacency;
}

#endif
