/*
 * The set of objects that were met, and how many references to each were found less how many it counts itself. A slot
 * is one word: 45 bits of the address (objects lie at multiples of eight below 2^48), one for "is written", 17 for that
 * balance, and one says that it goes on in a second table, which few need. Open addressing, linear steps, doubled at
 * three quarters: 11 to 21 bytes an object, 32 while it is copied into a larger one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "python_agent.h"

#define COUNT_MASK ((UINT64_C(1) << 17) - 1)
#define COUNT_SIGN (UINT64_C(1) << 16)
#define COUNT_MAX  ((INT64_C(1) << 16) - 1)
#define WRITTEN    (UINT64_C(1) << 17)
#define HAS_MORE   (UINT64_C(1) << 18) /* in the second table */
enum {
    ADDRESS_SHIFT = 19,
    FIRST_SLOTS = 1 << 16,
    MOST_FIRST_SLOTS = 1 << 28,
    FIRST_BIG = 64,
    HUGE_SLOTS = 1 << 19,
    LINE_BITS = 3,
    LINE_UNITS = 3
};

static uint64_t *take_visited(size_t capacity)
{
    void *slots = mmap(NULL, capacity * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots != MAP_FAILED && capacity >= HUGE_SLOTS) (void)madvise(slots, capacity * sizeof(uint64_t), MADV_HUGEPAGE);
    return slots == MAP_FAILED ? NULL : slots;
}

bool visited_open(visited *set, uint64_t expected)
{
    size_t capacity = FIRST_SLOTS;
    while (capacity < expected && capacity < MOST_FIRST_SLOTS)
        capacity *= 2;
    *set = (visited){.slots = take_visited(capacity), .capacity = capacity};
    return set->slots != NULL;
}

static uint64_t key_of(const void *object) { return (uint64_t)(uintptr_t)object >> 3; }

/* What lies in one line of the cache has neighbouring slots. Larger groups run into one another: with 512 bytes a walk
 * took twice as long. */
static size_t place_of(uint64_t key, size_t capacity)
{
    const size_t line = (size_t)((key >> LINE_BITS) * UINT64_C(0x9E3779B97F4A7C15) >> 24);
    return (line + (size_t)((key >> 1) & LINE_UNITS)) & (capacity - 1);
}

void visited_fetch(const visited *set, const py_object *object)
{
    __builtin_prefetch(&set->slots[place_of(key_of(object), set->capacity)], 1);
}

static size_t find_visited(const uint64_t *slots, size_t capacity, uint64_t key)
{
    size_t at = place_of(key, capacity);
    while (slots[at] != 0 && slots[at] >> ADDRESS_SHIFT != key)
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(visited *set)
{
    const size_t capacity = set->capacity * 2;
    uint64_t *slots = take_visited(capacity);
    if (slots == NULL) return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] != 0) slots[find_visited(slots, capacity, set->slots[i] >> ADDRESS_SHIFT)] = set->slots[i];
    munmap(set->slots, set->capacity * sizeof *set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

uint64_t *visited_slot(visited *set, const py_object *object, bool *is_new)
{
    const uint64_t key = key_of(object);
    size_t at = find_visited(set->slots, set->capacity, key);
    *is_new = set->slots[at] == 0;
    if (!*is_new) return &set->slots[at];
    if ((set->count + 1) * 4 > set->capacity * 3) {
        if (!grow(set)) return NULL;
        at = find_visited(set->slots, set->capacity, key);
    }
    set->slots[at] = key << ADDRESS_SHIFT;
    set->count++;
    return &set->slots[at];
}

/* ---- counts ---- */

static big_count *big_of(visited *set, uint64_t key)
{
    for (size_t i = 0; i < set->big_count; i++)
        if (set->big[i].key == key) return &set->big[i];
    if (set->big_count == set->big_room) {
        const size_t room = set->big_room == 0 ? FIRST_BIG : set->big_room * 2;
        big_count *grown = realloc(set->big, room * sizeof *grown);
        if (grown == NULL) return NULL;
        set->big = grown;
        set->big_room = room;
    }
    set->big[set->big_count] = (big_count){.key = key};
    return &set->big[set->big_count++];
}

static int64_t small_of(uint64_t slot) { return (int64_t)((slot & COUNT_MASK) ^ COUNT_SIGN) - (int64_t)COUNT_SIGN; }

bool visited_add(visited *set, uint64_t *slot, int64_t references)
{
    int64_t sum = small_of(*slot) + references;
    if (sum > COUNT_MAX || sum < -COUNT_MAX) {
        big_count *big = big_of(set, *slot >> ADDRESS_SHIFT);
        if (big == NULL) return false;
        big->more += sum;
        sum = 0;
        *slot |= HAS_MORE;
    }
    *slot = (*slot & ~COUNT_MASK) | ((uint64_t)sum & COUNT_MASK);
    return true;
}

int64_t visited_balance(const visited *set, uint64_t slot)
{
    const uint64_t key = slot >> ADDRESS_SHIFT;
    int64_t sum = small_of(slot);
    for (size_t i = 0; i < set->big_count && (slot & HAS_MORE) != 0; i++)
        if (set->big[i].key == key) sum += set->big[i].more;
    return sum;
}

bool visited_write(uint64_t *slot)
{
    if ((*slot & WRITTEN) != 0) return false;
    *slot |= WRITTEN;
    return true;
}

bool visited_is_written(uint64_t slot) { return (slot & WRITTEN) != 0; }
py_object *visited_object(uint64_t slot) { return (py_object *)(uintptr_t)(slot >> ADDRESS_SHIFT << 3); }

void visited_close(visited *set)
{
    if (set->slots != NULL) munmap(set->slots, set->capacity * sizeof *set->slots);
    free(set->big);
    *set = (visited){.capacity = 0};
}
