/*
 * Planes of bits by chunk. A chunk is found by hashing; that of the last question is tried first, because a walk goes
 * through the heap in order and its references are mostly near.
 */
#include "ids.h"

#include "lazily.h"

enum { CHUNK_BITS = 26, GRANULE_BITS = 4, PLANE_WORDS = 1 << (CHUNK_BITS - GRANULE_BITS - 6) };
#define PLANES_BYTES ((size_t)IDS_PLANES * PLANE_WORDS * sizeof(uint64_t))

/* One granule of a chunk: word and bit in every plane. */
typedef struct granule {
    uint64_t *words; /* plane p stands at words[p * PLANE_WORDS]; NULL = no chunk */
    uint64_t bit;
} granule;

static ids_chunk *find_chunk(mono_ids *ids, uint64_t key)
{
    if (ids->last != NULL && ids->last->key == key) return ids->last;
    size_t i = (size_t)(spread(key) >> 40) % IDS_CHUNKS;
    while (ids->chunks[i].key != 0 && ids->chunks[i].key != key)
        i = (i + 1) % IDS_CHUNKS;
    return &ids->chunks[i];
}

static bool make_chunk(mono_ids *ids, ids_chunk *chunk, uint64_t key)
{
    if (ids->chunk_count >= IDS_CHUNKS / 2) return false;
    chunk->planes = map_lazily(PLANES_BYTES);
    if (chunk->planes == NULL) return false;
    chunk->key = key;
    ids->chunk_count++;
    return true;
}

static granule granule_of(mono_ids *ids, uintptr_t address, bool make)
{
    const uint64_t key = ((uint64_t)address >> CHUNK_BITS) + 1;
    const size_t number = (address >> GRANULE_BITS) & (((size_t)1 << (CHUNK_BITS - GRANULE_BITS)) - 1);
    ids_chunk *chunk = find_chunk(ids, key);
    if (chunk->key == 0 && (!make || !make_chunk(ids, chunk, key))) return (granule){0};
    ids->last = chunk;
    return (granule){chunk->planes + number / 64, UINT64_C(1) << number % 64};
}

static bool is_moved(granule g) { return (g.words[0] & g.bit) != 0; }

static unsigned epoch_at(const mono_ids *ids, granule g)
{
    unsigned epoch = 0;
    for (unsigned digit = 0; digit < ids->digits; digit++)
        epoch |= (unsigned)((g.words[(size_t)(digit + 1) * PLANE_WORDS] & g.bit) != 0) << digit;
    return epoch;
}

static void set_epoch(const mono_ids *ids, granule g, unsigned epoch)
{
    for (unsigned digit = 0; digit < ids->digits; digit++) {
        uint64_t *word = &g.words[(size_t)(digit + 1) * PLANE_WORDS];
        if ((epoch >> digit & 1) != 0)
            *word |= g.bit;
        else if ((*word & g.bit) != 0)
            *word &= ~g.bit; /* no write where none is needed: it would cost a page */
    }
}

static uint64_t make_id(uintptr_t address, unsigned epoch) { return address | (uint64_t)epoch << 48; }

bool ids_ready(mono_ids *ids)
{
    if (ids->chunks == NULL) ids->chunks = map_lazily(IDS_CHUNKS * sizeof(ids_chunk));
    return ids->chunks != NULL;
}

static bool is_end_of_era(const mono_ids *ids, bool is_address)
{
    return ids->epoch == IDS_EPOCHS || (is_address && ids->epoch > 0);
}

unsigned ids_next_era(const mono_ids *ids, bool is_address) { return ids->era + is_end_of_era(ids, is_address); }

void ids_begin(mono_ids *ids, bool is_address, size_t most_moved_bytes)
{
    if (is_end_of_era(ids, is_address)) ids_release(ids);
    ids->is_address = is_address;
    ids->lost = 0;
    if (is_address) return;
    ids->moved.most = 1;
    while (ids->moved.most * 2 * sizeof(moved_entry) <= most_moved_bytes)
        ids->moved.most *= 2;
    ids->epoch++;
    while (ids->epoch >> ids->digits != 0)
        ids->digits++;
}

uint64_t ids_of(mono_ids *ids, uintptr_t address)
{
    if (ids->is_address) return address;
    const granule g = granule_of(ids, address, true);
    if (g.words == NULL) {
        ids->lost++;
        return make_id(address, 0);
    }
    if (is_moved(g)) {
        const uint64_t id = moved_find(&ids->moved, address, ids->epoch);
        if (id != 0) return id;
        g.words[0] &= ~g.bit; /* there was no room for it */
    }
    unsigned epoch = epoch_at(ids, g);
    if (epoch == 0) set_epoch(ids, g, epoch = ids->epoch);
    return make_id(address, epoch);
}

/* Takes what is known of the place away from it: the id of what lay there, 0 = none. */
static uint64_t take_id(mono_ids *ids, uintptr_t address)
{
    const granule g = granule_of(ids, address, false);
    if (g.words == NULL) return 0;
    if (is_moved(g)) {
        g.words[0] &= ~g.bit;
        return moved_take(&ids->moved, address);
    }
    const unsigned epoch = epoch_at(ids, g);
    if (epoch == 0) return 0;
    set_epoch(ids, g, 0);
    return make_id(address, epoch);
}

void ids_move(mono_ids *ids, uintptr_t from, uintptr_t to)
{
    if (ids->epoch == 0) return;
    const uint64_t id = take_id(ids, from);
    take_id(ids, to);
    if (id == 0) return;
    const granule g = granule_of(ids, to, true);
    if (g.words != NULL && moved_put(&ids->moved, to, id, ids->epoch))
        g.words[0] |= g.bit;
    else
        ids->lost++;
}

void ids_forget(mono_ids *ids, uintptr_t address)
{
    if (ids->epoch != 0) take_id(ids, address);
}

void ids_release(mono_ids *ids)
{
    for (size_t i = 0; ids->chunk_count > 0 && i < IDS_CHUNKS; i++)
        if (ids->chunks[i].key != 0) munmap(ids->chunks[i].planes, PLANES_BYTES);
    forget_pages(ids->chunks, IDS_CHUNKS * sizeof(ids_chunk));
    moved_release(&ids->moved);
    *ids = (mono_ids){.chunks = ids->chunks, .era = ids->era + (ids->epoch > 0)};
}
