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

typedef struct naive_edge {
    hsd_node source, target;
    uint32_t name;
} naive_edge;

typedef struct naive_graph {
    uint32_t nodes, objects; /* nodes behind objects are label nodes, then root nodes */
    uint32_t edge_count;
    naive_edge *edges;    /* by source, target, name, ascending */
    uint32_t *node_label; /* of label and root nodes */
    hsd_root_nodes roots;
    uint8_t *is_part; /* bits */
} naive_graph;

#define NAIVE_MAX_NODES  128u
#define NAIVE_MAX_LABELS 13u /* of a node each */
#define NAIVE_MARK       UINT32_C(0x80000000)

static inline int naive_compare_edges(const void *a, const void *b)
{
    const naive_edge *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static inline void naive_add_edge(naive_graph *g, hsd_node source, hsd_node target, uint32_t name)
{
    g->edges[g->edge_count++] = (naive_edge){source, target, name};
}

/* A random graph: duplicates and self references among its edges, few or many owners and names, none to
 * many roots, some of them secondary, some of the same name. */
static inline naive_graph naive_random(test_random *random)
{
    naive_graph g = {0};
    g.objects = 1 + (uint32_t)test_below(random, 60);
    const uint32_t label_nodes = (uint32_t)test_below(random, 6), roots = (uint32_t)test_below(random, 7);
    const uint32_t edges = (uint32_t)test_below(random, 150), names = 1 + (uint32_t)test_below(random, 9);
    g.roots.begin = g.objects + label_nodes;
    g.roots.second = g.roots.begin + (uint32_t)test_below(random, roots + 1);
    g.nodes = g.objects + label_nodes + roots;
    g.roots.end = g.nodes;
    g.edges = calloc(edges + label_nodes * 2 + roots * 4 + 1, sizeof *g.edges);
    g.node_label = calloc(label_nodes + roots + 1, sizeof *g.node_label);
    for (uint32_t i = 0; i < label_nodes + roots; i++)
        g.node_label[i] = HSD_OWNER_FIRST + (uint32_t)test_below(random, 8);
    for (uint32_t i = 0; i < edges; i++) {
        naive_add_edge(&g, (uint32_t)test_below(random, g.objects), (uint32_t)test_below(random, g.objects),
                       (uint32_t)test_below(random, names));
    }
    for (uint32_t i = g.objects; i < g.roots.begin; i++) { /* one source, one target each */
        naive_add_edge(&g, (uint32_t)test_below(random, g.objects), i, (uint32_t)test_below(random, names));
        naive_add_edge(&g, i, (uint32_t)test_below(random, g.objects), 0);
    }
    for (hsd_node i = g.roots.begin; i < g.roots.end; i++) {
        for (uint64_t targets = test_below(random, 4); targets > 0; targets--)
            naive_add_edge(&g, i, (uint32_t)test_below(random, g.objects), 0);
    }
    qsort(g.edges, g.edge_count, sizeof *g.edges, naive_compare_edges);
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
    free(g->is_part);
}

/* Adds to `reached` what the root nodes begin … end - 1 reach, never going through what `barred` has. */
static inline void naive_live(const naive_graph *g, hsd_node begin, hsd_node end, const bool *barred, bool *reached)
{
    for (hsd_node i = begin; i < end; i++)
        reached[i] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const hsd_node target = g->edges[e].target;
            if (!reached[g->edges[e].source] || reached[target] || barred[target]) continue;
            reached[target] = changed = true;
        }
    }
}

/* Some sources may have marked references; about a third of theirs are. Duplicates keep the least name, so an
 * unmarked one beside it wins. `has_marked` gets the sources that really have some. */
static inline void naive_mark_edges(naive_graph *g, test_random *random, uint8_t *has_marked)
{
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const hsd_node source = g->edges[e].source;
        if (source >= g->objects || source % 2 == 0 || test_below(random, 3) > 0) continue;
        g->edges[e].name |= NAIVE_MARK;
        has_marked[source / 8] = (uint8_t)(has_marked[source / 8] | 1u << source % 8);
    }
    qsort(g->edges, g->edge_count, sizeof *g->edges, naive_compare_edges);
}

static inline void naive_strong(const naive_graph *g, bool *reached)
{
    const bool nothing[NAIVE_MAX_NODES] = {false};
    naive_graph strong = *g;
    strong.edges = calloc(g->edge_count + 1, sizeof *strong.edges);
    strong.edge_count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if ((g->edges[e].name & NAIVE_MARK) == 0) naive_add_edge(&strong, g->edges[e].source, g->edges[e].target, 0);
    }
    naive_live(&strong, g->roots.begin, g->roots.end, nothing, reached);
    free(strong.edges);
}

/* Nodes that `label` reaches: from its label and root nodes that are live, among live ones, never on through
 * label nodes, whose own label goes on instead. */
static inline void naive_reach(const naive_graph *g, uint32_t label, const bool *live, bool *reached)
{
    for (uint32_t i = g->objects; i < g->nodes; i++) {
        if (live[i] && g->node_label[i - g->objects] == label) reached[i] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const hsd_node target = g->edges[e].target;
            if (!reached[g->edges[e].source] || reached[target] || target >= g->objects || !live[target]) continue;
            reached[target] = changed = true;
        }
    }
}

/* Owner of each node by definition: none, the one label that reaches it, or shared. Primary roots alone
 * first; what they reach is out of the secondary ones' way. */
static inline void naive_owners(const naive_graph *g, uint32_t *owners)
{
    const hsd_node begin[2] = {g->roots.begin, g->roots.second}, end[2] = {g->roots.second, g->roots.end};
    bool done[NAIVE_MAX_NODES] = {false};
    memset(owners, 0, g->nodes * sizeof *owners);
    for (int round = 0; round < 2; round++) {
        bool live[NAIVE_MAX_NODES] = {false};
        naive_live(g, begin[round], end[round], done, live);
        for (uint32_t label = HSD_OWNER_FIRST; label < HSD_OWNER_FIRST + NAIVE_MAX_LABELS; label++) {
            bool reached[NAIVE_MAX_NODES] = {false};
            naive_reach(g, label, live, reached);
            for (uint32_t i = 0; i < g->nodes; i++) {
                if (reached[i]) owners[i] = owners[i] == HSD_OWNER_NONE ? label : HSD_OWNER_SHARED;
            }
        }
        for (uint32_t i = 0; i < g->nodes; i++)
            done[i] = done[i] || live[i];
    }
}

static inline bool naive_is_part(const naive_graph *g, hsd_node node)
{
    return node >= g->objects || (g->is_part[node / 8] >> (node % 8) & 1);
}

/* Ordinal + 1 of the one object that is no part from which `part` is reached through parts; 0 = none. */
static inline hsd_node naive_holder(const naive_graph *g, hsd_node part)
{
    bool back[NAIVE_MAX_NODES] = {false}; /* parts from which `part` is reached, itself among them */
    hsd_node holder = 0;
    back[part] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const hsd_node source = g->edges[e].source;
            if (!back[g->edges[e].target] || source >= g->roots.begin) continue; /* roots are no holders */
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

/* The same graph as the product stores it, with names. */
static inline hsd_adjacency *naive_to_adjacency(const naive_graph *g, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *adjacency;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_adjacency_begin(&adjacency, memory, space, &err) != HSD_OK) return NULL;
    if (hsd_adjacency_with_names(adjacency, memory, &err) != HSD_OK) return NULL;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (hsd_adjacency_add(adjacency, g->edges[e].source, &g->edges[e].target, &g->edges[e].name, 1, &err) != HSD_OK)
            return NULL;
    }
    if (hsd_adjacency_finish(adjacency, g->nodes, &err) != HSD_OK) return NULL;
    return adjacency;
}

#endif
