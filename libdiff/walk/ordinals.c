/*
 * Filling words of places as objects come, and what does not fit into them. See ordinals.h.
 */
#include "walk/ordinals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/heap.h"

#define PAGE_BYTES        ((size_t)HSD_ORDINALS_PAGE_WORDS * sizeof(hsd_two))
#define SLAB_PAGES        256u
#define FIRST_STRAY_BITS  10u
#define FIRST_DIRECTORY   1024u
#define MOST_SHIFT        12u
#define SHARE_OF_PAGES    4u /* the directory may have this part of the memory */
#define TABLE_OF_ORDINALS "the ids of objects"

void hsd_ordinals_begin(hsd_ordinals *o, uint64_t memory_bytes)
{
    memset(o, 0, sizeof *o);
    o->memory_bytes = memory_bytes;
    o->slab_used = SLAB_PAGES;
    if (getrandom(&o->factor, sizeof o->factor, GRND_NONBLOCK) != (ssize_t)sizeof o->factor)
        o->factor = UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)o;
    o->factor |= 1;
}

/* False: it would be more than there is. */
static bool takes_memory(hsd_ordinals *o, uint64_t bytes)
{
    if (bytes > o->memory_bytes - o->used_bytes) o->is_over = true;
    if (o->is_over) return false;
    o->used_bytes += bytes;
    return true;
}

/* ---- strays ---- */

static hsd_stray *place_of_stray(const hsd_ordinals *o, uint64_t id)
{
    const uint64_t mask = (UINT64_C(1) << o->stray_bits) - 1;
    uint64_t at = id * o->factor >> (64 - o->stray_bits);
    while (o->strays[at].ordinal != HSD_NO_ORDINAL && o->strays[at].id != id)
        at = (at + 1) & mask;
    return &o->strays[at];
}

hsd_node hsd_ordinals_find_stray(const hsd_ordinals *o, uint64_t id) { return place_of_stray(o, id)->ordinal; }

static hsd_status grow_strays(hsd_ordinals *o, hsd_error *err)
{
    hsd_stray *old = o->strays;
    const uint64_t old_count = old == NULL ? 0 : UINT64_C(1) << o->stray_bits;
    const unsigned bits = old == NULL ? FIRST_STRAY_BITS : o->stray_bits + 1;
    if (!takes_memory(o, sizeof *o->strays << bits)) return HSD_OK;
    hsd_stray *strays = malloc(sizeof *strays << bits);
    if (strays == NULL) return hsd_fail_nomem(err, TABLE_OF_ORDINALS);
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
        strays[i] = (hsd_stray){0, HSD_NO_ORDINAL};
    o->strays = strays;
    o->stray_bits = bits;
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i].ordinal != HSD_NO_ORDINAL) *place_of_stray(o, old[i].id) = old[i];
    free(old);
    o->used_bytes -= old_count * sizeof *old;
    return HSD_OK;
}

static hsd_status put_stray(hsd_ordinals *o, uint64_t id, hsd_node ordinal, hsd_error *err)
{
    if (o->strays == NULL || (o->stray_count + UINT64_C(1)) * 2 > UINT64_C(1) << o->stray_bits)
        HSD_TRY(grow_strays(o, err));
    if (o->is_over) return HSD_OK;
    hsd_stray *place = place_of_stray(o, id);
    if (place->ordinal != HSD_NO_ORDINAL) return HSD_OK;
    *place = (hsd_stray){id, ordinal};
    o->stray_count++;
    o->count++;
    return HSD_OK;
}

/* ---- pages ---- */

/* The directory from `first` on, `count` pages, with the old one in it. */
static hsd_status move_directory(hsd_ordinals *o, uint64_t first, uint64_t count, hsd_error *err)
{
    if (!takes_memory(o, count * sizeof *o->pages)) return HSD_OK;
    hsd_two **pages = calloc((size_t)count, sizeof *pages);
    if (pages == NULL) return hsd_fail_nomem(err, TABLE_OF_ORDINALS);
    for (uint64_t i = 0; i < o->page_count; i++)
        pages[o->first_page - first + i] = o->pages[i];
    free(o->pages);
    o->used_bytes -= o->page_count * sizeof *o->pages;
    o->pages = pages;
    o->first_page = first;
    o->page_count = count;
    return HSD_OK;
}

/* Makes the directory hold the page `number`, unless that lies too far away: *is_far. It grows by as much again. */
static hsd_status reach_page(hsd_ordinals *o, uint64_t number, bool *is_far, hsd_error *err)
{
    const uint64_t most = o->memory_bytes / SHARE_OF_PAGES / sizeof *o->pages;
    const uint64_t old_first = o->page_count == 0 ? number : o->first_page;
    const uint64_t old_end = o->page_count == 0 ? number + 1 : o->first_page + o->page_count;
    uint64_t first = hsd_min_u64(number, old_first), end = hsd_max_u64(number + 1, old_end);
    *is_far = end - first > most;
    if (*is_far) return HSD_OK;
    const uint64_t more = hsd_min_u64(hsd_max_u64(end - first, FIRST_DIRECTORY), most - (end - first));
    if (number >= old_end || o->page_count == 0)
        end += hsd_min_u64(more, UINT64_MAX - end);
    else
        first -= hsd_min_u64(more, first);
    return move_directory(o, first, end - first, err);
}

static hsd_status add_page(hsd_ordinals *o, hsd_two **out, hsd_error *err)
{
    if (o->slab_used == SLAB_PAGES) {
        if (!takes_memory(o, SLAB_PAGES * PAGE_BYTES)) return HSD_OK;
        HSD_TRY(HSD_ARRAY_GROW(o->slabs, o->slab_capacity, o->slab_count + 1, 64, TABLE_OF_ORDINALS, err));
        if (!hsd_pages_take(&o->slabs[o->slab_count], SLAB_PAGES * PAGE_BYTES))
            return hsd_fail_nomem(err, TABLE_OF_ORDINALS);
        o->slab_count++;
        o->slab_used = 0;
    }
    *out = (hsd_two *)o->slabs[o->slab_count - 1].data + (size_t)o->slab_used++ * HSD_ORDINALS_PAGE_WORDS;
    **out = 0; /* written before it is read: else the system maps a page of zeros first, and this one after that */
    return HSD_OK;
}

/* The word of a place, or NULL: it lies too far from the others, or there is no memory. */
static hsd_status word_of(hsd_ordinals *o, uint64_t place, hsd_two **out, hsd_error *err)
{
    const uint64_t number = place >> HSD_ORDINALS_PAGE_SHIFT;
    bool is_far = false;
    *out = NULL;
    if (number - o->first_page >= o->page_count) HSD_TRY(reach_page(o, number, &is_far, err));
    if (is_far || o->is_over) return HSD_OK;
    hsd_two **page = &o->pages[number - o->first_page];
    if (*page == NULL) HSD_TRY(add_page(o, page, err));
    if (!o->is_over) *out = &(*page)[place >> HSD_ORDINALS_WORD_SHIFT & (HSD_ORDINALS_PAGE_WORDS - 1)];
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status put_known(hsd_ordinals *o, uint64_t id, hsd_node ordinal, hsd_error *err)
{
    hsd_two *word;
    if (o->is_over) return HSD_OK;
    if ((id ^ o->low) << (63 - o->shift) << 1 != 0) return put_stray(o, id, ordinal, err);
    const uint64_t place = id >> o->shift;
    HSD_TRY(word_of(o, place, &word, err));
    if (o->is_over) return HSD_OK;
    if (word == NULL) return put_stray(o, id, ordinal, err);
    const hsd_node bits = hsd_two_second(*word), bit = HSD_NODE_C(1) << (place & (HSD_NODE_BITS - 1));
    if (bits & bit) return HSD_OK;
    if (bits == 0) {
        *word = hsd_two_of(ordinal, bit);
        o->count++;
        return HSD_OK;
    }
    const bool is_next = bit > bits && hsd_two_first(*word) + hsd_ordinals_count(bits) == ordinal;
    if (!is_next) return put_stray(o, id, ordinal, err);
    *word |= bit;
    o->count++;
    return HSD_OK;
}

/* What the first ids are all alike in, from the lowest bit on, so are most. */
static hsd_status guess_shift(hsd_ordinals *o, hsd_error *err)
{
    uint64_t unlike = UINT64_C(1) << MOST_SHIFT;
    for (uint32_t i = 1; i < o->sample_count; i++)
        unlike |= o->sample_ids[i] ^ o->sample_ids[0];
    o->shift = (unsigned)__builtin_ctzll(unlike);
    o->low = o->sample_count == 0 ? 0 : o->sample_ids[0] & ((UINT64_C(1) << o->shift) - 1);
    o->has_shift = true;
    for (uint32_t i = 0; i < o->sample_count; i++)
        HSD_TRY(put_known(o, o->sample_ids[i], o->sample_ordinals[i], err));
    return HSD_OK;
}

hsd_status hsd_ordinals_put(hsd_ordinals *o, uint64_t id, hsd_node ordinal, hsd_error *err)
{
    HSD_ASSERT(ordinal != HSD_NO_ORDINAL);
    if (o->has_shift) return put_known(o, id, ordinal, err);
    o->sample_ids[o->sample_count] = id;
    o->sample_ordinals[o->sample_count++] = ordinal;
    return o->sample_count == HSD_ORDINALS_SAMPLE ? guess_shift(o, err) : HSD_OK;
}

hsd_status hsd_ordinals_finish(hsd_ordinals *o, hsd_error *err) { return o->has_shift ? HSD_OK : guess_shift(o, err); }

/* ---- all of them ---- */

static bool stray_comes_later(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const hsd_stray *)a)->id > ((const hsd_stray *)b)->id;
}

/* Strays move to the front of their table, in order. */
static void sort_strays(hsd_ordinals *o)
{
    const uint64_t slots = o->strays == NULL ? 0 : UINT64_C(1) << o->stray_bits;
    uint64_t count = 0;
    for (uint64_t i = 0; i < slots; i++)
        if (o->strays[i].ordinal != HSD_NO_ORDINAL) o->strays[count++] = o->strays[i];
    HSD_ASSERT(count == o->stray_count);
    const hsd_heap heap = {o->strays, sizeof *o->strays, stray_comes_later, NULL};
    hsd_heap_make(heap, (size_t)count);
    hsd_heap_sort(heap, (size_t)count);
}

void hsd_ordinals_begin_walk(hsd_ordinals_walk *walk, hsd_ordinals *ordinals)
{
    HSD_ASSERT(!ordinals->is_over);
    sort_strays(ordinals);
    *walk = (hsd_ordinals_walk){.ordinals = ordinals, .place = ordinals->first_page << HSD_ORDINALS_PAGE_SHIFT};
}

/* The next word with objects; false: there is none. `place` is then behind it. */
static bool find_word(hsd_ordinals_walk *walk)
{
    const hsd_ordinals *o = walk->ordinals;
    const uint64_t page_places = UINT64_C(1) << HSD_ORDINALS_PAGE_SHIFT;
    while (walk->page < o->page_count) {
        const hsd_two *words = o->pages[walk->page];
        for (; words != NULL;) {
            const uint64_t at = walk->place >> HSD_ORDINALS_WORD_SHIFT & (HSD_ORDINALS_PAGE_WORDS - 1);
            walk->word = words[at];
            walk->place += UINT64_C(1) << HSD_ORDINALS_WORD_SHIFT;
            const bool is_last = at == HSD_ORDINALS_PAGE_WORDS - 1;
            if (is_last) walk->page++;
            if (hsd_two_second(walk->word) != 0) return true;
            if (is_last) break;
        }
        if (words != NULL) continue;
        walk->page++;
        walk->place += page_places;
    }
    return false;
}

bool hsd_ordinals_next(hsd_ordinals_walk *walk, uint64_t *id, hsd_node *ordinal)
{
    const hsd_ordinals *o = walk->ordinals;
    const bool has_word = hsd_two_second(walk->word) != 0 || find_word(walk);
    uint64_t next = UINT64_MAX;
    if (has_word) {
        const uint64_t first = walk->place - (UINT64_C(1) << HSD_ORDINALS_WORD_SHIFT);
        next = (first + (uint64_t)__builtin_ctzll(hsd_two_second(walk->word))) << o->shift | o->low;
    }
    if (walk->stray < o->stray_count && (!has_word || o->strays[walk->stray].id < next)) {
        *id = o->strays[walk->stray].id;
        *ordinal = o->strays[walk->stray++].ordinal;
        return true;
    }
    if (!has_word) return false;
    *id = next;
    *ordinal = hsd_two_first(walk->word);
    walk->word = (walk->word & (walk->word - 1)) + hsd_two_of(1, 0);
    return true;
}

void hsd_ordinals_release(hsd_ordinals *o)
{
    for (uint32_t i = 0; i < o->slab_count; i++)
        hsd_pages_give(&o->slabs[i]);
    free(o->slabs);
    free(o->pages);
    free(o->strays);
    memset(o, 0, sizeof *o);
}
