/*
 * Ways of any length, walked in strides: what is told of them is what walking step by step tells, and costs a
 * thousandth.
 */
#include <criterion/criterion.h>

#include "browse/index.h"
#include "browse/ways_up.h"

/* Item i hangs from item i - 1; item 0 is the end. Their numbers are the largest that there may be. */
#define FIRST (HSD_NODE_MAX - 20000000)

typedef struct chain {
    uint32_t length;
    bool has_anchors;
    uint64_t reads;
} chain;

static hsd_node above(void *context, hsd_node item)
{
    ((chain *)context)->reads++;
    return item == FIRST ? HSD_NODE_NONE : item - 1;
}

/* The nearest above whose depth the step divides; none within the first step. */
static hsd_node anchor_of(void *context, hsd_node item)
{
    chain *c = context;
    c->reads++;
    const hsd_node i = item - FIRST, anchor = i == 0 ? 0 : (i - 1) / HSD_ANCHOR_STEP * HSD_ANCHOR_STEP;
    return c->has_anchors && anchor > 0 ? FIRST + anchor : HSD_NODE_NONE;
}

static uint64_t check(uint32_t length, bool has_anchors)
{
    static hsd_way_up way;
    chain c = {.length = length, .has_anchors = has_anchors};
    way = (hsd_way_up){.above = above, .anchor_of = anchor_of, .context = &c, .most = length};
    hsd_way_up_walk(&way, FIRST + length - 1);
    cr_assert_eq(way.total, length, "%lu, not %u", way.total, length);
    cr_assert_eq(way.count, length < HSD_BROWSE_MOST ? length : HSD_BROWSE_MOST);
    for (uint32_t i = 0; i < way.count; i++) {
        const bool is_behind = length > HSD_BROWSE_MOST && i >= HSD_WAY_HALF;
        cr_assert_eq(way.items[i], FIRST + (is_behind ? length - HSD_BROWSE_MOST + i : i),
                     "length %u item %u: %" HSD_PRI_NODE, length, i, way.items[i]);
    }
    return c.reads;
}

Test(ways_up, of_all_lengths_around_the_edges)
{
    const uint32_t edges[] = {1,
                              HSD_WAY_HALF,
                              HSD_BROWSE_MOST,
                              HSD_BROWSE_MOST + HSD_WAY_HALF,
                              HSD_ANCHOR_STEP,
                              2 * HSD_ANCHOR_STEP,
                              3 * HSD_ANCHOR_STEP,
                              3 * HSD_ANCHOR_STEP + HSD_BROWSE_MOST};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (uint32_t length = edges[i] > 3 ? edges[i] - 3 : 1; length < edges[i] + 4; length++) {
            check(length, true);
            check(length, false);
        }
    }
}

Test(ways_up, of_ten_million_steps_cost_ten_thousand_reads) { cr_assert_lt(check(10000000, true), 20000); }

static hsd_node round_and_round(void *context, hsd_node item)
{
    (void)context;
    return (item + 1) % 5;
}

static hsd_node no_anchor(void *context, hsd_node item)
{
    (void)context;
    (void)item;
    return HSD_NODE_NONE;
}

Test(ways_up, end_where_no_sound_way_goes_on)
{
    static hsd_way_up way;
    way = (hsd_way_up){.above = round_and_round, .anchor_of = no_anchor, .most = 100000};
    hsd_way_up_walk(&way, 0);
    cr_assert_eq(way.total, 100000);
}
