/*
 * Where blocks begin: a bitmap of the heap, by which a word is looked up in a few loads. The table (table.h) knows
 * starts and nothing of what lies between; a sorted copy of it would take more memory than the program may have left.
 *
 *      address ─► chunk of 16 GiB ─► region of 2 MiB ─► line of 512 granules ─► granule: does a block begin here?
 *
 * A granule is 16 bytes, or 8 where an allocator packs closer, so the bitmap is 1/128 of the heap (1/64), and regions
 * without blocks cost nothing. Every line knows how many blocks begin before it in its region and where the last of
 * them does: the number of a block is its place among all, by address, which is the ordinal of its object in the
 * capture.
 */
#ifndef HSN_STARTS_H
#define HSN_STARTS_H

#include "native/table.h"
#include "native/world.h"

enum {
    HSN_REGION_LOG = 21,
    HSN_CHUNK_LOG = 34,
    HSN_ADDRESS_LOG = 47,
    HSN_LINE_LOG = 9,
    HSN_CHUNKS = 1 << (HSN_ADDRESS_LOG - HSN_CHUNK_LOG),
    HSN_CHUNK_REGIONS = 1 << (HSN_CHUNK_LOG - HSN_REGION_LOG),
    HSN_LINE_WORDS = (1 << HSN_LINE_LOG) / 64
};

typedef struct hsn_line {
    uint32_t rank; /* blocks that begin before it, in its region */
    uint32_t last; /* granule + 1 of the last of them, 0 = none */
} hsn_line;

typedef struct hsn_region {
    uint32_t slot;          /* of its bits and lines; 0 = none begin here, but a block reaches into it */
    uint32_t first_ordinal; /* blocks that begin in regions before it */
    uintptr_t before;       /* start of the last of them, 0 = none */
} hsn_region;

typedef struct hsn_starts {
    uint32_t *chunks;    /* HSN_CHUNKS: number of each one's regions, 0 = none */
    uint32_t *region_of; /* HSN_CHUNK_REGIONS for each chunk: its region, 0 = none */
    hsn_region *regions; /* from 1 on, ascending */
    uint64_t *bits;
    hsn_line *lines;
    /* of all bytes of all blocks, or 1 KiB more; a block of no bytes counts as one */
    uintptr_t low, high;
    unsigned granule_log;
    uint32_t region_count;
    uint64_t count;  /* blocks that are in */
    uint64_t lost;   /* blocks at addresses that cannot be, or listed twice */
    void *memory[4]; /* mappings, given back by hsn_starts_close */
    size_t memory_size[4];
} hsn_starts;

/* Reads the table, twice. False when there is no memory, or more blocks than a capture may have objects. */
bool hsn_starts_open(hsn_starts *starts);
void hsn_starts_close(hsn_starts *starts);

/* The first block at `address` or above; false = none. */
bool hsn_starts_from(const hsn_starts *starts, uintptr_t address, uintptr_t *start);

/* ---- looking up, inline: this is what a scan does ---- */

static inline uint32_t hsn_starts_region(const hsn_starts *s, uintptr_t address)
{
    const uint32_t chunk = s->chunks[address >> HSN_CHUNK_LOG];
    return s->region_of[(size_t)chunk * HSN_CHUNK_REGIONS + (address >> HSN_REGION_LOG & (HSN_CHUNK_REGIONS - 1))];
}

static inline uint32_t hsn_starts_granule(const hsn_starts *s, uintptr_t address)
{
    return (uint32_t)((address & ((1u << HSN_REGION_LOG) - 1)) >> s->granule_log);
}

static inline size_t hsn_starts_line(const hsn_starts *s, const hsn_region *r, uint32_t granule)
{
    return ((size_t)r->slot << (HSN_REGION_LOG - s->granule_log - HSN_LINE_LOG)) + (granule >> HSN_LINE_LOG);
}

/* The start of the last block that begins at `address` or before it; 0 = none. `address` lies in region r. */
static inline uintptr_t hsn_starts_before(const hsn_starts *s, const hsn_region *r, uintptr_t address)
{
    if (r->slot == 0) return r->before;
    const uint32_t granule = hsn_starts_granule(s, address);
    const uintptr_t base = address & ~(uintptr_t)((1u << HSN_REGION_LOG) - 1);
    const size_t line = hsn_starts_line(s, r, granule);
    const uint64_t *words = s->bits + line * HSN_LINE_WORDS;
    int word = (int)(granule >> 6 & (HSN_LINE_WORDS - 1));
    uint64_t bits = words[word] & (~UINT64_C(0) >> (63 - (granule & 63)));
    while (bits == 0 && word > 0)
        bits = words[--word];
    const uint32_t line_start = granule & ~(uint32_t)((1u << HSN_LINE_LOG) - 1);
    if (bits != 0) {
        const uint32_t at = line_start + (uint32_t)word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
        return base + ((uintptr_t)at << s->granule_log);
    }
    const uint32_t last = s->lines[line].last;
    return last == 0 ? r->before : base + ((uintptr_t)(last - 1) << s->granule_log);
}

/* The number of the block that begins at `start`. */
static inline uint32_t hsn_starts_ordinal(const hsn_starts *s, uintptr_t start)
{
    const hsn_region *r = &s->regions[hsn_starts_region(s, start)];
    const uint32_t granule = hsn_starts_granule(s, start);
    const size_t line = hsn_starts_line(s, r, granule);
    const uint64_t *words = s->bits + line * HSN_LINE_WORDS;
    const uint32_t word = granule >> 6 & (HSN_LINE_WORDS - 1);
    uint32_t ordinal = r->first_ordinal + s->lines[line].rank;
    for (uint32_t i = 0; i < word; i++)
        ordinal += (uint32_t)__builtin_popcountll(words[i]);
    return ordinal + (uint32_t)__builtin_popcountll(words[word] & ((UINT64_C(1) << (granule & 63)) - 1));
}

#endif
