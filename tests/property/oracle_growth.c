/*
 * Holders, retained sizes and places of the type-path tree, by their definitions, over dominator trees that were found
 * by taking nodes away.
 */
#include "oracle_growth.h"

#include <stdio.h>
#include <string.h>

enum { LOOK_BACK = 4, MOST_ROUNDS = 6 };

typedef oracle_side side;

static void add(hsd_amount *amount, uint64_t bytes)
{
    amount->objects++;
    amount->bytes += bytes;
}

bool oracle_is_shown(const oracle_view *v, int node)
{
    return v->nodes[node].is_live && (!v->nodes[node].is_object || v->counts[node]);
}

/* The same object, live and counted, on the other side; -1 = there is none. */
int oracle_partner(const side *s, int node)
{
    const model_object *object = &s->view->heap->objects[node];
    const int at = oracle_find(s->other->heap, object->id);
    return at >= 0 && oracle_is_shown(s->other, at) && s->other->heap->objects[at].type == object->type ? at : -1;
}

bool oracle_can_hold(const side *s, int node)
{
    const oracle_node *n = &s->view->nodes[node];
    if (!n->is_object) return oracle_has_root(s->view, n->name) && oracle_has_root(s->other, n->name);
    if (s->holds_nothing != NULL && s->holds_nothing[node]) return false;
    return oracle_partner(s, node) >= 0 && s->view->heap->objects[node].type != MODEL_INTERNAL_TYPE &&
           strcmp(n->edge, ".inside") != 0;
}

/* ---- holders, with identity ---- */

static oracle_holder *holder_named(oracle_diff *diff, const char *key, const char *type)
{
    for (uint32_t i = 0; i < diff->holder_count; i++) {
        if (strcmp(diff->holders[i].key, key) == 0) return &diff->holders[i];
    }
    oracle_holder *holder = &diff->holders[diff->holder_count++];
    snprintf(holder->key, sizeof holder->key, "%s", key);
    snprintf(holder->type, sizeof holder->type, "%s", type);
    return holder;
}

oracle_holder *oracle_holder_at(oracle_diff *diff, const side *s, int node)
{
    char key[64], type[32];
    if (node == ORACLE_NOBODY) return holder_named(diff, "(roots)", "");
    if (!s->view->nodes[node].is_object) return holder_named(diff, s->view->nodes[node].name, "");
    const model_object *object = &s->view->heap->objects[node];
    snprintf(type, sizeof type, "T%u", object->type);
    snprintf(key, sizeof key, "%s 0x%llx", type, (unsigned long long)object->id);
    return holder_named(diff, key, type);
}

/* What holds a node that holds nothing itself. */
static oracle_holder *holder_above(oracle_diff *diff, const side *s, int node)
{
    int above = s->view->nodes[node].parent;
    while (above != ORACLE_NOBODY && !oracle_can_hold(s, above))
        above = s->view->nodes[above].parent;
    return oracle_holder_at(diff, s, above);
}

static void credit(oracle_diff *diff, const side *s, int node)
{
    oracle_holder *holder = holder_above(diff, s, node);
    const uint32_t type = s->view->heap->objects[node].type;
    const uint64_t bytes = s->view->bytes[node];
    add(s->is_after ? &holder->new_ : &holder->freed, bytes);
    holder->is_listed[s->is_after] = true;
    add(s->is_after ? &holder->new_by_type[type] : &holder->freed_by_type[type], bytes);
}

/* A kept object of another size: by itself if it can hold, else as a part of what holds it; on each side by itself. */
static void resize(oracle_diff *diff, const side *s, int node)
{
    const bool is_itself = oracle_can_hold(s, node);
    oracle_holder *holder = is_itself ? oracle_holder_at(diff, s, node) : holder_above(diff, s, node);
    const uint64_t bytes = s->view->bytes[node];
    holder->resized_bytes += s->is_after ? bytes : 0 - bytes;
    holder->is_listed[s->is_after] = holder->is_listed[s->is_after] || is_itself || bytes != 0;
}

static void find_holders(oracle_diff *diff, const side *s)
{
    for (uint32_t i = 0; i < s->view->heap->object_count; i++) {
        if (!oracle_is_shown(s->view, (int)i)) continue;
        const int other = oracle_partner(s, (int)i);
        if (other < 0)
            credit(diff, s, (int)i);
        else if (s->view->bytes[i] != s->other->bytes[other])
            resize(diff, s, (int)i);
    }
}

/* ---- retained sizes: what is dominated by any of them ---- */

static uint64_t retained(const oracle_view *v, const bool *is_of)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        bool is_dominated = false;
        for (int d = 0; d < v->node_count; d++)
            is_dominated |= is_of[d] && v->dominates[d][i];
        if (is_dominated && oracle_is_shown(v, (int)i)) bytes += v->bytes[i];
    }
    return bytes;
}

static uint64_t retained_by_type(const oracle_view *v, uint32_t type)
{
    bool is_of[ORACLE_MAX_NODES] = {false};
    for (uint32_t i = 0; i < v->heap->object_count; i++)
        is_of[i] = oracle_is_shown(v, (int)i) && v->heap->objects[i].type == type;
    return retained(v, is_of);
}

static uint64_t retained_by_root(const oracle_view *v, const char *name)
{
    bool is_of[ORACLE_MAX_NODES] = {false};
    for (int i = 0; i < v->node_count; i++) {
        is_of[i] = !v->nodes[i].is_object && v->nodes[i].is_live && strcmp(v->nodes[i].name, name) == 0;
    }
    return retained(v, is_of);
}

/* ---- places ---- */

typedef oracle_steps steps;

static void name_step(const oracle_view *v, int node, char *out)
{
    const oracle_node *n = &v->nodes[node];
    if (n->is_object)
        snprintf(out, 2 * ORACLE_NAME, " %s T%u", n->edge, v->heap->objects[node].type);
    else
        snprintf(out, 2 * ORACLE_NAME, " (%s)", n->name);
}

void oracle_go_on(oracle_steps *path, const char *step, uint32_t most)
{
    for (uint32_t back = 0; back < path->known; back++) {
        if (strcmp(path->step[path->count - 1 - back], step) != 0) continue;
        path->count -= back;
        path->known -= back;
        return;
    }
    if (path->count == most) return;
    snprintf(path->step[path->count++], sizeof path->step[0], "%s", step);
    if (path->known < LOOK_BACK) path->known++;
}

/* Helpers of one container that refer to one another stand where the first of them does. */
static bool is_helper_of_helper(const oracle_view *v, int node, const steps *path)
{
    char type[ORACLE_NAME];
    if (!v->nodes[node].is_object || v->heap->objects[node].type != MODEL_INTERNAL_TYPE || path->count == 0)
        return false;
    snprintf(type, sizeof type, " T%u", MODEL_INTERNAL_TYPE);
    const char *last = path->step[path->count - 1];
    const size_t size = strlen(last), end = strlen(type);
    return size > end && strcmp(last + size - end, type) == 0;
}

static void find_steps(const oracle_view *v, int node, steps *path)
{
    int way[ORACLE_MAX_NODES];
    uint32_t length = 0;
    char step[2 * ORACLE_NAME];
    for (int at = node; at != ORACLE_NOBODY; at = v->nodes[at].parent)
        way[length++] = at;
    path->count = path->known = 0;
    while (length > 0) {
        if (is_helper_of_helper(v, way[--length], path)) continue;
        name_step(v, way[length], step);
        oracle_go_on(path, step, 64);
    }
}

static oracle_place *place_at(oracle_diff *diff, const char *path)
{
    for (uint32_t i = 0; i < diff->place_count; i++) {
        if (strcmp(diff->places[i].path, path) == 0) return &diff->places[i];
    }
    snprintf(diff->places[diff->place_count].path, ORACLE_PATH, "%s", path);
    return &diff->places[diff->place_count++];
}

/* The place of a node as one text. */
void oracle_find_place(const oracle_view *v, int node, char text[ORACLE_PATH])
{
    static steps path;
    size_t length = 0;
    find_steps(v, node, &path);
    text[0] = 0;
    for (uint32_t k = 0; k < path.count; k++)
        length += (size_t)snprintf(text + length, ORACLE_PATH - length, "%s", path.step[k]);
}

static void find_places(oracle_diff *diff, const side *s)
{
    for (int i = 0; i < s->view->node_count; i++) {
        char text[ORACLE_PATH];
        if (!oracle_is_shown(s->view, i)) continue;
        oracle_find_place(s->view, i, text);
        oracle_place *place = place_at(diff, text);
        if (!s->view->nodes[i].is_object) continue;
        add(s->is_after ? &place->after : &place->before, s->view->bytes[i]);
        if (s->has_identity && oracle_partner(s, i) < 0)
            add(s->is_after ? &place->new_ : &place->freed, s->view->bytes[i]);
    }
}

/* ---- the whole, with identity ---- */

static void find_all_holders(oracle_diff *diff, const side *const sides[2])
{
    for (int round = 0;; round++) {
        diff->holder_count = 0;
        memset(diff->holders, 0, sizeof diff->holders);
        for (int k = 0; k < 2; k++)
            find_holders(diff, sides[k]);
        if (round == MOST_ROUNDS || !oracle_leave_crowds(diff, sides)) return;
    }
}

/* ---- holders, without identity ---- */

/* Steps begin with a blank and a sign that no name of a type or root has behind a blank. */
static const char *last_step(const char *path)
{
    const char *last = path;
    for (const char *at = path; *at != 0; at++) {
        if (at[0] == ' ' && strchr("(-.[", at[1]) != NULL) last = at;
    }
    return last;
}

static bool is_anchor(const oracle_place *place, const oracle_view *before, const oracle_view *after)
{
    const char *step = last_step(place->path);
    char name[ORACLE_PATH];
    if (step[1] == '(') {
        snprintf(name, sizeof name, "%.*s", (int)strlen(step) - 3, step + 2);
        return oracle_has_root(before, name) && oracle_has_root(after, name);
    }
    return place->before.objects == 1 && place->after.objects == 1 && strncmp(step, " .inside ", 9) != 0 &&
           step[strlen(step) - 1] - '0' != MODEL_INTERNAL_TYPE;
}

/* The nearest place above that is an anchor: the longest proper prefix. */
static const oracle_place *anchor_above(const oracle_diff *diff, const oracle_place *place, const oracle_view *before,
                                        const oracle_view *after)
{
    char path[ORACLE_PATH];
    snprintf(path, sizeof path, "%s", place->path);
    for (;;) {
        path[last_step(path) - path] = 0;
        if (path[0] == 0) return NULL;
        for (uint32_t i = 0; i < diff->place_count; i++) {
            if (strcmp(diff->places[i].path, path) == 0 && is_anchor(&diff->places[i], before, after))
                return &diff->places[i];
        }
    }
}

static oracle_holder *anchor_holder(oracle_diff *diff, const oracle_place *place)
{
    char name[ORACLE_PATH];
    if (place == NULL) return holder_named(diff, "(roots)", "");
    const char *step = last_step(place->path);
    if (step[1] != '(') return holder_named(diff, place->path, step + strlen(step) - 2);
    snprintf(name, sizeof name, "%.*s", (int)strlen(step) - 3, step + 2);
    return holder_named(diff, name, "");
}

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

static void find_anchors(oracle_diff *diff, const oracle_view *before, const oracle_view *after)
{
    for (uint32_t i = 0; i < diff->place_count; i++) {
        const oracle_place *place = &diff->places[i];
        const char *step = last_step(place->path);
        if (step[1] == '(') continue; /* no objects stand there */
        const uint32_t type = (uint32_t)(place->path[strlen(place->path) - 1] - '0');
        if (is_anchor(place, before, after)) {
            anchor_holder(diff, place)->resized_bytes = place->after.bytes - place->before.bytes;
            continue;
        }
        oracle_holder *holder = anchor_holder(diff, anchor_above(diff, place, before, after));
        add_amount(&holder->new_, place->after);
        add_amount(&holder->freed, place->before);
        add_amount(&holder->new_by_type[type], place->after);
        add_amount(&holder->freed_by_type[type], place->before);
    }
}

void oracle_compare_growth(oracle_diff *diff, const oracle_view *before, const oracle_view *after, bool has_identity)
{
    bool nothing[2][ORACLE_MAX_NODES] = {{false}};
    const side b = {.view = before, .other = after, .has_identity = has_identity, .holds_nothing = nothing[0]};
    const side a = {
        .view = after, .other = before, .has_identity = has_identity, .is_after = true, .holds_nothing = nothing[1]};
    const side *const sides[2] = {&b, &a};
    find_places(diff, &b);
    find_places(diff, &a);
    if (has_identity) {
        find_all_holders(diff, sides);
        oracle_find_edges(diff, &b, &a);
        oracle_find_by(diff, &a);
    } else {
        find_anchors(diff, before, after);
    }
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        diff->types[t].retained_before = retained_by_type(before, t);
        diff->types[t].retained_after = retained_by_type(after, t);
    }
    for (uint32_t r = 0; r < diff->root_count; r++) {
        diff->roots[r].retained_before = retained_by_root(before, diff->roots[r].name);
        diff->roots[r].retained_after = retained_by_root(after, diff->roots[r].name);
    }
}
