/*
 * Sampled mode: of many allocations one is in the table. A block of s bytes is with the probability 1 - exp(-s /
 * interval), so it stands for the inverse of that, itself and others of its kind: that many objects are written, and
 * counts and bytes of types and sites add up to those of the heap. Where that is no whole number, the block's own
 * sequence number decides between the two next to it, so that all captures of a process agree. The first object has the
 * sequence number as its id, the others have it in their low bits.
 *
 * The ways between blocks lead over those that are not in the table: there are no references and roots, and everything
 * counts as live.
 */
#include "native/walk/walk.h"

enum { PARTS = 4096, MAX_COPIES = 1 << 20, COPY_SHIFT = 44 };

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

/* How many allocations a block stands for. */
static uint64_t copies_of(const hsn_block *block, uint64_t interval)
{
    const double x = (double)(block->size == 0 ? 1 : block->size) / (double)interval;
    const double chance = x < 1e-6 ? x : 1 - exp_of_minus(x);
    const uint64_t parts = (uint64_t)(PARTS / chance + 0.5);
    const uint64_t draw = (block->sequence * UINT64_C(0x9e3779b97f4a7c15)) >> 52; /* 0 to PARTS - 1 */
    const uint64_t copies = (parts + draw) / PARTS;
    return copies < MAX_COPIES ? copies : MAX_COPIES - 1;
}

/* By which the type of a block is known; 0 where it is too small or cannot be read. */
static uintptr_t first_word(const hsn_walker *k, const hsn_block *block)
{
    const hsn_mapping *m = hsn_maps_find(&k->maps, block->address);
    return block->size >= sizeof(uintptr_t) && m != NULL && m->can_read ? *(const uintptr_t *)block->address : 0;
}

static hsc_status write_copies(hsn_walker *k, const hsn_block *block)
{
    const uint64_t copies = copies_of(block, k->world->sample_bytes);
    hsc_object object = {.size_bytes = block->size,
                         .type = hsn_type_of(k, block, first_word(k, block)),
                         .site = hsn_place_of(k, block->stack)->site};
    for (uint64_t copy = 0; copy < copies; copy++) {
        object.id = block->sequence | copy << COPY_SHIFT;
        hsc_status status = hsc_begin_object(k->w, &object);
        if (status == HSC_OK) status = hsc_end_object(k->w);
        if (status != HSC_OK) return status;
    }
    k->bytes += copies * block->size;
    return HSC_OK;
}

hsc_status hsn_write_samples(hsn_walker *k)
{
    hsn_block block;
    uintptr_t start;
    for (uintptr_t at = k->starts.low; hsn_starts_from(&k->starts, at, &start); at = start + 1) {
        const hsc_status status = hsn_table_find(start, &block) ? write_copies(k, &block) : HSC_OK;
        if (status != HSC_OK) return status;
    }
    return HSC_OK;
}
