/*
 * A hash table of counters. One entry for each pair of type and size bucket that occurs, so that a type
 * costs 32 bytes for each power of two its objects come in, and counting an object is one look-up: the
 * totals of a type are summed up from its buckets at the end.
 */
#include "totals.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t slot_of(const hsc_total *entries, size_t capacity, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (capacity - 1);
    while (entries[slot].key != 0 && entries[slot].key != key)
        slot = (slot + 1) & (capacity - 1);
    return slot;
}

size_t hsc_totals_first_bytes(void) { return FIRST_CAPACITY * sizeof(hsc_total); }

bool hsc_totals_init(hsc_totals *totals, const hsc_allocator *allocator)
{
    *totals = (hsc_totals){.capacity = FIRST_CAPACITY, .allocator = allocator};
    totals->entries = hsc_take(allocator, totals->capacity * sizeof *totals->entries);
    return totals->entries != NULL;
}

static bool grow_capture_total(hsc_totals *totals)
{
    const size_t capacity = totals->capacity * 2;
    hsc_total *entries = hsc_take(totals->allocator, capacity * sizeof *entries);
    if (entries == NULL) return false;
    for (size_t i = 0; i < totals->capacity; i++) {
        const hsc_total *old = &totals->entries[i];
        if (old->key != 0) entries[slot_of(entries, capacity, old->key)] = *old;
    }
    hsc_give(totals->allocator, totals->entries);
    totals->entries = entries;
    totals->capacity = capacity;
    memset(totals->recent, 0, sizeof totals->recent);
    return true;
}

hsc_total *hsc_totals_find(hsc_totals *totals, uint64_t key)
{
    hsc_total **recent = &totals->recent[hsc_total_axis(key)];
    if (*recent != NULL && (*recent)->key == key) return *recent;
    size_t slot = slot_of(totals->entries, totals->capacity, key);
    if (totals->entries[slot].key == 0) {
        if ((totals->used + 1) * 2 > totals->capacity) {
            if (!grow_capture_total(totals)) return NULL;
            slot = slot_of(totals->entries, totals->capacity, key);
        }
        totals->entries[slot].key = key;
        totals->used++;
    }
    *recent = &totals->entries[slot];
    return *recent;
}

static void sift_down(hsc_total *heap, size_t at, size_t count)
{
    const hsc_total moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].key > heap[child].key) child++;
        if (heap[child].key <= moved.key) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

void hsc_totals_sort(hsc_totals *totals)
{
    hsc_total *entries = totals->entries;
    size_t count = 0;
    for (size_t i = 0; i < totals->capacity; i++) {
        if (entries[i].key != 0) entries[count++] = entries[i];
    }
    for (size_t i = count / 2; i-- > 0;)
        sift_down(entries, i, count);
    for (size_t left = count; left-- > 1;) { /* a heap, since qsort may allocate */
        const hsc_total largest = entries[0];
        entries[0] = entries[left];
        entries[left] = largest;
        sift_down(entries, 0, left);
    }
}

void hsc_totals_release(hsc_totals *totals)
{
    hsc_give(totals->allocator, totals->entries);
    *totals = (hsc_totals){0};
}
