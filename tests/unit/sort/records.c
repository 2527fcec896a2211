/* Shapes of records: see records.h. */
#include "unit/sort/records.h"

#include <stdlib.h>
#include <string.h>

uint64_t records_draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

const char *shape_name(shape of)
{
    static const char *const names[] = {"random",         "few keys", "all equal", "ordered",  "reversed",
                                        "nearly ordered", "extremes", "addresses", "high bits"};
    return names[of];
}

static uint64_t word_of(shape of, size_t i, size_t count, unsigned word, uint64_t *state)
{
    const uint64_t any = records_draw(state);
    switch (of) {
    case FEW_KEYS: return any % 3 == 0 ? any % 5 : word;
    case ALL_EQUAL: return UINT64_C(0x1234567890) + word;
    case ORDERED: return word == 0 ? i / 3 : i % 3 * 10 + word;
    case REVERSED: return word == 0 ? (count - i) * 1000 : any;
    case NEARLY_ORDERED: return word == 0 ? i * 16 + (any % 50 == 0 ? any % 5000 : 0) : any % 100;
    case EXTREMES: return any % 3 == 0 ? 0 : any % 3 == 1 ? UINT64_MAX : any;
    case ADDRESSES: return word == 0 ? UINT64_C(0x7f0000000000) + any % (count * 4 + 1) * 8 : any % 1000000;
    case HIGH_BITS: return any & UINT64_C(0xff000000000000ff);
    case RANDOM:
    case SHAPES: break;
    }
    return any;
}

uint64_t *records_make(shape of, size_t count, unsigned words, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 88172645463325252u;
    uint64_t *records = malloc((count * words + 1) * sizeof *records);
    for (size_t i = 0; i < count; i++)
        for (unsigned w = 0; w < words; w++)
            records[i * words + w] = word_of(of, i, count, w, &state);
    return records;
}

static unsigned compared_words;

static int compare(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    for (unsigned w = 0; w < compared_words; w++)
        if (left[w] != right[w]) return left[w] < right[w] ? -1 : 1;
    return 0;
}

uint64_t *records_sorted(const uint64_t *records, size_t count, unsigned words)
{
    uint64_t *sorted = malloc((count * words + 1) * sizeof *sorted);
    memcpy(sorted, records, count * words * sizeof *sorted);
    compared_words = words;
    qsort(sorted, count, words * sizeof *sorted, compare);
    return sorted;
}

void records_shuffle(uint64_t *records, size_t count, unsigned words, uint64_t seed)
{
    uint64_t state = seed + 77;
    for (size_t i = count; i > 1; i--) {
        const size_t other = records_draw(&state) % i;
        for (unsigned w = 0; w < words; w++) {
            const uint64_t swap = records[(i - 1) * words + w];
            records[(i - 1) * words + w] = records[other * words + w];
            records[other * words + w] = swap;
        }
    }
}
