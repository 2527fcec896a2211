/*
 * Step 2 of the dominators in two halves: dominators/core.c gives numbers to core nodes, dominators/scatter.c puts
 * their predecessors into buckets. Private to these two.
 */
#ifndef HSD_GRAPH_DOMINATORS_CORE_H
#define HSD_GRAPH_DOMINATORS_CORE_H

#include "base/bits.h"
#include "graph/dominators/parts.h"

#define HSD_IS_CORE    2u
#define HSD_CORE_BITS  UINT64_C(0xaaaaaaaaaaaaaaaa)
#define HSD_RANK_SHIFT 6u /* nodes with one count */

typedef struct hsd_numbering { /* both threads read it, neither writes to it while they are two */
    hsd_dominators *d;
    hsd_tape group_of;   /* by place */
    hsd_paged number_of; /* of the core nodes in the window, by index: the rank of a node, or the node */
    hsd_pages rank_pages;
    hsd_node *ranks;         /* core nodes before each 2^HSD_RANK_SHIFT nodes; NULL where nodes are indexes */
    uint64_t window;         /* indexes in one; all where they fit */
    hsd_node indexes;        /* in all */
    hsd_node begin, span;    /* of the window */
    bool is_flat, has_ranks; /* the array is used as a plain one; indexes are ranks */
    bool uses_thread;
} hsd_numbering;

static inline bool hsd_node_is_core(const hsd_dominators *d, hsd_node node)
{
    return ((uint32_t)d->states[node >> 2] >> (node & 3) * 2 & HSD_IS_CORE) != 0;
}

/* The core bits of 32 nodes, two bits a node. */
static inline uint64_t hsd_numbering_bits(const hsd_dominators *d, uint64_t thirty_two)
{
    uint64_t word;
    memcpy(&word, d->states + thirty_two * 8, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word & HSD_CORE_BITS;
}

static inline hsd_node hsd_numbering_rank(const hsd_numbering *n, hsd_node node)
{
    const uint64_t group = node >> HSD_RANK_SHIFT;
    const uint64_t below = (UINT64_C(1) << (node & 31) * 2) - 1; /* of the bits in the node's word */
    const bool is_high = (node & 32) != 0;
    const uint64_t low = hsd_numbering_bits(n->d, 2 * group) & (is_high ? ~UINT64_C(0) : below);
    const uint64_t high = hsd_numbering_bits(n->d, 2 * group + 1) & (is_high ? below : 0);
    return n->ranks[group] + hsd_count_bits_u64(low | high >> 1);
}

static inline void hsd_numbering_prefetch_rank(const hsd_numbering *n, hsd_node node)
{
    __builtin_prefetch(n->d->states + (node >> 2));
    __builtin_prefetch(&n->ranks[node >> HSD_RANK_SHIFT]);
}

static inline hsd_node hsd_numbering_index(const hsd_numbering *n, hsd_node node, bool has_ranks)
{
    return has_ranks ? hsd_numbering_rank(n, node) : node;
}

/* Where nodes are indexes there is one window. */
static inline bool hsd_numbering_has(const hsd_numbering *n, hsd_node index, bool has_ranks)
{
    return !has_ranks || index - n->begin < n->span;
}

static inline void hsd_numbering_prefetch(const hsd_numbering *n, hsd_node index, bool has_ranks)
{
    if (hsd_numbering_has(n, index, has_ranks)) hsd_paged_prefetch_node(&n->number_of, index - n->begin);
}

/* As many buckets as let an average one be sorted at once, by predecessors and by nodes. */
hsd_status hsd_numbering_plan_buckets(hsd_dominators *d, hsd_error *err);

uint32_t hsd_numbering_windows(const hsd_numbering *n);

/* Numbers of another window. */
hsd_status hsd_numbering_fill_window(hsd_numbering *n, uint32_t window, hsd_error *err);

/* The first window is there when core nodes were numbered. */
hsd_status hsd_numbering_scatter(hsd_numbering *n, hsd_error *err);

#endif
