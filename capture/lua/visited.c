/*
 * A set of addresses: open addressing, linear steps, doubled when two thirds are taken.
 */
#include <string.h>
#include <sys/mman.h>

#include "lua_agent.h"

enum { FIRST_SLOTS = 1 << 16 };

static uint64_t *take_lua_visited(size_t capacity)
{
    void *slots = mmap(NULL, capacity * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return slots == MAP_FAILED ? NULL : slots;
}

bool visited_open(visited *set)
{
    *set = (visited){.slots = take_lua_visited(FIRST_SLOTS), .capacity = FIRST_SLOTS};
    return set->slots != NULL;
}

static size_t find_lua_visited(const uint64_t *slots, size_t capacity, uint64_t address)
{
    size_t at = (size_t)((address >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (capacity - 1);
    while (slots[at] != 0 && slots[at] != address)
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow_lua_visited(visited *set)
{
    const size_t capacity = set->capacity * 2;
    uint64_t *slots = take_lua_visited(capacity);
    if (slots == NULL) return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] != 0) slots[find_lua_visited(slots, capacity, set->slots[i])] = set->slots[i];
    munmap(set->slots, set->capacity * sizeof *set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

bool visited_has(const visited *set, uint64_t address)
{
    return set->slots[find_lua_visited(set->slots, set->capacity, address)] == address;
}

int visited_add(visited *set, uint64_t address)
{
    size_t at = find_lua_visited(set->slots, set->capacity, address);
    if (set->slots[at] == address) return 0;
    if ((set->count + 1) * 3 > set->capacity * 2) {
        if (!grow_lua_visited(set)) return -1;
        at = find_lua_visited(set->slots, set->capacity, address);
    }
    set->slots[at] = address;
    set->count++;
    return 1;
}

void visited_close(visited *set)
{
    if (set->slots != NULL) munmap(set->slots, set->capacity * sizeof *set->slots);
    *set = (visited){.capacity = 0};
}
