/*
 * What is on the ways that are asked for, as far as the tree of after tells: of each wanted node all that dominates it.
 */
#include "holders/growth.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

static void want_node(hsd_growth_via *via, hsd_node node)
{
    const uint32_t bit = (uint32_t)(node % HSD_CHOSEN_BITS);
    via->wanted_count += !hsd_bit_get(via->wanted, node);
    hsd_bit_set(via->wanted, node);
    via->may_be[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* The chosen objects, and what sets name. */
hsd_status hsd_growth_via_open(hsd_growth_via *via, const hsd_growth *growth, hsd_error *err)
{
    const size_t bytes = (size_t)growth->pair->sides[AFTER].node_count / 8 + 1;
    *via = (hsd_growth_via){.wanted = NULL};
    if (!growth->has_identity) return HSD_OK;
    via->wanted = calloc(bytes, 1);
    via->on_way = calloc(bytes, 1);
    if (via->wanted == NULL || via->on_way == NULL) return hsd_fail_nomem(err, "one bit an object");
    for (uint32_t i = 0; i < growth->choice_count; i++)
        if (growth->choices[i].by == HSD_HELD_BY_OBJECT) want_node(via, growth->choices[i].node[AFTER]);
    for (uint32_t i = 0; i < growth->set_count; i++) {
        for (uint32_t k = 0; k < growth->sets[i].count; k++)
            want_node(via, growth->sets[i].list[k].node);
    }
    return HSD_OK;
}

hsd_status hsd_growth_via_put(hsd_growth_via *via, hsd_node node, bool is_sought, hsd_error *err)
{
    via->found_count += hsd_growth_is_wanted(via, node);
    hsd_bit_set(via->on_way, node);
    if (!is_sought) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(via->sought, via->sought_capacity, via->sought_count + 1, 256, "shortest paths", err));
    via->sought[via->sought_count++] = node;
    return HSD_OK;
}

void hsd_growth_via_close(hsd_growth_via *via)
{
    free(via->wanted);
    free(via->on_way);
    free(via->sought);
}
