/*
 * A sorted list, searched by halves: it holds some dozens.
 */
#include "nursery.h"

#include "lazily.h"

bool nursery_ready(nursery_watch *watch)
{
    if (watch->places == NULL) watch->places = map_lazily(NURSERY_MOST * sizeof(uintptr_t));
    return watch->places != NULL;
}

void nursery_begin(nursery_watch *watch) { watch->count = 0; }

bool nursery_add(nursery_watch *watch, uintptr_t address)
{
    if (watch->count == NURSERY_MOST) return false;
    watch->places[watch->count++] = address;
    return true;
}

void nursery_root(nursery_watch *watch, uintptr_t address)
{
    size_t low = 0, high = watch->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((watch->places[middle] & ~(uintptr_t)1) < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < watch->count && (watch->places[low] & ~(uintptr_t)1) == address) watch->places[low] |= 1;
}

void nursery_settle(nursery_watch *watch, mono_ids *ids)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const uintptr_t place = watch->places[i];
        if ((place & 1) != 0)
            watch->places[kept++] = place & ~(uintptr_t)1;
        else
            ids_forget(ids, place); /* moved: its id has gone with it already */
    }
    watch->count = kept;
}
