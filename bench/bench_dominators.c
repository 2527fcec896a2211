/*
 * Dominators alone, on a random graph that looks like a heap and on the shapes that break naive walks, one row
 * for each step. Node numbers are in order of allocation, as heaps are; what is measured starts when the blocks of
 * the graph stand.
 *
 *      bench_dominators [NODES] [memory=MIB] [refs=PER_NODE] [shape=NAME]
 *      CSV: stage,shape,memory,items,seconds,M items/s,temp MiB,peak MiB,core %,moved
 *
 * Without memory= everything is resident. `peak` is the resident set while dominators are found, `moved` counts
 * pages read and written for want of memory. refs= (3 to 16) is of the random graph alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note.h"
#include "graph/dominators/dominators.h"

typedef struct graph {
    hsd_node nodes; /* with root nodes, which come last */
    hsd_node objects;
    hsd_node roots;
    uint32_t refs;     /* per node, wanted */
    uint64_t *starts;  /* of each source's targets, when counted */
    hsd_node *targets; /* NULL while counting */
    uint64_t random;
} graph;

typedef struct shape {
    const char *name;
    void (*draw)(graph *g);
    hsd_node roots;
} shape;

static void refer(graph *g, uint64_t source, uint64_t target)
{
    if (g->targets == NULL)
        g->starts[source + 1]++;
    else
        g->targets[g->starts[source]++] = (hsd_node)target;
}

static uint64_t next_random(graph *g)
{
    uint64_t z = g->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t below(graph *g, uint64_t limit) { return next_random(g) % limit; }

/* A few of `count` are meant most of the time. */
static uint64_t popular(graph *g, uint64_t count)
{
    const double z = (double)(next_random(g) >> 11) * 0x1p-53;
    return (uint64_t)((double)count * z * z * z);
}

static uint64_t recent(graph *g, uint64_t node, uint64_t window, uint64_t hubs)
{
    const uint64_t back = 1 + below(g, window);
    return node > back + hubs ? node - back : below(g, hubs);
}

/* ---- shapes; node 0 is what the first root refers to ---- */

/* Hubs (classes, singletons) first; then nodes with an owner among the recent ones or the hubs, which refer to
 * hubs, to their elders, back to their owner, to anything. */
static void draw_heap(graph *g)
{
    const uint64_t hubs = g->objects < 20000 ? g->objects / 2 + 1 : 10000;
    for (uint64_t node = 0; node < g->objects; node++) {
        const uint64_t kind = below(g, 100);
        if (node < hubs) {
            refer(g, g->objects, node);
            continue;
        }
        const uint64_t owner = kind < 70   ? recent(g, node, 64, hubs)
                               : kind < 90 ? recent(g, node, 20000, hubs)
                               : kind < 97 ? popular(g, hubs)
                                           : below(g, node);
        refer(g, owner, node);
        const uint64_t dice = below(g, 8);
        uint64_t count = dice < 3 ? 0 : dice < 5 ? 2 : dice < 7 ? 3 : 6;
        for (count += g->refs > 3 ? below(g, 2 * (g->refs - 3) + 1) : 0; count > 0; count--) {
            const uint64_t to = below(g, 100);
            refer(g, node,
                  to < 35   ? popular(g, hubs)
                  : to < 60 ? recent(g, node, 32, hubs)
                  : to < 80 ? owner
                  : to < 92 ? recent(g, node, 5000, hubs)
                            : below(g, node));
        }
    }
}

static void draw_anything(graph *g)
{
    for (uint64_t i = 0; i < 3 * (uint64_t)g->objects; i++)
        refer(g, i / 3, below(g, g->objects));
    refer(g, g->objects, 0);
}

static void draw_list(graph *g)
{
    for (uint64_t i = 0; i + 1 < g->objects; i++)
        refer(g, i, i + 1);
    refer(g, g->objects, 0);
}

static void draw_list_both_ways(graph *g)
{
    for (uint64_t i = 0; i + 1 < g->objects; i++) {
        refer(g, i, i + 1);
        refer(g, i + 1, i);
    }
    refer(g, g->objects, 0);
}

/* A list in memory order that has nothing to do with its own. */
static void draw_scattered_list(graph *g)
{
    uint64_t step = 2654435761u % g->objects;
    uint64_t a = g->objects, b = step;
    while (b != 0) { /* gcd 1: the list meets every node */
        const uint64_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a != 1) a = g->objects, b = ++step;
    }
    for (uint64_t i = 0; i + 1 < g->objects; i++)
        refer(g, i * step % g->objects, (i + 1) * step % g->objects);
    refer(g, g->objects, 0);
}

static void draw_fan(graph *g)
{
    for (uint64_t i = 2; i < g->objects; i++) {
        refer(g, 0, i);
        refer(g, i, 1);
    }
    refer(g, g->objects, 0);
}

static void draw_cycle(graph *g)
{
    for (uint64_t i = 0; i < g->objects; i++)
        refer(g, i, (i + 1) % g->objects);
    refer(g, g->objects, 0);
}

static void draw_tree(graph *g)
{
    for (uint64_t i = 1; i < g->objects; i++) {
        refer(g, (i - 1) / 2, i);
        refer(g, i, (i - 1) / 2);
    }
    refer(g, g->objects, 0);
}

static void draw_comb(graph *g)
{
    for (uint64_t i = 0; i + 2 < g->objects; i += 2) {
        refer(g, i, i + 1);
        refer(g, i, i + 2);
        refer(g, i + 1, 0);
    }
    refer(g, g->objects, 0);
}

/* Layers of 1000, each node refers to three of the next layer. */
static void draw_layers(graph *g)
{
    for (uint64_t i = 0; i + 2000 < g->objects; i++) {
        for (int j = 0; j < 3; j++)
            refer(g, i, (i / 1000 + 1) * 1000 + below(g, 1000));
    }
    for (uint64_t i = 0; i < 1000 && i < g->objects; i++)
        refer(g, g->objects, i);
}

/* A list with references both ways whose end holds what the root holds as well. */
static void draw_late_array(graph *g)
{
    const uint64_t half = g->objects / 2;
    for (uint64_t i = 0; i + 1 < half; i++) {
        refer(g, i, i + 1);
        refer(g, i + 1, i);
    }
    refer(g, g->objects, 0);
    for (uint64_t i = half; i < g->objects; i++) {
        refer(g, half - 1, i);
        refer(g, g->objects, i);
    }
}

static void draw_one_root(graph *g)
{
    for (uint64_t i = 0; i < g->objects; i++) {
        refer(g, g->objects, i);
        refer(g, i, below(g, g->objects));
    }
}

static void draw_roots(graph *g)
{
    for (uint64_t i = 0; i < g->objects; i++) {
        refer(g, g->objects + i % g->roots, i);
        refer(g, i, below(g, g->objects));
    }
}

static const shape shapes[] = {
    {"heap", draw_heap, 1},         {"anything", draw_anything, 1},
    {"list", draw_list, 1},         {"list-both-ways", draw_list_both_ways, 1},
    {"fan", draw_fan, 1},           {"scattered-list", draw_scattered_list, 1},
    {"cycle", draw_cycle, 1},       {"tree", draw_tree, 1},
    {"comb", draw_comb, 1},         {"layers", draw_layers, 1},
    {"one-root", draw_one_root, 1}, {"late-array", draw_late_array, 1},
    {"roots", draw_roots, 0},
};

/* ---- building ---- */

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK) return;
    fprintf(stderr, "bench_dominators: %s\n", err->text);
    exit(1);
}

static void draw(graph *g, const shape *s)
{
    g->random = 12345;
    s->draw(g);
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= g->nodes; i++) {
        sum += g->starts[i];
        g->starts[i] = sum;
    }
    g->targets = malloc(sum * sizeof *g->targets + 4);
    if (g->targets == NULL) exit(1);
    g->random = 12345;
    s->draw(g); /* starts[i] is now where those of i end */
}

static hsd_adjacency *build(graph *g, const shape *s, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *a;
    hsd_error err;
    hsd_error_init(&err);
    g->starts = calloc((size_t)g->nodes + 1, sizeof *g->starts);
    if (g->starts == NULL) exit(1);
    draw(g, s);
    stop(hsd_adjacency_begin(&a, memory, space, &err), &err);
    for (hsd_node node = 0; node < g->nodes; node++) {
        const uint64_t begin = node == 0 ? 0 : g->starts[node - 1];
        stop(hsd_adjacency_add(a, node, g->targets + begin, NULL, g->starts[node] - begin, &err), &err);
    }
    stop(hsd_adjacency_finish(a, g->nodes, &err), &err);
    free(g->starts);
    free(g->targets);
    return a;
}

/* ---- measuring ---- */

/* Forgets the peak so far. */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return;
    fputs("5", file);
    fclose(file);
}

static unsigned long peak_mib(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %lu", &kib) == 1) break;
    }
    fclose(file);
    return kib >> 10;
}

static hsd_status take(void *context, const hsd_interval *places, uint32_t count, hsd_error *err)
{
    uint64_t *sum = context;
    (void)err;
    for (uint32_t i = 0; i < count; i++)
        *sum += places[i].end - places[i].first;
    return HSD_OK;
}

static void row(const char *step, const shape *s, uint64_t memory, uint64_t items, double seconds)
{
    printf("dominators-%s,%s,%llu MiB,%llu,%.3f,%.1f", step, s->name, (unsigned long long)(memory >> 20),
           (unsigned long long)items, seconds, (double)items / seconds * 1e-6);
}

static void run(graph g, const shape *s, uint64_t memory)
{
    static const char *const steps[] = {"walk", "core", "semi", "nca", "order"};
    hsd_temp_space space;
    hsd_dominators_stats stats;
    hsd_error err;
    uint64_t sum = 0;
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
    g.roots = s->roots > 0 ? s->roots : g.objects / 10 + 1;
    g.nodes = g.objects + g.roots;
    hsd_adjacency *a = build(&g, s, memory > 0 ? memory : UINT64_MAX, &space);
    if (memory == 0) memory = hsd_dominators_useful_bytes(g.nodes, hsd_adjacency_edge_count(a));
    const hsd_dominators_config config = {
        .roots = {g.objects, g.nodes, g.nodes}, .memory_bytes = memory, .space = &space, .take = take, .context = &sum};
    stop(hsd_adjacency_set_memory(a, memory, &err), &err);
    space.bytes_peak = space.bytes_now;
    reset_peak();
    stop(hsd_dominators_find(a, &config, &stats, &err), &err);
    double total = 0;
    for (int i = 0; i < 5; i++) {
        row(steps[i], s, memory, stats.reached, stats.seconds[i]);
        printf(",,,,\n");
        total += stats.seconds[i];
    }
    row("total", s, memory, stats.reached, total);
    printf(",%.1f,%lu,%.1f,%llu\n", (double)space.bytes_peak / 1048576.0, peak_mib(),
           100.0 * (double)stats.core / ((double)stats.reached + 1.0), (unsigned long long)stats.faults);
    fprintf(stderr, "%s: %" HSD_PRI_NODE " of %" HSD_PRI_NODE " nodes reached, %llu references, sum of sizes %llu\n",
            s->name, stats.reached, g.nodes, (unsigned long long)hsd_adjacency_edge_count(a), (unsigned long long)sum);
    fflush(stdout);
    hsd_adjacency_free(a);
}

int main(int argc, char **argv)
{
    graph g = {.objects = 1000000, .refs = 3};
    uint64_t memory = 0;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "memory=", 7) == 0)
            memory = strtoull(argv[i] + 7, NULL, 10) << 20;
        else if (strncmp(argv[i], "refs=", 5) == 0)
            g.refs = (uint32_t)strtoul(argv[i] + 5, NULL, 10);
        else if (strncmp(argv[i], "shape=", 6) == 0)
            only = argv[i] + 6;
        else
            g.objects = (hsd_node)strtoull(argv[i], NULL, 10);
    }
    if (g.objects < 10 || g.refs > 16) return 2;
    printf("stage,shape,memory,items,seconds,M items/s,temp MiB,peak MiB,core %%,moved\n");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (only == NULL || strcmp(only, shapes[i].name) == 0) run(g, &shapes[i], memory);
    }
    return 0;
}
