/*
 * Chunks of 4 MiB in a hash. What is asked for is mostly in the chunk of a page or two; an object that is larger than
 * what a look back over a chunk finds is noted as the cover of every chunk that it reaches into.
 */
#include "go/heap/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

enum { CHUNK_BITS = 22, PAGE_BITS = 13, GRAIN_BITS = 3 };
enum {
    CHUNK_WORDS = 1 << (CHUNK_BITS - GRAIN_BITS - 6),
    CHUNK_PAGES = 1 << (CHUNK_BITS - PAGE_BITS),
    FIRST_SLOTS = 64
};
#define CHUNK_MASK  ((UINT64_C(1) << CHUNK_BITS) - 1)
#define MAX_COVERED (UINT64_C(1) << 46) /* bytes of an object: an address space */

struct goheap_chunk {
    uint64_t key;
    uint64_t cover; /* where the object begins that reaches into the chunk from before; 0 = none */
    uint64_t cover_end;
    uint64_t begins[CHUNK_WORDS];
    uint64_t sizes[CHUNK_PAGES]; /* greatest of the objects that begin in the page */
};

uint64_t hsd_goheap_index_memory(const goheap_index *index)
{
    return index->slot_count * sizeof *index->slots + index->chunk_count * sizeof(goheap_chunk);
}

static size_t slot_of(const goheap_index *index, uint64_t key)
{
    size_t i = (size_t)hsd_mix(0, key) & (index->slot_count - 1);
    while (index->slots[i] != NULL && index->slots[i]->key != key)
        i = (i + 1) & (index->slot_count - 1);
    return i;
}

static const goheap_chunk *find_goindex(const goheap_index *index, uint64_t key)
{
    return index->slot_count == 0 ? NULL : index->slots[slot_of(index, key)];
}

static hsd_status grow_goindex(goheap_index *index, hsd_error *err)
{
    if (index->chunk_count < index->slot_count / 2) return HSD_OK;
    goheap_index wider = {.slot_count = index->slot_count == 0 ? FIRST_SLOTS : index->slot_count * 2};
    wider.slots = calloc(wider.slot_count, sizeof *wider.slots);
    if (wider.slots == NULL) return hsd_fail_nomem(err, "the places of objects");
    for (size_t i = 0; i < index->slot_count; i++)
        if (index->slots[i] != NULL) wider.slots[slot_of(&wider, index->slots[i]->key)] = index->slots[i];
    free(index->slots);
    index->slots = wider.slots;
    index->slot_count = wider.slot_count;
    return HSD_OK;
}

static hsd_status over_budget(const goheap_index *index, hsd_error *err)
{
    hsd_fail(err, HSD_E_OVER_BUDGET, "the places of this dump's objects take more than %" PRIu64 " MiB",
             index->most_bytes >> 20);
    hsd_error_set_hint(err, "give it more: --memory with an eighth of the heap that was dumped is enough");
    return HSD_E_OVER_BUDGET;
}

static hsd_status find_or_make(goheap_index *index, uint64_t key, goheap_chunk **out, hsd_error *err)
{
    HSD_TRY(grow_goindex(index, err));
    const size_t slot = slot_of(index, key);
    if (index->slots[slot] == NULL) {
        if (index->most_bytes != 0 && hsd_goheap_index_memory(index) + sizeof(goheap_chunk) > index->most_bytes)
            return over_budget(index, err);
        index->slots[slot] = calloc(1, sizeof(goheap_chunk));
        if (index->slots[slot] == NULL) return hsd_fail_nomem(err, "the places of objects");
        index->slots[slot]->key = key;
        index->chunk_count++;
    }
    *out = index->slots[slot];
    return HSD_OK;
}

hsd_status hsd_goheap_index_put(goheap_index *index, uint64_t address, uint64_t size, hsd_error *err)
{
    uint64_t end;
    goheap_chunk *chunk = NULL;
    if (address % 8 != 0 || address == 0 || size > MAX_COVERED || !hsd_add_u64(address, size, &end))
        return hsd_fail(err, HSD_E_CORRUPT, "an object of %" PRIu64 " bytes at 0x%" PRIx64, size, address);
    HSD_TRY(find_or_make(index, address >> CHUNK_BITS, &chunk, err));
    uint64_t *word = &chunk->begins[(address & CHUNK_MASK) >> (GRAIN_BITS + 6)];
    const uint64_t bit = UINT64_C(1) << (address >> GRAIN_BITS & 63);
    if ((*word & bit) != 0) return hsd_fail(err, HSD_E_CORRUPT, "two objects at 0x%" PRIx64, address);
    *word |= bit;
    uint64_t *greatest = &chunk->sizes[(address & CHUNK_MASK) >> PAGE_BITS];
    *greatest = hsd_max_u64(*greatest, size);
    for (uint64_t key = (address >> CHUNK_BITS) + 1; size > 0 && key <= (end - 1) >> CHUNK_BITS; key++) {
        HSD_TRY(find_or_make(index, key, &chunk, err));
        chunk->cover = address;
        chunk->cover_end = end;
    }
    return HSD_OK;
}

/* The last object of the chunk that begins at `address` or before. */
static bool begin_before(const goheap_chunk *chunk, uint64_t address, uint64_t *begin)
{
    size_t word = (size_t)((address & CHUNK_MASK) >> (GRAIN_BITS + 6));
    uint64_t bits = chunk->begins[word] & (UINT64_MAX >> (63 - (address >> GRAIN_BITS & 63)));
    while (bits == 0) {
        if (word == 0) return false;
        bits = chunk->begins[--word];
    }
    const uint64_t grain = (uint64_t)word * 64 + 63 - (uint64_t)__builtin_clzll(bits);
    *begin = chunk->key << CHUNK_BITS | grain << GRAIN_BITS;
    return true;
}

bool hsd_goheap_index_find(const goheap_index *index, uint64_t address, uint64_t *begin)
{
    const goheap_chunk *chunk = find_goindex(index, address >> CHUNK_BITS);
    if (chunk == NULL) return false;
    if (begin_before(chunk, address, begin)) return address - *begin < chunk->sizes[(*begin & CHUNK_MASK) >> PAGE_BITS];
    *begin = chunk->cover;
    return chunk->cover != 0 && address < chunk->cover_end;
}

void hsd_goheap_index_release(goheap_index *index)
{
    for (size_t i = 0; i < index->slot_count; i++)
        free(index->slots[i]);
    free(index->slots);
    *index = (goheap_index){0};
}
