/*
 * The spilling stack of the graph walks. The window holds two chunks; when it is full the older one
 * is written out, when it is empty the newest written one is read back: between two transfers lie at
 * least a chunk of pushes or pops.
 */
#include "graph/worklist.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_worklist_open(hsd_worklist *list, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    memset(list, 0, sizeof *list);
    list->file.fd = -1;
    list->space = space;
    const uint64_t bytes = hsd_min_u64(hsd_max_u64(memory_bytes, HSD_WORKLIST_LEAST_BYTES), UINT64_C(64) << 20);
    list->capacity = (uint32_t)(bytes / sizeof *list->items) & ~1u;
    list->items = malloc((size_t)list->capacity * sizeof *list->items);
    if (list->items == NULL) {
        return hsd_fail_nomem(err, "the worklist of the reference graph");
    }
    return HSD_OK;
}

hsd_status hsd_worklist_spill(hsd_worklist *list, hsd_error *err)
{
    HSD_ASSERT(list->count == list->capacity);
    const uint32_t half = list->capacity / 2;
    const size_t chunk = (size_t)half * sizeof *list->items;
    if (list->file.fd < 0) HSD_TRY(hsd_temp_open(&list->file, list->space, err));
    HSD_TRY(hsd_temp_write(&list->file, list->spilled * chunk, list->items, chunk, err));
    list->spilled++;
    memmove(list->items, list->items + half, chunk);
    list->count = half;
    return HSD_OK;
}

hsd_status hsd_worklist_refill(hsd_worklist *list, hsd_error *err)
{
    HSD_ASSERT(list->count == 0);
    if (list->spilled == 0) return HSD_END;
    const uint32_t half = list->capacity / 2;
    const size_t chunk = (size_t)half * sizeof *list->items;
    HSD_TRY(hsd_temp_read(&list->file, (list->spilled - 1) * chunk, list->items, chunk, err));
    list->spilled--;
    list->count = half;
    return HSD_OK;
}

void hsd_worklist_close(hsd_worklist *list)
{
    free(list->items);
    if (list->space != NULL) hsd_temp_close(&list->file);
    memset(list, 0, sizeof *list);
    list->file.fd = -1;
}
