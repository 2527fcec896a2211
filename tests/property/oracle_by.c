/*
 * By which roots the growth of "(roots)" is held together, by the definition: what hangs from the super-root in the dominator tree are
 * roots, and tops that nothing alone holds; a top is reached by a root over references that enter no other root. What a primary root
 * reaches no secondary one holds.
 */
#include "oracle_growth.h"

#include <stdio.h>
#include <string.h>

/* What hangs from the super-root, with `node` in it. */
static int child_of(const oracle_view *v, int node)
{
    while (v->nodes[node].parent != ORACLE_NOBODY) node = v->nodes[node].parent;
    return node;
}

static bool is_root(const oracle_view *v, int child) { return !v->nodes[child].is_object; }

static void reach(const oracle_view *v, int branch, bool *reached)
{
    bool changed = true;
    memset(reached, 0, ORACLE_MAX_NODES * sizeof *reached);
    reached[branch] = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < v->edge_count; i++) {
            const oracle_edge *edge = &v->edges[i];
            if (!v->nodes[edge->from].is_live || !v->nodes[edge->to].is_live) continue;
            if (!v->nodes[edge->from].is_first && v->nodes[edge->to].is_first) continue;
            const int from = child_of(v, edge->from), to = child_of(v, edge->to);
            if (!reached[from] || reached[to] || is_root(v, to)) continue;
            reached[to] = changed = true;
        }
    }
}

/* New bytes of "(roots)" in a top. */
static uint64_t growth_in(const oracle_side *s, int top)
{
    uint64_t bytes = 0;
    for (int i = 0; i < (int)s->view->heap->object_count; i++) {
        if (!oracle_is_shown(s->view, i) || oracle_partner(s, i) >= 0 || child_of(s->view, i) != top) continue;
        int above = s->view->nodes[i].parent;
        while (above != ORACLE_NOBODY && !oracle_can_hold(s, above)) above = s->view->nodes[above].parent;
        if (above == ORACLE_NOBODY) bytes += s->view->bytes[i];
    }
    return bytes;
}

void oracle_find_by(oracle_diff *diff, const oracle_side *s)
{
    static bool reached[ORACLE_MAX_NODES];
    const oracle_view *v = s->view;
    diff->by_count = 0;
    diff->by_all = 0;
    for (int top = 0; top < v->node_count; top++) {
        if (oracle_is_shown(v, top) && child_of(v, top) == top && !is_root(v, top)) diff->by_all += growth_in(s, top);
    }
    for (int root = 0; root < v->node_count && diff->by_count < 3 * ORACLE_MAX_ROOTS; root++) {
        if (!oracle_is_shown(v, root) || child_of(v, root) != root || !is_root(v, root)) continue;
        oracle_by *by = &diff->by[diff->by_count++];
        snprintf(by->root, sizeof by->root, "%s", v->nodes[root].name);
        by->bytes = 0;
        reach(v, root, reached);
        for (int top = 0; top < v->node_count; top++) {
            if (reached[top] && oracle_is_shown(v, top) && child_of(v, top) == top && !is_root(v, top)) by->bytes += growth_in(s, top);
        }
    }
}
