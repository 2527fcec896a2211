/*
 * The stacks (stacks.h): an open-addressing hash of {upper half of the hash, id}, and for each id where its frames
 * begin in one long array. Readers take no lock: what a slot leads to was written before the slot.
 *
 *      slots ──► id ──► {first frame, count} ──► frames
 */
#include "native/stacks.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "native/lock.h"
#include "native/reserve.h"

/* Of a limited address space stacks get one of so many parts. */
enum { PARTS = 8 };
static const size_t MAX_STACKS = (size_t)1 << HSN_STACK_LOG, MIN_STACKS = (size_t)1 << 12;
enum { FRAMES_PER_STACK = 32 };

typedef struct item {
    uint32_t first, count; /* in `frames` */
} item;

static _Atomic uint64_t *slots;
static size_t slot_mask;
static item *items;
static uintptr_t *frames_of_all;
static size_t stack_limit, frame_limit;
static _Atomic uint32_t last;
static size_t frames_used;
static atomic_uint writer;
static _Atomic uint64_t lost;
static __thread bool holds __attribute__((tls_model("initial-exec")));

bool hsn_stacks_open(void)
{
    const size_t one = 2 * sizeof *slots + sizeof *items + FRAMES_PER_STACK * sizeof *frames_of_all,
                 most = hsn_reserve_part(MAX_STACKS * one, PARTS);
    for (size_t stacks = MAX_STACKS; stacks >= MIN_STACKS; stacks /= 4) {
        size_t size = stacks * one;
        if (size > most && stacks / 4 >= MIN_STACKS) continue;
        unsigned char *at = hsn_reserve(&size, size);
        if (at == NULL) continue;
        slots = (_Atomic uint64_t *)at;
        items = (item *)(slots + 2 * stacks);
        frames_of_all = (uintptr_t *)(items + stacks);
        slot_mask = 2 * stacks - 1;
        stack_limit = stacks - 1;
        frame_limit = stacks * FRAMES_PER_STACK;
        return true;
    }
    return false;
}

/* Two sums that do not wait for each other: the multiplications of one overlap those of the other. */
static uint64_t hash_of(const uintptr_t *frames, size_t count)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t a = count, b = odd;
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        a = (a ^ frames[i]) * odd;
        b = (b ^ frames[i + 1]) * odd;
        a ^= a >> 32;
        b ^= b >> 29;
    }
    if (i < count) a = (a ^ frames[i]) * odd;
    a = (a ^ (b << 17 | b >> 47)) * odd;
    return a ^ a >> 31;
}

static bool is_it(uint32_t stack, const uintptr_t *frames, size_t count)
{
    return items[stack].count == count &&
           memcmp(frames_of_all + items[stack].first, frames, count * sizeof *frames) == 0;
}

/* The id, or 0 and in *at the slot where it belongs. */
static uint32_t look_native_stack(uint64_t hash, const uintptr_t *frames, size_t count, size_t *at)
{
    for (*at = hash & slot_mask;; *at = (*at + 1) & slot_mask) {
        const uint64_t slot = atomic_load_explicit(&slots[*at], memory_order_acquire);
        if (slot == 0) return 0;
        if (slot >> 32 == hash >> 32 && is_it((uint32_t)slot, frames, count)) return (uint32_t)slot;
    }
}

static void lock(bool holds_none)
{
    while (!holds && atomic_exchange_explicit(&writer, 1, memory_order_acquire) != 0) {
        const int error = errno;
        if (holds_none && hsn_when_waiting != NULL) hsn_when_waiting();
        sched_yield();
        errno = error;
    }
}

static void unlock(void)
{
    if (!holds) atomic_store_explicit(&writer, 0, memory_order_release);
}

static uint32_t append_native_stack(uint64_t hash, const uintptr_t *frames, size_t count)
{
    size_t at;
    uint32_t stack = look_native_stack(hash, frames, count, &at);
    if (stack != 0) return stack;
    stack = atomic_load_explicit(&last, memory_order_relaxed) + 1;
    if (stack > stack_limit || frames_used + count > frame_limit) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
        return 0;
    }
    memcpy(frames_of_all + frames_used, frames, count * sizeof *frames);
    items[stack] = (item){.first = (uint32_t)frames_used, .count = (uint32_t)count};
    frames_used += count;
    atomic_store_explicit(&last, stack, memory_order_release);
    atomic_store_explicit(&slots[at], (hash >> 32 << 32) | stack, memory_order_release);
    return stack;
}

uint32_t hsn_stacks_intern(const uintptr_t *frames, size_t count)
{
    if (count == 0) return 0;
    if (count > HSN_STACK_FRAMES) count = HSN_STACK_FRAMES;
    const uint64_t hash = hash_of(frames, count);
    size_t at;
    const uint32_t known = look_native_stack(hash, frames, count, &at);
    if (__builtin_expect(known != 0, 1)) return known;
    lock(true);
    const uint32_t stack = append_native_stack(hash, frames, count);
    unlock();
    return stack;
}

const uintptr_t *hsn_stacks_frames(uint32_t stack, size_t *count)
{
    *count = stack == 0 || stack > hsn_stacks_last() ? 0 : items[stack].count;
    return *count == 0 ? NULL : frames_of_all + items[stack].first;
}

uint32_t hsn_stacks_last(void) { return atomic_load_explicit(&last, memory_order_acquire); }
uint64_t hsn_stacks_lost(void) { return atomic_load(&lost); }

void hsn_stacks_hold(void)
{
    lock(false); /* it has the locks of the table */
    holds = true;
}

void hsn_stacks_let_go(void)
{
    holds = false;
    unlock();
}

void hsn_stacks_adopt(void) { hsn_stacks_let_go(); }
