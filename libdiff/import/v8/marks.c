/*
 * The arrays of marks.h: grown by doubling, within the budget.
 */
#include "import/v8/marks.h"

#include "base/check.h"
#include <hscapture/hscapture.h>

#define FIRST_CAPACITY UINT64_C(65536)
/* Object numbers of a capture are 32 bits wide; see FORMAT.md, 10.8. */
#define MOST_NODES UINT64_C(0xFFFFFF00)

/* Bytes of the arrays for so many nodes; while the first grows, its old half lives too. */
static uint64_t bytes_for(uint64_t nodes) { return nodes / 2 + nodes / 4 + nodes / 8 + nodes / 8; }

void hsd_v8_marks_init(hsd_v8_marks *marks, uint64_t memory_bytes)
{
    *marks = (hsd_v8_marks){.limit = hsd_max_u64(memory_bytes, FIRST_CAPACITY)}; /* bytes_for(limit) */
}

static hsd_status out_of_memory(uint64_t nodes, hsd_error *err)
{
    return hsd_fail(err, HSD_E_NOMEM, "out of memory: half a byte for each of %llu nodes", (unsigned long long)nodes);
}

hsd_status hsd_v8_marks_grow(hsd_v8_marks *marks, hsd_error *err)
{
    const uint64_t wanted = marks->capacity == 0 ? FIRST_CAPACITY : marks->capacity * 2;
    const uint64_t capacity = hsd_min_u64(wanted, hsd_min_u64(marks->limit, MOST_NODES));
    if (capacity <= marks->count) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "the memory given is too small for a snapshot of more than %llu nodes",
                 (unsigned long long)marks->count);
        /* The importer gives half of the budget to the marks. */
        hsd_error_set_hint(err, "--memory %lluM is enough for twice as many",
                           (unsigned long long)(bytes_for(marks->count * 2) * 2 >> 20) + 16);
        return HSD_E_OVER_BUDGET;
    }
    uint8_t *grown = realloc(marks->kinds, (size_t)(capacity / 2 + 1));
    if (grown == NULL) return out_of_memory(capacity, err);
    marks->kinds = grown;
    marks->capacity = capacity;
    return HSD_OK;
}

hsd_status hsd_v8_marks_seal(hsd_v8_marks *marks, hsd_error *err)
{
    marks->incoming = calloc((size_t)(marks->count / 8 + 1), 1);
    marks->rooted = calloc((size_t)(marks->count / 8 + 1), 1);
    return marks->incoming == NULL || marks->rooted == NULL ? out_of_memory(marks->count, err) : HSD_OK;
}

void hsd_v8_marks_release(hsd_v8_marks *marks)
{
    free(marks->kinds);
    free(marks->incoming);
    free(marks->rooted);
    *marks = (hsd_v8_marks){0};
}
