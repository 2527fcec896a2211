/*
 * The id table of the HPROF importer: open addressing with multiplicative hashing, the key inside the
 * slot, so that a hit costs one cache line. Ids are addresses or serials: their low bits and their high
 * bits are alike, their middle is not, and the upper bits of the product mix all of them. Numbers are
 * given in order of arrival, so they do not depend on the factor.
 */
#include "import/id_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/check.h"
#include "base/note.h"
#include "base/pages.h"

#define FIRST_LOG2 6u
#define MAX_LOG2   30u
/* From here on a table has pages of its own, large ones where the system has them: it is read at random, and half of
 * what that costs is to find the page. An import of 2 million new sites took 0.94 s before, 0.66 to 0.81 so. */
#define PAGES_LOG2 17u

static hsd_id_slot *find_slot(const hsd_id_table *table, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << (64 - table->shift)) - 1;
    uint64_t at = (key * table->factor) >> table->shift;
    while (table->slots[at].number != 0 && table->slots[at].key != key)
        at = (at + 1) & mask;
    return &table->slots[at];
}

static uint64_t draw_factor(const hsd_id_table *table)
{
    uint64_t factor = 0;
    if (getrandom(&factor, sizeof factor, GRND_NONBLOCK) != (ssize_t)sizeof factor)
        factor = UINT64_C(0x9e3779b97f4a7c15) ^ hsd_now_ns() ^ (uint64_t)(uintptr_t)table;
    return factor | 1;
}

static size_t slots_bytes(uint32_t log2) { return sizeof(hsd_id_slot) << log2; }

static hsd_id_slot *take_slots(uint32_t log2)
{
    hsd_pages pages;
    if (log2 < PAGES_LOG2) return calloc(1, slots_bytes(log2));
    if (!hsd_pages_take(&pages, slots_bytes(log2))) return NULL;
    hsd_pages_expect_random(&pages);
    return pages.data;
}

static void give_slots(hsd_id_slot *slots, uint32_t log2)
{
    if (slots == NULL || log2 < PAGES_LOG2) {
        free(slots);
        return;
    }
    hsd_pages pages = {slots, slots_bytes(log2)};
    hsd_pages_give(&pages);
}

static hsd_status grow_id_table(hsd_id_table *table, hsd_error *err)
{
    const uint32_t log2 = table->slots == NULL ? FIRST_LOG2 : 64 - table->shift + 1;
    if (log2 > MAX_LOG2)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "more than %u different ids of classes or names", table->count);
    hsd_id_slot *old = table->slots;
    const size_t old_count = old == NULL ? 0 : (size_t)1 << (64 - table->shift);
    hsd_id_slot *slots = take_slots(log2);
    if (slots == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a table of %u ids", table->count);
    if (old == NULL) table->factor = draw_factor(table);
    table->slots = slots;
    table->shift = 64 - log2;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].number != 0) *find_slot(table, old[i].key) = old[i];
    give_slots(old, log2 - 1);
    return HSD_OK;
}

hsd_status hsd_id_table_put(hsd_id_table *table, uint64_t key, uint32_t *number, hsd_error *err)
{
    if (table->slots == NULL || table->count >= (UINT32_C(1) << (63 - table->shift)))
        HSD_TRY(grow_id_table(table, err));
    hsd_id_slot *slot = find_slot(table, key);
    if (slot->number == 0) *slot = (hsd_id_slot){.key = key, .number = ++table->count};
    *number = slot->number;
    return HSD_OK;
}

uint64_t hsd_id_table_memory(const hsd_id_table *table)
{
    return table->slots == NULL ? 0 : (UINT64_C(1) << (64 - table->shift)) * sizeof *table->slots;
}

void hsd_id_table_release(hsd_id_table *table)
{
    give_slots(table->slots, 64 - table->shift);
    *table = (hsd_id_table){0};
}

hsd_status hsd_import_grow(void **items, uint32_t *capacity, uint64_t count, size_t size, hsd_error *err)
{
    if (count < *capacity) return HSD_OK;
    const uint64_t wanted = hsd_max_u64(count + 1, (uint64_t)*capacity * 2);
    const uint64_t rounded = hsd_max_u64(wanted, 64);
    if (rounded > UINT32_MAX) return hsd_fail(err, HSD_E_UNSUPPORTED, "a table of more than %u entries", UINT32_MAX);
    return hsd_array_grow(items, size, capacity, sizeof *capacity, rounded, 0, true, "a table", err);
}
