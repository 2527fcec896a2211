/*
 * Sums by type and bucket in one hash table: it grows with the kinds of objects that there are, not with their number.
 * See totals.h.
 */
#include "format/totals.h"

#include <stdlib.h>

#include "base/check.h"
#include "format/object_block.h"

#define FIRST_CAPACITY ((size_t)256)

static hsd_total *place_of(hsd_total *entries, size_t capacity, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (capacity - 1);
    while (entries[i].key != 0 && entries[i].key != key)
        i = (i + 1) & (capacity - 1);
    return &entries[i];
}

static hsd_status grow_format_total(hsd_totals *totals, hsd_fault *fault)
{
    const size_t capacity = totals->capacity > 0 ? 2 * totals->capacity : FIRST_CAPACITY;
    const size_t bytes = capacity * sizeof(hsd_total);
    if (totals->memory_bytes != 0 && bytes > totals->memory_bytes) {
        return hsd_fault_over_budget(fault, "the totals of its types", 16 * (uint64_t)bytes);
    }
    hsd_total *entries = calloc(capacity, sizeof *entries);
    if (entries == NULL) return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for totals");
    for (size_t i = 0; i < totals->capacity; i++) {
        const hsd_total *old = &totals->entries[i];
        if (old->key != 0) *place_of(entries, capacity, old->key) = *old;
    }
    free(totals->entries);
    totals->entries = entries;
    totals->capacity = capacity;
    return HSD_OK;
}

hsd_status hsd_totals_take(hsd_totals *totals, uint64_t key, hsd_total **out, hsd_fault *fault)
{
    if (2 * totals->used >= totals->capacity) HSD_TRY(grow_format_total(totals, fault));
    *out = place_of(totals->entries, totals->capacity, key);
    totals->used += (*out)->key == 0;
    (*out)->key = key;
    return HSD_OK;
}

const hsd_total *hsd_totals_find(const hsd_totals *totals, uint64_t key)
{
    if (totals->used == 0) return NULL;
    const hsd_total *total = place_of(totals->entries, totals->capacity, key);
    return total->key == 0 ? NULL : total;
}

static hsd_status add_format_total(hsd_totals *totals, uint64_t key, const hsd_object *object, hsd_fault *fault)
{
    hsd_total *total;
    HSD_TRY(hsd_totals_take(totals, key, &total, fault));
    total->objects++;
    total->bytes = hsd_add_saturating(total->bytes, object->size_bytes);
    total->native_bytes = hsd_add_saturating(total->native_bytes, object->native_bytes);
    return HSD_OK;
}

hsd_status hsd_totals_add_object(hsd_totals *totals, const hsd_object *object, hsd_fault *fault)
{
    if (object->is_continuation || (object->flags & HSD_OBJECT_PSEUDO) != 0) return HSD_OK;
    HSD_TRY(add_format_total(totals,
                             HSD_TOTAL_OF_TYPE | (uint64_t)object->type << 8 | hsd_size_bucket(object->size_bytes),
                             object, fault));
    if (object->category == 0) return HSD_OK;
    return add_format_total(totals, HSD_TOTAL_OF_CATEGORY | (uint64_t)object->category << 8, object, fault);
}

hsd_status hsd_totals_add_site(hsd_totals *totals, const hsd_site_total *site, hsd_fault *fault)
{
    hsd_total *total;
    HSD_TRY(hsd_totals_take(totals, HSD_TOTAL_OF_SITES | (uint64_t)site->type << 8, &total, fault));
    total->objects = hsd_add_saturating(total->objects, site->objects);
    total->bytes = hsd_add_saturating(total->bytes, site->bytes);
    return HSD_OK;
}

void hsd_totals_add_root(hsd_totals *totals, const hsd_root *root)
{
    totals->roots[root->kind < HSD_ROOT_KINDS ? root->kind : 0]++;
}

static int compare_keys(const void *a, const void *b)
{
    const hsd_total *left = a, *right = b;
    return left->key < right->key ? -1 : left->key > right->key;
}

void hsd_totals_sort(hsd_totals *totals)
{
    size_t count = 0;
    for (size_t i = 0; i < totals->capacity; i++) {
        if (totals->entries[i].key != 0) totals->entries[count++] = totals->entries[i];
    }
    if (count > 1) qsort(totals->entries, count, sizeof *totals->entries, compare_keys);
}

void hsd_totals_release(hsd_totals *totals)
{
    free(totals->entries);
    *totals = (hsd_totals){0};
}
