/*
 * Two rounds over a piece of memory: words that fall between the first block and the last and into a region with blocks
 * are gathered, and their bits fetched ahead; then each is looked up. Of a word that points to the start of a block the
 * bitmap knows all; only for one that points into the middle does the table say how long the block is.
 *
 * Counting bits is one instruction on all but the oldest processors, which the compiler may not assume: the rounds
 * exist twice.
 */
#include "native/walk/scan.h"

/* Into both rounds. */
#define INLINE __attribute__((always_inline)) static inline

enum { WAITING = 64, STEP_WORDS = 8, AHEAD_WORDS = 128 };

typedef struct candidates {
    uintptr_t words[HSN_HITS], at[HSN_HITS];
    size_t count;
} candidates;

INLINE bool look_up(const hsn_starts *s, uintptr_t word, hsn_hit *hit)
{
    const uint32_t region = hsn_starts_region(s, word);
    if (region == 0) return false;
    const hsn_region *r = &s->regions[region];
    const uintptr_t start = hsn_starts_before(s, r, word);
    if (start == 0) return false;
    if (start != word) {
        hsn_block block;
        if (!hsn_table_find(start, &block) || word - start >= block.size) return false;
    }
    hit->ordinal = hsn_starts_ordinal(s, start);
    hit->is_inside = start != word;
    return true;
}

INLINE void gather(const hsn_starts *s, const uintptr_t *at, uintptr_t word, candidates *c)
{
    if (word - s->low >= s->high - s->low) return;
    const uint32_t region = hsn_starts_region(s, word);
    if (region == 0) return;
    const hsn_region *r = &s->regions[region];
    const uint32_t granule = hsn_starts_granule(s, word);
    const size_t line = hsn_starts_line(s, r, granule);
    __builtin_prefetch(s->bits + line * HSN_LINE_WORDS);
    __builtin_prefetch(s->lines + line);
    c->words[c->count] = word;
    c->at[c->count++] = (uintptr_t)at;
}

INLINE bool is_any_near(const uintptr_t *words, uintptr_t low, uintptr_t span)
{
    unsigned near = 0;
    __builtin_prefetch(words + AHEAD_WORDS); /* beyond the end is allowed: it never faults */
#pragma GCC unroll 8
    for (int i = 0; i < STEP_WORDS; i++)
        near |= words[i] - low < span;
    return near != 0;
}

/* From `at` on, until there are `most` candidates or a few more. Returns where it stopped. */
INLINE const uintptr_t *gather_all(const hsn_starts *s, const uintptr_t *at, const uintptr_t *end, candidates *c,
                                   size_t most)
{
    const uintptr_t low = s->low, span = s->high - s->low;
    while (end - at >= STEP_WORDS && c->count < most) {
        if (is_any_near(at, low, span)) {
            for (size_t i = 0; i < STEP_WORDS; i++)
                gather(s, at + i, at[i], c);
        }
        at += STEP_WORDS;
    }
    for (; at < end && end - at < STEP_WORDS; at++)
        gather(s, at, *at, c);
    return at;
}

static const uintptr_t *first_word(const hsn_range *range)
{
    return (const uintptr_t *)((range->low + 7) & ~(uintptr_t)7);
}
static const uintptr_t *words_end(const hsn_range *range) { return (const uintptr_t *)(range->high & ~(uintptr_t)7); }

INLINE size_t scan(const hsn_starts *s, hsn_range *range, hsn_hit *hits)
{
    const uintptr_t *at = first_word(range), *end = words_end(range);
    size_t found = 0;
    while (at < end && found + WAITING + 2 * STEP_WORDS <= HSN_HITS) {
        candidates c;
        c.count = 0;
        at = gather_all(s, at, end, &c, WAITING);
        for (size_t i = 0; i < c.count; i++) {
            hits[found].at = c.at[i];
            found += look_up(s, c.words[i], &hits[found]);
        }
    }
    range->low = at < end ? (uintptr_t)at : range->high;
    return found;
}

INLINE void scan_group(const hsn_starts *s, const hsn_range *ranges, size_t count, hsn_hit *hits, size_t *ends)
{
    candidates c;
    c.count = 0;
    for (size_t i = 0; i < count; i++) {
        gather_all(s, first_word(&ranges[i]), words_end(&ranges[i]), &c, HSN_HITS);
        ends[i] = c.count;
    }
    size_t found = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        for (; at < ends[i]; at++) {
            hits[found].at = c.at[at];
            found += look_up(s, c.words[at], &hits[found]);
        }
        ends[i] = found;
    }
}

static size_t scan_plain(const hsn_starts *s, hsn_range *range, hsn_hit *hits) { return scan(s, range, hits); }

static void scan_group_plain(const hsn_starts *s, const hsn_range *ranges, size_t count, hsn_hit *hits, size_t *ends)
{
    scan_group(s, ranges, count, hits, ends);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_POPCNT __builtin_cpu_supports("popcnt")

__attribute__((target("popcnt"))) static size_t scan_popcnt(const hsn_starts *s, hsn_range *range, hsn_hit *hits)
{
    return scan(s, range, hits);
}

__attribute__((target("popcnt"))) static void scan_group_popcnt(const hsn_starts *s, const hsn_range *ranges,
                                                                size_t count, hsn_hit *hits, size_t *ends)
{
    scan_group(s, ranges, count, hits, ends);
}
#else
#define HAS_POPCNT        false
#define scan_popcnt       scan_plain
#define scan_group_popcnt scan_group_plain
#endif

size_t hsn_scan(const hsn_starts *s, hsn_range *range, hsn_hit hits[HSN_HITS])
{
    if (s->count == 0) {
        range->low = range->high;
        return 0;
    }
    return HAS_POPCNT ? scan_popcnt(s, range, hits) : scan_plain(s, range, hits);
}

void hsn_scan_group(const hsn_starts *s, const hsn_range *ranges, size_t count, hsn_hit hits[HSN_HITS], size_t *ends)
{
    if (HAS_POPCNT)
        scan_group_popcnt(s, ranges, count, hits, ends);
    else
        scan_group_plain(s, ranges, count, hits, ends);
}

bool hsn_scan_word(const hsn_starts *s, uintptr_t word, hsn_hit *hit)
{
    return word - s->low < s->high - s->low && look_up(s, word, hit);
}
