/*
 * Values without a name among the globals. See statics.h.
 */
#include "go/types/typing.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/search.h"

enum { MOST_ROUNDS = 64 };

void hsd_gostatics_release(gostatics *statics)
{
    free(statics->at);
    hsd_id_table_release(&statics->numbers);
    *statics = (gostatics){0};
}

/* ---- finding ---- */

static bool is_among_globals(const gotyping *t, uint64_t address, uint64_t bytes)
{
    const gostatics *statics = &t->statics;
    for (int i = 0; i < GOSTATIC_SEGMENTS; i++) {
        const bool is_there = address >= statics->begin[i] && address < statics->end[i];
        if (is_there)
            return bytes <= statics->end[i] - address && address % 8 == 0 &&
                   hsd_go_types_global_at(&t->types, address - t->bias) == NULL;
    }
    return false;
}

static bool has_room(const gostatics *statics)
{
    return statics->count * (sizeof *statics->at + 4 * sizeof *statics->numbers.slots) < statics->most_bytes;
}

hsd_status hsd_gostatics_offer(gotyping *t, uint64_t address, uint32_t type, bool is_items, uint64_t items,
                               hsd_error *err)
{
    gostatics *statics = &t->statics;
    uint64_t bytes;
    uint32_t number;
    if (type == 0 || type >= GOTYPE_TEXT || t->is_guessing || !has_room(statics)) return HSD_OK;
    if (!hsd_mul_u64(hsd_gotyping_size(t, type), is_items ? items : 1, &bytes) || bytes == 0) return HSD_OK;
    if (!is_among_globals(t, address, bytes)) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&statics->numbers, address, &number, err));
    if (number > statics->count) {
        HSD_TRY(hsd_import_grow((void **)&statics->at, &statics->room, number - 1, sizeof *statics->at, err));
        statics->count = number;
        statics->at[number - 1] = (gostatic){0};
    }
    gostatic *known = &statics->at[number - 1];
    if (bytes <= known->bytes) return HSD_OK; /* its first field, say */
    *known = (gostatic){.address = address, .bytes = bytes, .type = type, .is_items = is_items};
    statics->first_waiting = (uint32_t)hsd_min_u64(statics->first_waiting, number - 1);
    return HSD_OK;
}

bool hsd_gostatics_next(gotyping *t, gostatic *out)
{
    gostatics *statics = &t->statics;
    while (statics->first_waiting < statics->count && statics->at[statics->first_waiting].is_walked)
        statics->first_waiting++;
    if (statics->first_waiting == statics->count) return false;
    statics->at[statics->first_waiting].is_walked = true;
    *out = statics->at[statics->first_waiting];
    return true;
}

/* ---- when all are found ---- */

static int by_address(const void *a, const void *b)
{
    const gostatic *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* Of two that overlap, one is a field of the other. */
static void drop_nested(gostatics *statics)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < statics->count; i++) {
        const gostatic *last = kept == 0 ? NULL : &statics->at[kept - 1];
        if (last != NULL && statics->at[i].address - last->address < last->bytes) continue;
        statics->at[kept++] = statics->at[i];
    }
    statics->count = kept;
}

static gostatic *static_at(gotyping *t, uint64_t address)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, t->statics.count, t->statics.at[low].address, address);
    gostatic *found = low == 0 ? NULL : &t->statics.at[low - 1];
    return found != NULL && address - found->address < found->bytes ? found : NULL;
}

gostatic *hsd_gostatics_at(gotyping *t, uint64_t address)
{
    gostatic *found = static_at(t, address);
    return found != NULL && found->is_needed ? found : NULL;
}

static bool leads_to_heap(gotyping *t, const gostatic *from, uint64_t value)
{
    goslot slot;
    if (hsd_goslots_find(&t->slots, value, &slot)) return hsd_goslots_is_live(&t->slots, slot.number);
    const gostatic *other = static_at(t, value);
    return other != NULL && other != from && other->is_needed;
}

static hsd_status look_for_heap(gotyping *t, gostatic *one, hsd_error *err)
{
    uint64_t value;
    for (uint64_t at = 0; at + 8 <= one->bytes && !one->is_needed; at += 8) {
        HSD_TRY(hsd_gomemory_word(&t->memory, one->address + at, &value, err));
        one->is_needed = value != 0 && leads_to_heap(t, one, value);
    }
    return HSD_OK;
}

hsd_status hsd_gostatics_finish(gotyping *t, hsd_error *err)
{
    gostatics *statics = &t->statics;
    bool has_changed = true;
    hsd_id_table_release(&statics->numbers);
    if (statics->count > 1) qsort(statics->at, statics->count, sizeof *statics->at, by_address);
    drop_nested(statics);
    for (int round = 0; has_changed && round < MOST_ROUNDS; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < statics->count; i++) {
            if (statics->at[i].is_needed) continue;
            HSD_TRY(look_for_heap(t, &statics->at[i], err));
            has_changed |= statics->at[i].is_needed;
        }
    }
    return HSD_OK;
}

/* ---- roots ---- */

static hsd_status spread(gotyping *t, gostatic *from, bool *has_changed, hsd_error *err)
{
    uint64_t value;
    from->is_spread = true;
    for (uint64_t at = 0; at + 8 <= from->bytes; at += 8) {
        HSD_TRY(hsd_gomemory_word(&t->memory, from->address + at, &value, err));
        gostatic *to = value == 0 ? NULL : hsd_gostatics_at(t, value);
        if (to == NULL || to->has_root) continue;
        to->has_root = true;
        *has_changed = true;
    }
    return HSD_OK;
}

hsd_status hsd_gostatics_unreached(gotyping *t, gostatic **out, hsd_error *err)
{
    gostatics *statics = &t->statics;
    bool has_changed = true;
    *out = NULL;
    while (has_changed) {
        has_changed = false;
        for (uint32_t i = 0; i < statics->count; i++)
            if (statics->at[i].has_root && !statics->at[i].is_spread)
                HSD_TRY(spread(t, &statics->at[i], &has_changed, err));
    }
    for (uint32_t i = 0; i < statics->count && *out == NULL; i++)
        if (statics->at[i].is_needed && !statics->at[i].has_root) *out = &statics->at[i];
    return HSD_OK;
}
