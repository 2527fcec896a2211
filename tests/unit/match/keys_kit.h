/*
 * Graphs for the tests of keys: what a node is, and where it lies, apart from its number. Nodes can be numbered anew
 * and references put into another order; what comes out by position must not change.
 */
#ifndef HSD_TESTS_KEYS_KIT_H
#define HSD_TESTS_KEYS_KIT_H

#include "match/keys.h"
#include "sequence_kit.h"

#define KIT_TYPES 5u

typedef struct key_graph {
    hsd_node objects, nodes, positions;
    uint32_t edge_count;
    hsd_node (*edges)[2]; /* source, target: in any order, with duplicates */
    uint64_t *shape;      /* by node */
    uint32_t *type;       /* by object */
    hsd_node *position;   /* likewise */
    uint32_t *root_hash;  /* by node - objects */
    uint8_t *is_named;
    bool is_bare; /* without an adjacency */
} key_graph;

typedef struct key_result { /* by position, and by hash */
    hsd_element *elements;
    hsd_node *owners;
    uint64_t *wholes, *places; /* pairs of words */
    uint64_t whole_count, place_count;
    uint64_t moved_bytes; /* read and written while they were found */
} key_result;

static const uint32_t kit_type_hash[KIT_TYPES] = {0, 1, 77, 77, UINT32_MAX};

static inline bool key_is_named(const key_graph *g, hsd_node object)
{
    return g->is_named[object >> 3] >> (object & 7) & 1;
}

static inline key_graph key_graph_new(hsd_node objects, hsd_node others, uint32_t most_edges)
{
    const hsd_node nodes = objects + others;
    return (key_graph){
        .objects = objects,
        .nodes = nodes,
        .edges = calloc(most_edges + 1, 2 * sizeof(hsd_node)),
        .shape = calloc(nodes, sizeof(uint64_t)),
        .type = calloc(objects + 1, sizeof(uint32_t)),
        .position = calloc(objects + 1, sizeof(hsd_node)),
        .root_hash = calloc(others + 1, sizeof(uint32_t)),
        .is_named = calloc(objects / 8 + 1, 1),
    };
}

static inline void key_graph_release(key_graph *g)
{
    free(g->edges);
    free(g->shape);
    free(g->type);
    free(g->position);
    free(g->root_hash);
    free(g->is_named);
}

static inline void key_refer(key_graph *g, hsd_node source, hsd_node target)
{
    g->edges[g->edge_count][0] = source;
    g->edges[g->edge_count++][1] = target;
}

/* What nodes are, few of each kind; one object in six has no position, one in eight is named. */
static inline void key_fill(key_graph *g, test_random *random, uint32_t kinds)
{
    hsd_node *places = calloc(g->objects + 1, sizeof *places);
    for (hsd_node i = 0; i < g->nodes; i++) {
        const uint64_t kind = test_below(random, kinds);
        g->shape[i] = (kind + 1) * UINT64_C(0x123456789abcdef);
        if (i >= g->objects) {
            g->root_hash[i - g->objects] = (uint32_t)kind; /* 0 and 1 must not be taken for none and many */
            continue;
        }
        g->type[i] = (uint32_t)(kind % KIT_TYPES);
        if (test_below(random, 8) == 0) g->is_named[i / 8] = (uint8_t)(g->is_named[i / 8] | 1u << (i % 8));
        g->position[i] = test_below(random, 6) == 0 ? HSD_NO_POSITION : g->positions++;
        if (g->position[i] != HSD_NO_POSITION) places[g->position[i]] = g->position[i];
    }
    kit_shuffle(random, places, g->positions);
    for (hsd_node i = 0; i < g->objects; i++) {
        if (g->position[i] != HSD_NO_POSITION) g->position[i] = places[g->position[i]];
    }
    free(places);
}

static inline key_graph key_random(test_random *random, uint32_t most_objects, uint32_t most_edges)
{
    const hsd_node objects = 1 + (hsd_node)test_below(random, most_objects), others = (hsd_node)test_below(random, 8);
    key_graph g = key_graph_new(objects, others, most_edges);
    key_fill(&g, random, 1 + (uint32_t)test_below(random, 7));
    const hsd_node label_end = objects + others / 2; /* behind it are root nodes: nothing refers to them */
    for (uint64_t left = test_below(random, most_edges + 1); left > 0; left--)
        key_refer(&g, (hsd_node)test_below(random, g.nodes), (hsd_node)test_below(random, label_end));
    return g;
}

/* ---- the product ---- */

static inline int key_compare_sources(const void *a, const void *b)
{
    const hsd_node *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* The order of one source's references stays open: qsort's, then. */
static inline hsd_adjacency *key_adjacency(key_graph *g, hsd_temp_space *space)
{
    hsd_adjacency *adjacency;
    cr_assert_eq(hsd_adjacency_begin(&adjacency, 1 << 20, space, NULL), HSD_OK);
    qsort(g->edges, g->edge_count, sizeof *g->edges, key_compare_sources);
    for (uint32_t e = 0; e < g->edge_count; e++)
        cr_assert_eq(hsd_adjacency_add(adjacency, g->edges[e][0], &g->edges[e][1], NULL, 1, NULL), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(adjacency, g->nodes, NULL), HSD_OK);
    return adjacency;
}

static inline void key_take(hsd_sequence *s, key_result *out)
{
    out->elements = calloc(s->count + 1, sizeof *out->elements);
    hsd_sequence_read(s, 0, s->count, out->elements);
    out->owners = calloc(s->count + 1, sizeof *out->owners);
    for (hsd_node i = 0; i < s->count; i++)
        out->owners[i] = hsd_sequence_owner(s, i);
    out->wholes = kit_wholes(&s->wholes, &out->whole_count);
    out->places = kit_records(s->places, &out->place_count);
}

/* As the walk leaves it: a file of `bytes` bytes. */
static inline void key_open_file(hsd_paged *paged, const void *data, uint64_t bytes, uint64_t memory,
                                 hsd_temp_space *space)
{
    hsd_temp file;
    hsd_error err;
    const uint64_t least = hsd_paged_least_bytes(bytes);
    cr_assert_eq(hsd_temp_open(&file, space, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&file, 0, data, bytes, NULL), HSD_OK);
    cr_assert_eq(hsd_paged_open_file(paged, &file, memory < least ? least : memory, &err), HSD_OK, "%s", err.text);
}

/* `memory` for the arrays by node, `sort` for the sorters; at least what they need. */
static inline key_result key_find(key_graph *g, uint64_t memory, uint64_t sort, hsd_temp_space *space)
{
    hsd_sequence s;
    hsd_paged shapes, types;
    key_result out = {0};
    hsd_error err;
    kit_sequence(&s, g->positions, g->objects, memory, space);
    kit_open(&s.owners, (uint64_t)g->positions * HSD_NODE_BYTES, memory, space);
    key_open_file(&shapes, g->shape, g->nodes * UINT64_C(8), memory, space);
    key_open_file(&types, g->type, g->objects * UINT64_C(4), memory, space);
    for (hsd_node i = 0; i < g->objects; i++)
        hsd_paged_set_node(&s.positions, i, g->position[i]);
    const uint64_t least = hsd_keys_least_bytes(g->nodes);
    const hsd_keys_config config = {
        .object_count = g->objects,
        .node_count = g->nodes,
        .shapes = &shapes,
        .is_named = g->is_named,
        .type_hash = kit_type_hash,
        .root_hash = g->root_hash,
        .types = &types,
        .memory_bytes = memory < least ? least : memory,
        .sort_bytes = sort + 2 * HSD_SORT_MIN_BYTES,
        .serve_bytes = sort / 2 + 2 * HSD_SORT_MIN_BYTES,
        .space = space,
        .use_thread = sort != 0,
        .has_order = sort != 0,
    };
    hsd_adjacency *adjacency = g->is_bare ? NULL : key_adjacency(g, space);
    const uint64_t before = space->bytes_read + space->bytes_written;
    cr_assert_eq(hsd_keys_find(adjacency, &config, &s, &err), HSD_OK, "%s", err.text);
    out.moved_bytes = space->bytes_read + space->bytes_written - before;
    key_take(&s, &out);
    hsd_adjacency_free(adjacency);
    hsd_paged_close(&shapes);
    hsd_paged_close(&types);
    hsd_sequence_release(&s);
    return out;
}

static inline void key_release(key_result *r)
{
    free(r->elements);
    free(r->owners);
    free(r->wholes);
    free(r->places);
}

/* ---- another numbering ---- */

static inline hsd_node *key_new_numbers(const key_graph *g, test_random *random)
{
    hsd_node *to = calloc(g->nodes + 1, sizeof *to);
    for (hsd_node i = 0; i < g->nodes; i++)
        to[i] = i;
    kit_shuffle(random, to, g->objects);
    return to;
}

/* The same graph: objects numbered anew, references shuffled, some of them twice. */
static inline key_graph key_renumbered(const key_graph *g, test_random *random)
{
    key_graph other = key_graph_new(g->objects, g->nodes - g->objects, g->edge_count * 2);
    hsd_node *to = key_new_numbers(g, random);
    hsd_node *order = calloc(g->edge_count + 1, sizeof *order);
    other.positions = g->positions;
    for (hsd_node i = 0; i < g->nodes; i++)
        other.shape[to[i]] = g->shape[i];
    for (hsd_node i = 0; i < g->nodes - g->objects; i++)
        other.root_hash[i] = g->root_hash[i];
    for (hsd_node i = 0; i < g->objects; i++) {
        const hsd_node at = to[i];
        other.type[at] = g->type[i];
        other.position[at] = g->position[i];
        if (key_is_named(g, i)) other.is_named[at / 8] = (uint8_t)(other.is_named[at / 8] | 1u << (at % 8));
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        order[e] = e;
    kit_shuffle(random, order, g->edge_count);
    for (hsd_node i = 0; i < g->edge_count * 2; i++) {
        const hsd_node *edge = g->edges[order[i % g->edge_count]];
        if (i < g->edge_count || test_below(random, 3) == 0) key_refer(&other, to[edge[0]], to[edge[1]]);
    }
    free(to);
    free(order);
    return other;
}

#endif
