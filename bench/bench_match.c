/*
 * Keys of objects and seeds: a heap whose references lead near or anywhere, resident and in an eighth of the memory
 * that takes. Half of the nodes refer to nothing, as in real heaps.
 *
 *      bench_match [NODES [REFERENCES_PER_NODE]]     CSV: stage,shape,memory,items,seconds,M/s,temp MiB
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/note.h"
#include "match/keys.h"
#include "match/seeds/seeds.h"

#define MOST_DEGREE 64u
#define TYPES       256u
#define SORT_BYTES  (UINT64_C(256) << 20)

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
    fprintf(stderr, "bench_match: %s\n", err->text);
    exit(1);
}

static void tell(const char *stage, const char *shape, uint64_t memory, uint64_t items, uint64_t start,
                 const hsd_temp_space *space)
{
    const double seconds = (double)(hsd_now_ns() - start) * 1e-9;
    printf("%s,%s,%llu MiB,%llu,%.3f,%.1f,%.1f\n", stage, shape, (unsigned long long)(memory >> 20),
           (unsigned long long)items, seconds, (double)items / seconds * 1e-6, (double)space->bytes_peak / 1048576.0);
    fflush(stdout);
}

static hsd_adjacency *build(hsd_node nodes, uint32_t degree, bool is_near, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *a;
    hsd_error err;
    uint64_t state = 88172645463325252u;
    stop(hsd_adjacency_begin(&a, memory, space, &err), &err);
    for (hsd_node node = 0; node < nodes; node += 2) {
        hsd_node out[MOST_DEGREE];
        for (uint32_t i = 0; i < 2 * degree; i++) {
            const uint32_t random = (uint32_t)(next_random(&state) >> 32);
            out[i] = is_near ? (node + random % 4096) % nodes : (hsd_node)((uint64_t)random * nodes >> 32);
        }
        stop(hsd_adjacency_add(a, node, out, NULL, 2 * degree, &err), &err);
    }
    stop(hsd_adjacency_finish(a, nodes, &err), &err);
    return a;
}

/* An array of which a share of 1/divisor is resident. */
static void open_array(hsd_paged *paged, uint64_t bytes, unsigned divisor, hsd_temp_space *space)
{
    hsd_error err;
    const uint64_t share = hsd_paged_full_bytes(bytes) / divisor, least = hsd_paged_least_bytes(bytes);
    stop(hsd_paged_open(paged, bytes, share > least ? share : least, space, &err), &err);
}

static void open_sequence(hsd_sequence *s, hsd_node nodes, unsigned divisor, hsd_temp_space *space)
{
    *s = (hsd_sequence){.count = nodes, .is_shared = calloc(nodes / 8 + 1, 1)};
    if (s->is_shared == NULL) exit(1);
    open_array(&s->elements, nodes * (uint64_t)sizeof(hsd_element), divisor, space);
    open_array(&s->addresses, nodes * UINT64_C(8), divisor, space);
    open_array(&s->positions, (uint64_t)nodes * HSD_NODE_BYTES, divisor, space);
    open_array(&s->partners, (uint64_t)nodes * HSD_NODE_BYTES, divisor, space);
    open_array(&s->rungs, nodes, divisor, space);
    for (hsd_node i = 0; i < nodes; i++) {
        hsd_paged_set_node(&s->positions, i, i);
        hsd_paged_set_u64(&s->addresses, i, 16 * (uint64_t)i);
    }
}

static void find_keys(hsd_node nodes, uint32_t degree, bool is_near, unsigned divisor)
{
    const uint64_t references = (uint64_t)nodes * degree;
    uint32_t type_hash[TYPES];
    hsd_temp_space space;
    hsd_sequence s;
    hsd_paged shapes, types;
    hsd_error err;
    hsd_temp_space_init(&space, NULL);
    open_sequence(&s, nodes, divisor, &space);
    open_array(&shapes, nodes * UINT64_C(8), divisor, &space);
    open_array(&types, nodes * UINT64_C(4), divisor, &space);
    for (uint32_t i = 0; i < TYPES; i++)
        type_hash[i] = i * 1001;
    for (hsd_node i = 0; i < nodes; i++) {
        hsd_paged_set_u64(&shapes, i, i % 100003 * UINT64_C(0x9e3779b97f4a7c15));
        hsd_paged_set_u32(&types, i, (uint32_t)(i % TYPES));
    }
    hsd_adjacency *a = build(nodes, degree, is_near, (references * 10 + (UINT64_C(4) << 20)) / divisor, &space);
    const uint64_t full = hsd_keys_full_bytes(nodes), least = hsd_keys_least_bytes(nodes);
    const hsd_keys_config config = {
        .object_count = nodes,
        .node_count = nodes,
        .shapes = &shapes,
        .types = &types,
        .type_hash = type_hash,
        .memory_bytes = full / divisor > least ? full / divisor : least,
        .sort_bytes = SORT_BYTES / divisor,
        .serve_bytes = SORT_BYTES / divisor,
        .space = &space,
    };
    const uint64_t start = hsd_now_ns();
    stop(hsd_keys_find(a, &config, &s, &err), &err);
    tell("keys", is_near ? "near" : "random", config.memory_bytes, references, start, &space);
    hsd_adjacency_free(a);
    hsd_paged_close(&shapes);
    hsd_paged_close(&types);
    hsd_sequence_release(&s);
}

/* Two sides with the same hashes, in another order; `divisor` for the sorters and the partners alike. */
static hsd_sorter *fill(hsd_node nodes, uint32_t factor, uint64_t memory, hsd_temp_space *space)
{
    const hsd_sorter_config config = {
        .record_words = 2, .key_words = 1, .memory_bytes = (size_t)memory, .space = space};
    hsd_sorter *sorter;
    hsd_error err;
    stop(hsd_sorter_new(&sorter, &config, &err), &err);
    for (hsd_node i = 0; i < nodes; i++) {
        const uint64_t hash = i % nodes * UINT64_C(0x9e3779b97f4a7c15);
        const uint64_t position = (uint64_t)i * factor % nodes;
        stop(hsd_sorter_put(sorter, (const uint64_t[]){hash, position}, &err), &err);
    }
    stop(hsd_sorter_finish(sorter, 0, &err), &err);
    return sorter;
}

static void find_seeds(hsd_node nodes, unsigned divisor)
{
    hsd_temp_space space;
    hsd_sequence a, b;
    uint64_t pairs;
    hsd_error err;
    hsd_temp_space_init(&space, NULL);
    open_sequence(&a, nodes, divisor, &space);
    open_sequence(&b, nodes, divisor, &space);
    hsd_sorter *in_a = fill(nodes, 1, SORT_BYTES * 2 / divisor, &space);
    hsd_sorter *in_b = fill(nodes, 7919, SORT_BYTES * 2 / divisor, &space);
    const hsd_seeds_config config = {.memory_bytes = SORT_BYTES / divisor, .space = &space};
    const uint64_t start = hsd_now_ns();
    stop(hsd_seeds_unique(&a, &b, in_a, in_b, HSD_RUNG_STRUCTURE, true, &config, &pairs, &err), &err);
    tell("seeds", "unique", hsd_paged_full_bytes((uint64_t)nodes * (HSD_NODE_BYTES + 1)) * 2 / divisor, pairs, start,
         &space);
    hsd_sorter_free(in_a);
    hsd_sorter_free(in_b);
    hsd_sequence_release(&a);
    hsd_sequence_release(&b);
}

int main(int argc, char **argv)
{
    const hsd_node nodes = argc > 1 ? (hsd_node)strtoull(argv[1], NULL, 10) : 10000000;
    const uint32_t degree = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) % (MOST_DEGREE / 2) : 3;
    puts("stage,shape,memory,items,seconds,M/s,temp MiB");
    for (unsigned divisor = 1; divisor <= 8; divisor += 7) {
        find_keys(nodes, degree, true, divisor);
        if (divisor == 1) find_keys(nodes, degree, false, divisor);
        find_seeds(nodes, divisor);
    }
    return 0;
}
