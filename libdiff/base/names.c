/*
 * The table of interned names. Numbers are given in order of arrival, so they do not depend on the
 * hash; the hash only finds them. Open addressing with linear probing, at most 3/4 full:
 *
 *      slots    [ 0 | 3 | 0 | 1 | 2 | 0 … ]      number + 1, found at hash(name) or after it
 *      entries  [ "Map" | "Array" | "Session" ]  number -> bytes in the arena
 *
 * Names come from files, so the seed is drawn at random: nobody can prepare names that collide.
 */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/note.h"

#define FIRST_SLOTS ((uint32_t)64)
#define MAX_SLOTS   (UINT32_C(1) << 31)

static uint64_t draw_seed(const hsd_names *names)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
        seed = hsd_now_ns() ^ (uint64_t)(uintptr_t)names;
    return seed;
}

/* The slot that holds `name`, or the empty one where it belongs. */
static uint32_t *find_slot(const hsd_names *names, hsd_bytes name)
{
    const uint32_t mask = names->slot_count - 1;
    uint32_t at = (uint32_t)hsd_hash_bytes(name.data, name.size, names->seed) & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *slot = &names->slots[at];
        if (*slot == 0) return slot;
        const hsd_bytes *entry = &names->entries[*slot - 1];
        if (entry->size == name.size && (name.size == 0 || memcmp(entry->data, name.data, name.size) == 0)) return slot;
    }
}

static hsd_status grow_slots(hsd_names *names, hsd_error *err)
{
    const uint64_t wanted = names->slot_count == 0 ? FIRST_SLOTS : (uint64_t)names->slot_count * 2;
    if (wanted > MAX_SLOTS) return hsd_fail(err, HSD_E_UNSUPPORTED, "more than %u different names", names->count);
    uint32_t *slots = calloc((size_t)wanted, sizeof *slots);
    if (slots == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a table of %u names", names->count);
    if (names->slot_count == 0) names->seed = draw_seed(names);
    free(names->slots);
    names->slots = slots;
    names->slot_count = (uint32_t)wanted;
    for (uint32_t number = 0; number < names->count; number++)
        *find_slot(names, names->entries[number]) = number + 1;
    return HSD_OK;
}

static hsd_status grow_entries(hsd_names *names, hsd_error *err)
{
    return HSD_ARRAY_GROW(names->entries, names->capacity, (uint64_t)names->capacity + 1, FIRST_SLOTS,
                          "a table of names", err);
}

hsd_status hsd_names_put(hsd_names *names, hsd_bytes name, uint32_t *out, hsd_error *err)
{
    HSD_ASSERT(names->count <= names->capacity);
    if (names->count >= names->slot_count / 4 * 3) HSD_TRY(grow_slots(names, err));
    uint32_t *slot = find_slot(names, name);
    if (*slot != 0) {
        *out = *slot - 1;
        return HSD_OK;
    }
    if (names->count == names->capacity) HSD_TRY(grow_entries(names, err));
    const char *copy = hsd_arena_copy(&names->arena, name.data, name.size);
    if (copy == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a name of %zu bytes", name.size);
    names->entries[names->count] = (hsd_bytes){(const uint8_t *)copy, name.size};
    *out = names->count++;
    *slot = names->count;
    return HSD_OK;
}

uint32_t hsd_names_find(const hsd_names *names, hsd_bytes name)
{
    if (names->slot_count == 0) return HSD_NAME_NONE;
    const uint32_t *slot = find_slot(names, name);
    return *slot == 0 ? HSD_NAME_NONE : *slot - 1;
}

size_t hsd_names_memory(const hsd_names *names)
{
    return names->arena.total_bytes + names->capacity * sizeof *names->entries +
           names->slot_count * sizeof *names->slots;
}

void hsd_names_release(hsd_names *names)
{
    hsd_arena_release(&names->arena);
    free(names->entries);
    free(names->slots);
    *names = (hsd_names){0};
}
