/* Stacks known again by their trail, against a walk each time: of stacks that are the same, and of ones that differ in
 * a word or more. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "native/stacks.h"
#include "native/trails.h"

enum { WORDS = 512, FRAMES = 32, STACKS = 400, CHANGES = 200 };

static uintptr_t memory[1 + WORDS], *const stack = memory + 1; /* below it a hook's return address */
static hsn_trails trails;
static uint64_t state = 7;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

/* Of a stack: an address in it, one of code, or anything. */
static uintptr_t any_word(void)
{
    const uint64_t kind = draw() % 4;
    if (kind == 0) return draw();
    return kind == 1 ? (uintptr_t)&any_word + draw() % 200 : (uintptr_t)(stack + draw() % WORDS);
}

/* Frames one above the other, as a compiler makes them, with other words between. */
static hsn_place make_stack(void)
{
    size_t at = 4 + draw() % 8;
    const hsn_place place = {.pc = (uintptr_t)&any_word + 1,
                             .sp = (uintptr_t)stack,
                             .bp = (uintptr_t)(stack + at),
                             .high = (uintptr_t)(stack + WORDS)};
    for (size_t i = 0; i < WORDS; i++)
        stack[i] = any_word();
    while (at + 20 < WORDS) {
        const size_t next = at + 2 + draw() % 16;
        stack[at] = (uintptr_t)(stack + next);
        stack[at + 1] = UINT64_C(0x1000) + draw() % 64; /* code that has no rules: by the pointer, either way */
        at = next;
    }
    return place;
}

static uint32_t by_walk(hsn_unwind_way way, const hsn_place *place)
{
    uintptr_t frames[FRAMES];
    return hsn_stacks_intern(frames, hsn_unwind(way, *place, frames, NULL, FRAMES));
}

static void check_same(hsn_unwind_way way, const hsn_place *place)
{
    const uint32_t expected = by_walk(way, place);
    stack[-1] = place->pc;
    const uint32_t known = hsn_trails_know(&trails, place->sp, place->bp, place->high);
    cr_assert(known == 0 || known == expected, "before it was walked");
    cr_assert_eq(hsn_trails_stack(&trails, way, FRAMES, place), expected);
    cr_assert_eq(hsn_trails_stack(&trails, way, FRAMES, place), expected, "by its trail");
    cr_assert_eq(hsn_trails_know(&trails, place->sp, place->bp, place->high), expected, "by its trail, all at once");
    cr_assert_eq(hsn_trails_stack(NULL, way, FRAMES, place), expected, "without trails");
}

static void change_words(hsn_unwind_way way, const hsn_place *place)
{
    for (int i = 0; i < CHANGES; i++) {
        uintptr_t *word = &stack[draw() % WORDS];
        const uintptr_t before = *word;
        *word = any_word();
        check_same(way, place);
        if (draw() % 2 == 0) *word = before;
        check_same(way, place);
    }
}

static void change_stacks(hsn_unwind_way way)
{
    cr_assert(hsn_stacks_open());
    for (int i = 0; i < STACKS; i++) {
        hsn_place place = make_stack();
        check_same(way, &place);
        change_words(way, &place);
        place.bp = any_word();
        check_same(way, &place);
    }
}

Test(trails, agree_with_walks_by_pointers) { change_stacks(HSN_UNWIND_FP); }
Test(trails, agree_with_walks_by_rules) { change_stacks(HSN_UNWIND_CFI); }

/* Every word that was read counts, and no other one. */
Test(trails, compare_what_was_read)
{
    uintptr_t frames[FRAMES];
    hsn_trail trail;
    const hsn_place place = make_stack();
    const size_t count = hsn_unwind_trail(HSN_UNWIND_FP, place, frames, FRAMES, &trail);
    cr_assert_eq(count, FRAMES);
    cr_assert_eq(trail.pair_count, FRAMES - 1);
    cr_assert_eq(trail.word_count, 0);
    for (size_t i = 0; i < WORDS; i++) {
        bool is_read = false;
        for (size_t k = 0; k < trail.pair_count; k++)
            is_read =
                is_read || trail.pair_offsets[k] / sizeof *stack == i || trail.pair_offsets[k] / sizeof *stack + 1 == i;
        stack[i] ^= 1;
        cr_assert_eq(hsn_unwind_is_same(&trail, &place), !is_read, "word %zu", i);
        cr_assert_eq(hsn_unwind_is_same_own(&trail, &place), !is_read, "word %zu", i);
        stack[i] ^= 1;
    }
    cr_assert(hsn_unwind_is_same(&trail, &place));
    hsn_unwind_forget();
    cr_assert_not(hsn_unwind_is_same(&trail, &place), "the code may be another one");
}

/* 64 frames are the most, and their trail has room. */
Test(trails, have_room_for_the_deepest)
{
    uintptr_t frames[HSN_STACK_FRAMES];
    hsn_trail trail;
    for (size_t i = 0; i < WORDS; i += 2) {
        stack[i] = (uintptr_t)(stack + i + 2);
        stack[i + 1] = UINT64_C(0x1000) + i;
    }
    const hsn_place place = {
        .pc = 1, .sp = (uintptr_t)stack, .bp = (uintptr_t)stack, .high = (uintptr_t)(stack + WORDS)};
    cr_assert_eq(hsn_unwind_trail(HSN_UNWIND_FP, place, frames, HSN_STACK_FRAMES, &trail), HSN_STACK_FRAMES);
    cr_assert_not(trail.is_open);
    cr_assert(hsn_unwind_is_same(&trail, &place));
    cr_assert(hsn_unwind_is_same_own(&trail, &place));
    cr_assert_eq(hsn_trails_stack(&trails, HSN_UNWIND_NONE, FRAMES, &place), 0);
}
