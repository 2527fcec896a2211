/*
 * The bitmap is built in two rounds over the table: which regions there are, then the bits; then one walk in the order
 * of addresses counts. Memory is taken when it is known how much. The table is read roughly: a region in which no block
 * lies after all costs some bytes, where the node of each block would have to come from memory in every round.
 */
#include "native/walk/starts.h"

#include <string.h>
#include <sys/mman.h>

#define ADDRESS_END (UINT64_C(1) << HSN_ADDRESS_LOG)
#define MAX_OBJECTS UINT64_C(4294967040) /* what is walked of a capture */

enum { COVERED = 1, BEGINS = 2 }; /* in region_of, until regions have their numbers */

static void *take_block_start(hsn_starts *s, unsigned which, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    s->memory[which] = memory;
    s->memory_size[which] = size;
    return memory;
}

void hsn_starts_close(hsn_starts *s)
{
    for (size_t i = 0; i < sizeof s->memory / sizeof s->memory[0]; i++)
        if (s->memory[i] != NULL) munmap(s->memory[i], s->memory_size[i]);
    *s = (hsn_starts){0};
}

static uint64_t extent(const hsn_block *block) { return block->size == 0 ? 1 : block->size; }

static bool is_possible(const hsn_block *block)
{
    return block->address != 0 && block->address % 8 == 0 && block->address < ADDRESS_END &&
           extent(block) <= ADDRESS_END - block->address;
}

/* ---- which regions ---- */

/* Chunks and the bounds of everything; whether 16 bytes are a granule. */
static bool find_chunks(hsn_starts *s)
{
    hsn_block block;
    uint64_t blocks = 0;
    s->low = UINTPTR_MAX;
    s->granule_log = 4;
    s->chunks = take_block_start(s, 0, HSN_CHUNKS * sizeof *s->chunks);
    if (s->chunks == NULL) return false;
    for (uint64_t cursor = 0; hsn_table_next_roughly(&cursor, &block);) {
        if (!is_possible(&block)) {
            s->lost++;
            continue;
        }
        if (++blocks > MAX_OBJECTS) return false;
        const uintptr_t end = block.address + extent(&block);
        if (block.address < s->low) s->low = block.address;
        if (end > s->high) s->high = end;
        if (block.address % 16 != 0) s->granule_log = 3;
        for (uintptr_t chunk = block.address >> HSN_CHUNK_LOG; chunk <= (end - 1) >> HSN_CHUNK_LOG; chunk++)
            s->chunks[chunk] = 1;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < HSN_CHUNKS; i++)
        if (s->chunks[i] != 0) s->chunks[i] = ++count;
    s->region_of = take_block_start(s, 1, ((size_t)count + 1) * HSN_CHUNK_REGIONS * sizeof *s->region_of);
    return s->region_of != NULL;
}

static uint32_t *region_entry(hsn_starts *s, uintptr_t address)
{
    return &s->region_of[(size_t)s->chunks[address >> HSN_CHUNK_LOG] * HSN_CHUNK_REGIONS +
                         (address >> HSN_REGION_LOG & (HSN_CHUNK_REGIONS - 1))];
}

static void mark_regions(hsn_starts *s)
{
    hsn_block block;
    for (uint64_t cursor = 0; hsn_table_next_roughly(&cursor, &block);) {
        if (!is_possible(&block)) continue;
        *region_entry(s, block.address) |= BEGINS;
        const uintptr_t last = (block.address + extent(&block) - 1) >> HSN_REGION_LOG;
        for (uintptr_t region = (block.address >> HSN_REGION_LOG) + 1; region <= last; region++)
            *region_entry(s, region << HSN_REGION_LOG) |= COVERED;
    }
}

typedef void region_fn(hsn_starts *s, uint32_t *entry, uintptr_t address, void *context);

/* Calls `visit` for every entry of region_of that is not 0, in the order of addresses. */
static void each_region(hsn_starts *s, region_fn *visit, void *context)
{
    for (size_t chunk = 0; chunk < HSN_CHUNKS; chunk++) {
        if (s->chunks[chunk] == 0) continue;
        uint32_t *entries = s->region_of + (size_t)s->chunks[chunk] * HSN_CHUNK_REGIONS;
        for (size_t i = 0; i < HSN_CHUNK_REGIONS; i++)
            if (entries[i] != 0)
                visit(s, &entries[i], (uintptr_t)chunk << HSN_CHUNK_LOG | (uintptr_t)i << HSN_REGION_LOG, context);
    }
}

static void count_region(hsn_starts *s, uint32_t *entry, uintptr_t address, void *context)
{
    (void)address;
    s->region_count++;
    *(size_t *)context += (*entry & BEGINS) != 0;
}

static void number_region(hsn_starts *s, uint32_t *entry, uintptr_t address, void *context)
{
    (void)address;
    uint32_t *slots = context;
    const uint32_t number = ++s->region_count;
    if ((*entry & BEGINS) != 0) s->regions[number].slot = ++*slots;
    *entry = number;
}

static bool take_regions(hsn_starts *s)
{
    size_t slots = 0;
    mark_regions(s);
    each_region(s, count_region, &slots);
    const size_t granules = (size_t)1 << (HSN_REGION_LOG - s->granule_log), lines = granules >> HSN_LINE_LOG;
    s->regions = take_block_start(s, 2, ((size_t)s->region_count + 1) * sizeof *s->regions);
    s->bits = take_block_start(s, 3, (slots + 1) * (granules / 8 + lines * sizeof *s->lines));
    if (s->regions == NULL || s->bits == NULL) return false;
    s->lines = (hsn_line *)(void *)((unsigned char *)s->bits + (slots + 1) * (granules / 8));
    uint32_t slot = 0;
    s->region_count = 0;
    each_region(s, number_region, &slot);
    return true;
}

/* ---- the bits ---- */

static void set_bits(hsn_starts *s)
{
    hsn_block block;
    for (uint64_t cursor = 0; hsn_table_next_roughly(&cursor, &block);) {
        if (!is_possible(&block)) continue;
        const hsn_region *r = &s->regions[hsn_starts_region(s, block.address)];
        const uint32_t granule = hsn_starts_granule(s, block.address);
        uint64_t *word =
            &s->bits[hsn_starts_line(s, r, granule) * HSN_LINE_WORDS + (granule >> 6 & (HSN_LINE_WORDS - 1))];
        const uint64_t bit = UINT64_C(1) << (granule & 63);
        s->lost += (*word & bit) != 0;
        *word |= bit;
    }
}

typedef struct sums {
    uintptr_t last;
} sums;

static void sum_region(hsn_starts *s, uint32_t *entry, uintptr_t address, void *context)
{
    sums *sum = context;
    hsn_region *r = &s->regions[*entry];
    r->first_ordinal = (uint32_t)s->count;
    r->before = sum->last;
    if (r->slot == 0) return;
    const uint32_t granules = 1u << (HSN_REGION_LOG - s->granule_log);
    uint32_t rank = 0, last = 0;
    for (uint32_t granule = 0; granule < granules; granule += 1u << HSN_LINE_LOG) {
        const size_t line = hsn_starts_line(s, r, granule);
        const uint64_t *words = s->bits + line * HSN_LINE_WORDS;
        s->lines[line] = (hsn_line){rank, last};
        for (uint32_t i = 0; i < HSN_LINE_WORDS; i++) {
            if (words[i] == 0) continue;
            rank += (uint32_t)__builtin_popcountll(words[i]);
            last = granule + i * 64 + 64 - (uint32_t)__builtin_clzll(words[i]);
        }
    }
    s->count += rank;
    sum->last = address + ((uintptr_t)(last - 1) << s->granule_log);
}

bool hsn_starts_open(hsn_starts *s)
{
    *s = (hsn_starts){0};
    sums sum = {0};
    if (!find_chunks(s) || !take_regions(s)) return false;
    set_bits(s);
    each_region(s, sum_region, &sum);
    return true;
}

/* ---- in the order of addresses ---- */

/* The first bit from `granule` on, in a region that has bits; false = none. */
static bool first_bit(const hsn_starts *s, const hsn_region *r, uint32_t granule, uint32_t *found)
{
    const uint32_t granules = 1u << (HSN_REGION_LOG - s->granule_log);
    const uint64_t *words = s->bits + hsn_starts_line(s, r, 0) * HSN_LINE_WORDS;
    uint64_t bits = words[granule >> 6] & (~UINT64_C(0) << (granule & 63));
    for (uint32_t word = granule >> 6;;) {
        if (bits != 0) {
            *found = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return true;
        }
        if (++word >= granules / 64) return false;
        bits = words[word];
    }
}

bool hsn_starts_from(const hsn_starts *s, uintptr_t address, uintptr_t *start)
{
    const uintptr_t mask = ((uintptr_t)1 << s->granule_log) - 1;
    if (address < s->low) address = s->low;
    address = (address + mask) & ~mask;
    while (address < s->high) {
        if (s->chunks[address >> HSN_CHUNK_LOG] == 0) {
            address = ((address >> HSN_CHUNK_LOG) + 1) << HSN_CHUNK_LOG;
            continue;
        }
        const hsn_region *r = &s->regions[hsn_starts_region(s, address)];
        const uintptr_t base = address & ~(uintptr_t)((1u << HSN_REGION_LOG) - 1);
        uint32_t granule;
        if (r->slot != 0 && first_bit(s, r, hsn_starts_granule(s, address), &granule)) {
            *start = base + ((uintptr_t)granule << s->granule_log);
            return true;
        }
        address = base + (1u << HSN_REGION_LOG);
    }
    return false;
}
