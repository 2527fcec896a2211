/*
 * Ids that objects keep while the collector moves them, for less than a hundredth of the heap.
 *
 * An object is named when a capture first sees it, by where it lies and by the number of that capture: id = address |
 * epoch << 48. What must be remembered of an object that stays where it is, is its epoch: one bit for every 16 bytes of
 * heap and every binary digit of the highest epoch. No two objects begin in the same 16 bytes. A few objects were moved
 * after they were seen: these have their id in a table beside that (moved.h).
 *
 *      heap      |....A.......B..|                  an address is a chunk of 64 MiB and a granule of 16 bytes in it
 *      digit 0   |....1.......0..|   A was first    planes of bits, one for each digit, made when the first epoch needs it and
 *      digit 1   |....0.......1..|   seen by 1,     paid for by the page that has a bit in it: 1/128 of the heap for the first
 *      moved     |....0.......0..|   B by 2         capture, and where later ones find new objects as much again
 *
 * Objects arrive at a place by a move, which the collector tells: what was known of the place is then forgotten.
 * Objects that are made where they stay (above 8,000 bytes, and few others) do not tell: one that has taken the place
 * of one that was seen and died is taken for it. After 255 captures everything is forgotten, and the identity domain is
 * another.
 *
 * For the thread that holds the collector's lock. Nothing here allocates but by mmap.
 */
#ifndef HSC_MONO_IDS_H
#define HSC_MONO_IDS_H

#include "moved.h"

enum { IDS_CHUNKS = 8192, IDS_EPOCHS = 255, IDS_PLANES = 9 };

typedef struct ids_chunk {
    uint64_t key;     /* address / 64 MiB + 1; 0 = free */
    uint64_t *planes; /* moved, digit 0 … digit 7 */
} ids_chunk;

typedef struct mono_ids {
    ids_chunk *chunks; /* IDS_CHUNKS of them, hashed by key */
    ids_chunk *last;   /* the one found last */
    size_t chunk_count;
    unsigned epoch;  /* of the last capture; 0 = there was none */
    unsigned digits; /* of epoch */
    unsigned era;    /* how often all was forgotten */
    moved_table moved;
    uint64_t lost;   /* objects that could not be named for good, since the last capture began */
    bool is_address; /* nothing is remembered: the id is the address */
} mono_ids;

/* Before the first capture, on any thread. False with errno: no address space, so ids can be addresses alone. */
bool ids_ready(mono_ids *ids);

/* The era that the next capture will be of; on any thread. */
unsigned ids_next_era(const mono_ids *ids, bool is_address);

/* The next capture begins, of a collection about to start. `most_moved_bytes`: for the table of moved objects. */
void ids_begin(mono_ids *ids, bool is_address, size_t most_moved_bytes);

/* The id of the object that begins here. The first question names it. */
uint64_t ids_of(mono_ids *ids, uintptr_t address);

/* The collector has copied an object. */
void ids_move(mono_ids *ids, uintptr_t from, uintptr_t to);

/* What lay here is dead. */
void ids_forget(mono_ids *ids, uintptr_t address);

/* Everything is forgotten: another era, unless nothing was known. */
void ids_release(mono_ids *ids);

#endif
