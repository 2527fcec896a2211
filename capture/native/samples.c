/*
 * Sampled mode: of many allocations one is in the table, and the ways between them lead over blocks that are not. So there are no references
 * and roots, and no objects either, since one stands for many: the capture is a summary, the totals of each type, scaled. A block of
 * size s is in the table with the probability 1 - exp(-s / interval), so it stands for the inverse of that.
 */
#include "walk.h"

typedef struct totals {
    uint64_t objects, bytes; /* in parts of 1/4096, so that nothing is rounded before the end */
} totals;

enum { PARTS = 4096 };

/* exp(-x) for x >= 0, to ten digits: by its series, for a piece of x so small that a few terms do. */
static double exp_of_minus(double x)
{
    if (x > 40) return 0;
    double result = 1, term = 1;
    for (int i = 1; i < 12; i++) {
        term *= -x / 1024 / i;
        result += term;
    }
    for (int i = 0; i < 10; i++)
        result *= result;
    return result;
}

/* How many allocations a block of this size stands for, in parts. */
static uint64_t weight(uint64_t size, uint64_t interval)
{
    const double x = (double)(size == 0 ? 1 : size) / (double)interval;
    const double chance = x < 1e-6 ? x : 1 - exp_of_minus(x);
    return (uint64_t)(PARTS / chance + 0.5);
}

/* By which the type of a block is known; 0 where it is too small or cannot be read. */
static uintptr_t first_word(const hsn_walker *k, const hsn_block *block)
{
    const hsn_mapping *m = hsn_maps_find(&k->maps, block->address);
    return block->size >= sizeof(uintptr_t) && m != NULL && m->can_read ? *(const uintptr_t *)block->address : 0;
}

static uint64_t whole(uint64_t parts) { return (parts + PARTS / 2) / PARTS; }

hsc_status hsn_write_samples(hsn_walker *k)
{
    enum { LIMIT = HSN_MAX_TYPES + (1 << 16) + 2 };
    totals *all = hsa_arena_take(&k->arena, LIMIT * sizeof *all);
    hsn_block block;
    uintptr_t start;
    if (all == NULL) return HSC_E_NOMEM;
    for (uintptr_t at = k->starts.low; hsn_starts_from(&k->starts, at, &start); at = start + 1) {
        if (!hsn_table_find(start, &block)) continue;
        const uint32_t type = hsn_type_of(k, &block, first_word(k, &block));
        const uint64_t parts = weight(block.size, k->world->sample_bytes);
        if (type >= LIMIT) continue; /* there are no more: types of places and of vtables have limits */
        all[type].objects += parts;
        all[type].bytes += parts * block.size;
    }
    for (uint32_t type = 1; type <= k->types && type < LIMIT; type++) {
        if (all[type].objects == 0) continue;
        const uint64_t bytes = whole(all[type].bytes);
        k->bytes += bytes;
        const hsc_status status = hsc_count(k->w, type, whole(all[type].objects), bytes);
        if (status != HSC_OK) return status;
    }
    return HSC_OK;
}
