/*
 * What each root can reach of the growth of "(roots)", over whatever references: no set may say more of it.
 */
#include "oracle_growth.h"

#include <stdio.h>
#include <string.h>

static void reach(const oracle_view *v, int root, bool *reached)
{
    bool changed = true;
    memset(reached, 0, ORACLE_MAX_NODES * sizeof *reached);
    reached[root] = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < v->edge_count; i++) {
            const oracle_edge *edge = &v->edges[i];
            if (!v->nodes[edge->from].is_live || !v->nodes[edge->to].is_live || !reached[edge->from] ||
                reached[edge->to])
                continue;
            reached[edge->to] = changed = true;
        }
    }
}

/* New bytes of an object that nothing but "(roots)" holds. */
static uint64_t growth_of(const oracle_side *s, int object)
{
    if (!oracle_is_shown(s->view, object) || oracle_partner(s, object) >= 0) return 0;
    int above = s->view->nodes[object].parent;
    while (above != ORACLE_NOBODY && !oracle_can_hold(s, above))
        above = s->view->nodes[above].parent;
    return above == ORACLE_NOBODY ? s->view->bytes[object] : 0;
}

void oracle_find_by(oracle_diff *diff, const oracle_side *s)
{
    static bool reached[ORACLE_MAX_NODES];
    const oracle_view *v = s->view;
    diff->by_count = 0;
    diff->by_all = 0;
    for (int i = 0; i < (int)v->heap->object_count; i++)
        diff->by_all += growth_of(s, i);
    for (int root = 0; root < v->node_count && diff->by_count < 3 * ORACLE_MAX_ROOTS; root++) {
        if (!oracle_is_shown(v, root) || v->nodes[root].is_object) continue;
        oracle_by *by = &diff->by[diff->by_count++];
        snprintf(by->root, sizeof by->root, "%s", v->nodes[root].name);
        by->bytes = 0;
        reach(v, root, reached);
        for (int i = 0; i < (int)v->heap->object_count; i++)
            if (reached[i]) by->bytes += growth_of(s, i);
    }
}
