/*
 * What has to be numbered. Most of a heap has nothing to do with what holds together: no reference leads from it to
 * what is asked for. So it is looked first which nodes matter, in one pass over the tree, which has what is asked for,
 * and one over the references, which has who refers to it. That is two bits a node, and nothing is read at random;
 * numbers, and places on the ways to them, are then given to those alone.
 */
#include "holders/holders_by.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

#define PROGRESS_STEPS 0xffffu

typedef struct mark_frame {
    bool is_fork;
    uint8_t unused[7];
} mark_frame;

/* The fork at a place of the tree; places are asked for in ascending order, from 0 on. */
uint32_t hsd_by_fork_at(hsd_by_search *s, uint32_t first)
{
    uint32_t fork = HSD_BY_NO_FORK;
    if (first == 0) s->next_fork = 0;
    if (first < s->next_fork) return HSD_BY_NO_FORK;
    s->next_fork = UINT32_MAX;
    for (uint32_t i = 0; i < s->fork_count; i++) {
        const uint32_t of = s->forks[i].first;
        if (of == first && fork == HSD_BY_NO_FORK) fork = i;
        if (of > first && of < s->next_fork) s->next_fork = of;
    }
    return fork;
}

/* Tops, and where a mark climbs names that objects are roots by. Of the super-root all but roots are tops. */
static bool is_asked_below_fork(const hsd_by_search *s, const hsd_tree_node *node, bool is_super)
{
    if (node->flags & HSD_TREE_IS_ROOT) return s->has_secondary;
    return is_super || node->edge == HSD_TREE_INDIRECT;
}

static hsd_status enter_mark(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    const mark_frame *above = parent;
    mark_frame *f = here;
    (void)err;
    f->is_fork = hsd_by_fork_at(s, node->first) != HSD_BY_NO_FORK;
    if (!above->is_fork || !is_asked_below_fork(s, node, above == s->mark_root)) hsd_bit_set(s->is_plain, node->node);
    return HSD_OK;
}

static hsd_status mark_asked(hsd_by_search *s, hsd_error *err)
{
    const hsd_tree_visitor visitor = {
        .context = s, .frame_bytes = sizeof(mark_frame), .fills_frames = true, .enter = enter_mark};
    mark_frame root = {.is_fork = hsd_by_fork_at(s, 0) != HSD_BY_NO_FORK};
    s->mark_root = &root;
    const hsd_status status =
        hsd_tree_walk(s->side->tree, &visitor, &root, s->growth->memory_bytes / 16, &s->growth->pair->space, err);
    s->mark_root = NULL;
    return status;
}

/* ---- who refers to what is asked for, or to what the tree does not have ---- */

static bool refers_to_asked(const hsd_by_search *s, const hsd_targets *targets)
{
    for (uint32_t i = 0; i < targets->count; i++)
        if (!hsd_bit_get(s->is_plain, targets->items[i])) return true;
    return false;
}

static bool is_source(hsd_by_search *s, uint32_t node)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->side->adjacency, node)) return false;
    hsd_adjacency_get(s->side->adjacency, node, &targets);
    while (!refers_to_asked(s, &targets)) {
        if (!targets.has_more) return false;
        hsd_adjacency_more(s->side->adjacency, &targets);
    }
    return true;
}

static hsd_status mark_sources(hsd_by_search *s, hsd_error *err)
{
    const uint32_t count = s->side->node_count;
    for (uint32_t node = 0; node < count; node++) {
        if (is_source(s, node)) hsd_bit_set(s->is_source, node);
        if ((node & PROGRESS_STEPS) != 0) continue;
        HSD_TRY(hsd_adjacency_check(s->side->adjacency, err));
        HSD_TRY(hsd_progress(s->growth->pair->reporter, "finding what holds it together", node, count, err));
    }
    return hsd_adjacency_check(s->side->adjacency, err);
}

/* Of choices it is asked where they stand. */
static void mark_choices(hsd_by_search *s)
{
    const hsd_growth *growth = s->growth;
    for (uint32_t i = 0; i < growth->choice_count; i++)
        if (growth->choices[i].by == HSD_HELD_BY_OBJECT) hsd_bit_set(s->is_source, growth->choices[i].node[AFTER]);
}

hsd_status hsd_by_mark(hsd_by_search *s, hsd_error *err)
{
    s->is_plain = calloc((size_t)s->side->node_count / 8 + 1, 1);
    s->is_source = calloc((size_t)s->side->node_count / 8 + 1, 1);
    if (s->is_plain == NULL || s->is_source == NULL) return hsd_fail_nomem(err, "two bits a node");
    HSD_TRY(mark_asked(s, err));
    HSD_TRY(mark_sources(s, err));
    mark_choices(s);
    return HSD_OK;
}
