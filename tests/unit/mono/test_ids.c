/*
 * Ids of objects that a collector moves, against a list that remembers everything: an id is an object's for life, and
 * no other's.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"
#include "nursery.h"

enum { PLACES = 4096, ROUNDS = 60, MOVED_BYTES = 1 << 20 };

/* A heap of places; what lies in each, by a number that no other object has. 0 = nothing. */
typedef struct world {
    uint64_t object[PLACES];
    uint64_t id_of[1 << 20]; /* by object; 0 = no capture has seen it */
    uint64_t count, state;
} world;

static world *make_world(uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    cr_assert(w != NULL);
    w->state = seed * 2 + 1;
    return w;
}

static uint64_t draw(world *w, uint64_t below)
{
    w->state ^= w->state << 13, w->state ^= w->state >> 7, w->state ^= w->state << 17;
    return w->state % below;
}

/* Places lie in three chunks, as near as objects can: 16 bytes apart in one, 24 in the others. */
static uintptr_t place_of(size_t i)
{
    return 0x7f1000000000 + (i % 3) * (64u << 20) + i / 3 * (i % 3 == 0 ? 16u : 24u);
}

/* Objects are promoted from a nursery to free places, die, and are evacuated to others. */
static void live(world *w, mono_ids *ids, size_t steps)
{
    for (size_t i = 0; i < steps; i++) {
        const size_t to = draw(w, PLACES), from = draw(w, PLACES);
        if (w->object[to] != 0) {
            w->object[to] = 0;
        } else if (draw(w, 2) == 0 && w->object[from] != 0) {
            ids_move(ids, place_of(from), place_of(to));
            w->object[to] = w->object[from];
            w->object[from] = 0;
        } else if (w->count + 1 < 1 << 20) {
            ids_move(ids, 0x7f2000000000 + draw(w, 1 << 18) * 16, place_of(to));
            w->object[to] = ++w->count;
        }
    }
}

static void capture(world *w, mono_ids *ids, unsigned round)
{
    ids_begin(ids, false, MOVED_BYTES);
    live(w, ids, 50); /* the collection of the capture itself moves too */
    for (size_t i = 0; i < PLACES; i++) {
        const uint64_t object = w->object[i];
        if (object == 0) continue;
        const uint64_t id = ids_of(ids, place_of(i));
        cr_assert(id != 0 && id == ids_of(ids, place_of(i)), "asked twice");
        if (w->id_of[object] != 0)
            cr_assert(id == w->id_of[object], "object %llu in round %u", (unsigned long long)object, round);
        w->id_of[object] = id;
    }
    cr_assert_eq(ids->lost, 0);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void expect_different(world *w)
{
    size_t count = 0;
    for (uint64_t object = 1; object <= w->count; object++)
        if (w->id_of[object] != 0) w->id_of[count++] = w->id_of[object];
    qsort(w->id_of, count, sizeof *w->id_of, by_number);
    for (size_t i = 1; i < count; i++)
        cr_assert(w->id_of[i] != w->id_of[i - 1], "two objects had the id %llx", (unsigned long long)w->id_of[i]);
    cr_assert(count > 1000);
}

Test(ids, are_an_objects_for_life_and_no_others)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        world *w = make_world(seed);
        mono_ids ids = {0};
        cr_assert(ids_ready(&ids));
        live(w, &ids, 5000); /* before the first capture nothing is known */
        for (unsigned round = 0; round < ROUNDS; round++) {
            capture(w, &ids, round);
            live(w, &ids, draw(w, 4000));
        }
        expect_different(w);
        ids_release(&ids);
        free(w);
    }
}

Test(ids, begin_another_era_when_all_epochs_are_used)
{
    mono_ids ids = {0};
    cr_assert(ids_ready(&ids));
    uint64_t first = 0;
    for (unsigned i = 0; i < IDS_EPOCHS; i++) {
        cr_assert_eq(ids_next_era(&ids, false), 0);
        ids_begin(&ids, false, MOVED_BYTES);
        const uint64_t id = ids_of(&ids, 0x7f1000000010);
        if (i == 0) first = id;
        cr_assert_eq(id, first);
        ids_of(&ids, 0x7f1000000020 + i * 16);
    }
    cr_assert_eq(ids_next_era(&ids, false), 1);
    ids_begin(&ids, false, MOVED_BYTES);
    cr_assert(ids.era == 1 && ids.epoch == 1);
    ids_release(&ids);
}

/* Not one object is given another's id when the table of moved ones is full: those that do not fit are new, and
 * counted. */
Test(ids, that_do_not_fit_are_lost_and_not_mixed_up)
{
    mono_ids ids = {0};
    cr_assert(ids_ready(&ids));
    ids_begin(&ids, false, 4096 * sizeof(moved_entry));
    enum { MANY = 20000 };
    uint64_t *before = calloc(MANY, sizeof *before);
    cr_assert(before != NULL);
    for (size_t i = 0; i < MANY; i++)
        before[i] = ids_of(&ids, 0x7f1000000000 + i * 16);
    for (size_t i = 0; i < MANY; i++)
        ids_move(&ids, 0x7f1000000000 + i * 16, 0x7f3000000000 + i * 16);
    const uint64_t lost = ids.lost;
    cr_assert(lost > 0 && lost < MANY);
    ids_begin(&ids, false, 4096 * sizeof(moved_entry));
    size_t kept = 0;
    for (size_t i = 0; i < MANY; i++) {
        const uint64_t id = ids_of(&ids, 0x7f3000000000 + i * 16);
        kept += id == before[i];
        cr_assert(id == before[i] || id >> 48 == 2);
    }
    cr_assert_eq(kept, MANY - lost);
    free(before);
    ids_release(&ids);
}

Test(nursery, keeps_what_is_a_root_and_forgets_the_rest)
{
    mono_ids ids = {0};
    nursery_watch watch = {0};
    cr_assert(ids_ready(&ids) && nursery_ready(&watch));
    ids_begin(&ids, false, MOVED_BYTES);
    nursery_begin(&watch);
    uint64_t id[100];
    for (size_t i = 0; i < 100; i++) {
        id[i] = ids_of(&ids, 0x7f1000000000 + i * 32);
        cr_assert(nursery_add(&watch, 0x7f1000000000 + i * 32));
    }
    for (size_t i = 0; i < 100; i += 2)
        nursery_root(&watch, 0x7f1000000000 + i * 32);
    nursery_root(&watch, 0x7f1000000008);
    ids_move(&ids, 0x7f1000000000 + 32, 0x7f5000000000);
    nursery_settle(&watch, &ids);
    cr_assert_eq(watch.count, 50);
    ids_begin(&ids, false, MOVED_BYTES);
    for (size_t i = 0; i < 100; i++)
        cr_expect((ids_of(&ids, 0x7f1000000000 + i * 32) == id[i]) == (i % 2 == 0), "%zu", i);
    cr_expect_eq(ids_of(&ids, 0x7f5000000000), id[1]);
    ids_release(&ids);
}
