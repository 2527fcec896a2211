/* The one place where arrays grow. The address of a pointer to anything is read and written as bytes. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

static uint64_t capacity_of(const void *capacity, size_t capacity_bytes)
{
    uint32_t narrow;
    uint64_t wide;
    if (capacity_bytes == sizeof wide) return memcpy(&wide, capacity, sizeof wide), wide;
    return memcpy(&narrow, capacity, sizeof narrow), narrow;
}

static void set_capacity(void *capacity, size_t capacity_bytes, uint64_t value)
{
    const uint32_t narrow = (uint32_t)value;
    if (capacity_bytes == sizeof value)
        memcpy(capacity, &value, sizeof value);
    else
        memcpy(capacity, &narrow, sizeof narrow);
}

hsd_status hsd_array_grow(void *items, size_t item_bytes, void *capacity, size_t capacity_bytes, uint64_t wanted,
                          uint64_t first, bool is_zeroed, const char *what, hsd_error *err)
{
    HSD_ASSERT(capacity_bytes == sizeof(uint32_t) || capacity_bytes == sizeof(uint64_t));
    HSD_ASSERT(item_bytes > 0 && what != NULL);
    const uint64_t had = capacity_of(capacity, capacity_bytes),
                   most = hsd_min_u64(SIZE_MAX, capacity_bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX);
    if (wanted <= had) return HSD_OK;
    const uint64_t next = hsd_min_u64(hsd_array_next(had, wanted, first), hsd_max_u64(most, wanted));
    size_t bytes;
    if (next > most || !hsd_mul_size((size_t)next, item_bytes, &bytes) || bytes > PTRDIFF_MAX)
        return hsd_fail_nomem(err, what);
    void *old;
    memcpy(&old, items, sizeof old);
    uint8_t *grown = realloc(old, bytes);
    if (grown == NULL) return hsd_fail_nomem(err, what);
    if (is_zeroed) memset(grown + (size_t)had * item_bytes, 0, (size_t)(next - had) * item_bytes);
    memcpy(items, &grown, sizeof grown);
    set_capacity(capacity, capacity_bytes, next);
    return HSD_OK;
}
