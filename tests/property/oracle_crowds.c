/*
 * Which holders are crowds, by the definitions: those of one place, and kin of one structure, of which none has most.
 */
#include "oracle_growth.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_APART = 16, WAYS_IN = 2, LOOK_BACK = 4, LEAST_KIN = 6, MOST_STEPS = 256 };

typedef oracle_side side;

/* ---- kin ---- */

typedef struct kin_way { /* the last different types from a root, each with the text of its place */
    uint32_t type[LOOK_BACK];
    char place[LOOK_BACK][ORACLE_PATH];
    int count;
} kin_way;

typedef struct kin { /* where an object stands among its kin */
    char place[ORACLE_PATH];
    char step[2 * ORACLE_NAME];
    uint32_t type;
    uint32_t above; /* the type that stands above + 1; 0 = a root does */
    bool is_again, is_apart;
} kin;

static bool can_ever_hold(const oracle_view *v, int node)
{
    return v->heap->objects[node].type != MODEL_INTERNAL_TYPE && strcmp(v->nodes[node].edge, ".inside") != 0;
}

static bool go_on(kin_way *way, uint32_t type)
{
    char place[ORACLE_PATH];
    for (int i = 0; i < way->count; i++) {
        if (way->type[i] != type) continue;
        way->count = i + 1;
        return true;
    }
    snprintf(place, sizeof place, "%.900s T%u", way->count > 0 ? way->place[way->count - 1] : "", type);
    if (way->count == LOOK_BACK) {
        way->count--;
        memmove(way->type, way->type + 1, (size_t)way->count * sizeof *way->type);
        memmove(way->place, way->place + 1, (size_t)way->count * sizeof *way->place);
    }
    way->type[way->count] = type;
    memcpy(way->place[way->count++], place, sizeof place);
    return false;
}

static void begin(kin_way *way, const char *root)
{
    way->count = 1;
    way->type[0] = UINT32_MAX;
    snprintf(way->place[0], sizeof way->place[0], "(%s)", root);
}

/* Those from outside are told apart by what they come from; a reference without a name is one. */
static void name_step(const oracle_node *node, bool is_outside, const kin *at, char out[2 * ORACLE_NAME])
{
    if (is_outside || node->is_apart)
        snprintf(out, 2 * ORACLE_NAME, "- T%u by %u", at->type, at->above);
    else
        snprintf(out, 2 * ORACLE_NAME, "%s T%u", strcmp(node->edge, "-") == 0 ? "?" : node->edge, at->type);
}

static uint32_t above_in(const kin_way *way)
{
    return way->count < 2 || way->type[way->count - 2] == UINT32_MAX ? 0 : way->type[way->count - 2] + 1;
}

static void find_kin(const oracle_view *v, int node, kin *out)
{
    static kin_way way;
    int nodes[ORACLE_MAX_NODES], length = 0;
    way.count = 0;
    for (int at = node; at != ORACLE_NOBODY; at = v->nodes[at].parent)
        nodes[length++] = at;
    out->is_again = false;
    while (length-- > 0) {
        const oracle_node *n = &v->nodes[nodes[length]];
        if (!n->is_object)
            begin(&way, n->name);
        else if (oracle_is_shown(v, nodes[length]) && can_ever_hold(v, nodes[length]))
            out->is_again = go_on(&way, v->heap->objects[nodes[length]].type);
    }
    out->type = v->heap->objects[node].type;
    memcpy(out->place, way.place[way.count - 1], sizeof out->place);
    out->above = above_in(&way);
    out->is_apart = v->nodes[node].is_apart || !out->is_again;
    name_step(&v->nodes[node], !out->is_again, out, out->step);
}

/* ---- steps, of all that is kept ---- */

typedef struct step_count {
    char name[2 * ORACLE_NAME];
    uint32_t type;
    bool is_apart;
    uint32_t all, again;
} step_count;

typedef struct step_counts {
    step_count list[MOST_STEPS];
    uint32_t count;
} step_counts;

static step_count *step_at(step_counts *steps, const char *name)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (strcmp(steps->list[i].name, name) == 0) return &steps->list[i];
    step_count *step = &steps->list[steps->count++];
    snprintf(step->name, sizeof step->name, "%s", name);
    return step;
}

static void count_steps(step_counts *steps, const side *s)
{
    static kin at;
    char name[2 * ORACLE_NAME];
    for (uint32_t i = 0; i < s->view->heap->object_count; i++) {
        if (!oracle_is_shown(s->view, (int)i) || oracle_partner(s, (int)i) < 0 || !can_ever_hold(s->view, (int)i))
            continue;
        find_kin(s->view, (int)i, &at);
        name_step(&s->view->nodes[i], false, &at, name);
        step_count *step = step_at(steps, name);
        step->type = at.type;
        step->is_apart = s->view->nodes[i].is_apart;
        step->all++;
        step->again += at.is_again;
    }
}

static bool is_structure(const step_counts *steps, uint32_t type)
{
    int own = 0, few = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        const step_count *step = &steps->list[i];
        if (step->type != type || step->is_apart) continue;
        own += step->again >= LEAST_KIN;
        few += step->all < LEAST_KIN;
    }
    return own > 0 && own + WAYS_IN >= few;
}

static bool are_kin(step_counts *steps, const kin *at)
{
    if (!at->is_apart) return step_at(steps, at->step)->again >= LEAST_KIN;
    /* nodes, or what nodes have each */
    return is_structure(steps, at->type) || (at->above != 0 && is_structure(steps, at->above - 1));
}

/* ---- crowds ---- */

typedef struct crowd { /* the holders of one place */
    char place[ORACLE_PATH];
    /* is_of_node: the largest is a node of a structure that is reached from outside */
    bool is_of_kin, is_of_node;
    uint64_t count, sum, largest;
    uint64_t apart_count, apart_sum, apart_largest; /* of kin that are reached from outside */
    bool is_crowd;
} crowd;

typedef struct crowds {
    crowd list[4 * ORACLE_MAX_NODES];
    uint32_t count;
    uint64_t all;
    step_counts steps;
} crowds;

static uint64_t change_of(const oracle_holder *holder)
{
    const int64_t growth = (int64_t)(holder->new_.bytes - holder->freed.bytes + holder->resized_bytes);
    return (uint64_t)(growth < 0 ? -growth : growth);
}

static crowd *crowd_at(crowds *c, const char *place, bool is_of_kin)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->list[i].is_of_kin == is_of_kin && strcmp(c->list[i].place, place) == 0) return &c->list[i];
    crowd *at = &c->list[c->count++];
    snprintf(at->place, ORACLE_PATH, "%s", place);
    at->is_of_kin = is_of_kin;
    return at;
}

static crowd *put(crowds *c, const char *place, bool is_of_kin, uint64_t change)
{
    crowd *at = crowd_at(c, place, is_of_kin);
    at->count++;
    at->sum += change;
    if (change > at->largest) at->largest = change;
    return at;
}

static bool is_same_kin(const kin *a, const kin *b)
{
    return strcmp(a->place, b->place) == 0 && strcmp(a->step, b->step) == 0;
}

static void put_kin(crowds *c, const side *s, int node, bool is_told, uint64_t change)
{
    static kin here, there;
    find_kin(s->view, node, &here);
    if (is_told) find_kin(s->other, oracle_partner(s, node), &there);
    if ((is_told && is_same_kin(&here, &there)) || !are_kin(&c->steps, &here)) return;
    if (!here.is_apart) {
        put(c, here.place, true, change);
        return;
    }
    crowd *at = crowd_at(c, here.place, true);
    at->apart_count++;
    at->apart_sum += change;
    if (change > at->apart_largest) at->apart_largest = change;
}

/* Its last step tells a reference without a name from none. */
static void find_place(const oracle_view *v, int node, char place[ORACLE_PATH])
{
    oracle_find_place(v, node, place);
    char *step = strrchr(place, '-');
    if (strcmp(v->nodes[node].edge, "-") == 0 && !v->nodes[node].is_apart && step != NULL) *step = '?';
}

/* A holder counts where it stands on the sides of which it has something, at one place once. */
static void count_holder(crowds *c, oracle_diff *diff, const side *s, int node)
{
    char place[ORACLE_PATH], other[ORACLE_PATH];
    const oracle_holder *holder = oracle_holder_at(diff, s, node);
    const bool is_told = s->is_after && holder->is_listed[0];
    const uint64_t change = change_of(holder);
    if (!holder->is_listed[s->is_after] || change == 0) return;
    find_place(s->view, node, place);
    if (is_told) find_place(s->other, oracle_partner(s, node), other);
    if (!is_told || strcmp(place, other) != 0) {
        static kin at;
        crowd *of = put(c, place, false, change);
        find_kin(s->view, node, &at);
        if (change == of->largest) of->is_of_node = at.is_apart && is_structure(&c->steps, at.type);
        c->all += change;
    }
    put_kin(c, s, node, is_told, change);
}

/* Reached by several ways. */
static bool is_apart(const char *place)
{
    const size_t length = strlen(place);
    return length >= 5 && memcmp(place + length - 5, " - T", 4) == 0;
}

static bool has_no_most(const crowds *c, const crowd *at)
{
    if (at->sum < c->all / 16384) return false;
    if (at->is_of_kin) return at->count >= 2 && (at->sum < c->all / 20 || at->largest < at->sum / 2);
    return at->count >= (is_apart(at->place) && !at->is_of_node ? LEAST_APART : 2) && at->largest < at->sum / 5 * 4;
}

/* One from outside is the top of the rest. */
static void add_apart(crowd *at)
{
    if (at->apart_count < 2) return;
    at->count += at->apart_count;
    at->sum += at->apart_sum;
    if (at->apart_largest > at->largest) at->largest = at->apart_largest;
}

static uint64_t heap_bytes(const oracle_view *v)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < v->heap->object_count; i++)
        bytes += oracle_is_shown(v, (int)i) ? v->bytes[i] : 0;
    return bytes;
}

static bool choose_crowds(crowds *c, const side *s)
{
    uint64_t sum = 0, largest = 0;
    bool is_any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        crowd *at = &c->list[i];
        add_apart(at);
        at->is_crowd = has_no_most(c, at);
        is_any = is_any || at->is_crowd;
        if (!at->is_crowd) continue;
        sum += at->sum;
        if (at->sum > largest) largest = at->sum;
    }
    const uint64_t before = heap_bytes(s->other), after = heap_bytes(s->view);
    if (sum < (before > after ? before : after) / 4096) return false;
    return is_any && (sum >= c->all / 20 || largest >= c->all / 100);
}

static void mark_crowds(crowds *c, const side *s)
{
    static kin at;
    for (uint32_t i = 0; i < s->view->heap->object_count; i++) {
        char place[ORACLE_PATH];
        if (!oracle_is_shown(s->view, (int)i) || !oracle_can_hold(s, (int)i)) continue;
        find_place(s->view, (int)i, place);
        find_kin(s->view, (int)i, &at);
        const crowd *of_kin = crowd_at(c, at.place, true);
        const bool is_of_kin =
            are_kin(&c->steps, &at) && of_kin->is_crowd && (!at.is_apart || of_kin->apart_count >= 2);
        s->holds_nothing[i] = crowd_at(c, place, false)->is_crowd || is_of_kin;
    }
}

bool oracle_leave_crowds(oracle_diff *diff, const side *const sides[2])
{
    static crowds c;
    memset(&c, 0, sizeof c);
    for (int k = 0; k < 2; k++)
        count_steps(&c.steps, sides[k]);
    for (uint32_t i = 0; i < diff->holder_count; i++)
        if (diff->holders[i].type[0] == 0) c.all += change_of(&diff->holders[i]); /* roots; objects below */
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < sides[k]->view->heap->object_count; i++) {
            if (oracle_is_shown(sides[k]->view, (int)i) && oracle_can_hold(sides[k], (int)i))
                count_holder(&c, diff, sides[k], (int)i);
        }
    }
    if (!choose_crowds(&c, sides[1])) return false;
    for (int k = 0; k < 2; k++)
        mark_crowds(&c, sides[k]);
    return true;
}
