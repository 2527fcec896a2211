/*
 * Numbers of nodes: objects, label nodes and root nodes of a capture (graph/adjacency.h), and all that is counted in
 * their number: places in a dominator tree, heads of groups, ends of paths. The layers that hold them are compiled
 * twice:
 *
 *      HSD_NODE_BITS 32   what hsdiff is: captures of up to HSD_MOST_WALKED objects
 *      HSD_NODE_BITS 64   hsdiff-huge, which hsdiff becomes for a capture with more: the same sources, and twice the memory
 *
 * So a number of a node is an hsd_node and never a uint32_t, two of them in one key are an hsd_two, and nothing else is
 * either: types, names, labels, blocks and levels have 32 bits in both.
 */
#ifndef HSD_BASE_NODE_H
#define HSD_BASE_NODE_H

#include <inttypes.h>
#include <stdint.h>

#ifndef HSD_NODE_BITS
#define HSD_NODE_BITS 32
#endif

#if HSD_NODE_BITS == 32

typedef uint32_t hsd_node;
typedef uint64_t hsd_two;
#define HSD_NODE_C(number)     UINT32_C(number)
#define HSD_PRI_NODE           PRIu32
#define HSD_TWO_WORDS          1u
#define HSD_TWO(first, second) ((uint64_t)(first) << 32 | (second))

#elif HSD_NODE_BITS == 64

typedef uint64_t hsd_node;
__extension__ typedef unsigned __int128 hsd_two;
#define HSD_NODE_C(number)     UINT64_C(number)
#define HSD_PRI_NODE           PRIu64
#define HSD_TWO_WORDS          2u
#define HSD_TWO(first, second) (first), (second)

#else
#error HSD_NODE_BITS is 32 or 64
#endif

#define HSD_NODE_BYTES ((uint32_t)sizeof(hsd_node))
#define HSD_TWO_BYTES  ((uint32_t)sizeof(hsd_two))
#define HSD_NODE_MAX   ((hsd_node)-1) /* where a number may be none, this is none */

/* HSD_TWO_WORDS words of a record of a sorter hold two numbers; HSD_TWO(first, second) are they in an initializer. */

/* Two numbers as one, whose order is that of the first, then of the second. */
static inline hsd_two hsd_two_of(hsd_node first, hsd_node second) { return (hsd_two)first << HSD_NODE_BITS | second; }
static inline hsd_node hsd_two_first(hsd_two two) { return (hsd_node)(two >> HSD_NODE_BITS); }
static inline hsd_node hsd_two_second(hsd_two two) { return (hsd_node)two; }

/* The same in the words of a record of a sorter, in the same order: HSD_TWO_WORDS of them from `words` on. */
static inline hsd_node hsd_words_first(const uint64_t *words) { return (hsd_node)(words[0] >> (64 - HSD_NODE_BITS)); }
static inline hsd_node hsd_words_second(const uint64_t *words) { return (hsd_node)words[HSD_TWO_WORDS - 1]; }
static inline void hsd_words_set_two(uint64_t *words, hsd_node first, hsd_node second)
{
    const uint64_t put[HSD_TWO_WORDS] = {HSD_TWO(first, second)};
    for (unsigned i = 0; i < HSD_TWO_WORDS; i++)
        words[i] = put[i];
}

#endif
