/*
 * Strings, places, stacks and allocations: each line adds one, and names others by their numbers, which came before. A
 * stack becomes a site as it comes, since its caller's is there already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/heaptrack/heaptrack.h"

enum { CHECK_EVERY = 1024 };

hsd_status hsd_ht_corrupt(const ht *h, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, h->line.offset, "this file of heaptrack is damaged: %s", what);
}

static hsd_status check_tables(ht *h, uint32_t count, hsd_error *err)
{
    if (count % CHECK_EVERY != 0) return HSD_OK;
    h->sums.other_bytes = hsd_names_memory(&h->texts) + h->string_room * sizeof *h->strings +
                          h->place_room * sizeof *h->places + h->frame_room * sizeof *h->place_frames +
                          h->stack_room * sizeof *h->stack_sites + h->allocation_room * sizeof *h->allocations;
    return hsd_stack_sums_check_memory(&h->sums, err);
}

hsd_status hsd_ht_put_string(ht *h, hsd_bytes text, hsd_error *err)
{
    text.size = (size_t)hsd_min_u64(text.size, HSD_FRAME_TEXT_BYTES);
    HSD_TRY(hsd_import_grow((void **)&h->strings, &h->string_room, h->string_count, sizeof *h->strings, err));
    HSD_TRY(hsd_names_put(&h->texts, text, &h->strings[h->string_count], err));
    return check_tables(h, ++h->string_count, err);
}

/* The text of a number; empty for 0. False: there is none. */
static bool text_of(const ht *h, uint64_t number, hsd_bytes *out)
{
    *out = (hsd_bytes){0};
    if (number > h->string_count) return false;
    if (number > 0) *out = hsd_names_get(&h->texts, h->strings[number - 1]);
    return true;
}

/* ---- places ---- */

static hsd_status add_place_frame(ht *h, uint32_t frame, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&h->place_frames, &h->frame_room, h->frame_count, sizeof *h->place_frames, err));
    h->place_frames[h->frame_count++] = frame;
    h->places[h->place_count].count++;
    return HSD_OK;
}

/* "17 15 9": function, file, line; a function alone where no more is known. HSD_END: there is no further one. */
static hsd_status put_place_frame(ht *h, hsd_bytes *text, hsd_error *err)
{
    uint64_t function, file = 0, line = 0;
    hsd_bytes name, path;
    uint32_t frame;
    if (text->size == 0) return HSD_END;
    if (!hsd_ht_take_number(text, &function)) return hsd_ht_corrupt(h, "a place has what is no number", err);
    if (text->size > 0 && (!hsd_ht_take_number(text, &file) || !hsd_ht_take_number(text, &line)))
        return hsd_ht_corrupt(h, "a place has a file without a line", err);
    if (!text_of(h, function, &name) || !text_of(h, file, &path))
        return hsd_ht_corrupt(h, "a place has a name that is not there", err);
    HSD_TRY(hsd_stack_sums_frame(&h->sums, name, path, (uint32_t)hsd_min_u64(line, INT32_MAX), &frame, err));
    return add_place_frame(h, frame, err);
}

hsd_status hsd_ht_put_place(ht *h, hsd_bytes text, hsd_error *err)
{
    uint64_t address, module;
    uint32_t frame;
    hsd_bytes path;
    hsd_status status;
    if (!hsd_ht_take_number(&text, &address) || !hsd_ht_take_number(&text, &module) || !text_of(h, module, &path))
        return hsd_ht_corrupt(h, "a place has no module", err);
    HSD_TRY(hsd_import_grow((void **)&h->places, &h->place_room, h->place_count, sizeof *h->places, err));
    h->places[h->place_count] = (ht_place){.first = h->frame_count};
    if (text.size == 0) {
        HSD_TRY(hsd_stack_sums_module_frame(&h->sums, path, &frame, err));
        HSD_TRY(add_place_frame(h, frame, err));
    }
    while ((status = put_place_frame(h, &text, err)) == HSD_OK) {
    }
    if (status < 0) return status;
    return check_tables(h, ++h->place_count, err);
}

/* ---- stacks and allocations ---- */

hsd_status hsd_ht_put_stack(ht *h, hsd_bytes text, hsd_error *err)
{
    uint64_t place, parent;
    if (!hsd_ht_take_number(&text, &place) || !hsd_ht_take_number(&text, &parent) || text.size > 0 ||
        place > h->place_count || parent > h->stack_count)
        return hsd_ht_corrupt(h, "a stack is of a place or a caller that is not there", err);
    uint32_t site = parent == 0 ? 0 : h->stack_sites[parent - 1];
    const ht_place row = place != 0 ? h->places[place - 1] : (ht_place){0};
    for (uint32_t i = row.count; i-- > 0;)
        HSD_TRY(hsd_stack_sums_site(&h->sums, h->place_frames[row.first + i], &site, err));
    HSD_TRY(hsd_import_grow((void **)&h->stack_sites, &h->stack_room, h->stack_count, sizeof *h->stack_sites, err));
    h->stack_sites[h->stack_count] = site;
    return check_tables(h, ++h->stack_count, err);
}

hsd_status hsd_ht_put_allocation(ht *h, hsd_bytes text, hsd_error *err)
{
    ht_allocation row = {0};
    uint64_t stack;
    if (!hsd_ht_take_number(&text, &row.bytes) || !hsd_ht_take_number(&text, &stack) || text.size > 0 ||
        stack > h->stack_count)
        return hsd_ht_corrupt(h, "an allocation is of a stack that is not there", err);
    row.site = stack == 0 ? 0 : h->stack_sites[stack - 1];
    HSD_TRY(hsd_import_grow((void **)&h->allocations, &h->allocation_room, h->allocation_count, sizeof row, err));
    h->allocations[h->allocation_count] = row;
    return check_tables(h, ++h->allocation_count, err);
}

hsd_status hsd_ht_add_sums(ht *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->allocation_count; i++) {
        const ht_allocation *row = &h->allocations[i];
        uint64_t bytes;
        if (row->live == 0) continue;
        if (!hsd_mul_u64(row->live, row->bytes, &bytes)) bytes = UINT64_MAX;
        HSD_TRY(hsd_stack_sums_add(&h->sums, row->site, row->live, bytes, err));
    }
    return HSD_OK;
}

void hsd_ht_release(ht *h)
{
    hsd_stack_sums_release(&h->sums);
    hsd_names_release(&h->texts);
    free(h->strings);
    free(h->places);
    free(h->place_frames);
    free(h->stack_sites);
    free(h->allocations);
}
