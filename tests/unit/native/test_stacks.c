/* Stacks: each kept once, by many threads at a time, and what an id leads to never changes. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "native/stacks.h"

enum { KINDS = 3000, THREADS = 4, ROUNDS = 100000 };

/* The same frames for a number, always: 1 to 64 of them, sharing long beginnings. */
static size_t make(uint64_t number, uintptr_t frames[HSN_STACK_FRAMES])
{
    const size_t count = 1 + number % HSN_STACK_FRAMES;
    for (size_t i = 0; i < count; i++)
        frames[i] = UINT64_C(0x555555550000) + i * 64;
    frames[count - 1] += number;
    return count;
}

static void check_frames(uint32_t stack, uint64_t number)
{
    uintptr_t expected[HSN_STACK_FRAMES];
    size_t count;
    const uintptr_t *frames = hsn_stacks_frames(stack, &count);
    cr_assert_eq(count, make(number, expected), "stack %u", stack);
    cr_assert_eq(memcmp(frames, expected, count * sizeof *frames), 0);
}

static uint32_t intern(uint64_t number)
{
    uintptr_t frames[HSN_STACK_FRAMES];
    const size_t count = make(number, frames);
    return hsn_stacks_intern(frames, count);
}

Test(stacks, keeps_each_once)
{
    static uint32_t ids[KINDS];
    cr_assert(hsn_stacks_open());
    for (uint64_t i = 0; i < KINDS; i++) {
        ids[i] = intern(i);
        cr_assert_eq(ids[i], i + 1, "ids are given out in order");
    }
    for (uint64_t i = 0; i < KINDS; i++) {
        cr_assert_eq(intern(i), ids[i]);
        check_frames(ids[i], i);
    }
    cr_assert_eq(hsn_stacks_last(), KINDS);
    cr_assert_eq(hsn_stacks_lost(), 0);
}

Test(stacks, knows_no_frames_of_none)
{
    size_t count = 7;
    cr_assert(hsn_stacks_open());
    cr_assert_eq(hsn_stacks_intern(NULL, 0), 0);
    cr_assert_null(hsn_stacks_frames(0, &count));
    cr_assert_eq(count, 0);
    cr_assert_null(hsn_stacks_frames(1, &count));
}

static uint32_t found[THREADS][KINDS];

static void *work(void *context)
{
    uint32_t *ids = context;
    uint64_t state = (uint64_t)(ids - found[0]) + 1;
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t number = (state >> 33) % KINDS;
        const uint32_t id = intern(number);
        if (id == 0 || (ids[number] != 0 && ids[number] != id)) return context;
        ids[number] = id;
    }
    return NULL;
}

Test(stacks, gives_all_threads_the_same)
{
    pthread_t threads[THREADS];
    cr_assert(hsn_stacks_open());
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, work, found[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
    }
    cr_assert_leq(hsn_stacks_last(), KINDS);
    for (uint64_t number = 0; number < KINDS; number++)
        for (int i = 0; i < THREADS; i++) {
            if (found[i][number] == 0) continue;
            check_frames(found[i][number], number);
            cr_assert_eq(found[i][number], intern(number));
        }
}

Test(stacks, outlives_the_holder_of_its_lock)
{
    cr_assert(hsn_stacks_open());
    hsn_stacks_hold();
    const uint32_t id = intern(5);
    hsn_stacks_adopt();
    cr_assert_eq(intern(5), id);
    cr_assert_neq(intern(6), id);
}
