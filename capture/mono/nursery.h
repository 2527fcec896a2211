/*
 * Objects that a capture saw in the nursery: those that a stack pins there. When such an object dies nothing tells, and
 * the place is soon another's; so the next collections are watched until each has moved (and is followed), or was no
 * root any more, and is forgotten. Meanwhile the collector is asked for its roots, which is what it pinned.
 *
 * For the thread that holds the collector's lock.
 */
#ifndef HSC_MONO_NURSERY_H
#define HSC_MONO_NURSERY_H

#include "ids.h"

enum { NURSERY_MOST = 65536 };

typedef struct nursery_watch {
    uintptr_t *places; /* ascending; the lowest bit: was a root of this collection */
    size_t count;
} nursery_watch;

/* Before the first capture. False with errno: no address space. */
bool nursery_ready(nursery_watch *watch);

/* A walk begins: what was watched is told anew. */
void nursery_begin(nursery_watch *watch);

/* An object of the nursery, by ascending address. False when there are too many. */
bool nursery_add(nursery_watch *watch, uintptr_t address);

void nursery_root(nursery_watch *watch, uintptr_t address);

/* A collection is over, all its roots and moves are known: what was no root is forgotten. A second call forgets the
 * rest. */
void nursery_settle(nursery_watch *watch, mono_ids *ids);

#endif
