/*
 * The sums of a baseline (FORMAT.md 6.17 to 6.19): each call holds the order that readers rely on, and hands the record
 * over to its table.
 */
#include "layout.h"
#include "writer.h"

/* Open, and a baseline. */
static hsc_status check_capture_sum(hsc_writer *w)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK || w->sums != NULL) return status;
    return hsc_fail(w, HSC_E_MISUSE, "sums in a capture that is no baseline");
}

/* The next number of a table whose records ascend. */
static hsc_status check_next(hsc_writer *w, const char *what, uint32_t id, uint32_t *last)
{
    if (id == 0 || id > HSC_MAX_TABLE_ID)
        return hsc_fail(w, HSC_E_LIMIT, "the number of a %s must be 1 to 2,147,483,647", what);
    if (id <= *last) return hsc_fail(w, HSC_E_MISUSE, "sums of %ss that do not ascend", what);
    *last = id;
    return HSC_OK;
}

hsc_status hsc_sum_type(hsc_writer *w, const hsc_live_total *total)
{
    hsc_status status = check_capture_sum(w);
    if (status == HSC_OK) status = check_next(w, "type", total->type, &w->sums->last_type);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {total->type,           total->objects,           total->bytes,
                               total->retained_bytes, total->unreached_objects, total->unreached_bytes};
    return hsc_table_add(w, HSC_TABLE_LIVE_TOTALS, fields, NULL);
}

hsc_status hsc_sum_root(hsc_writer *w, const hsc_root_total *total)
{
    hsc_status status = check_capture_sum(w);
    if (status != HSC_OK) return status;
    if ((unsigned)total->kind >= HSC_ROOT_KIND_COUNT) return hsc_fail(w, HSC_E_MISUSE, "a root of unknown kind");
    status = check_next(w, "string", total->name, &w->sums->last_root);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {total->flags,   total->name,  (uint64_t)total->kind,
                               total->objects, total->bytes, total->retained_bytes};
    return hsc_table_add(w, HSC_TABLE_ROOT_TOTALS, fields, NULL);
}

/* Puts place `number` on the way from the heap; false if its parent is not on it. */
static bool hang(hsc_sums *sums, uint32_t number, uint32_t parent)
{
    uint32_t depth = sums->depth;
    while (depth > 0 && sums->way[depth] != parent)
        depth--;
    if (sums->way[depth] != parent) return false;
    sums->depth = depth + 1;
    if (sums->depth <= HSC_MAX_PLACE_DEPTH) sums->way[sums->depth] = number;
    return true;
}

static hsc_status check_place(hsc_writer *w, const hsc_place *place)
{
    const uint64_t number = w->tables[HSC_TABLE_PLACES].total;
    if ((place->edge | place->name) > HSC_MAX_TABLE_ID)
        return hsc_fail(w, HSC_E_LIMIT, "the number of a string or type must be 1 to 2,147,483,647");
    if (number == HSC_MAX_PLACES) return hsc_fail(w, HSC_E_LIMIT, "more than 1,048,576 places");
    if (number == 0) {
        if ((place->parent | place->name) == 0) return HSC_OK;
        return hsc_fail(w, HSC_E_MISUSE, "the first place is not the heap");
    }
    if (place->name == 0) return hsc_fail(w, HSC_E_MISUSE, "a place without a name");
    if (!hang(w->sums, (uint32_t)number, place->parent))
        return hsc_fail(w, HSC_E_MISUSE, "places that do not stand in preorder");
    if (w->sums->depth > HSC_MAX_PLACE_DEPTH) return hsc_fail(w, HSC_E_LIMIT, "a place deeper than 255");
    return HSC_OK;
}

hsc_status hsc_sum_place(hsc_writer *w, const hsc_place *place)
{
    hsc_status status = check_capture_sum(w);
    if (status == HSC_OK) status = check_place(w, place);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {place->flags, place->name, place->edge, place->parent, place->objects, place->bytes};
    return hsc_table_add(w, HSC_TABLE_PLACES, fields, NULL);
}
