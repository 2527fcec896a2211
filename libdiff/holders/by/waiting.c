/*
 * A set of groups, a bit each, and a bit for each word that is not 0, and so on: the next one is found in a few steps,
 * however few there are.
 */
#include "holders/by/waiting.h"

#include <stdlib.h>

#include "base/fail.h"

#define LEVELS HSD_BY_WAITING_LEVELS

hsd_status hsd_by_waiting_open(hsd_by_waiting *w, hsd_node groups, hsd_error *err)
{
    size_t bits = (size_t)groups + 1;
    for (unsigned level = 0; level < LEVELS; level++) {
        w->count[level] = bits / 64 + 1;
        w->words[level] = calloc(w->count[level], sizeof **w->words);
        if (w->words[level] == NULL) return hsd_fail_nomem(err, "what holds together");
        bits = w->count[level];
    }
    return HSD_OK;
}

void hsd_by_waiting_close(hsd_by_waiting *w)
{
    for (unsigned level = 0; level < LEVELS; level++)
        free(w->words[level]);
}

void hsd_by_waiting_add(hsd_by_waiting *w, size_t at)
{
    for (unsigned level = 0; level < LEVELS; level++, at /= 64) {
        uint64_t *word = &w->words[level][at / 64];
        const bool was_there = *word != 0;
        *word |= UINT64_C(1) << at % 64;
        if (was_there) return;
    }
}

void hsd_by_waiting_remove(hsd_by_waiting *w, size_t at)
{
    for (unsigned level = 0; level < LEVELS; level++, at /= 64) {
        uint64_t *word = &w->words[level][at / 64];
        *word &= ~(UINT64_C(1) << at % 64);
        if (*word != 0) return;
    }
}

size_t hsd_by_waiting_next(const hsd_by_waiting *w, size_t at)
{
    unsigned level = 0;
    for (;;) {
        const size_t word = at / 64;
        if (word >= w->count[level]) return SIZE_MAX;
        const uint64_t bits = w->words[level][word] & UINT64_MAX << at % 64;
        at = bits != 0 ? word * 64 + (size_t)__builtin_ctzll(bits) : level + 1 < LEVELS ? word + 1 : (word + 1) * 64;
        if (bits != 0) break;
        if (level + 1 < LEVELS) level++;
    }
    while (level-- > 0)
        at = at * 64 + (size_t)__builtin_ctzll(w->words[level][at]);
    return at;
}
