/*
 * The ids of objects that were seen by a capture and moved since: address -> id, 16 bytes each. Open addressing, at
 * most three quarters full. When it is full those go that the last capture did not see, for they are dead.
 */
#ifndef HSC_MONO_MOVED_H
#define HSC_MONO_MOVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct moved_entry {
    uint64_t address; /* 0 = free; the top 8 bits are the capture that saw it last, or in which it moved */
    uint64_t id;
} moved_entry;

typedef struct moved_table {
    moved_entry *entries;
    size_t capacity, count; /* capacity: a power of two, or 0 */
    size_t most;            /* how large the capacity may get */
    unsigned full_epoch;    /* in which there was no room, and is none until the next */
} moved_table;

/* The id of the object at this address, 0 = not here. Notes that capture number `epoch` has seen it. */
uint64_t moved_find(moved_table *table, uintptr_t address, unsigned epoch);

/* The same, and takes it out. */
uint64_t moved_take(moved_table *table, uintptr_t address);

/* False when there is no room. */
bool moved_put(moved_table *table, uintptr_t address, uint64_t id, unsigned epoch);

void moved_release(moved_table *table);

#endif
