/*
 * Several holders in a line.
 */
#include "report/sentences/held.h"

#include <stdio.h>
#include <string.h>

#include "report/sentences/place.h"
#include "report/words/number.h"
#include "report/words/shorten.h"

enum { NAME_COLUMNS = 160 };

static hsd_status put_held(hsd_buffer *out, const char *text, hsd_error *err)
{
    return hsd_buffer_append(out, text, strlen(text), err);
}

hsd_status hsd_cut_name(hsd_buffer *out, size_t from, hsd_error *err)
{
    hsd_arena arena = {0};
    hsd_short_name name = {.full = (const char *)out->data + from, .full_size = out->size - from};
    if (name.full_size <= NAME_COLUMNS) return HSD_OK;
    hsd_status status = hsd_shorten_names(&name, 1, NAME_COLUMNS, true, &arena, err);
    if (status == HSD_OK && name.text != name.full) {
        out->size = from;
        status = hsd_buffer_append(out, name.text, name.size, err);
    }
    hsd_arena_release(&arena);
    return status;
}

/* Do the first `count` have four fifths of it? */
static bool are_enough(const hsd_held *held, size_t count)
{
    int64_t told = 0;
    for (size_t i = 0; i < count; i++)
        told += held->holders[i]->growth_bytes;
    return told >= held->growth - held->growth / 5;
}

bool hsd_held_is_one(const hsd_held *held) { return are_enough(held, 1); }

static hsd_status put_holder(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                             hsd_error *err)
{
    const size_t from = out->size;
    HSD_TRY(hsd_holder_append(out, holder, before, after, err));
    return hsd_cut_name(out, from, err);
}

hsd_status hsd_held_append(hsd_buffer *out, const hsd_held *held, const char *before, const char *after, hsd_error *err)
{
    const size_t shown = hsd_held_is_one(held) ? 1 : held->count;
    for (size_t i = 0; i < shown; i++) {
        if (i > 0) HSD_TRY(put_held(out, "; ", err));
        HSD_TRY(put_holder(out, held->holders[i], before, after, err));
    }
    return are_enough(held, shown) ? HSD_OK : put_held(out, "; and others", err);
}

hsd_status hsd_held_append_sizes(hsd_buffer *out, const hsd_held *held, bool is_exact, hsd_error *err)
{
    for (size_t i = 0; i < held->count; i++) {
        char size[HSD_NUMBER_CHARS];
        const int64_t growth = held->holders[i]->growth_bytes;
        if (i > 0) HSD_TRY(put_held(out, "; ", err));
        HSD_TRY(put_holder(out, held->holders[i], ": ", "", err));
        HSD_TRY(put_held(out, ", ", err));
        HSD_TRY(put_held(out, is_exact ? hsd_format_exact_signed(size, growth) : hsd_format_bytes_signed(size, growth),
                         err));
    }
    return are_enough(held, held->count) ? HSD_OK : put_held(out, "; and others", err);
}
