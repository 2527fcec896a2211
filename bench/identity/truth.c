/*
 * Working out true ids: those that are known, nodes by what they hold, names; then breadth first along references, level by level,
 * so that what an object gets does not depend on the order of the capture:
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
    uint64_t *waiting;      /* ids of the next level, by ordinal; 0 = not in it */
} finding;

static uint64_t not_null(uint64_t id)
{
    return id == 0 ? 1 : id;
}

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
    for (unsigned i = 0; i < 8; i++) value |= (uint64_t)at[i] << 8 * i;
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

/* What an object gets from those of its referrers that have an id: the least, for several. */
static void consider(finding *f, uint32_t object)
{
    const heap *h = f->h;
    uint64_t least = UINT64_MAX;
    if (f->t->ids[object] != 0 || f->waiting[object] != 0) return;
    for (uint64_t r = h->first_in[object]; r < h->first_in[object + 1]; r++) {
        const uint64_t owner = f->t->ids[h->in[r].target];
        const uint64_t id = owner == 0 ? UINT64_MAX : heap_mix(heap_mix(owner, h->in[r].slot), h->objects[object].shape);
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
            for (uint64_t r = f->h->first[f->level[i]]; r < f->h->first[f->level[i] + 1]; r++) consider(f, f->h->out[r].target);
        close_level(f);
    }
}

/* ---- once each ---- */

typedef struct entry { uint64_t id; uint32_t object; } entry;

static int by_id(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->object > y->object) - (x->object < y->object);
}

static entry *sorted(const truth *t, uint32_t count)
{
    entry *entries = heap_new(count, sizeof *entries);
    for (uint32_t i = 0; i < count; i++) entries[i] = (entry){t->ids[i], i};
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
        const bool is_double = (i > 0 && entries[i - 1].id == entries[i].id) || (i + 1 < count && entries[i + 1].id == entries[i].id);
        if (!is_double) continue;
        if (t->kinds[entries[i].object] == TRUTH_OWN) heap_fail("two objects of a capture have the same id");
        make_fresh(t, entries[i].object, side);
    }
    free(entries);
    for (uint32_t i = 0; i < count; i++) t->counts[t->kinds[i]]++;
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

void truth_join(truth *before, truth *after, const heap *heap_before, const heap *heap_after)
{
    const uint32_t counts[2] = {heap_before->count, heap_after->count};
    entry *a = sorted(before, counts[0]), *b = sorted(after, counts[1]);
    for (uint32_t i = 0; i < counts[0]; i++) before->others[i] = HEAP_NONE;
    for (uint32_t i = 0; i < counts[1]; i++) after->others[i] = HEAP_NONE;
    for (uint32_t i = 0, k = 0; i < counts[0] && k < counts[1];) {
        if (a[i].id < b[k].id) {
            i++;
        } else if (b[k].id < a[i].id) {
            k++;
        } else {
            before->others[a[i].object] = b[k].object;
            after->others[b[k++].object] = a[i++].object;
        }
    }
    free(a);
    free(b);
}

void truth_release(truth *t)
{
    free(t->ids);
    free(t->kinds);
    free(t->others);
}
