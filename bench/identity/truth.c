/*
 * Working out true ids: those that are known, nodes by what they hold, names; then breadth first along references,
 * level by level, so that what an object gets does not depend on the order of the capture:
 *
 *      Session 17  --cart-->  ArrayList 17.cart  --elementData-->  Object[10] 17.cart.elementData
 *
 * An id that turns up twice in a capture proves nothing: all of that id become FRESH.
 */
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct finding {
    truth *t;
    const heap *h;
    uint32_t *level, *next; /* ordinals */
    uint32_t level_count, next_count;
    uint64_t *waiting; /* ids of the next level, by ordinal; 0 = not in it */
} finding;

static uint64_t not_null(uint64_t id) { return id == 0 ? 1 : id; }

static void give(finding *f, uint32_t object, uint64_t id, truth_kind kind)
{
    f->t->ids[object] = not_null(id);
    f->t->kinds[object] = (uint8_t)kind;
    f->level[f->level_count++] = object;
}

/* ---- what is known without looking around ---- */

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void give_known(finding *f, const char *path)
{
    uint8_t pair[16];
    FILE *file = fopen(path, "rb");
    if (file == NULL) heap_fail("cannot read the pairs of addresses and ids");
    while (fread(pair, 1, sizeof pair, file) == sizeof pair) {
        const uint32_t object = heap_find(f->h, get_u64(pair));
        const uint64_t id = get_u64(pair + 8);
        if (object == HEAP_NONE) heap_fail("a pair for an object that is not in the capture");
        if (id != 0) give(f, object, heap_mix(id, TRUTH_OWN), TRUTH_OWN);
    }
    fclose(file);
}

/* The only object that refers to this one, HEAP_NONE if there are none or several. */
static uint32_t sole_referrer(const heap *h, uint32_t object)
{
    const uint64_t first = h->first_in[object], end = h->first_in[object + 1];
    if (first == end) return HEAP_NONE;
    for (uint64_t r = first + 1; r < end; r++)
        if (h->in[r].target != h->in[first].target) return HEAP_NONE;
    return h->in[first].target;
}

static void give_nodes(finding *f)
{
    const heap *h = f->h;
    for (uint32_t i = 0; i < h->count; i++) {
        uint64_t least = UINT64_MAX;
        if (f->t->ids[i] != 0 || h->objects[i].is_array || h->objects[i].name != 0) continue;
        for (uint64_t r = h->first[i]; r < h->first[i + 1]; r++) {
            const uint32_t held = h->out[r].target;
            if (f->t->kinds[held] != TRUTH_OWN || sole_referrer(h, held) != i) continue;
            const uint64_t id = heap_mix(heap_mix(f->t->ids[held], h->out[r].slot), h->objects[i].shape);
            least = id < least ? id : least;
        }
        if (least != UINT64_MAX) give(f, i, least, TRUTH_OWNED);
    }
}

static void give_named(finding *f)
{
    const heap *h = f->h;
    for (uint32_t i = 0; i < h->count; i++)
        if (f->t->ids[i] == 0 && h->objects[i].name != 0)
            give(f, i, heap_mix(h->objects[i].name, h->types[h->objects[i].type].hash), TRUTH_PLACED);
    for (uint32_t i = 0; i < h->root_count; i++) {
        const heap_root *root = &h->roots[i];
        if (root->target >= h->count || f->t->ids[root->target] != 0) continue;
        give(f, root->target, heap_mix(root->label, h->objects[root->target].shape), TRUTH_PLACED);
    }
}

/* ---- along references ---- */

/* What an object gets from one referrer, UINT64_MAX if that has no id. What a named root refers to may change its size.
 */
static uint64_t id_from(const finding *f, uint32_t object, const heap_reference *referrer)
{
    const heap_object *o = &f->h->objects[object];
    const uint64_t owner = f->t->ids[referrer->target],
                   shape = referrer->is_named_root ? f->h->types[o->type].hash : o->shape;
    return owner == 0 ? UINT64_MAX : heap_mix(heap_mix(owner, referrer->slot), shape);
}

/* What an object gets from all its referrers: the least. */
static void consider(finding *f, uint32_t object)
{
    const heap *h = f->h;
    uint64_t least = UINT64_MAX;
    if (f->t->ids[object] != 0 || f->waiting[object] != 0) return;
    for (uint64_t r = h->first_in[object]; r < h->first_in[object + 1]; r++) {
        const uint64_t id = id_from(f, object, &h->in[r]);
        least = id < least ? id : least;
    }
    f->waiting[object] = not_null(least);
    f->next[f->next_count++] = object;
}

static void close_level(finding *f)
{
    f->level_count = 0;
    for (uint32_t i = 0; i < f->next_count; i++) {
        const uint32_t object = f->next[i], owner = sole_referrer(f->h, object);
        const bool is_owned = owner != HEAP_NONE && f->t->kinds[owner] >= TRUTH_OWNED;
        give(f, object, f->waiting[object], is_owned ? TRUTH_OWNED : TRUTH_PLACED);
    }
    f->next_count = 0;
}

static void spread(finding *f)
{
    while (f->level_count != 0) {
        for (uint32_t i = 0; i < f->level_count; i++)
            for (uint64_t r = f->h->first[f->level[i]]; r < f->h->first[f->level[i] + 1]; r++)
                consider(f, f->h->out[r].target);
        close_level(f);
    }
}

/* ---- once each ---- */

typedef struct entry {
    uint64_t id;
    uint32_t object;
} entry;

static int by_id(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->object > y->object) - (x->object < y->object);
}

static entry *sorted(const truth *t, uint32_t count)
{
    entry *entries = heap_new(count, sizeof *entries);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (entry){t->ids[i], i};
    qsort(entries, count, sizeof *entries, by_id);
    return entries;
}

static void make_fresh(truth *t, uint32_t object, unsigned side)
{
    t->ids[object] = not_null(heap_mix(heap_mix(side + 1, object), UINT64_C(0xF2E5)));
    t->kinds[object] = TRUTH_FRESH;
}

static void settle(finding *f, unsigned side)
{
    truth *t = f->t;
    const uint32_t count = f->h->count;
    for (uint32_t i = 0; i < count; i++)
        if (t->ids[i] == 0) make_fresh(t, i, side);
    entry *entries = sorted(t, count);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_double =
            (i > 0 && entries[i - 1].id == entries[i].id) || (i + 1 < count && entries[i + 1].id == entries[i].id);
        if (!is_double) continue;
        if (t->kinds[entries[i].object] == TRUTH_OWN) heap_fail("two objects of a capture have the same id");
        make_fresh(t, entries[i].object, side);
    }
    free(entries);
}

static void count_kinds(truth *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        t->counts[t->kinds[i]]++;
}

void truth_find(truth *t, const heap *h, const char *pairs_path, unsigned side)
{
    finding f = {.t = t, .h = h};
    *t = (truth){0};
    t->ids = heap_new(h->count, sizeof *t->ids);
    t->kinds = heap_new(h->count, sizeof *t->kinds);
    t->others = heap_new(h->count, sizeof *t->others);
    f.level = heap_new(h->count, sizeof *f.level);
    f.next = heap_new(h->count, sizeof *f.next);
    f.waiting = heap_new(h->count, sizeof *f.waiting);
    give_known(&f, pairs_path);
    give_nodes(&f);
    give_named(&f);
    spread(&f);
    settle(&f, side);
    free(f.level);
    free(f.next);
    free(f.waiting);
}

/* ---- the two sides together ---- */

typedef struct joining {
    truth *sides[2];
    const heap *heaps[2];
    uint32_t *waiting; /* ordinals of before that got a partner */
    uint32_t count;
} joining;

static void join_pair(joining *j, uint32_t before, uint32_t after)
{
    j->sides[0]->others[before] = after;
    j->sides[1]->others[after] = before;
    j->waiting[j->count++] = before;
}

static void join_ids(joining *j)
{
    const uint32_t counts[2] = {j->heaps[0]->count, j->heaps[1]->count};
    entry *a = sorted(j->sides[0], counts[0]), *b = sorted(j->sides[1], counts[1]);
    for (uint32_t i = 0, k = 0; i < counts[0] && k < counts[1];) {
        if (a[i].id < b[k].id)
            i++;
        else if (b[k].id < a[i].id)
            k++;
        else
            join_pair(j, a[i++].object, b[k++].object);
    }
    free(a);
    free(b);
}

#define LONG_LIST 64u /* of references: looked up at the same place alone */

/* What `after` refers to by this slot, which its partner has at place i; HEAP_NONE = nothing. */
static uint32_t target_at(const heap *h, uint32_t after, uint64_t i, uint64_t slot)
{
    const uint64_t first = h->first[after], count = h->first[after + 1] - first;
    if (i < count && h->out[first + i].slot == slot) return h->out[first + i].target;
    for (uint64_t r = first; count <= LONG_LIST && r < first + count; r++)
        if (h->out[r].slot == slot) return h->out[r].target;
    return HEAP_NONE;
}

static bool is_open(const joining *j, unsigned side, uint32_t object)
{
    return j->sides[side]->others[object] == HEAP_NONE && j->sides[side]->kinds[object] <= TRUTH_PLACED;
}

static void join_targets(joining *j, uint32_t before)
{
    const heap *a = j->heaps[0], *b = j->heaps[1];
    const uint32_t after = j->sides[0]->others[before];
    for (uint64_t r = a->first[before]; r < a->first[before + 1]; r++) {
        const uint32_t from = a->out[r].target, to = target_at(b, after, r - a->first[before], a->out[r].slot);
        if (to == HEAP_NONE || !is_open(j, 0, from) || !is_open(j, 1, to)) continue;
        if (a->objects[from].shape != b->objects[to].shape || a->objects[from].name != b->objects[to].name) continue;
        j->sides[1]->ids[to] = j->sides[0]->ids[from];
        j->sides[0]->kinds[from] = j->sides[1]->kinds[to] = TRUTH_PLACED;
        join_pair(j, from, to);
    }
}

void truth_join(truth *before, truth *after, const heap *heap_before, const heap *heap_after)
{
    joining j = {.sides = {before, after},
                 .heaps = {heap_before, heap_after},
                 .waiting = heap_new(heap_before->count, sizeof *j.waiting)};
    for (uint32_t i = 0; i < heap_before->count; i++)
        before->others[i] = HEAP_NONE;
    for (uint32_t i = 0; i < heap_after->count; i++)
        after->others[i] = HEAP_NONE;
    join_ids(&j);
    for (uint32_t i = 0; i < j.count; i++)
        join_targets(&j, j.waiting[i]);
    free(j.waiting);
    count_kinds(before, heap_before->count);
    count_kinds(after, heap_after->count);
}

void truth_release(truth *t)
{
    free(t->ids);
    free(t->kinds);
    free(t->others);
}
