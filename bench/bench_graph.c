/*
 * The graph stage alone: building adjacency blocks and finding owners on synthetic graphs, resident
 * and in a fraction of the memory they need. The bound beside it: touching one random u32 for each
 * reference, 32 at a time in flight, in an array as large as the labels, in the same run. The same with names of
 * references, and reading all of them.
 *
 *      bench_graph [NODES [REFERENCES_PER_NODE]]        CSV: stage,shape,memory,items,seconds,…
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note.h"
#include "graph/owners.h"

typedef struct graph_shape {
    const char *name;
    uint32_t window; /* targets lie within this many nodes of their source; 0 = anywhere */
} graph_shape;

#define ROOTS 1000u

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK) return;
    fprintf(stderr, "bench_graph: %s\n", err->text);
    exit(1);
}

static void row(const char *stage, const char *shape, uint64_t memory, uint64_t items, uint64_t start_ns,
                uint64_t temp_bytes)
{
    const double seconds = (double)(hsd_now_ns() - start_ns) * 1e-9;
    printf("graph-%s,%s,%llu MiB,%llu,%.3f,%.1f,%.1f\n", stage, shape, (unsigned long long)(memory >> 20),
           (unsigned long long)items, seconds, (double)items / seconds * 1e-6, (double)temp_bytes / 1048576.0);
    fflush(stdout);
}

static void bound(uint32_t nodes, uint64_t touches)
{
    uint32_t *labels = calloc(nodes, sizeof *labels);
    uint64_t state = 88172645463325252u;
    if (labels == NULL) exit(1);
    memset(labels, 1, (size_t)nodes * sizeof *labels);
    const uint64_t start = hsd_now_ns();
    for (uint64_t i = 0; i < touches; i += 32) {
        uint32_t at[32];
        for (int j = 0; j < 32; j++) {
            at[j] = (uint32_t)((next_random(&state) >> 32) * nodes >> 32);
            __builtin_prefetch(&labels[at[j]], 1);
        }
        for (int j = 0; j < 32; j++)
            labels[at[j]]++;
    }
    row("bound", "random touches", (uint64_t)nodes * 4, touches, start, 0);
    free(labels);
}

/* Names as of fields: each node is of one of 256 types, which has `degree` names of 8,192. */
static void draw_names(uint32_t *names, uint32_t type, uint32_t degree)
{
    for (uint32_t i = 0; i < degree; i++)
        names[i] = (type * 37 + i * 251) & 8191;
}

static hsd_adjacency *build(const graph_shape *shape, uint32_t nodes, uint32_t degree, uint64_t memory, bool is_named,
                            hsd_temp_space *space)
{
    hsd_adjacency *a;
    hsd_error err;
    uint64_t state = 88172645463325252u;
    const uint64_t start = hsd_now_ns();
    stop(hsd_adjacency_begin(&a, memory, space, &err), &err);
    if (is_named) stop(hsd_adjacency_with_names(a, memory / 2, &err), &err);
    for (uint32_t node = 0; node < nodes; node++) {
        hsd_node targets[64];
        uint32_t names[64];
        for (uint32_t i = 0; i < degree; i++) {
            const uint64_t random = next_random(&state) >> 32;
            targets[i] = shape->window == 0 ? (uint32_t)(random * nodes >> 32)
                                            : (uint32_t)((node + 1 + random % shape->window) % nodes);
        }
        if (is_named) draw_names(names, (uint32_t)(state >> 24 & 255), degree);
        stop(hsd_adjacency_add(a, node, targets, is_named ? names : NULL, degree, &err), &err);
    }
    for (uint32_t i = 0; i < ROOTS; i++) {
        const hsd_node target = (hsd_node)((uint64_t)i * nodes / ROOTS);
        stop(hsd_adjacency_add(a, nodes + i, &target, NULL, 1, &err), &err);
    }
    stop(hsd_adjacency_finish(a, nodes + ROOTS, &err), &err);
    row(is_named ? "named-build" : "build", shape->name, memory, hsd_adjacency_edge_count(a), start, space->bytes_now);
    return a;
}

static void run(const graph_shape *shape, uint32_t nodes, uint32_t degree, uint64_t memory)
{
    hsd_temp_space space;
    hsd_error err;
    hsd_owner_labels owners;
    hsd_temp_space_init(&space, NULL);
    hsd_adjacency *a = build(shape, nodes, degree, memory / 2, false, &space);
    uint32_t labels[ROOTS];
    for (uint32_t i = 0; i < ROOTS; i++)
        labels[i] = HSD_OWNER_FIRST + i;
    const hsd_owners_config config = {.roots = {nodes, nodes + ROOTS, nodes + ROOTS},
                                      .object_count = nodes,
                                      .label_of_node = labels,
                                      .memory_bytes = memory / 2,
                                      .space = &space};
    const uint64_t start = hsd_now_ns();
    stop(hsd_owners_find(a, &config, &owners, &err), &err);
    row("owners", shape->name, memory, hsd_adjacency_edge_count(a), start, space.bytes_now);
    hsd_owners_close(&owners);
    hsd_adjacency_free(a);
}

/* All names in order of nodes, as the links of the dominator tree read them. */
static void run_named(const graph_shape *shape, uint32_t nodes, uint32_t degree, uint64_t memory)
{
    hsd_temp_space space;
    hsd_error err;
    hsd_temp_space_init(&space, NULL);
    hsd_adjacency *a = build(shape, nodes, degree, memory / 2, true, &space);
    uint64_t sum = 0;
    const uint64_t start = hsd_now_ns();
    for (uint32_t node = 0; node < nodes; node++) {
        hsd_targets targets;
        hsd_adjacency_get_named(a, node, &targets);
        for (uint32_t i = 0; i < targets.count; i++)
            sum += targets.items[i] ^ targets.names[i];
    }
    stop(hsd_adjacency_check(a, &err), &err);
    row(sum == 1 ? "" : "named-scan", shape->name, memory, hsd_adjacency_edge_count(a), start, space.bytes_now);
    printf("graph-bytes,%s,,%llu,,%.2f of references,%.2f of names\n", shape->name,
           (unsigned long long)hsd_adjacency_edge_count(a),
           (double)hsd_adjacency_bytes(a) / (double)hsd_adjacency_edge_count(a),
           (double)hsd_adjacency_name_bytes(a) / (double)hsd_adjacency_edge_count(a));
    hsd_adjacency_free(a);
}

int main(int argc, char **argv)
{
    static const graph_shape shapes[] = {{"local", 5000}, {"random", 0}};
    const uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2000000;
    const uint32_t wanted = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3;
    const uint32_t degree = wanted > 64 ? 64 : wanted;
    const uint64_t full = (uint64_t)nodes * (degree * 4 + 8) * 2 + (UINT64_C(8) << 20);
    printf("stage,shape,memory,items,seconds,M items/s,temp MiB\n");
    bound(nodes, (uint64_t)nodes * degree);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        run(&shapes[i], nodes, degree, full);
        run(&shapes[i], nodes, degree, full / 4);
        run_named(&shapes[i], nodes, degree, full);
        run_named(&shapes[i], nodes, degree, full / 4);
    }
    return 0;
}
