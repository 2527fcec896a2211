/*
 * The mappings of this process, and memory that may be looked at: /proc/self/maps as a sorted list, ranges that are
 * left out, which pages were ever touched, and reads that fail where a load would be a signal. No malloc, no stdio.
 */
#ifndef HSN_MAPS_H
#define HSN_MAPS_H

#include "native/world.h"

typedef enum hsn_mapping_kind {
    HSN_MAPPING_FILE,      /* of a file, or of the kernel's own ([vdso]) */
    HSN_MAPPING_ANONYMOUS, /* no file behind it: thread stacks, malloc's arenas, bss, the program's own */
    HSN_MAPPING_HEAP,      /* [heap]: what brk gives, malloc's first arena */
    HSN_MAPPING_STACK      /* [stack]: of the first thread */
} hsn_mapping_kind;

typedef struct hsn_mapping {
    uintptr_t low, high;
    uint64_t offset;  /* in the file */
    const char *path; /* not ended by NUL; borrowed from the arena */
    uint32_t path_size;
    hsn_mapping_kind kind;
    bool can_read, can_write, can_run, is_shared;
} hsn_mapping;

typedef struct hsn_maps {
    const hsn_mapping *mappings; /* ascending */
    size_t count;
} hsn_maps;

/* As they are now, into the arena. False when /proc cannot be read or the arena is full: then there are none. */
bool hsn_maps_read(hsn_maps *maps, hsa_arena *arena);

/* The mapping that holds the address, else the first above it; maps->count = none. */
size_t hsn_maps_from(const hsn_maps *maps, uintptr_t address);
const hsn_mapping *hsn_maps_find(const hsn_maps *maps, uintptr_t address);

/* ---- ranges that are left out ---- */

typedef struct hsn_holes {
    hsn_range *ranges; /* ascending, apart */
    size_t count, capacity;
} hsn_holes;

/* Room for `capacity` calls of hsn_holes_add. */
bool hsn_holes_open(hsn_holes *holes, hsa_arena *arena, size_t capacity);
void hsn_holes_add(hsn_holes *holes, hsn_range range);

/* The first piece of `range` that lies in no hole; `range` is left with the rest behind it. False: there is none. */
bool hsn_holes_next(const hsn_holes *holes, hsn_range *range, hsn_range *piece);

/* ---- pages ---- */

enum { HSN_PAGE = 4096 };

/*
 * Anonymous memory that was never touched reads as zeros, and reading it costs a fault each page: a reserve of a
 * terabyte would take minutes. The first piece of `range` with pages that were touched (present or swapped out), at
 * most 2 MiB and in whole pages; `range` is left with the rest. False: nothing more. `pagemap` is an open
 * /proc/self/pagemap, or -1: then all counts as touched.
 */
bool hsn_touched_next(int pagemap, hsn_range *range, hsn_range *piece);

/* Copies what can be read: false where it cannot, also behind the end of a mapped file. */
bool hsn_copy(void *out, uintptr_t address, size_t size);

#endif
