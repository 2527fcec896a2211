/*
 * Which memory malloc manages. What lies between live blocks there was in use once and is full of old pointers: it is
 * no root. Known are [heap], and the heaps that glibc maps for its other arenas: 64 MiB, aligned to as much, that begin
 * with a description of themselves. Any other mapping in which a small block lives is another allocator's, and all of
 * it counts. Large blocks have pages of their own, among memory that may be the program's.
 */
#include "native/walk/walk.h"

#include <sys/mman.h>

enum { LARGE_BYTES = 128 << 10, GIVE_BYTES = 2 << 20 };

#define ARENA_BYTES (UINT64_C(64) << 20)

/* struct heap_info of glibc: the arena, the heap before, how much of it is used. */
static bool is_arena(uintptr_t address)
{
    uintptr_t words[3];
    if (!hsn_copy(words, address, sizeof words)) return false;
    return words[0] != 0 && words[0] % 16 == 0 && words[1] % ARENA_BYTES == 0 && words[2] != 0 &&
           words[2] <= ARENA_BYTES && words[2] % HSN_PAGE == 0;
}

static void find_in_heaps(hsn_walker *k, const hsn_mapping *m)
{
    hsn_block block;
    uintptr_t start;
    for (uintptr_t at = m->low; hsn_starts_from(&k->starts, at, &start) && start < m->high;) {
        if (!hsn_table_find(start, &block)) return;
        const uintptr_t arena = start & ~(uintptr_t)(ARENA_BYTES - 1);
        if (arena >= m->low && is_arena(arena)) {
            at = arena + ARENA_BYTES;
            hsn_holes_add(&k->heaps, (hsn_range){arena, at < m->high ? at : m->high});
        } else if (block.size >= LARGE_BYTES) {
            at = start + block.size;
        } else {
            hsn_holes_add(&k->heaps, (hsn_range){m->low, m->high});
            return;
        }
    }
}

static bool is_private_memory(const hsn_mapping *m)
{
    return (m->kind == HSN_MAPPING_ANONYMOUS || m->kind == HSN_MAPPING_HEAP) && !m->is_shared;
}

bool hsn_heaps_find(hsn_walker *k)
{
    size_t arenas = 0;
    for (size_t i = 0; i < k->maps.count; i++)
        if (is_private_memory(&k->maps.mappings[i]))
            arenas += (k->maps.mappings[i].high - k->maps.mappings[i].low) / ARENA_BYTES;
    if (arenas > 1 << 16) arenas = 1 << 16;
    if (!hsn_holes_open(&k->heaps, &k->arena, k->maps.count + arenas + 1)) return false;
    for (size_t i = 0; i < k->maps.count; i++) {
        const hsn_mapping *m = &k->maps.mappings[i];
        if (!is_private_memory(m)) continue;
        if (m->kind == HSN_MAPPING_HEAP)
            hsn_holes_add(&k->heaps, (hsn_range){m->low, m->high});
        else
            find_in_heaps(k, m);
    }
    return true;
}

/* ---- giving back ---- */

static uintptr_t page_of(uintptr_t address) { return address & ~(uintptr_t)(HSN_PAGE - 1); }
static uintptr_t page_above(uintptr_t address) { return page_of(address + HSN_PAGE - 1); }

/* The part of `range` that is private memory of a mapping, mapping by mapping. */
static void release_native_heap(hsn_walker *k, hsn_range range)
{
    hsn_range piece;
    while (hsn_holes_next(&k->holes, &range, &piece)) {
        for (size_t i = hsn_maps_from(&k->maps, piece.low); i < k->maps.count && k->maps.mappings[i].low < piece.high;
             i++) {
            const hsn_mapping *m = &k->maps.mappings[i];
            const uintptr_t low = m->low > piece.low ? m->low : page_above(piece.low);
            const uintptr_t high = m->high < piece.high ? m->high : page_of(piece.high);
            if (is_private_memory(m) && hsn_module_of(&k->modules, low) == NULL && low < high)
                madvise((void *)low, high - low, MADV_DONTNEED);
        }
    }
}

static void give_back_before(hsn_walker *k, uintptr_t end)
{
    const uintptr_t kept = page_above(k->kept), low = page_of(k->scanned.low);
    const hsn_range whole = {low > kept ? low : kept, page_of(end)};
    if (whole.low < whole.high) release_native_heap(k, whole);
    k->scanned = (hsn_range){0};
}

void hsn_give_back_all(hsn_walker *k) { give_back_before(k, k->scanned.high); }

void hsn_keep(hsn_walker *k, hsn_range range)
{
    give_back_before(k, range.low < k->scanned.high ? range.low : k->scanned.high);
    k->kept = range.high;
}

/*
 * In one heap, and nothing between but what was freed. Blocks come by address, so the heap of the last one is nearly
 * always right.
 */
static bool is_one_heap(hsn_walker *k, uintptr_t a, uintptr_t b)
{
    const hsn_holes *h = &k->heaps;
    while (k->heap < h->count && h->ranges[k->heap].high <= a)
        k->heap++;
    return k->heap < h->count && h->ranges[k->heap].low <= a && b < h->ranges[k->heap].high;
}

static void give_back_step(hsn_walker *k)
{
    const hsn_range rest = {page_of(k->scanned.high), k->scanned.high};
    give_back_before(k, rest.low);
    if (rest.low < rest.high) k->scanned = rest;
}

static __attribute__((noinline)) void begin_step(hsn_walker *k, uintptr_t low, uintptr_t high)
{
    hsn_give_back_all(k);
    k->scanned = (hsn_range){low, high};
}

/* For each block: where the range as a whole is needed, the compiler writes it to memory in two halves and reads it in
 * one, for which the processor waits. */
void hsn_give_back(hsn_walker *k, hsn_range range)
{
    const bool goes_on =
        k->scanned.high != 0 && (range.low <= k->scanned.high || is_one_heap(k, k->scanned.low, range.low));
    if (!goes_on)
        begin_step(k, range.low, range.high);
    else if (range.high > k->scanned.high)
        k->scanned.high = range.high;
    if (k->scanned.high - k->scanned.low >= GIVE_BYTES) give_back_step(k);
}
