/*
 * Return addresses of a stack, innermost first. By frame pointers (2 loads a frame; ends where a library was built
 * without them, as all of Debian's are), or by call frame information (cfi.h) with a cache of rules by instruction,
 * which goes through everything that a compiler made and takes frame pointers for code that was made at run time.
 * Neither locks, allocates nor reads outside of the stack.
 */
#ifndef HSN_UNWIND_H
#define HSN_UNWIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef enum hsn_unwind_way { HSN_UNWIND_NONE, HSN_UNWIND_FP, HSN_UNWIND_CFI } hsn_unwind_way;

typedef struct hsn_place {
    uintptr_t pc, sp, bp;
    bool is_interrupted; /* pc is the next instruction; else a return address */
    uintptr_t high;      /* end of the stack; nothing is read at or above it, nor below sp */
} hsn_place;

/* For HSN_UNWIND_CFI: the cache, 1 MiB, touched as it fills. False without memory; then every frame is looked up anew.
 */
bool hsn_unwind_open(void);

/* Code was unmapped: what the cache says of it may be wrong by now. */
void hsn_unwind_forget(void);

/*
 * Writes at most `limit` frames and returns how many; the first is place.pc. `tops`, NULL or as long: for each frame
 * the address at which its caller's begins, 0 = not known.
 */
size_t hsn_unwind(hsn_unwind_way way, hsn_place place, uintptr_t *frames, uintptr_t *tops, size_t limit);

enum { HSN_TRAIL_PAIRS = 64, HSN_TRAIL_WORDS = 64, HSN_TRAIL_STEP = 4 }; /* for each of 64 frames one */

/*
 * What a walk read: frame pointers and return addresses that lie side by side are pairs, the rest are words. A walk
 * from the same place reads the first of them, by that knows where the second is, and so on: as long as all are the
 * same it is the same walk, and need not be made. Compared in the order of the walk, a trail reads nothing that the
 * walk would not.
 */
typedef struct hsn_trail {
    hsn_place from;
    uint64_t epoch; /* of the rules */
    bool is_open;   /* too long, or through a signal's frame; not to be compared */
    uint32_t pair_count, word_count;
    uint32_t pair_offsets[HSN_TRAIL_PAIRS]; /* from from.sp */
    uint32_t word_offsets[HSN_TRAIL_WORDS];
    uint8_t pairs_before[HSN_TRAIL_WORDS]; /* how many pairs were read before this word */
    uintptr_t words[HSN_TRAIL_WORDS];
    _Alignas(16) uintptr_t pairs[HSN_TRAIL_PAIRS][2];
} hsn_trail;

/* hsn_unwind that leaves its trail: offsets and words only up to its end. */
size_t hsn_unwind_trail(hsn_unwind_way way, hsn_place place, uintptr_t *frames, size_t limit, hsn_trail *trail);

/* Would a walk from this place, which is no interrupted one, be the same? */
bool hsn_unwind_is_same(const hsn_trail *trail, const hsn_place *place);

/* The same on the thread's own stack, in which all memory from the stack pointer on can be read: no word waits for the
 * one before. */
static inline bool hsn_unwind_is_same_own(const hsn_trail *trail, const hsn_place *place);

/* ---- within ---- */

extern _Atomic uint64_t hsn_unwind_epoch;

static inline bool hsn_unwind_begins_same(const hsn_trail *trail, const hsn_place *place)
{
    const hsn_place *from = &trail->from;
    return from->sp == place->sp && from->pc == place->pc && from->bp == place->bp && from->high == place->high &&
           trail->epoch == atomic_load_explicit(&hsn_unwind_epoch, memory_order_relaxed);
}

/* All pairs at once; what fills the last step is the first pair again. */
#if defined(__SSE2__)
static inline bool hsn_trail_has_pairs(const hsn_trail *trail, uintptr_t sp)
{
    const uint32_t *offset = trail->pair_offsets, *end = offset + trail->pair_count;
    const __m128i *pair = (const __m128i *)(const void *)trail->pairs;
    __m128i differs[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
    for (; offset < end; offset += HSN_TRAIL_STEP, pair += HSN_TRAIL_STEP)
#pragma GCC unroll 4
        for (unsigned i = 0; i < HSN_TRAIL_STEP; i++) {
            const __m128i there = _mm_loadu_si128((const __m128i *)(sp + offset[i]));
            differs[i % 2] = _mm_or_si128(differs[i % 2], _mm_xor_si128(there, _mm_load_si128(&pair[i])));
        }
    const __m128i same = _mm_cmpeq_epi8(_mm_or_si128(differs[0], differs[1]), _mm_setzero_si128());
    return _mm_movemask_epi8(same) == UINT16_MAX;
}
#else
static inline bool hsn_trail_has_pairs(const hsn_trail *trail, uintptr_t sp)
{
    uint64_t differs = 0;
    for (uint32_t i = 0; i < trail->pair_count; i++) {
        const uintptr_t *there = (const uintptr_t *)(sp + trail->pair_offsets[i]);
        differs |= (there[0] ^ trail->pairs[i][0]) | (there[1] ^ trail->pairs[i][1]);
    }
    return differs == 0;
}
#endif

static inline bool hsn_unwind_is_same_own(const hsn_trail *trail, const hsn_place *place)
{
    if (!hsn_unwind_begins_same(trail, place)) return false;
    const uintptr_t sp = place->sp;
    uint64_t word_differs = 0;
    for (uint32_t i = 0; i < trail->word_count; i++)
        word_differs |= *(const uintptr_t *)(sp + trail->word_offsets[i]) ^ trail->words[i];
    return word_differs == 0 && hsn_trail_has_pairs(trail, sp);
}

#endif
