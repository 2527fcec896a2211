/*
 * Large graphs that break naive walks, object by object: each function writes the targets of object i of `count` and
 * returns how many there are, at most 2. All of a shape is reached from object 0.
 */
#ifndef HSD_TESTS_GRAPH_SHAPES_H
#define HSD_TESTS_GRAPH_SHAPES_H

#include <stdint.h>

#include "base/node.h"

typedef uint32_t (*shape_targets)(uint32_t i, uint32_t count, hsd_node *out);

static inline uint32_t list_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    out[0] = i + 1;
    return i + 1 < count ? 1 : 0;
}

static inline uint32_t cycle_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    out[0] = (i + 1) % count;
    return 1;
}

static inline uint32_t tree_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    if (2 * i + 2 >= count) return 0;
    out[0] = 2 * i + 1;
    out[1] = 2 * i + 2;
    return 2;
}

static inline uint32_t comb_targets(uint32_t i, uint32_t count, hsd_node *out) /* even: spine, odd: teeth */
{
    if (i % 2 == 1 || i + 2 >= count) return 0;
    out[0] = i + 1;
    out[1] = i + 2;
    return 2;
}

#endif
