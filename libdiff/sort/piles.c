/*
 * A record goes to the pile with the greatest end that is not greater, which takes as few piles as can be. So ends
 * descend from the first pile to the last, and the first that fits is that one.
 */
#include "sort/piles.h"

#include <string.h>

#include "base/assert.h"
#include "sort/radix.h"
#include "sort/sorter.h"

typedef struct piles {
    const uint64_t *ends[HSD_PILES_MOST];
    size_t sizes[HSD_PILES_MOST];
    unsigned count;
} piles;

static inline bool comes_before(const uint64_t *a, const uint64_t *b, unsigned words)
{
    return a[0] != b[0] ? a[0] < b[0] : hsd_record_compare(a, b, words) < 0;
}

/* HSD_PILES_MOST: there is none. */
static inline unsigned find_pile(piles *p, const uint64_t *record, unsigned words)
{
    unsigned at = 0;
    while (at < p->count && comes_before(record, p->ends[at], words))
        at++;
    if (at == HSD_PILES_MOST) return at;
    if (at == p->count) p->count++;
    p->ends[at] = record;
    return at;
}

static bool measure_piles(piles *p, const uint64_t *records, size_t count, unsigned words)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned at = find_pile(p, records + i * words, words);
        if (at == HSD_PILES_MOST) return false;
        p->sizes[at]++;
    }
    return true;
}

/* One past the last of those behind `i` that go to the same pile as it, one behind the other. */
static size_t end_of_row(piles *p, unsigned at, const uint64_t *records, size_t i, size_t count, unsigned words)
{
    for (i++; i < count; i++) {
        const uint64_t *record = records + i * words;
        if (comes_before(record, record - words, words)) break;
        if (at > 0 && !comes_before(record, p->ends[at - 1], words)) break;
    }
    p->ends[at] = records + (i - 1) * words;
    return i;
}

static void lay_piles(const piles *measured, const uint64_t *records, uint64_t *out, size_t count, unsigned words)
{
    piles p = {.count = 0};
    uint64_t *next[HSD_PILES_MOST] = {out};
    for (unsigned i = 1; i < HSD_PILES_MOST; i++)
        next[i] = next[i - 1] + measured->sizes[i - 1] * words;
    for (size_t i = 0, end; i < count; i = end) {
        const unsigned at = find_pile(&p, records + i * words, words);
        end = end_of_row(&p, at, records, i, count, words);
        memcpy(next[at], records + i * words, (end - i) * words * sizeof *records);
        next[at] += (end - i) * words;
    }
}

typedef struct heads { /* of piles that are not empty */
    const uint64_t *at[HSD_PILES_MOST], *ends[HSD_PILES_MOST];
    unsigned count;
} heads;

/* The pile with the least head, and the least head of the others; NULL: there is no other. */
static unsigned least_head(const heads *h, const uint64_t **second, unsigned words)
{
    unsigned least = 0;
    *second = NULL;
    for (unsigned i = 1; i < h->count; i++) {
        const bool is_less = comes_before(h->at[i], h->at[least], words);
        const uint64_t *other = h->at[is_less ? least : i];
        if (*second == NULL || comes_before(other, *second, words)) *second = other;
        if (is_less) least = i;
    }
    return least;
}

static void merge_piles(const piles *p, const uint64_t *laid, uint64_t *out, unsigned words)
{
    heads h = {.count = p->count};
    for (unsigned i = 0; i < h.count; i++) {
        h.at[i] = i == 0 ? laid : h.ends[i - 1];
        h.ends[i] = h.at[i] + p->sizes[i] * words;
    }
    while (h.count > 0) {
        const uint64_t *second;
        const unsigned least = least_head(&h, &second, words);
        const uint64_t *start = h.at[least], *at = start + words, *end = h.ends[least];
        while (at < end && (second == NULL || !comes_before(second, at, words)))
            at += words;
        memcpy(out, start, (size_t)(at - start) * sizeof *out);
        out += at - start;
        h.at[least] = at;
        if (at < end) continue;
        h.count--; /* the last one takes its place */
        h.at[least] = h.at[h.count];
        h.ends[least] = h.ends[h.count];
    }
}

bool hsd_piles_sort(uint64_t *records, uint64_t *scratch, size_t count, unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    piles p = {.count = 0};
    if (!measure_piles(&p, records, count, words)) return false;
    lay_piles(&p, records, scratch, count, words);
    merge_piles(&p, scratch, records, words);
    return true;
}
