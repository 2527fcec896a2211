/*
 * Shortest paths alone: graphs of several shapes, resident and in a fraction of the memory they need. Names as of
 * fields, types by node; half of the nodes refer to nothing, as in real heaps.
 *
 *      bench_shortest [NODES [REFERENCES_PER_NODE]]     CSV: stage,shape,memory,references,seconds,M/s,temp MiB
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note.h"
#include "graph/shortest.h"

typedef enum shape_kind { SHAPE_RANDOM, SHAPE_NEAR, SHAPE_LIST, SHAPE_FAR_LIST, SHAPE_STAR, SHAPE_TREE } shape_kind;

static const char *const shape_names[] = {"random", "near", "list", "far list", "star", "tree"};

#define MOST_DEGREE 64u

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
    fprintf(stderr, "bench_shortest: %s\n", err->text);
    exit(1);
}

/* Every other node refers to twice as many, so that the mean is `degree`. */
static uint32_t random_targets(shape_kind kind, uint32_t node, uint32_t nodes, uint32_t degree, uint64_t *state,
                               hsd_node *out)
{
    const uint32_t count = node % 2 == 0 ? 2 * degree : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t random = (uint32_t)(next_random(state) >> 32);
        out[i] = kind == SHAPE_RANDOM ? (uint32_t)((uint64_t)random * nodes >> 32) : (node + random % 4096) % nodes;
    }
    return count;
}

static uint32_t targets_of(shape_kind kind, uint32_t node, uint32_t nodes, uint32_t degree, uint64_t *state,
                           hsd_node *out)
{
    switch (kind) {
    case SHAPE_LIST: out[0] = node + 1; return node + 1 < nodes;
    case SHAPE_FAR_LIST: out[0] = (uint32_t)((node + UINT64_C(1234577)) % nodes); return 1;
    case SHAPE_TREE: out[0] = 2 * node + 1, out[1] = 2 * node + 2; return 2 * (uint64_t)node + 2 < nodes ? 2 : 0;
    case SHAPE_STAR:
    case SHAPE_RANDOM:
    case SHAPE_NEAR: break;
    }
    return random_targets(kind, node, nodes, degree, state, out);
}

static void add_star(hsd_adjacency *a, uint32_t nodes, hsd_error *err)
{
    for (hsd_node node = 1; node < nodes; node++) {
        const uint32_t name = (uint32_t)(node % 7);
        stop(hsd_adjacency_add(a, 0, &node, &name, 1, err), err);
    }
}

static hsd_adjacency *build(shape_kind kind, uint32_t nodes, uint32_t degree, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *a;
    hsd_error err;
    uint64_t state = 88172645463325252u;
    const hsd_node first = 0;
    const uint32_t none = 0;
    stop(hsd_adjacency_begin(&a, memory, space, &err), &err);
    stop(hsd_adjacency_with_names(a, memory, &err), &err);
    if (kind == SHAPE_STAR) add_star(a, nodes, &err);
    for (uint32_t node = 0; node < nodes && kind != SHAPE_STAR; node++) {
        hsd_node out[MOST_DEGREE];
        uint32_t names[MOST_DEGREE];
        const uint32_t count = targets_of(kind, node, nodes, degree, &state, out);
        for (uint32_t i = 0; i < count; i++)
            names[i] = (node % 256 * 37 + i * 251) & 8191;
        stop(hsd_adjacency_add(a, node, out, names, count, &err), &err);
    }
    stop(hsd_adjacency_add(a, nodes, &first, &none, 1, &err), &err);
    stop(hsd_adjacency_finish(a, nodes + 1, &err), &err);
    return a;
}

static uint32_t type_of(void *context, hsd_node node)
{
    (void)context;
    return node % 256;
}

static void run(shape_kind kind, uint32_t nodes, uint32_t degree, unsigned divisor)
{
    hsd_temp_space space;
    hsd_error err;
    hsd_shortest shortest;
    const uint64_t references = (uint64_t)nodes * (kind <= SHAPE_NEAR ? degree : 1);
    const uint64_t useful = hsd_shortest_useful_bytes(nodes), least = hsd_shortest_least_bytes(nodes);
    const uint64_t memory = useful / divisor > least ? useful / divisor : least;
    const uint64_t blocks = references * 10 + (UINT64_C(4) << 20);
    hsd_temp_space_init(&space, NULL);
    hsd_adjacency *a = build(kind, nodes, degree, blocks / divisor, &space);
    const hsd_shortest_config config = {
        .roots = {nodes, nodes + 1, nodes + 1}, .type_of = type_of, .memory_bytes = memory, .space = &space};
    const uint64_t start = hsd_now_ns();
    stop(hsd_shortest_find(&shortest, a, &config, &err), &err);
    const double seconds = (double)(hsd_now_ns() - start) * 1e-9;
    printf("shortest,%s,%llu MiB,%llu,%.3f,%.1f,%.1f,%u levels,%llu reached\n", shape_names[kind],
           (unsigned long long)(memory >> 20), (unsigned long long)references, seconds,
           (double)references / seconds * 1e-6, (double)shortest.spilled / 1048576.0, shortest.levels,
           (unsigned long long)shortest.reached);
    fflush(stdout);
    hsd_shortest_close(&shortest);
    hsd_adjacency_free(a);
}

int main(int argc, char **argv)
{
    const uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 5000000;
    const uint32_t degree = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) % (MOST_DEGREE / 2) : 4;
    puts("stage,shape,memory,references,seconds,M/s,temp MiB,levels,reached");
    for (shape_kind kind = SHAPE_RANDOM; kind <= SHAPE_TREE; kind++)
        run(kind, nodes, degree, 1);
    run(SHAPE_RANDOM, nodes, degree, 8);
    run(SHAPE_NEAR, nodes, degree, 8);
    run(SHAPE_LIST, nodes, degree, 64);
    return 0;
}
