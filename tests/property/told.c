/*
 * A growing array of pairs, and look-ups in it by halves.
 */
#include "told.h"

#include <stdlib.h>

hsd_status told_put(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung, hsd_error *err)
{
    told *all = context;
    (void)err;
    if (all->count == all->room) {
        all->room = all->room == 0 ? 64 : 2 * all->room;
        all->pairs = realloc(all->pairs, all->room * sizeof *all->pairs);
        if (all->pairs == NULL) abort();
    }
    all->pairs[all->count++] = (told_pair){id_before, id_after, rung};
    return HSD_OK;
}

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_after(const void *a, const void *b)
{
    return order(((const told_pair *)a)->after, ((const told_pair *)b)->after);
}

static int by_before(const void *a, const void *b)
{
    return order(((const told_pair *)a)->before, ((const told_pair *)b)->before);
}

void told_sort_by_after(told *all)
{
    if (all->count > 0) qsort(all->pairs, all->count, sizeof *all->pairs, by_after);
}

void told_sort_by_before(told *all)
{
    if (all->count > 0) qsort(all->pairs, all->count, sizeof *all->pairs, by_before);
}

static const told_pair *find(const told *all, const told_pair *wanted, int (*compare)(const void *, const void *))
{
    return all->count == 0 ? NULL : bsearch(wanted, all->pairs, all->count, sizeof *all->pairs, compare);
}

const told_pair *told_of_after(const told *all, uint64_t id) { return find(all, &(told_pair){.after = id}, by_after); }

const told_pair *told_of_before(const told *all, uint64_t id)
{
    return find(all, &(told_pair){.before = id}, by_before);
}

void told_free(told *all)
{
    free(all->pairs);
    *all = (told){NULL, 0, 0};
}
