/* A hash table that doubles, and is given up as a whole, so that what it says does not depend on the order of objects.
 */
#include "diff/undecided.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

#define UNDECIDED_SEED UINT64_C(0x756e640006)
#define LEAST_CAPACITY 256u

static bool is_empty_undecided_row(const hsd_undecided_kind *kind)
{
    return (kind->objects[0] | kind->objects[1]) == 0;
}

static hsd_undecided_kind *slot_of(const hsd_undecided_table *table, uint32_t type, uint32_t root, uint64_t bytes)
{
    const uint64_t hash = hsd_mix(hsd_mix(UNDECIDED_SEED, (uint64_t)type << 32 | root), bytes);
    for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
        hsd_undecided_kind *kind = &table->kinds[at & (table->capacity - 1)];
        if (is_empty_undecided_row(kind) || (kind->type == type && kind->root == root && kind->bytes == bytes))
            return kind;
    }
}

static hsd_status grow_undecided_row(hsd_undecided_table *table, hsd_error *err)
{
    hsd_undecided_table grown = {.capacity = table->capacity == 0 ? LEAST_CAPACITY : 2 * table->capacity,
                                 .count = table->count};
    grown.kinds = calloc(grown.capacity, sizeof *grown.kinds);
    if (grown.kinds == NULL) return hsd_fail_nomem(err, "what is undecided");
    for (uint32_t i = 0; i < table->capacity; i++) {
        const hsd_undecided_kind *kind = &table->kinds[i];
        if (!is_empty_undecided_row(kind)) *slot_of(&grown, kind->type, kind->root, kind->bytes) = *kind;
    }
    free(table->kinds);
    *table = grown;
    return HSD_OK;
}

void hsd_undecided_give_up(hsd_undecided_table *table)
{
    hsd_undecided_release(table);
    table->is_full = true;
}

hsd_status hsd_undecided_add(hsd_undecided_table *table, const hsd_undecided_kind *added, hsd_error *err)
{
    if (table->is_full) return HSD_OK;
    if (2 * table->count >= table->capacity) HSD_TRY(grow_undecided_row(table, err));
    hsd_undecided_kind *kind = slot_of(table, added->type, added->root, added->bytes);
    if (is_empty_undecided_row(kind)) {
        *kind = (hsd_undecided_kind){.type = added->type, .root = added->root, .bytes = added->bytes};
        table->count++;
    }
    for (int side = 0; side < 2; side++)
        kind->objects[side] += added->objects[side];
    if (table->count > HSD_UNDECIDED_KINDS) hsd_undecided_give_up(table);
    return HSD_OK;
}

hsd_status hsd_undecided_take(hsd_undecided_table *table, unsigned side, uint32_t type, uint32_t root, uint64_t bytes,
                              hsd_error *err)
{
    HSD_ASSERT(side < 2);
    hsd_undecided_kind one = {.type = type, .root = root, .bytes = bytes};
    one.objects[side] = 1;
    return hsd_undecided_add(table, &one, err);
}

hsd_amount hsd_undecided_of(const hsd_undecided_kind *kind)
{
    const uint64_t objects = hsd_min_u64(kind->objects[0], kind->objects[1]);
    return (hsd_amount){.objects = objects, .bytes = objects * kind->bytes};
}

void hsd_undecided_release(hsd_undecided_table *table)
{
    free(table->kinds);
    *table = (hsd_undecided_table){0};
}
