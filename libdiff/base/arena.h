/*
 * Memory that lives as long as a stage: many small allocations, one release. A zeroed hsd_arena is
 * valid and empty.
 */
#ifndef HSD_BASE_ARENA_H
#define HSD_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct hsd_arena {
    struct hsd_arena_chunk *chunk;
    size_t used;        /* bytes used in the newest chunk */
    size_t total_bytes; /* bytes taken from the system, for budgets and notes */
} hsd_arena;

/* `size` zeroed bytes aligned to 16, or NULL when the system is out of memory. Size 0 is allowed. */
void *hsd_arena_take(hsd_arena *arena, size_t size);

/* A NUL-terminated copy of `size` bytes (which may contain NULs), or NULL. */
char *hsd_arena_copy(hsd_arena *arena, const void *data, size_t size);

void hsd_arena_release(hsd_arena *arena);

#endif
