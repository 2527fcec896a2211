/*
 * The map of small blocks against a plain array: by both ways of recording, of several threads that take and give back
 * each other's nodes, and with forks in between; with addresses as allocators give them out, and such as the map has to
 * leave to the hash.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/map.h"
#include "native/table.h"

#ifdef __SANITIZE_THREAD__
enum { FORKS = 4 }; /* each copies the sanitizer's memory, too */
#else
enum { FORKS = 40 };
#endif
enum { PLACES = 8192, THREADS = 4, ROUNDS = 300000, LARGE = 5000 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool is_same(const hsn_block *a, const hsn_block *b)
{
    return a->address == b->address && a->size == b->size && a->sequence == b->sequence && a->stack == b->stack;
}

/* ---- as the hooks do ---- */

static void add(hsn_magazine *m, const hsn_block *b)
{
    bool is_done = false;
    if (m != NULL && hsn_map_begin(m)) {
        is_done = hsn_map_put(m, b);
        hsn_map_end(m);
    }
    if (is_done) return;
    hsn_table_add(b);
    if (m != NULL) hsn_map_tend(m);
}

/* False: there was none. */
static bool take(hsn_magazine *m, uintptr_t address, hsn_block *was, bool *was_quick)
{
    *was_quick = false;
    if (m != NULL && hsn_map_begin(m)) {
        *was_quick = hsn_map_take(m, address);
        hsn_map_end(m);
    }
    if (*was_quick) return true;
    const bool was_there = hsn_table_remove(address, was);
    if (m != NULL) hsn_map_tend(m);
    return was_there;
}

/* ---- the oracle ---- */

/* Chunks of glibc: 32 bytes and more from one to the next, a quarter of them with large blocks, in three heaps far
 * apart. */
static uintptr_t place(size_t i)
{
    static const uintptr_t heaps[] = {UINT64_C(0x555555560000), UINT64_C(0x7f0004000000), UINT64_C(0x7ffff0000000)};
    return heaps[i % 3] + i / 3 * (LARGE + 56) / 16 * 16 + 16;
}

static hsn_block make(uintptr_t address, uint64_t number, uint64_t random)
{
    const uint64_t size = random % 4 == 0 ? random % LARGE : random % 300;
    return (hsn_block){.address = address, .size = size, .sequence = number, .stack = (uint32_t)(number % 77)};
}

static void check_all(const hsn_block *expected, size_t count)
{
    static hsn_block found[THREADS * PLACES];
    uint64_t cursor = 0, seen = 0, there = 0;
    hsn_block block;
    for (size_t i = 0; i < count; i++) {
        const bool is_there = hsn_table_find(expected[i].address, &block);
        cr_assert_eq(is_there, expected[i].sequence != 0, "block %zu", i);
        if (is_there) cr_assert(is_same(&block, &expected[i]), "block %zu", i);
        if (is_there) found[there++] = block;
    }
    uint64_t sum = 0, expected_sum = 0;
    while (hsn_table_next(&cursor, &block)) {
        seen++;
        sum += block.address * 3 + block.sequence * 5 + block.size * 7 + block.stack;
    }
    for (size_t i = 0; i < there; i++)
        expected_sum += found[i].address * 3 + found[i].sequence * 5 + found[i].size * 7 + found[i].stack;
    cr_assert_eq(seen, there);
    cr_assert_eq(sum, expected_sum);
    cr_assert_eq(hsn_table_count(), there);
    cr_assert_eq(hsn_table_lost(), 0);
}

Test(map, holds_what_an_array_holds)
{
    static hsn_block expected[PLACES];
    uint64_t state = 11, quick = 0;
    cr_assert(hsn_table_open(false));
    cr_assert(hsn_table_is_unused());
    hsn_map_trust_chunks();
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    cr_assert_not_null(m);
    for (size_t i = 0; i < PLACES; i++)
        expected[i].address = place(i);
    for (uint64_t number = 1; number <= ROUNDS; number++) {
        hsn_block *e = &expected[draw(&state) % PLACES], was;
        hsn_magazine *by = draw(&state) % 8 == 0 ? NULL : m; /* now and then the slow way */
        bool was_quick;
        const bool was_there = take(by, e->address, &was, &was_quick);
        cr_assert_eq(was_there, e->sequence != 0);
        quick += was_quick;
        if (was_there && !was_quick) cr_assert(is_same(&was, e));
        if (was_there) {
            e->sequence = 0;
        } else {
            *e = make(e->address, number, draw(&state));
            add(by, e);
        }
        if (number % 30000 == 0) check_all(expected, PLACES);
    }
    cr_assert_not(hsn_table_is_unused());
    cr_assert_gt(quick, ROUNDS / 4, "only %llu went the quick way", (unsigned long long)quick);
    cr_assert_eq(atomic_load(&hsn_map_heed), 0, "nothing was freed unseen");
}

/* Of other allocators: blocks of 8 bytes side by side, of 16, of 24 at a multiple of 8, and what no program has. */
Test(map, leaves_what_shares_a_window_to_the_hash)
{
    static const struct {
        uintptr_t address;
        size_t size;
        bool is_mapped;
    } blocks[] = {{0x10000, 8, false},
                  {0x10008, 8, false},
                  {0x10010, 16, false},
                  {0x10020, 24, true},
                  {0x10038, 24, false},
                  {0x10050, 17, true},
                  {0x10070, 0, false},
                  {UINT64_C(1) << 47, 32, false},
                  {UINT64_C(0xff00000000010100), 32, false}};
    hsn_block found, was;
    bool was_quick;
    cr_assert(hsn_table_open(false));
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        add(m, &(hsn_block){.address = blocks[i].address, .size = blocks[i].size, .sequence = i + 1});
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        cr_assert(hsn_table_find(blocks[i].address, &found));
        cr_assert_eq(found.sequence, i + 1);
        cr_assert_eq(hsn_map_find(blocks[i].address, &found), blocks[i].is_mapped, "block %zu", i);
    }
    cr_assert_eq(hsn_table_count(), sizeof blocks / sizeof *blocks);
    cr_assert_not(take(m, 0x10060, &was, &was_quick), "inside a block, but no beginning");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        cr_assert(take(m, blocks[i].address, &was, &was_quick));
    cr_assert_eq(hsn_table_count(), 0);
    cr_assert_not(take(m, 0, &was, &was_quick));
}

/* A small block where a large one was freed unseen, a large one where a small one was, and a small one beside it in its
 * window. */
Test(map, replaces_what_was_freed_unseen)
{
    const uintptr_t at = 0x20000;
    const hsn_block row[] = {{at, 100, 1, 1}, {at, LARGE, 2, 2}, {at, 200, 3, 3}, {at, 300, 4, 4}, {at + 16, 50, 5, 5}};
    hsn_block found;
    cr_assert(hsn_table_open(false));
    hsn_map_trust_chunks();
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        add(m, &row[i]);
        cr_assert(hsn_table_find(row[i].address, &found));
        cr_assert(is_same(&found, &row[i]));
        cr_assert_eq(hsn_table_count(), 1, "block %zu", i);
        cr_assert_eq((atomic_load(&hsn_map_heed) & HSN_HEED_DOUBT) != 0, i > 0);
    }
}

/* ---- threads: each frees what another has allocated ---- */

typedef struct worker {
    unsigned number;
    hsn_block *mine;
    /* addresses that the one before has allocated for this one to free; 0 = empty */
    _Atomic(uintptr_t) handed[64];
    uint64_t handed_numbers[64];
} worker;

static worker workers[THREADS];
static hsn_block all[THREADS * PLACES];
static atomic_bool must_end;

static void free_handed(worker *me, hsn_magazine *m)
{
    hsn_block was;
    bool was_quick;
    for (size_t i = 0; i < 64; i++) {
        const uintptr_t address = atomic_load(&me->handed[i]);
        if (address == 0) continue;
        if (!take(m, address, &was, &was_quick)) abort();
        atomic_store(&me->handed[i], 0);
    }
}

/* Blocks at its own addresses, beyond those that it keeps. */
static void hand_on(worker *me, worker *next, hsn_magazine *m, uint64_t number)
{
    const size_t i = number % 64;
    if (atomic_load(&next->handed[i]) != 0) return;
    const hsn_block b = {
        .address = UINT64_C(0x600000000000) + (me->number * 64 + i) * 64, .size = 40, .sequence = number, .stack = 1};
    add(m, &b);
    atomic_store(&next->handed[i], b.address);
}

static void *work(void *context)
{
    worker *me = context;
    worker *next = &workers[(me->number + 1) % THREADS];
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    uint64_t state = me->number + 1;
    for (uint64_t number = 1; number <= ROUNDS || !must_end; number++) {
        hsn_block *b = &me->mine[draw(&state) % PLACES], was;
        bool was_quick;
        const bool was_there = take(m, b->address, &was, &was_quick);
        if (was_there != (b->sequence != 0) || (was_there && !was_quick && !is_same(&was, b))) return me;
        if (was_there) {
            b->sequence = 0;
        } else {
            *b = make(b->address, number * THREADS + me->number, draw(&state));
            add(m, b);
        }
        hand_on(me, next, m, number);
        if (number % 64 == 0) free_handed(me, m);
    }
    return NULL;
}

/* All that the table has, once each, at places of their own. */
static void check_copy(void)
{
    hsn_block block;
    uint64_t cursor = 0, count = 0;
    while (hsn_table_next(&cursor, &block)) {
        hsn_block found;
        count++;
        if (!hsn_table_find(block.address, &found) || !is_same(&block, &found) || block.size >= LARGE ||
            block.sequence == 0)
            _exit(1);
    }
    if (hsn_table_count() != count) _exit(2);
    /* what the parent's threads had in hand is in nobody's here: new nodes are not theirs */
    for (uint64_t i = 0; i < 200; i++)
        hsn_table_add(&(hsn_block){.address = UINT64_C(0x500000000000) + i * 32, .size = 10, .sequence = i + 1});
    if (hsn_table_count() != count + 200) _exit(3);
    _exit(0);
}

static void fork_once(void)
{
    int status = 0;
    hsn_table_hold(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (hsn_table_adopt() != 0) _exit(4);
        hsn_map_adopt_magazine(NULL);
        check_copy();
    }
    hsn_table_let_go();
    cr_assert_gt(child, 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the copy is not whole: %x", status);
}

static void run_threads(unsigned forks)
{
    pthread_t threads[THREADS];
    cr_assert(hsn_table_open(false));
    hsn_map_trust_chunks();
    for (size_t i = 0; i < THREADS * PLACES; i++)
        all[i].address = place(i);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].mine = all + (size_t)i * PLACES;
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < forks; i++)
        fork_once();
    must_end = true;
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
    }
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    for (unsigned i = 0; i < THREADS; i++)
        free_handed(&workers[i], m);
    check_all(all, THREADS * PLACES);
}

Test(map, keeps_the_blocks_of_threads_apart) { run_threads(0); }
Test(map, is_whole_in_a_fork, .timeout = 120) { run_threads(FORKS); }

/* The thread that forks in the middle of a change, as from a handler: its own magazine does not hold it up, and is
 * nobody's in the child. */
Test(map, does_not_wait_for_itself)
{
    cr_assert(hsn_table_open(false));
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    cr_assert(hsn_map_begin(m));
    cr_assert_not(hsn_map_begin(m), "a handler that comes in between");
    hsn_table_hold(m);
    cr_assert_eq(hsn_table_adopt(), 1);
    cr_assert_null(hsn_map_adopt_magazine(m));
    hsn_map_end(m);
    m = hsn_map_magazine(hsn_map_new_magazine());
    hsn_map_tend(m);
    cr_assert_gt(m->count, 0);
    cr_assert_eq(hsn_map_adopt_magazine(m)->count, m->count);
}

/* In the sampled mode the hash has all, and says by its marks what it has. */
Test(map, is_not_there_for_samples)
{
    hsn_block found;
    cr_assert(hsn_table_open(true));
    hsn_map_trust_chunks();
    cr_assert_null(hsn_map_magazine(hsn_map_new_magazine()));
    cr_assert_not(hsn_table_may_have(0x40000));
    hsn_table_add(&(hsn_block){.address = 0x40000, .size = 64, .sequence = 1});
    cr_assert(hsn_table_may_have(0x40000));
    cr_assert_not(hsn_map_find(0x40000, &found));
    cr_assert(hsn_table_remove(0x40000, &found));
    cr_assert_not(hsn_table_may_have(0x40000));
    for (unsigned i = 0; i < 300; i++)
        hsn_table_add(&(hsn_block){
            .address = 0x40000 + (uintptr_t)i * (HSN_TABLE_MARKS << 4), .size = 64, .sequence = i + 1});
    for (unsigned i = 0; i < 300; i++)
        cr_assert(hsn_table_remove(0x40000 + (uintptr_t)i * (HSN_TABLE_MARKS << 4), &found));
    cr_assert(hsn_table_may_have(0x40000), "more than it counts");
    hsn_table_suspect(0x50000);
    cr_assert(hsn_table_may_have(0x50000));
    cr_assert_eq(hsn_table_count(), 0);
}

/* One small block in 8 KiB: after 16 MiB of windows the map takes no more of such a heap, but goes on with what it has.
 */
Test(map, takes_no_heap_of_large_blocks)
{
    enum { APART = 8 << 10, SPAN = 512 << 20 };
    hsn_block found;
    cr_assert(hsn_table_open(false));
    hsn_map_trust_chunks();
    for (uintptr_t at = 0; at < SPAN; at += APART)
        hsn_table_add(&(hsn_block){.address = UINT64_C(0x7e0000000000) + at, .size = 100, .sequence = at / APART + 1});
    cr_assert_eq(hsn_table_count(), SPAN / APART);
    cr_assert_lt(hsn_map_count(), SPAN / APART / 2);
    cr_assert(hsn_map_find(UINT64_C(0x7e0000000000), &found));
    cr_assert_not(hsn_map_find(UINT64_C(0x7e0000000000) + SPAN - APART, &found));
    cr_assert(hsn_table_find(UINT64_C(0x7e0000000000) + SPAN - APART, &found));
}

/* The address space is limited: the map has no room, the hash takes all. */
Test(map, lets_the_hash_have_what_it_cannot_hold)
{
    hsn_block was;
    bool was_quick;
    cr_assert(hsn_table_open(false));
    hsn_table_end();
    hsn_magazine *m = hsn_map_magazine(hsn_map_new_magazine());
    const hsn_block b = {.address = 0x30000, .size = 64, .sequence = 1};
    add(m, &b);
    cr_assert(hsn_table_find(b.address, &was));
    cr_assert(take(m, b.address, &was, &was_quick));
    cr_assert_not(was_quick, "the quick way is closed");
}
