/* Both ways to unwind against glibc's backtrace(), and against addresses that no stack has. */
#include <criterion/criterion.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "native/unwind.h"

enum { FRAMES = 64, DEPTH = 20 };

extern void *__libc_stack_end;

typedef struct seen {
    uintptr_t frames[FRAMES], tops[FRAMES];
    void *truth[FRAMES];
    size_t count, truth_count;
} seen;

/* The place of the caller of this function. */
static __attribute__((noinline)) void look(hsn_unwind_way way, seen *s)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    const hsn_place place = {
        .pc = frame[1], .bp = frame[0], .sp = (uintptr_t)(frame + 2), .high = (uintptr_t)__libc_stack_end};
    s->count = hsn_unwind(way, place, s->frames, s->tops, FRAMES);
    if (way == HSN_UNWIND_FP) { /* without tops it goes another way, to the same frames */
        uintptr_t again[FRAMES];
        cr_assert_eq(hsn_unwind(way, place, again, NULL, FRAMES), s->count);
        cr_assert_eq(memcmp(again, s->frames, s->count * sizeof *again), 0);
    }
    s->truth_count = (size_t)backtrace(s->truth, FRAMES);
}

static __attribute__((noinline)) int descend(int left, hsn_unwind_way way, seen *s)
{
    if (left == 0)
        look(way, s);
    else if (descend(left - 1, way, s) < 0)
        return -1;
    return left;
}

/* Where `truth` comes out of look itself, and of what a sanitizer puts around backtrace. */
static size_t first_of(const seen *s)
{
    size_t i = 0;
    while (i < s->truth_count && (uintptr_t)s->truth[i] != s->frames[0])
        i++;
    cr_assert_lt(i, 4);
    return i;
}

/* Both say the same for `least` frames at least, 0 = for all that backtrace knows. */
static void check_truth(const seen *s, size_t least)
{
    const size_t first = first_of(s);
    if (least == 0) least = s->truth_count - first;
    cr_assert_geq(s->count, least);
    for (size_t i = 0; i < least; i++)
        cr_assert_eq(s->frames[i], (uintptr_t)s->truth[first + i], "frame %zu of %zu", i, s->count);
    for (size_t i = 1; i + 1 < least; i++)
        cr_assert_gt(s->tops[i], s->tops[i - 1]);
}

Test(unwind, agrees_with_backtrace)
{
    seen s;
    cr_assert(hsn_unwind_open());
    for (int again = 0; again < 3; again++) {
        cr_assert_eq(descend(DEPTH, HSN_UNWIND_CFI, &s), DEPTH);
        cr_assert_geq(s.truth_count, DEPTH + 3);
        check_truth(&s, 0);
        hsn_unwind_forget();
    }
}

/* Through qsort, which libc was built with and without frame pointers. */
static seen *in_compare;
static int compare(const void *a, const void *b)
{
    if (in_compare->count == 0) look(HSN_UNWIND_CFI, in_compare);
    return memcmp(a, b, sizeof(int));
}

Test(unwind, goes_through_libraries)
{
    seen s = {0};
    int numbers[] = {3, 1, 2};
    in_compare = &s;
    cr_assert(hsn_unwind_open());
    qsort(numbers, 3, sizeof numbers[0], compare);
    check_truth(&s, 0);
}

/* Through a handler: the frame of the kernel, and the function that it came upon. */
static seen *in_handler;
static void handle(int number)
{
    (void)number;
    look(HSN_UNWIND_CFI, in_handler);
}

Test(unwind, goes_through_a_signal)
{
    seen s = {0};
    in_handler = &s;
    cr_assert(hsn_unwind_open());
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    check_truth(&s, 0);
}

/*
 * At every instruction of functions of libc, which was built without frame pointers: each of their prologues and
 * epilogues, where a register that was saved is not yet, or no longer, on the stack. The trap flag brings the handler
 * there; it stands on a stack of its own.
 */
enum { TRAP_FLAG = 0x100, STEPS = 30000 };

static struct {
    uintptr_t caller, top; /* where walk_through returns to, and where that frame begins */
    uintptr_t lost;        /* the first instruction from which no way led there */
    size_t steps, failures;
    volatile sig_atomic_t is_on;
} walk;

static bool leads_out(const uintptr_t *frames, const uintptr_t *tops, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (frames[i] == walk.caller && tops[i - 1] == walk.top) return true;
    return false;
}

static void after_each(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t frames[FRAMES], tops[FRAMES];
    if (!walk.is_on) return;
    const hsn_place place = {.pc = (uintptr_t)r[REG_RIP],
                             .sp = (uintptr_t)r[REG_RSP],
                             .bp = (uintptr_t)r[REG_RBP],
                             .is_interrupted = true,
                             .high = (uintptr_t)__libc_stack_end};
    const size_t count = hsn_unwind(HSN_UNWIND_CFI, place, frames, tops, FRAMES);
    if (!leads_out(frames, tops, count) && walk.failures++ == 0) walk.lost = place.pc;
    if (++walk.steps == STEPS) r[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The compiler has registers to save: two values live on across each call. */
static __attribute__((noinline)) double use_libc(char *text, size_t size, int *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(text, size, "%d.%zu and %s", numbers[i], i, "more");
        sum += strtod(text, NULL);
    }
    qsort(numbers, count, sizeof *numbers, by_value);
    return sum;
}

static __attribute__((noinline)) void walk_through(void)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    char text[64];
    int numbers[] = {3, 1, 2, 9, 7};
    walk.caller = frame[1];
    walk.top = (uintptr_t)(frame + 2);
    (void)use_libc(text, sizeof text, numbers, 5); /* so the linker has nothing left to do */
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    walk.is_on = true;
    (void)use_libc(text, sizeof text, numbers, 5);
    walk.is_on = false;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(unsigned long long)TRAP_FLAG);
}

Test(unwind, finds_out_at_every_instruction)
{
    static char stack[1 << 16];
    const stack_t aside = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = after_each;
    cr_assert(hsn_unwind_open());
    cr_assert_eq(sigaltstack(&aside, NULL), 0);
    cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
    walk_through();
    cr_assert_gt(walk.steps, 1000);
    cr_assert_eq(walk.failures, 0, "%zu of %zu steps, the first at %#lx", walk.failures, walk.steps,
                 (unsigned long)walk.lost);
}

Test(unwind, follows_frame_pointers)
{
    seen s;
    descend(DEPTH, HSN_UNWIND_FP, &s);
    check_truth(&s, DEPTH); /* built with them; the test's own harness need not be */
}

Test(unwind, stops_at_a_limit_and_for_none)
{
    uintptr_t frames[4];
    const hsn_place nowhere = {.pc = 0x1234};
    cr_assert_eq(hsn_unwind(HSN_UNWIND_NONE, nowhere, frames, NULL, 4), 0);
    cr_assert_eq(hsn_unwind(HSN_UNWIND_CFI, nowhere, frames, NULL, 0), 0);
    cr_assert_eq(hsn_unwind(HSN_UNWIND_CFI, nowhere, frames, NULL, 4), 1, "the place itself, and no stack to read");
    cr_assert_eq(frames[0], 0x1234);
}

/* Garbage in a register must not be read: it wraps, is not aligned, or lies outside. */
Test(unwind, reads_nothing_outside)
{
    static uintptr_t stack[64];
    const uintptr_t low = (uintptr_t)stack, high = (uintptr_t)(stack + 64);
    const uintptr_t wrong[] = {0,        1,         8,           low - 8,         low + 1,         high,
                               high - 8, high - 15, UINTPTR_MAX, UINTPTR_MAX - 7, UINTPTR_MAX - 15};
    uintptr_t frames[FRAMES];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const hsn_place place = {.pc = 0x1234, .sp = low, .bp = wrong[i], .high = high};
        cr_assert_eq(hsn_unwind(HSN_UNWIND_FP, place, frames, NULL, FRAMES), 1, "bp %zu", i);
        cr_assert_eq(hsn_unwind(HSN_UNWIND_CFI, place, frames, NULL, FRAMES), 1, "bp %zu", i);
    }
}

/* Any words at all: it ends, and within the stack. */
Test(unwind, survives_any_words)
{
    static uintptr_t stack[512];
    const uintptr_t low = (uintptr_t)stack, high = (uintptr_t)(stack + 512);
    uintptr_t frames[FRAMES];
    uint64_t state = 7;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 512; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uintptr_t near = low + (state >> 40) % 4096;
            stack[i] = state >> 62 == 0   ? state
                       : state >> 62 == 1 ? near & ~(uintptr_t)7
                                          : (uintptr_t)&descend + (state >> 50) % 200;
        }
        const hsn_place place = {.pc = (uintptr_t)&descend + state % 100,
                                 .sp = low,
                                 .bp = stack[3],
                                 .is_interrupted = round % 2 == 0,
                                 .high = high};
        cr_assert_leq(hsn_unwind(HSN_UNWIND_CFI, place, frames, NULL, FRAMES), FRAMES);
        cr_assert_leq(hsn_unwind(HSN_UNWIND_FP, place, frames, NULL, FRAMES), FRAMES);
    }
}
