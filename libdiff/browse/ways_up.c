/*
 * Three strides: step by step until a thousand are there and an anchor is met, from anchor to anchor, and step by step
 * again. The last five hundred of the steps stand in a ring.
 */
#include "browse/ways_up.h"

#include <stdbool.h>
#include <string.h>

#include "browse/index.h"

typedef struct steps {
    hsd_node low[HSD_BROWSE_MOST]; /* the first ones */
    hsd_node ring[HSD_WAY_HALF];   /* the last ones behind those */
    uint64_t ringed;
} steps;

static void take_way_up(hsd_way_up *way, steps *s, hsd_node item)
{
    if (way->total < HSD_BROWSE_MOST)
        s->low[way->total] = item;
    else
        s->ring[s->ringed++ % HSD_WAY_HALF] = item;
    way->total++;
}

/* Goes on until the end; with `stops`, until an anchor is met behind the first thousand, which is returned. */
static hsd_node step_way_up(hsd_way_up *way, steps *s, hsd_node item, bool stops)
{
    while (item != HSD_NODE_NONE && way->total < way->most) {
        const hsd_node above = way->above(way->context, item);
        take_way_up(way, s, item);
        if (stops && way->total >= HSD_BROWSE_MOST && above != HSD_NODE_NONE &&
            way->anchor_of(way->context, item) == above)
            return above;
        item = above;
    }
    return HSD_NODE_NONE;
}

static hsd_node stride(hsd_way_up *way, steps *s, hsd_node anchor)
{
    for (;;) {
        const hsd_node above = way->anchor_of(way->context, anchor);
        if (above == HSD_NODE_NONE || way->total >= way->most) return anchor;
        way->total += HSD_ANCHOR_STEP;
        s->ringed = 0;
        anchor = above;
    }
}

/* A ring that is not full is made so by the first ones. */
static void put_together(hsd_way_up *way, const steps *s)
{
    if (way->total <= HSD_BROWSE_MOST) {
        way->count = (uint32_t)way->total;
        for (uint32_t i = 0; i < way->count; i++)
            way->items[i] = s->low[way->count - 1 - i];
        return;
    }
    way->count = HSD_BROWSE_MOST;
    for (uint32_t i = 0; i < HSD_WAY_HALF; i++) {
        way->items[i] =
            i < s->ringed ? s->ring[(s->ringed - 1 - i) % HSD_WAY_HALF] : s->low[HSD_BROWSE_MOST - 1 - (i - s->ringed)];
        way->items[HSD_WAY_HALF + i] = s->low[HSD_WAY_HALF - 1 - i];
    }
}

void hsd_way_up_walk(hsd_way_up *way, hsd_node begin)
{
    steps s;
    s.ringed = 0;
    way->total = 0;
    const hsd_node anchor = step_way_up(way, &s, begin, true);
    if (anchor != HSD_NODE_NONE) step_way_up(way, &s, stride(way, &s, anchor), false);
    put_together(way, &s);
}
