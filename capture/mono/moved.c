/*
 * Open addressing with backward shifts, so that nothing but entries stands in the table and a search ends at the first
 * free slot.
 */
#include "moved.h"

#include "lazily.h"

#define ADDRESS_MASK   ((UINT64_C(1) << 56) - 1)
#define FIRST_CAPACITY ((size_t)4096)

static size_t home_of(const moved_table *table, uint64_t address)
{
    return (size_t)(spread(address) >> 20) & (table->capacity - 1);
}

/* Where the address stands, or the free slot that ends the search. */
static size_t slot_of(const moved_table *table, uint64_t address)
{
    size_t i = home_of(table, address);
    while (table->entries[i].address != 0 && (table->entries[i].address & ADDRESS_MASK) != address)
        i = (i + 1) & (table->capacity - 1);
    return i;
}

uint64_t moved_find(moved_table *table, uintptr_t address, unsigned epoch)
{
    if (table->count == 0) return 0;
    moved_entry *entry = &table->entries[slot_of(table, address)];
    if (entry->address == 0) return 0;
    entry->address = address | (uint64_t)epoch << 56;
    return entry->id;
}

static void close_gap(moved_table *table, size_t gap)
{
    const size_t mask = table->capacity - 1;
    for (size_t i = (gap + 1) & mask; table->entries[i].address != 0; i = (i + 1) & mask) {
        const size_t home = home_of(table, table->entries[i].address & ADDRESS_MASK);
        if (((i - home) & mask) < ((i - gap) & mask)) continue;
        table->entries[gap] = table->entries[i];
        gap = i;
    }
    table->entries[gap] = (moved_entry){0};
}

uint64_t moved_take(moved_table *table, uintptr_t address)
{
    if (table->count == 0) return 0;
    const size_t slot = slot_of(table, address);
    const uint64_t id = table->entries[slot].id;
    if (table->entries[slot].address == 0) return 0;
    close_gap(table, slot);
    table->count--;
    return id;
}

/* Into a table of this capacity, without those that neither capture `epoch` nor the one before has seen: that one may
 * not have come to them yet. */
static bool rebuild(moved_table *table, size_t capacity, unsigned epoch)
{
    moved_table fresh = {map_lazily(capacity * sizeof(moved_entry)), capacity, 0, table->most, 0};
    if (fresh.entries == NULL) return false;
    for (size_t i = 0; i < table->capacity; i++) {
        const moved_entry entry = table->entries[i];
        if (entry.address == 0 || (entry.address >> 56) + 1 < epoch) continue;
        fresh.entries[slot_of(&fresh, entry.address & ADDRESS_MASK)] = entry;
        fresh.count++;
    }
    moved_release(table);
    *table = fresh;
    return true;
}

static bool make_room_for_mono_moved(moved_table *table, unsigned epoch)
{
    if (table->count < table->capacity / 4 * 3) return true;
    if (table->full_epoch == epoch) return false;
    size_t capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2;
    if (capacity > table->most) capacity = table->capacity;
    const bool has_room = capacity != 0 && rebuild(table, capacity, epoch) && table->count < table->capacity / 4 * 3;
    if (!has_room) table->full_epoch = epoch;
    return has_room;
}

bool moved_put(moved_table *table, uintptr_t address, uint64_t id, unsigned epoch)
{
    if (!make_room_for_mono_moved(table, epoch)) return false;
    moved_entry *entry = &table->entries[slot_of(table, address)];
    if (entry->address == 0) table->count++;
    *entry = (moved_entry){address | (uint64_t)epoch << 56, id};
    return true;
}

void moved_release(moved_table *table)
{
    if (table->entries != NULL) munmap(table->entries, table->capacity * sizeof(moved_entry));
    table->entries = NULL;
    table->capacity = table->count = 0;
}
