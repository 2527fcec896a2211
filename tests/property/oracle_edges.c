/*
 * Places below the holders that grew, by the words of paths/path_text.h and hsdiff/diff.h: the way from the nearest
 * such holder to an object, insides of containers left out. What a holder is credited with is its growth; all else only
 * counts before and after.
 */
#include "oracle_growth.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 13 }; /* the holder and twelve below it */
enum { LOOK_BACK = 4, DEEPEST_FIRST_ITEM = 3 };

static bool has_grown(const oracle_holder *holder)
{
    return (int64_t)(holder->new_.bytes - holder->freed.bytes + holder->resized_bytes) > 0;
}

static oracle_below *below_at(oracle_diff *diff, uint32_t holder, const char *path)
{
    for (uint32_t i = 0; i < diff->below_count; i++) {
        if (diff->below[i].holder == holder && strcmp(diff->below[i].path, path) == 0) return &diff->below[i];
    }
    oracle_below *below = &diff->below[diff->below_count++];
    below->holder = holder;
    snprintf(below->path, sizeof below->path, "%s", path);
    return below;
}

/* One node further; true if it is shown. */
static bool fold(const oracle_view *v, int node, bool *is_inside, bool *is_items, char *step)
{
    const oracle_node *n = &v->nodes[node];
    const bool is_internal = n->is_object && v->heap->objects[node].type == MODEL_INTERNAL_TYPE;
    const bool has_edge = strcmp(n->edge, "-") != 0, leads_inside = strcmp(n->edge, ".inside") == 0;
    if (!n->is_object) {
        *is_inside = *is_items = false;
        snprintf(step, 2 * ORACLE_NAME, " (%s)", n->name);
        return true;
    }
    if (leads_inside || (is_internal && (*is_inside || !has_edge))) {
        *is_items = *is_items || leads_inside || !has_edge;
        *is_inside = true;
        return false;
    }
    const bool is_item = *is_items && (!has_edge || strcmp(n->edge, "[*]") == 0);
    const char *prefix = *is_items && !n->is_apart ? "[*]" : "", *edge = is_item && !n->is_apart ? "" : n->edge;
    snprintf(step, 2 * ORACLE_NAME, " %s%s T%u", prefix, edge, v->heap->objects[node].type);
    *is_inside = *is_items = false;
    return true;
}

static bool is_item_step(const char *step) { return strncmp(step, " [*]", 4) == 0; }

/* An element of an element's own container, near the holder, is no element of the holder's. */
static bool is_item_of_item(const oracle_steps *path, const char *step)
{
    bool is_named = false;
    for (uint32_t back = 0; back < path->known && is_item_step(step); back++) {
        const uint32_t at = path->count - 1 - back;
        if (strcmp(path->step[at], step) == 0) return is_named && at + 1 <= DEEPEST_FIRST_ITEM;
        is_named |= !is_item_step(path->step[at]);
    }
    return false;
}

static void go_on_below(oracle_steps *path, const char *step)
{
    if (!is_item_of_item(path, step)) {
        oracle_go_on(path, step, MOST_STEPS);
        return;
    }
    if (path->count == MOST_STEPS) return;
    snprintf(path->step[path->count++], sizeof path->step[0], "%s", step);
    if (path->known < LOOK_BACK) path->known++;
}

/* The place of a node below `above`, which is not part of the path; true if the node itself is shown. */
static bool find_path(const oracle_view *v, int above, int node, char *path)
{
    static oracle_steps steps;
    int way[ORACLE_MAX_NODES];
    uint32_t length = 0;
    bool is_shown = false, is_inside = false, is_items = false;
    char step[2 * ORACLE_NAME];
    for (int at = node; at != above; at = v->nodes[at].parent)
        way[length++] = at;
    steps.count = steps.known = 0;
    oracle_go_on(&steps, "the holder", MOST_STEPS);
    while (length > 0) {
        is_shown = fold(v, way[--length], &is_inside, &is_items, step);
        if (is_shown) go_on_below(&steps, step);
    }
    path[0] = 0;
    for (uint32_t i = 1, used = 0; i < steps.count; i++) {
        used += (uint32_t)snprintf(path + used, ORACLE_PATH - used, "%s", steps.step[i]);
    }
    return is_shown;
}

static int holder_above(const oracle_side *s, int node)
{
    do
        node = s->view->nodes[node].parent;
    while (node != ORACLE_NOBODY && !oracle_can_hold(s, node));
    return node;
}

static void add(hsd_amount *amount, uint64_t bytes, bool is_shown)
{
    amount->objects += is_shown;
    amount->bytes += bytes;
}

static void place_object(oracle_diff *diff, const oracle_side *s, int node)
{
    char path[ORACLE_PATH];
    const int holder = holder_above(s, node);
    int above = holder;
    while (!has_grown(oracle_holder_at(diff, s, above))) {
        if (above == ORACLE_NOBODY) return;
        above = holder_above(s, above);
    }
    const bool is_shown = find_path(s->view, above, node, path),
               is_credited = oracle_partner(s, node) < 0 && above == holder;
    const uint64_t bytes = s->view->bytes[node];
    oracle_below *below = below_at(diff, (uint32_t)(oracle_holder_at(diff, s, above) - diff->holders), path);
    add(s->is_after ? &below->after : &below->before, bytes, is_shown);
    if (is_credited) add(s->is_after ? &below->new_ : &below->freed, bytes, is_shown);
}

void oracle_find_edges(oracle_diff *diff, const oracle_side *before, const oracle_side *after)
{
    const oracle_side *const sides[] = {before, after};
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->view->heap->object_count; i++) {
            if (oracle_is_shown(sides[s]->view, (int)i)) place_object(diff, sides[s], (int)i);
        }
    }
}
