/*
 * Holders that hang from one object: see fork.h. Rows of holders do not overlap, so their growth adds up.
 */
#include "report/sentences/fork.h"

#include <string.h>

#include "report/model/holder_rows.h"
#include "report/sentences/place.h"
#include "report/words/number.h"

#define ROWS_ASKED 256u

static bool same_text(hsd_text a, hsd_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static bool is_named_field(hsd_text edge) { return edge.size > 1 && edge.data[0] == '.'; }

static void add_field(hsd_fork *fork, hsd_text edge)
{
    const size_t known = fork->field_count < HSD_FORK_FIELDS ? fork->field_count : HSD_FORK_FIELDS;
    for (size_t i = 0; i < known; i++)
        if (same_text(fork->fields[i], edge)) return;
    if (fork->field_count < HSD_FORK_FIELDS) fork->fields[fork->field_count] = edge;
    fork->field_count++;
}

/* The fields by which the row hangs from the object; false where it does not hang by fields alone. */
static bool add_fields(hsd_fork *fork, const hsd_holder *row, size_t steps)
{
    hsd_fork more = *fork;
    if (row->path_count > steps) {
        if (!is_named_field(row->path[steps].edge)) return false;
        add_field(&more, row->path[steps].edge);
    }
    for (size_t i = 0; row->path_count == steps && i < row->by_count; i++) {
        if (!is_named_field(row->by[i].path[steps].edge)) return false;
        add_field(&more, row->by[i].path[steps].edge);
    }
    *fork = more;
    return true;
}

/* All that hangs from the object `steps` from the root by its fields. */
static void gather(const hsd_diff *diff, const hsd_holder *first, size_t steps, hsd_fork *out)
{
    *out = (hsd_fork){.place = *first};
    out->place.growth_bytes = 0;
    out->place.by_count = 0;
    out->place.path_count = steps;
    out->place.type = first->path[steps - 1].type;
    for (size_t i = 0; i < diff->holder_count && i < ROWS_ASKED; i++) {
        const hsd_holder *row = &diff->holders[i];
        const bool is_one = !row->is_code && !hsd_holder_is_nobody(row) && row->thread_count == 0 &&
                            (row->by_count == 0 || hsd_holder_leads_to(row));
        if (!is_one || row->growth_bytes <= 0 || !hsd_holder_goes_along(row, first, steps)) continue;
        if (row->path_count == steps && row->by_count == 0) continue; /* the object itself holds it */
        if (!add_fields(out, row, steps)) continue;
        out->own_count += row->path_count == steps;
        out->place.growth_bytes = (int64_t)((uint64_t)out->place.growth_bytes + (uint64_t)row->growth_bytes);
    }
}

bool hsd_find_fork(const hsd_diff *diff, const hsd_holder *first, int64_t least, hsd_fork *out)
{
    if (first->thread_count > 0 || (first->by_count > 0 && !hsd_holder_leads_to(first))) return false;
    for (size_t steps = first->path_count; steps > 0; steps--) {
        gather(diff, first, steps, out);
        const bool has_several = out->field_count > 1 || out->own_count > 1;
        if (has_several && out->place.growth_bytes >= least && out->place.growth_bytes > first->growth_bytes)
            return true;
    }
    return false;
}

hsd_status hsd_fork_append_fields(hsd_buffer *out, const hsd_fork *fork, hsd_error *err)
{
    const size_t shown = fork->field_count > HSD_FORK_FIELDS ? HSD_FORK_FIELDS - 1 : fork->field_count;
    const size_t more = fork->field_count - shown;
    char count[HSD_NUMBER_CHARS];
    for (size_t i = 0; i < shown; i++) {
        const char *before = i == 0 ? ", by " : i + 1 == shown && more == 0 ? " and " : ", ";
        HSD_TRY(hsd_buffer_append(out, before, strlen(before), err));
        HSD_TRY(hsd_buffer_append(out, fork->fields[i].data, fork->fields[i].size, err));
    }
    if (more == 0) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, " and ", 5, err));
    hsd_format_count(count, more);
    HSD_TRY(hsd_buffer_append(out, count, strlen(count), err));
    return hsd_buffer_append(out, " more", 5, err);
}
