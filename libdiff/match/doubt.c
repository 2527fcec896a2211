/*
 * Each side's rows of equals are looked at once. The bits of is_shared, which nobody needs any more, say which
 * positions lie in a row of which some have no partner.
 */
#include "match/doubt.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "match/align.h"

enum { WINDOW = 512 };

typedef struct row { /* equals that end at the element at hand */
    hsd_element element;
    uint32_t first;
    bool has_leaver;
} row;

static void mark_row(hsd_sequence *s, const row *r, uint32_t end)
{
    for (uint32_t at = r->first; at < end && r->has_leaver; at++)
        hsd_bit_set(s->is_shared, at);
}

static void mark_rows(hsd_sequence *s)
{
    hsd_element window[WINDOW];
    row r = {.first = 0};
    memset(s->is_shared, 0, (size_t)s->count / 8 + 1);
    for (uint32_t at = 0; at < s->count; at++) {
        if (at % WINDOW == 0) hsd_sequence_read(s, at, (uint32_t)hsd_min_u64(WINDOW, s->count - at), window);
        const hsd_element *e = &window[at % WINDOW];
        if (at == 0 || !hsd_element_is_same(e, &r.element)) {
            mark_row(s, &r, at);
            r = (row){.element = *e, .first = at};
        }
        r.has_leaver = r.has_leaver || hsd_sequence_partner(s, at) == HSD_NO_PARTNER;
    }
    mark_row(s, &r, s->count);
}

static bool is_marked(const hsd_sequence *s, uint32_t at) { return hsd_bit_get(s->is_shared, at); }

hsd_status hsd_doubt(hsd_sequence *before, hsd_sequence *after, hsd_sweep_pairs *made, hsd_error *err)
{
    mark_rows(before);
    mark_rows(after);
    for (uint32_t at = 0; at < before->count; at++) {
        if (hsd_sequence_rung(before, at) != HSD_RUNG_ORDER) continue;
        const uint32_t partner = hsd_sequence_partner(before, at);
        if (partner >= after->count) break; /* an array failed: it says so below */
        if (!is_marked(before, at) && !is_marked(after, partner)) continue;
        hsd_sequence_pair(before, at, after, partner, HSD_RUNG_TWINS);
        made->order--;
        made->twins++;
    }
    HSD_TRY(hsd_sequence_check(before, err));
    return hsd_sequence_check(after, err);
}
