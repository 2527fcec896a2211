/*
 * What has to be numbered. Most of a heap has nothing to do with what holds together: no reference leads from it to
 * what is asked for. So it is looked first which nodes matter, in one pass over the tree, which has what is asked for,
 * and one over the references, which has who refers to it. That is two bits a node, and nothing is read at random;
 * numbers, and places on the ways to them, are then given to those alone. Where walks are at once the one that credits
 * has found the first of them on its way (by/ahead.h).
 */
#include "holders/by/ahead.h"
#include "holders/by/by.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/stopwatch.h"
#include "walk/keep.h"

#define PROGRESS_STEPS 0xffffu

typedef struct mark_frame {
    bool is_fork;
    uint8_t unused[7];
} mark_frame;

/* The fork at a place of the tree; places are asked for in ascending order, from 0 on. */
uint32_t hsd_by_fork_at(hsd_by_search *s, hsd_node first)
{
    uint32_t fork = HSD_BY_NO_FORK;
    if (first == 0) s->next_fork = 0;
    if (first < s->next_fork) return HSD_BY_NO_FORK;
    s->next_fork = HSD_NODE_MAX;
    for (uint32_t i = 0; i < s->fork_count; i++) {
        const hsd_node of = s->forks[i].first;
        if (of == first && fork == HSD_BY_NO_FORK) fork = i;
        if (of > first && of < s->next_fork) s->next_fork = of;
    }
    return fork;
}

/* All there is to do for one that has nothing below it, and so is no fork. */
static hsd_status mark_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    const hsd_by_search *s = context;
    const mark_frame *above = parent;
    (void)err;
    if (!above->is_fork || !hsd_by_may_be_asked(node, above == s->mark_root, s->has_secondary))
        hsd_bit_set(s->is_plain, node->node);
    return HSD_OK;
}

static hsd_status enter_mark(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    mark_frame *f = here;
    f->is_fork = hsd_by_fork_at(s, node->first) != HSD_BY_NO_FORK;
    return mark_leaf(context, node, parent, err);
}

static hsd_status mark_asked(hsd_by_search *s, hsd_error *err)
{
    const hsd_tree_visitor visitor = {.context = s,
                                      .frame_bytes = sizeof(mark_frame),
                                      .fills_frames = true,
                                      .bits = {s->is_plain},
                                      .enter = enter_mark,
                                      .leaf = mark_leaf};
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

static bool is_source(hsd_by_search *s, hsd_node node)
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
    const hsd_node count = s->side->node_count;
    for (hsd_node node = 0; node < count; node++) {
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

/* Each that matters gets a slot, in the order of nodes. */
static hsd_status give_slots(hsd_by_search *s, hsd_error *err)
{
    const hsd_node count = s->side->node_count;
    s->slot_bits = calloc((size_t)count / 64 + 1, sizeof *s->slot_bits);
    s->slots_before = calloc((size_t)count / HSD_BY_SLOT_NODES + 1, sizeof *s->slots_before);
    if (s->slot_bits == NULL || s->slots_before == NULL) return hsd_fail_nomem(err, "where numbers of nodes stand");
    for (hsd_node node = 0; node < count; node++) {
        if (node % HSD_BY_SLOT_NODES == 0) s->slots_before[node / HSD_BY_SLOT_NODES] = s->slot_count;
        if (hsd_bit_get(s->is_plain, node) && !hsd_bit_get(s->is_source, node)) continue;
        s->slot_bits[node / 64] |= UINT64_C(1) << node % 64;
        s->slot_count++;
    }
    return HSD_OK;
}

/* With is_plain it is known what is asked for. */
static hsd_status set_marks(hsd_by_search *s, hsd_error *err)
{
    hsd_side_walk *side = s->side;
    const bool is_asked_known = s->is_plain != NULL;
    hsd_stopwatch watch = hsd_stopwatch_start(&s->growth->pair->space);
    if (side->request->keeper != NULL && side->request->keeper->search != NULL)
        HSD_TRY(side->request->keeper->search(side->request->keeper->context, err));
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    if (!is_asked_known) s->is_plain = calloc((size_t)side->node_count / 8 + 1, 1);
    s->is_source = calloc((size_t)side->node_count / 8 + 1, 1);
    if (s->is_plain == NULL || s->is_source == NULL) return hsd_fail_nomem(err, "two bits a node");
    if (!is_asked_known) HSD_TRY(mark_asked(s, err));
    HSD_TRY(mark_sources(s, err));
    hsd_by_count_references(s);
    hsd_stopwatch_note(&watch, s->growth->pair->reporter, "what holds together", "marking");
    return HSD_OK;
}

/* ---- the same before it is known which forks are asked for ---- */

static void forget_marks(hsd_growth_marks *marks)
{
    free(marks->is_plain);
    free(marks->is_source);
    *marks = (hsd_growth_marks){.fork_count = 0};
}

static bool are_same_forks(const hsd_by_search *s, const hsd_growth_marks *marks)
{
    if (marks->is_plain == NULL || marks->fork_count != s->fork_count) return false;
    for (uint32_t i = 0; i < s->fork_count; i++) {
        uint32_t k = 0;
        while (k < marks->fork_count && marks->forks[k] != s->forks[i].first)
            k++;
        if (k == marks->fork_count) return false;
    }
    return true;
}

/* All forks, unless there are too many. */
static hsd_status list_forks(hsd_growth *growth, hsd_by_search *s, hsd_error *err)
{
    hsd_growth_marks *marks = &growth->marks;
    if (hsd_sorter_count(growth->forks) > HSD_BY_FORKS) return HSD_OK;
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(growth->forks, &record, err)) == HSD_OK) {
        const hsd_node first = (hsd_node)(record[3] >> 1);
        s->forks[s->fork_count++] = (hsd_by_fork){.first = first};
        marks->forks[marks->fork_count++] = first;
    }
    return status == HSD_END ? hsd_sorter_rewind(growth->forks, err) : status;
}

hsd_status hsd_growth_mark_ahead(hsd_growth *growth, hsd_error *err)
{
    hsd_side_walk *side = &growth->pair->sides[AFTER];
    hsd_by_search s = {.growth = growth, .side = side, .has_secondary = hsd_by_has_secondary(side)};
    forget_marks(&growth->marks);
    HSD_TRY(list_forks(growth, &s, err));
    s.is_plain = growth->plain_ahead;
    growth->plain_ahead = NULL;
    const hsd_status status = s.fork_count > 0 ? set_marks(&s, err) : HSD_OK;
    growth->marks.is_plain = s.is_plain;
    growth->marks.is_source = s.is_source;
    return status;
}

hsd_status hsd_by_mark(hsd_by_search *s, hsd_error *err)
{
    hsd_growth_marks *marks = &s->growth->marks;
    if (are_same_forks(s, marks)) {
        s->is_plain = marks->is_plain;
        s->is_source = marks->is_source;
        marks->is_plain = marks->is_source = NULL;
    } else {
        forget_marks(marks);
        HSD_TRY(set_marks(s, err));
    }
    mark_choices(s);
    return give_slots(s, err);
}
