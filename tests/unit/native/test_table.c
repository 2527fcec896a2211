/* The hash of the live table against a plain array, under several threads, and around the edges of its chains. The map:
 * test_map.c. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "native/table.h"

enum { BLOCKS = 4096, THREADS = 4, ROUNDS = 200000 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Of a size that is not for the map. */
static hsn_block make(uintptr_t address, uint64_t number)
{
    return (hsn_block){
        .address = address, .size = HSN_MAP_LARGE + number % 999, .sequence = number, .stack = (uint32_t)(number % 77)};
}

static bool is_same(const hsn_block *a, const hsn_block *b)
{
    return a->address == b->address && a->size == b->size && a->sequence == b->sequence && a->stack == b->stack;
}

/* Everything that is in the table, looked at in all three ways. */
static void check_all(const hsn_block *expected, size_t count)
{
    uint64_t cursor = 0, seen = 0, there = 0;
    hsn_block block;
    for (size_t i = 0; i < count; i++) {
        const bool is_there = hsn_table_find(expected[i].address, &block);
        cr_assert_eq(is_there, expected[i].sequence != 0, "block %zu", i);
        if (is_there) cr_assert(is_same(&block, &expected[i]));
        if (is_there && !hsn_map_find(expected[i].address, &block)) cr_assert(hsn_table_may_have(expected[i].address));
        there += is_there;
    }
    while (hsn_table_next(&cursor, &block))
        seen++;
    cr_assert_eq(seen, there);
    cr_assert_eq(hsn_table_count(), there);
    cr_assert_eq(hsn_table_lost(), 0);
}

/* Addresses of which many share a bucket: neighbours of 16 bytes, and the same place in windows of 64 MiB. */
static uintptr_t address_of(uint64_t random)
{
    return UINT64_C(0x7f0000000000) + random % 64 * 16 + random / 64 % 64 * ((uint64_t)1 << 26);
}

Test(table, holds_what_an_array_holds)
{
    static hsn_block expected[64 * 64];
    uint64_t state = 5;
    cr_assert(hsn_table_open(false));
    for (size_t i = 0; i < 64 * 64; i++)
        expected[i].address = address_of(i);
    for (uint64_t number = 1; number <= ROUNDS; number++) {
        hsn_block *e = &expected[draw(&state) % (64 * 64)], was;
        if (e->sequence != 0) {
            cr_assert(hsn_table_remove(e->address, &was));
            cr_assert(is_same(&was, e));
            e->sequence = 0;
        } else {
            cr_assert_not(hsn_table_remove(e->address, &was));
            *e = make(e->address, number);
            hsn_table_add(e);
        }
        if (number % 20000 == 0) check_all(expected, 64 * 64);
    }
}

Test(table, replaces_what_was_freed_unseen)
{
    hsn_block old = make(0x5000, 1), fresh = make(0x5000, 2), found;
    cr_assert(hsn_table_open(false));
    hsn_table_add(&old);
    hsn_table_add(&fresh);
    cr_assert(hsn_table_find(0x5000, &found));
    cr_assert(is_same(&found, &fresh));
    cr_assert_eq(hsn_table_count(), 1);
    cr_assert(hsn_table_remove(0x5000, &found));
    cr_assert_not(hsn_table_find(0x5000, &found));
}

typedef struct worker {
    unsigned number;
    hsn_block mine[BLOCKS];
} worker;

/* Its own addresses, in buckets and shards that it shares with the others. */
static void *work(void *context)
{
    worker *me = context;
    uint64_t state = me->number + 1;
    for (size_t i = 0; i < BLOCKS; i++)
        me->mine[i].address = 0x10000000 + (i * THREADS + me->number) * 16;
    for (uint64_t number = 1; number <= ROUNDS; number++) {
        hsn_block *b = &me->mine[draw(&state) % BLOCKS], was;
        if (b->sequence != 0) {
            if (!hsn_table_remove(b->address, &was) || !is_same(&was, b)) return me;
            b->sequence = 0;
        } else {
            *b = make(b->address, number * THREADS + me->number);
            hsn_table_add(b);
        }
    }
    return NULL;
}

Test(table, keeps_the_blocks_of_threads_apart)
{
    static worker workers[THREADS];
    static hsn_block all[THREADS * BLOCKS];
    pthread_t threads[THREADS];
    cr_assert(hsn_table_open(false));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
        for (size_t b = 0; b < BLOCKS; b++)
            all[i * BLOCKS + b] = workers[i].mine[b];
    }
    check_all(all, THREADS * BLOCKS);
}

Test(table, lets_the_holder_in_and_is_free_behind_it)
{
    hsn_block b = make(0x7000, 3), found;
    cr_assert(hsn_table_open(false));
    hsn_table_hold(NULL);
    hsn_table_add(&b);
    cr_assert(hsn_table_find(0x7000, &found));
    cr_assert_eq(hsn_table_adopt(), 0, "one thread held all, which is not being inside");
    cr_assert(hsn_table_remove(0x7000, &found));
    cr_assert_eq(hsn_table_count(), 0);
}
