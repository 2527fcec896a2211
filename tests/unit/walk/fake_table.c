/*
 * Blocks in an array and a hash of their addresses; nothing is ever removed.
 */
#include "fake_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_STACKS = 4096 };

typedef struct fake {
    size_t size, capacity, count, buckets;
    uint32_t stack_count;
    uintptr_t frames[MAX_STACKS][HSN_STACK_FRAMES];
    size_t frame_counts[MAX_STACKS];
    hsn_block blocks[]; /* behind them 2 * capacity numbers */
} fake;

static fake *all;

static uint32_t *numbers(void) { return (uint32_t *)(void *)(all->blocks + all->capacity); }

void fake_open(size_t blocks)
{
    size_t buckets = 16;
    while (buckets < 2 * blocks)
        buckets *= 2;
    const size_t size = sizeof *all + (blocks + 1) * sizeof(hsn_block) + buckets * sizeof(uint32_t);
    all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) abort();
    all->size = size;
    all->capacity = blocks;
    all->buckets = buckets;
}

void fake_close(void)
{
    munmap(all, all->size);
    all = NULL;
}

hsn_range fake_memory(void) { return (hsn_range){(uintptr_t)all, (uintptr_t)all + all->size}; }

static uint32_t *find(uintptr_t address)
{
    size_t at = (address >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (all->buckets - 1);
    while (numbers()[at] != 0 && all->blocks[numbers()[at] - 1].address != address)
        at = (at + 1) & (all->buckets - 1);
    return &numbers()[at];
}

uint64_t fake_add(uintptr_t address, uint64_t size, uint32_t stack)
{
    if (all->count == all->capacity) abort();
    all->blocks[all->count] = (hsn_block){address, size, all->count + 1, stack};
    *find(address) = (uint32_t)++all->count;
    return all->count;
}

uint32_t fake_stack(const uintptr_t *frames, size_t count)
{
    if (all->stack_count + 1 == MAX_STACKS || count > HSN_STACK_FRAMES) abort();
    memcpy(all->frames[++all->stack_count], frames, count * sizeof *frames);
    all->frame_counts[all->stack_count] = count;
    return all->stack_count;
}

const hsn_block *fake_block(size_t i) { return i < all->count ? &all->blocks[i] : NULL; }

const hsn_block *fake_holder(uintptr_t address)
{
    for (size_t i = 0; i < all->count; i++) {
        const hsn_block *b = &all->blocks[i];
        if (address == b->address || (address > b->address && address - b->address < b->size)) return b;
    }
    return NULL;
}

/* ---- table.h, stacks.h ---- */

bool hsn_table_next(uint64_t *cursor, hsn_block *out)
{
    if (*cursor >= all->count) return false;
    *out = all->blocks[(*cursor)++];
    return true;
}

/* As the map does, whose blocks have less than 1 KiB. */
bool hsn_table_next_roughly(uint64_t *cursor, hsn_block *out)
{
    enum { LARGE = 1024 };
    const bool is_there = hsn_table_next(cursor, out);
    if (is_there && out->address % 16 == 0 && out->size < LARGE) out->size = LARGE - 1;
    return is_there;
}

void hsn_table_prefetch(uintptr_t address) { (void)address; }

bool hsn_table_find(uintptr_t address, hsn_block *out)
{
    const uint32_t number = *find(address);
    if (number != 0) *out = all->blocks[number - 1];
    return number != 0;
}

uint64_t hsn_table_count(void) { return all->count; }
uint64_t hsn_table_most(void) { return all->count; }
uint64_t hsn_table_lost(void) { return 0; }
uint32_t hsn_stacks_last(void) { return all->stack_count; }
uint64_t hsn_stacks_lost(void) { return 0; }

/* One was unloaded, from an address that nothing is mapped at. */
const hsn_gone *hsn_gone_at(uintptr_t address)
{
    static const hsn_gone one = {.low = FAKE_GONE,
                                 .high = FAKE_GONE + 0x1000,
                                 .bias = FAKE_GONE,
                                 .name = "gone.so",
                                 .name_size = 7,
                                 .build_id = {0xab, 1},
                                 .build_id_size = 2};
    return address >= one.low && address < one.high ? &one : NULL;
}

const uintptr_t *hsn_stacks_frames(uint32_t stack, size_t *count)
{
    *count = stack <= all->stack_count ? all->frame_counts[stack] : 0;
    return all->frames[stack <= all->stack_count ? stack : 0];
}
