/*
 * Embedder objects, written last. Blink and node say of some of their objects that they are detached,
 * and the others are what the objects are that refer to them; so their class ("Detached
 * HTMLDivElement") is known only when all edges have been seen. Where a snapshot has such objects, all
 * embedder objects wait here with their edges, and move behind all other objects of the capture:
 *
 *      in the snapshot   0 1 2 N3 4 N5 6          in the capture   0 1 2 4 6 | N3 N5
 *
 * The rule is that of DevTools: what says that it is attached or detached is so; what is reached from
 * something attached, over embedder objects that do not say, is attached; then the same for detached.
 * Hidden and weak references do not count.
 */
#ifndef HSD_IMPORT_V8_LATE_H
#define HSD_IMPORT_V8_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/v8/marks.h"
#include "import/v8/spool.h"

typedef struct hsd_v8_pair { /* a reference between embedder objects */
    uint32_t from, to;
} hsd_v8_pair;

typedef struct hsd_v8_late {
    bool is_used;
    uint64_t *natives; /* one bit a node of the snapshot */
    uint32_t *before;  /* natives before each 64 nodes */
    uint32_t first;    /* ordinal in the capture of the first of them */
    hsd_v8_spool nodes, edges;
    hsd_v8_pair *pairs; /* ascending by `from` */
    size_t pair_count, pair_capacity, pair_limit;
    uint32_t *todo;
    size_t todo_count, todo_capacity;
} hsd_v8_late;

/* Begins to use it: counts the embedder objects among `marks`. */
hsd_status hsd_v8_late_open(hsd_v8_late *late, const hsd_v8_marks *marks, hsd_temp_space *space, uint64_t memory_bytes,
                            hsd_error *err);

/* The ordinal in the capture of a node of the snapshot. */
static inline uint32_t hsd_v8_late_ordinal(const hsd_v8_late *late, uint32_t node)
{
    if (!late->is_used) return node;
    const uint64_t word = late->natives[node >> 6];
    const uint32_t before = late->before[node >> 6];
    if (word == 0) return node - before;
    const uint64_t lower = word & ((UINT64_C(1) << (node & 63)) - 1);
    const uint32_t rank = before + (uint32_t)__builtin_popcountll(lower);
    return word >> (node & 63) & 1 ? late->first + rank : node - rank;
}

/* A reference of an embedder object to another one; see the rule for which count. */
hsd_status hsd_v8_late_pair(hsd_v8_late *late, uint32_t from, uint32_t to, hsd_error *err);

/* All edges were seen: marks what is attached and detached. */
hsd_status hsd_v8_late_spread(hsd_v8_late *late, hsd_v8_marks *marks, hsd_error *err);

void hsd_v8_late_release(hsd_v8_late *late);

#endif
