/*
 * Memory that is not malloc's: one mapping, taken from the front. Pages come when they are touched and go all at once,
 * so a capture leaves the program's own heap as it found it.
 */
#include <sys/mman.h>

#include "agent.h"

bool hsa_arena_open(hsa_arena *arena, size_t size)
{
    *arena = (hsa_arena){0};
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    *arena = (hsa_arena){.start = memory, .size = size};
    return true;
}

void *hsa_arena_take(hsa_arena *arena, size_t size)
{
    const size_t left = arena->size - arena->used;
    if (size > left || ((size + 15) & ~(size_t)15) > left) return NULL;
    void *memory = arena->start + arena->used;
    arena->used += (size + 15) & ~(size_t)15;
    return memory;
}

void hsa_arena_close(hsa_arena *arena)
{
    if (arena->start != NULL) munmap(arena->start, arena->size);
    *arena = (hsa_arena){0};
}

static void *take_agent_arena(void *context, size_t size) { return hsa_arena_take(context, size); }

static void give_agent_arena(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

hsc_allocator hsa_arena_allocator(hsa_arena *arena)
{
    return (hsc_allocator){.take = take_agent_arena, .give = give_agent_arena, .context = arena};
}
