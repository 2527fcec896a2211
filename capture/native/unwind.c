/*
 * Walks a stack (unwind.h). Every address is checked before it is read: at or above the stack pointer (but for
 * is_in_red_zone), at most 16 below the end (`fp + 16 <= end` would let garbage near 2^64 through), aligned, and above
 * the frame before; so wrong rules give wrong frames and nothing worse.
 */
#include "native/unwind.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#include "native/cfi.h"
#include "native/machine.h"
#include "native/reserve.h"

enum { CACHE_BITS = 16, PAGE = 4096 };

/* Two words that any thread may write at any time: what does not belong together does not give the key. */
typedef struct cached {
    _Atomic uint64_t key_by_rule, rule;
} cached;

static cached *cache;
_Atomic uint64_t hsn_unwind_epoch; /* in the upper 16 bits of keys, where addresses have none */

bool hsn_unwind_open(void)
{
    size_t size = sizeof(cached) << CACHE_BITS;
    hsn_cfi_open();
    cache = hsn_reserve(&size, size);
    return cache != NULL;
}

void hsn_unwind_forget(void) { atomic_fetch_add(&hsn_unwind_epoch, UINT64_C(1) << 48); }

static __attribute__((noinline)) hsn_rule find_rule(uintptr_t pc, cached *slot, uint64_t key)
{
    const hsn_rule rule = hsn_cfi_rule(pc);
    if (slot != NULL) {
        uint64_t bits;
        memcpy(&bits, &rule, sizeof bits);
        atomic_store_explicit(&slot->rule, bits, memory_order_relaxed);
        atomic_store_explicit(&slot->key_by_rule, key ^ bits, memory_order_relaxed);
    }
    return rule;
}

static inline hsn_rule rule_at(uintptr_t pc, uint64_t epoch)
{
    if (__builtin_expect(cache == NULL, 0)) return find_rule(pc, NULL, 0);
    const uint64_t key = pc ^ epoch;
    cached *slot = &cache[(pc * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CACHE_BITS)];
    const uint64_t bits = atomic_load_explicit(&slot->rule, memory_order_relaxed);
    if (__builtin_expect((atomic_load_explicit(&slot->key_by_rule, memory_order_relaxed) ^ bits) != key, 0))
        return find_rule(pc, slot, key);
    hsn_rule rule;
    memcpy(&rule, &bits, sizeof rule);
    return rule;
}

static inline bool is_readable(const hsn_place *p, uintptr_t at)
{
    return at >= p->sp && at <= p->high - 16 && at % 8 == 0;
}

static inline void trace_pair(hsn_trail *trail, uint32_t offset, uintptr_t low, uintptr_t high)
{
    const uint32_t i = trail->pair_count;
    if (i == HSN_TRAIL_PAIRS) {
        trail->is_open = true;
        return;
    }
    trail->pair_offsets[i] = offset;
    trail->pairs[i][0] = low;
    trail->pairs[i][1] = high;
    trail->pair_count++;
}

/* Two words one above the other, read one behind the other, become a pair. */
static inline void trace_word(hsn_trail *trail, uint32_t offset, uintptr_t value)
{
    const uint32_t i = trail->word_count;
    const bool is_above =
        i > 0 && trail->word_offsets[i - 1] + sizeof value == offset && trail->pairs_before[i - 1] == trail->pair_count;
    if (is_above) {
        trail->word_count--;
        trace_pair(trail, offset - (uint32_t)sizeof value, trail->words[i - 1], value);
    } else if (i == HSN_TRAIL_WORDS) {
        trail->is_open = true;
    } else {
        trail->word_offsets[i] = offset;
        trail->words[i] = value;
        trail->pairs_before[i] = (uint8_t)trail->pair_count;
        trail->word_count++;
    }
}

/* A word of the stack; `trail` may be NULL. */
static inline uintptr_t word(uintptr_t at, hsn_trail *trail)
{
    const uintptr_t value = *(const uintptr_t *)at;
    if (trail != NULL) trace_word(trail, (uint32_t)(at - trail->from.sp), value);
    return value;
}

/* From here on the caller's: sp is where its frame begins, the return address below it. */
static inline bool leave_to(hsn_place *p, uintptr_t cfa, uintptr_t bp, hsn_trail *trail)
{
    if (cfa <= p->sp || cfa > p->high || cfa % 8 != 0) return false;
    *p = (hsn_place){.pc = word(cfa - 8, trail), .sp = cfa, .bp = bp, .high = p->high};
    return p->pc != 0;
}

/* Only of a function that was interrupted: the kernel leaves these bytes alone, and a leaf may keep there what it
 * saved. */
static inline bool is_in_red_zone(const hsn_place *p, uintptr_t at)
{
    return p->is_interrupted && at < p->sp && p->sp - at <= HSN_RED_ZONE;
}

static inline bool step_by_pointer(hsn_place *p, hsn_trail *trail)
{
    const uintptr_t at = p->bp;
    return is_readable(p, at) && leave_to(p, at + 16, word(at, trail), trail);
}

/* Below an interrupted function: everything stands in the context. A handler on a stack of its own ends here. */
static bool step_by_signal(hsn_place *p)
{
    const ucontext_t *context = (const ucontext_t *)p->sp;
    if (p->sp % 8 != 0 || p->high - p->sp < sizeof *context) return false;
    const uintptr_t sp = hsn_context_sp(context);
    if (sp <= p->sp || sp > p->high - 16) return false;
    *p = (hsn_place){hsn_context_pc(context), sp, hsn_context_bp(context), true, p->high};
    return p->pc != 0;
}

static inline bool step_by_rule(hsn_place *p, uint64_t epoch, hsn_trail *trail)
{
    const hsn_rule rule = rule_at(p->is_interrupted ? p->pc : p->pc - 1, epoch);
    uintptr_t cfa;
    switch (rule.kind) {
    case HSN_RULE_SP: cfa = p->sp + (uintptr_t)(intptr_t)rule.cfa_offset; break;
    case HSN_RULE_BP: cfa = p->bp + (uintptr_t)(intptr_t)rule.cfa_offset; break;
    case HSN_RULE_BP_DEREF: {
        const uintptr_t at = p->bp + (uintptr_t)(intptr_t)rule.cfa_offset;
        if (!is_readable(p, at)) return false;
        cfa = word(at, trail);
        break;
    }
    case HSN_RULE_SIGNAL:
        if (trail != NULL) trail->is_open = true;
        return step_by_signal(p);
    case HSN_RULE_END: return false;
    default: return step_by_pointer(p, trail);
    }
    uintptr_t bp = p->bp;
    if (rule.bp_at != HSN_BP_KEPT) {
        const uintptr_t at = cfa + (uintptr_t)((intptr_t)rule.bp_at * 8);
        const bool is_below = is_in_red_zone(p, at);
        if (!is_below && !is_readable(p, at)) return false;
        /* mostly it was just popped, which rules do not say: bp has the value too where that page may not be there */
        if (!is_below || at / PAGE == p->sp / PAGE) bp = word(at, trail);
    }
    return leave_to(p, cfa, bp, trail);
}

/* Where the frame begins that was gone to. Above its return address; but aarch64 keeps the pair of pointers below the
 * rest of a frame, and so the frame begins at its own. */
static inline uintptr_t top_of(const hsn_place *p)
{
#if defined(__aarch64__)
    return is_readable(p, p->bp) ? p->bp : p->sp;
#else
    return p->sp;
#endif
}

/* The same as steps by pointer, in registers: half of what a hook costs with frame pointers. */
static inline size_t walk_pointers(const hsn_place *place, uintptr_t *frames, size_t limit, hsn_trail *trail)
{
    uintptr_t low = place->sp, at = place->bp;
    const uintptr_t top = place->high - 16;
    size_t count = 0;
    frames[count++] = hsn_return_address(place->pc);
    while (count < limit && at >= low && at <= top && at % 8 == 0) {
        const uintptr_t next = *(const uintptr_t *)at, pc = *(const uintptr_t *)(at + 8);
        if (trail != NULL) trace_pair(trail, (uint32_t)(at - trail->from.sp), next, pc);
        if (pc == 0) break;
        frames[count++] = hsn_return_address(pc);
        low = at + 16;
        at = next;
    }
    return count;
}

static inline size_t walk_unwind(hsn_unwind_way way, hsn_place place, uintptr_t *frames, uintptr_t *tops, size_t limit,
                                 hsn_trail *trail)
{
    if (limit == 0 || way == HSN_UNWIND_NONE || place.pc == 0) return 0;
    const uint64_t epoch = atomic_load_explicit(&hsn_unwind_epoch, memory_order_relaxed);
    const bool is_walkable = place.high >= 16 && place.sp < place.high && place.sp % 8 == 0;
    if (way == HSN_UNWIND_FP && tops == NULL && is_walkable) return walk_pointers(&place, frames, limit, trail);
    size_t count = 0;
    for (bool goes_on = true; goes_on && count < limit; count++) {
        frames[count] = hsn_return_address(place.pc);
        goes_on = is_walkable &&
                  (way == HSN_UNWIND_CFI ? step_by_rule(&place, epoch, trail) : step_by_pointer(&place, trail));
        if (tops != NULL) tops[count] = goes_on ? top_of(&place) : 0;
    }
    return count;
}

size_t hsn_unwind(hsn_unwind_way way, hsn_place place, uintptr_t *frames, uintptr_t *tops, size_t limit)
{
    return walk_unwind(way, place, frames, tops, limit, NULL);
}

size_t hsn_unwind_trail(hsn_unwind_way way, hsn_place place, uintptr_t *frames, size_t limit, hsn_trail *trail)
{
    trail->from = place;
    trail->epoch = atomic_load_explicit(&hsn_unwind_epoch, memory_order_relaxed);
    trail->is_open = false;
    trail->pair_count = trail->word_count = 0;
    const size_t count = walk_unwind(way, place, frames, NULL, limit, trail);
    for (uint32_t i = trail->pair_count; i > 0 && i % HSN_TRAIL_STEP != 0; i++) {
        trail->pair_offsets[i] = trail->pair_offsets[0];
        memcpy(trail->pairs[i], trail->pairs[0], sizeof trail->pairs[0]);
    }
    return count;
}

static bool is_same_pair(const hsn_trail *trail, uint32_t i, uintptr_t sp)
{
    const uintptr_t *there = (const uintptr_t *)(sp + trail->pair_offsets[i]);
    return there[0] == trail->pairs[i][0] && there[1] == trail->pairs[i][1];
}

/* Each only behind the ones before it: it may not be there otherwise. */
bool hsn_unwind_is_same(const hsn_trail *trail, const hsn_place *place)
{
    if (!hsn_unwind_begins_same(trail, place)) return false;
    uint32_t pair = 0;
    for (uint32_t i = 0; i <= trail->word_count; i++) {
        const uint32_t pairs = i == trail->word_count ? trail->pair_count : trail->pairs_before[i];
        for (; pair < pairs; pair++)
            if (!is_same_pair(trail, pair, place->sp)) return false;
        if (i < trail->word_count && *(const uintptr_t *)(place->sp + trail->word_offsets[i]) != trail->words[i])
            return false;
    }
    return true;
}
