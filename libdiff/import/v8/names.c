/*
 * The table of names.h: a hash table of 64-bit keys to places in an array of entries.
 */
#include "import/v8/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

#define FIRST_SLOTS UINT32_C(4096)

static hsd_status set_slots(hsd_v8_names *names, uint32_t slot_count, hsd_error *err)
{
    uint64_t *keys = calloc(slot_count, sizeof *keys);
    uint32_t *places = malloc(slot_count * sizeof *places);
    if (keys == NULL || places == NULL) {
        free(keys);
        free(places);
        return hsd_fail_nomem(err, "names of types and references");
    }
    for (uint32_t i = 0; i < names->slot_count; i++) {
        if (names->keys[i] == 0) continue;
        uint32_t slot = hsd_v8_key_slot(names->keys[i], slot_count);
        while (keys[slot] != 0)
            slot = (slot + 1) & (slot_count - 1);
        keys[slot] = names->keys[i];
        places[slot] = names->places[i];
    }
    free(names->keys);
    free(names->places);
    names->keys = keys;
    names->places = places;
    names->slot_count = slot_count;
    return HSD_OK;
}

hsd_status hsd_v8_names_init(hsd_v8_names *names, uint32_t first_type, uint32_t first_label, hsd_error *err)
{
    *names = (hsd_v8_names){.next_type = first_type, .next_label = first_label};
    return set_slots(names, FIRST_SLOTS, err);
}

static bool is_type(hsd_v8_wait wait)
{
    return wait == HSD_V8_WAIT_TYPE || wait == HSD_V8_WAIT_NATIVE || wait == HSD_V8_WAIT_DETACHED;
}

static bool is_label(hsd_v8_wait wait)
{
    return (wait >= HSD_V8_WAIT_FIELD && wait <= HSD_V8_WAIT_MODULE_TWICE) ||
           (wait >= HSD_V8_WAIT_GLOBAL_FIELD && wait <= HSD_V8_WAIT_TABLE);
}

static hsd_status add_v8_name(hsd_v8_names *names, const hsd_v8_entry *entry, uint32_t *out, hsd_error *err)
{
    const hsd_v8_wait wait = (hsd_v8_wait)entry->wait;
    const uint32_t limit = is_type(wait) ? HSD_V8_NAMES_LIMIT : HSD_V8_NAMES_LIMIT / 4 * 3;
    *out = HSD_V8_NO_ENTRY;
    if (names->count >= limit) {
        names->refused++;
        return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(names->entries, names->capacity, names->count + 1, 1024, "names of types and references",
                           err));
    *out = names->count++;
    names->entries[*out] = *entry;
    if (is_type(wait)) names->entries[*out].number = names->next_type++;
    if (is_label(wait)) names->entries[*out].number = names->next_label++;
    return HSD_OK;
}

hsd_status hsd_v8_names_intern(hsd_v8_names *names, hsd_v8_wait wait, unsigned flags, uint32_t owner, uint32_t name,
                               uint32_t *out, hsd_error *err)
{
    const uint64_t key = hsd_v8_key(wait, flags, owner, name);
    *out = hsd_v8_names_find(names, key);
    if (*out != HSD_V8_NO_ENTRY) return HSD_OK;
    const hsd_v8_entry entry = {.name = name, .owner = owner, .wait = (uint8_t)wait, .flags = (uint8_t)flags};
    HSD_TRY(add_v8_name(names, &entry, out, err));
    if (*out == HSD_V8_NO_ENTRY) return HSD_OK;
    if (names->used >= names->slot_count / 2) HSD_TRY(set_slots(names, names->slot_count * 2, err));
    uint32_t slot = hsd_v8_key_slot(key, names->slot_count);
    while (names->keys[slot] != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    names->keys[slot] = key;
    names->places[slot] = *out;
    names->used++;
    return HSD_OK;
}

hsd_status hsd_v8_names_add(hsd_v8_names *names, hsd_v8_wait wait, uint32_t owner, uint32_t name, uint32_t number,
                            uint32_t *out, hsd_error *err)
{
    const hsd_v8_entry entry = {.name = name, .number = number, .owner = owner, .wait = (uint8_t)wait};
    return add_v8_name(names, &entry, out, err);
}

#define DIGIT_BITS 11u
#define DIGITS     (UINT32_C(1) << DIGIT_BITS)

/* Entries into another array, by some bits of their names; what is alike in these stays in its order. */
static void sort_by_digit(const hsd_v8_names *names, const uint32_t *from, uint32_t *to, unsigned shift)
{
    uint32_t at[DIGITS] = {0};
    for (uint32_t i = 0; i < names->count; i++)
        at[names->entries[from[i]].name >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0, sum = 0; digit < DIGITS; digit++) {
        const uint32_t size = at[digit];
        at[digit] = sum;
        sum += size;
    }
    for (uint32_t i = 0; i < names->count; i++)
        to[at[names->entries[from[i]].name >> shift & (DIGITS - 1)]++] = from[i];
}

hsd_status hsd_v8_names_order(const hsd_v8_names *names, uint32_t **order, hsd_error *err)
{
    uint32_t *other = malloc((size_t)(names->count + 1) * sizeof *other);
    *order = malloc((size_t)(names->count + 1) * sizeof **order);
    if (other == NULL || *order == NULL) {
        free(other);
        free(*order);
        *order = NULL;
        return hsd_fail_nomem(err, "names of types and references");
    }
    for (uint32_t i = 0; i < names->count; i++)
        other[i] = i;
    sort_by_digit(names, other, *order, 0);
    sort_by_digit(names, *order, other, DIGIT_BITS);
    sort_by_digit(names, other, *order, 2 * DIGIT_BITS);
    free(other);
    return HSD_OK;
}

void hsd_v8_names_release(hsd_v8_names *names)
{
    free(names->entries);
    free(names->keys);
    free(names->places);
    *names = (hsd_v8_names){0};
}
