/*
 * Radix sort from the most significant bit that varies. One level takes a window of up to 11 bits at
 * that bit, counts, and scatters the records into the other buffer; each bucket is then sorted by itself
 * and comes back:
 *
 *      records   3a 07 31 f2 3c 08      first bit that varies: 7; window: bits 7-5
 *                      │ scatter
 *      scratch   07 08 | 3a 31 3c | f2
 *                  │        │       │  insertion sort on the way back, since the buckets are small
 *      records   07 08   31 3a 3c   f2
 *
 * Bits that are the same in a whole bucket are never looked at, so keys that share their upper half,
 * or types that occur once, cost nothing; and once the first word is used up the next one follows, so
 * ties are broken by the payload without a pass over payload that breaks none. The first scatter works in
 * memory, what follows mostly in the second-level cache: that is why it beats a radix sort from the
 * least significant byte, which goes through memory once for each byte. Measured, 85 MiB of records,
 * million records a second, this against that:
 *
 *                       16 B random   16 B addresses   24 B random   8 B random
 *      from the top          64            60               50           61
 *      from the bottom       38            44               17           48
 *
 * Buckets of up to 24 records go to insertion sort. What does not get small within 5 levels (55 bits that
 * vary: records made to annoy) goes to a merge sort, so the time is O(n log n) whatever comes. The levels stand
 * in an array of 80 KiB on the stack (a diff runs in 256 KiB of it); nothing recurses.
 */
#include "sort/radix.h"

#include <string.h>

#include "base/assert.h"
#include "sort/sorter.h"

#define SMALL_COUNT ((size_t)24)
#define WINDOW_BITS 11u
#define MAX_LEVELS  5u

/* All loops over words are written once and compiled for each number of words. */
#define FOR_WORDS static inline __attribute__((always_inline))

FOR_WORDS bool is_less(const uint64_t *a, const uint64_t *b, unsigned from, const unsigned words)
{
    for (unsigned w = from; w < words; w++)
        if (a[w] != b[w]) return a[w] < b[w];
    return false;
}

FOR_WORDS void copy(uint64_t *to, const uint64_t *from, const unsigned words) { memcpy(to, from, words * sizeof *to); }

/* Insertion sort from one place to another, or in place when both are the same. */
FOR_WORDS void sort_small(const uint64_t *from, uint64_t *to, size_t count, unsigned word, const unsigned words)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t record[HSD_SORT_MAX_WORDS];
        copy(record, from + i * words, words);
        size_t at = i;
        for (; at > 0 && is_less(record, to + (at - 1) * words, word, words); at--)
            copy(to + at * words, to + (at - 1) * words, words);
        copy(to + at * words, record, words);
    }
}

/* Bottom-up merge sort; the result is in `records`. */
FOR_WORDS void sort_by_merging(uint64_t *records, uint64_t *scratch, size_t count, const unsigned words)
{
    uint64_t *from = records, *to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            const size_t middle = start + width < count ? start + width : count;
            const size_t end = middle + width < count ? middle + width : count;
            size_t a = start, b = middle;
            for (size_t out = start; out < end; out++) {
                const bool takes_b = a == middle || (b < end && is_less(from + b * words, from + a * words, 0, words));
                copy(to + out * words, from + (takes_b ? b++ : a++) * words, words);
            }
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != records) memcpy(records, from, count * words * sizeof *records);
}

/* The first word from `word` on that is not the same in all records, and the bits in which it differs. */
FOR_WORDS unsigned find_varying(const uint64_t *records, size_t count, unsigned word, uint64_t *bits,
                                const unsigned words)
{
    for (; word < words; word++) {
        const uint64_t first = records[word];
        uint64_t varying = 0;
        for (size_t i = 1; i < count; i++)
            varying |= records[i * words + word] ^ first;
        *bits = varying;
        if (varying != 0) break;
    }
    return word;
}

typedef struct window { /* the bits that one level looks at */
    uint64_t mask;
    unsigned word, shift;
} window;

static window choose_window(unsigned word, uint64_t varying, size_t count)
{
    const unsigned top = 64 - (unsigned)__builtin_clzll(varying);
    unsigned bits = 63 - (unsigned)__builtin_clzll(count) - 1; /* about two records a bucket */
    if (bits > WINDOW_BITS) bits = WINDOW_BITS;
    if (bits > top) bits = top;
    return (window){.word = word, .shift = top - bits, .mask = (UINT64_C(1) << bits) - 1};
}

/* Moves the records into their buckets; ends[b] becomes one past the last record of bucket b. */
FOR_WORDS void scatter(const uint64_t *from, uint64_t *to, size_t count, const window *win, size_t *ends,
                       const unsigned words)
{
    for (size_t b = 0; b <= win->mask; b++)
        ends[b] = 0;
    for (size_t i = 0; i < count; i++)
        ends[from[i * words + win->word] >> win->shift & win->mask]++;
    size_t sum = 0;
    for (size_t b = 0; b <= win->mask; b++) {
        const size_t size = ends[b];
        ends[b] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t place = ends[from[i * words + win->word] >> win->shift & win->mask]++;
        copy(to + place * words, from + i * words, words);
    }
}

typedef struct level {   /* a range that was scattered, and how far its buckets are sorted */
    uint64_t *from, *to; /* records were scattered from here to there */
    window win;
    unsigned next_word;
    bool moves;           /* they belong where they were scattered to; else they come back */
    size_t bucket, start; /* the next bucket to sort */
    size_t ends[1u << WINDOW_BITS];
} level;

/* Scatters a range of more than one record. False when there was nothing to scatter: it is sorted. */
FOR_WORDS bool open_level(level *l, uint64_t *from, uint64_t *to, size_t count, unsigned word, bool moves,
                          bool is_too_deep, const unsigned words)
{
    uint64_t varying = 0;
    word = find_varying(from, count, word, &varying, words);
    if (word == words || is_too_deep) {
        if (word < words) sort_by_merging(from, to, count, words);
        if (moves) memcpy(to, from, count * words * sizeof *to);
        return false;
    }
    l->from = from;
    l->to = to;
    l->moves = moves;
    l->win = choose_window(word, varying, count);
    l->next_word = l->win.shift == 0 ? word + 1 : word;
    l->bucket = l->start = 0;
    scatter(from, to, count, &l->win, l->ends, words);
    return true;
}

/* Sorts small buckets up to the next large one. Its number of records, or 0 when no bucket is left. */
FOR_WORDS size_t sort_small_buckets(level *l, size_t *large_start, const unsigned words)
{
    const uint64_t *in = l->to;
    uint64_t *out = l->moves ? l->to : l->from;
    const unsigned word = l->next_word;
    const size_t buckets = l->win.mask + 1;
    size_t start = l->start;
    for (size_t bucket = l->bucket; bucket < buckets; bucket++) {
        /* scatter() has filled ends[0 .. mask], which the analyzer does not follow.
         * NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        const size_t end = l->ends[bucket], size = end - start;
        if (size > SMALL_COUNT) {
            l->start = end;
            l->bucket = bucket + 1;
            *large_start = start;
            return size;
        }
        sort_small(in + start * words, out + start * words, size, word, words);
        start = end;
    }
    return 0;
}

/* Down into large buckets, and back up when a level has no more. */
FOR_WORDS void sort_from_top(uint64_t *records, uint64_t *scratch, size_t count, const unsigned words)
{
    level levels[MAX_LEVELS];
    unsigned depth = open_level(levels, records, scratch, count, 0, false, false, words) ? 1 : 0;
    while (depth > 0) {
        level *l = &levels[depth - 1];
        size_t start = 0;
        const size_t size = sort_small_buckets(l, &start, words);
        if (size == 0)
            depth--;
        else if (open_level(l + 1, l->to + start * words, l->from + start * words, size, l->next_word, !l->moves,
                            depth == MAX_LEVELS, words))
            depth++;
    }
}

void hsd_radix_sort(uint64_t *records, uint64_t *scratch, size_t count, unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    HSD_ASSERT(count < 2 || records != scratch);
    switch (count <= SMALL_COUNT ? 0 : words) {
    case 1: sort_from_top(records, scratch, count, 1); break;
    case 2: sort_from_top(records, scratch, count, 2); break;
    case 3: sort_from_top(records, scratch, count, 3); break;
    case 4: sort_from_top(records, scratch, count, 4); break;
    case 5: sort_from_top(records, scratch, count, 5); break;
    case 6: sort_from_top(records, scratch, count, 6); break;
    case 7: sort_from_top(records, scratch, count, 7); break;
    case 8: sort_from_top(records, scratch, count, 8); break;
    case 0: sort_small(records, records, count, 0, words); break;
    default: sort_from_top(records, scratch, count, words); break;
    }
}

bool hsd_radix_is_sorted(const uint64_t *records, size_t count, unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    for (size_t i = 1; i < count; i++)
        if (hsd_record_compare(records + (i - 1) * words, records + i * words, words) > 0) return false;
    return true;
}

int hsd_record_compare(const uint64_t *a, const uint64_t *b, unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    for (unsigned w = 0; w < words; w++)
        if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
    return 0;
}
