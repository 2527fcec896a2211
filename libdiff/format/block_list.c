/* A growing array of block places. See block_list.h. */
#include "format/block_list.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"

hsd_status hsd_block_list_add(hsd_block_list *list, const hsd_block_ref *ref, hsd_fault *fault)
{
    if (list->count == list->capacity) {
        const uint64_t bytes = hsd_array_next(list->capacity, list->count + 1, 64) * sizeof *ref;
        if (list->memory_bytes != 0 && bytes > list->memory_bytes)
            return hsd_fault_over_budget(fault, "the list of its blocks", 8 * bytes);
        if (HSD_ARRAY_GROW(list->refs, list->capacity, list->count + 1, 64, "", NULL) != HSD_OK)
            return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for the list of blocks");
    }
    list->refs[list->count++] = *ref;
    return HSD_OK;
}

size_t hsd_block_list_find(const hsd_block_list *list, size_t from, uint8_t type)
{
    HSD_ASSERT(from <= list->count);
    while (from < list->count && list->refs[from].type != type)
        from++;
    return from;
}

/* Blocks of other types lie between those of objects: the nearest one of objects at or before `at`. */
static size_t object_block_before(const hsd_block_list *list, size_t at)
{
    for (size_t i = at + 1; i-- > 0;) {
        if (list->refs[i].type == HSC_BLOCK_OBJECTS) return i;
    }
    return list->count;
}

size_t hsd_block_list_find_ordinal(const hsd_block_list *list, uint64_t ordinal)
{
    size_t best = list->count, low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const size_t at = object_block_before(list, middle);
        if (at == list->count || list->refs[at].first_ordinal <= ordinal) {
            if (at != list->count) best = at;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return best;
}

void hsd_block_list_release(hsd_block_list *list)
{
    free(list->refs);
    *list = (hsd_block_list){0};
}
