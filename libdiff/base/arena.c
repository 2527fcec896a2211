/*
 * The arena: a list of zeroed chunks, newest first, and a mark in the newest.
 *
 *      chunk ──► [ next | used ....... | free ... ]
 *                   └─► [ next | full              ]
 *
 * Chunks grow from 4 KiB to 256 KiB, so that a small table costs little and a large one few calls.
 * What is bigger than half a chunk gets one of its own, hung behind the newest so that the free
 * rest of that one is not lost.
 */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define ALIGNMENT         ((size_t)16)
#define FIRST_CHUNK_BYTES ((size_t)4 << 10)
#define CHUNK_MAX_BYTES   ((size_t)256 << 10)

typedef struct hsd_arena_chunk {
    struct hsd_arena_chunk *next;
    size_t size; /* of data */
    _Alignas(16) unsigned char data[];
} chunk_t;

static chunk_t *new_chunk(hsd_arena *arena, size_t size)
{
    size_t bytes;
    if (!hsd_add_size(sizeof(chunk_t), size, &bytes)) return NULL;
    chunk_t *chunk = calloc(1, bytes);
    if (chunk == NULL) return NULL;
    chunk->size = size;
    arena->total_bytes += bytes;
    return chunk;
}

static size_t next_chunk_size(const hsd_arena *arena)
{
    if (arena->chunk == NULL) return FIRST_CHUNK_BYTES - sizeof(chunk_t);
    const size_t doubled = arena->total_bytes < CHUNK_MAX_BYTES ? arena->total_bytes : CHUNK_MAX_BYTES;
    return (doubled < FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES : doubled) - sizeof(chunk_t);
}

/* Behind the newest chunk, whose free rest stays in use; becomes the newest if there is none. */
static void *take_own_chunk(hsd_arena *arena, size_t size)
{
    chunk_t *chunk = new_chunk(arena, size);
    if (chunk == NULL) return NULL;
    if (arena->chunk == NULL) {
        arena->chunk = chunk;
        arena->used = size;
    } else {
        chunk->next = arena->chunk->next;
        arena->chunk->next = chunk;
    }
    return chunk->data;
}

void *hsd_arena_take(hsd_arena *arena, size_t size)
{
    size_t rounded;
    if (!hsd_add_size(size, ALIGNMENT - 1, &rounded)) return NULL;
    rounded &= ~(ALIGNMENT - 1);
    if (arena->chunk == NULL || rounded > arena->chunk->size - arena->used) {
        const size_t chunk_size = next_chunk_size(arena);
        if (rounded > chunk_size / 2) return take_own_chunk(arena, rounded);
        chunk_t *chunk = new_chunk(arena, chunk_size);
        if (chunk == NULL) return NULL;
        chunk->next = arena->chunk;
        arena->chunk = chunk;
        arena->used = 0;
    }
    void *taken = arena->chunk->data + arena->used;
    arena->used += rounded;
    return taken;
}

char *hsd_arena_copy(hsd_arena *arena, const void *data, size_t size)
{
    HSD_ASSERT(size == 0 || data != NULL);
    size_t with_nul;
    if (!hsd_add_size(size, 1, &with_nul)) return NULL;
    char *copy = hsd_arena_take(arena, with_nul);
    if (copy != NULL && size != 0) memcpy(copy, data, size);
    return copy;
}

void hsd_arena_release(hsd_arena *arena)
{
    chunk_t *chunk = arena->chunk;
    while (chunk != NULL) {
        chunk_t *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (hsd_arena){0};
}
