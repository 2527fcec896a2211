/*
 * Each side's rows of equals are looked at once. The bits of is_shared, which nobody needs any more, say which
 * positions lie in a row of which some have no partner.
 */
#include "match/doubt.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "match/align.h"
#include "match/strand.h"

static bool is_equal_at(hsd_sequence *s, hsd_node at, const hsd_element *e)
{
    const hsd_element other = *hsd_sequence_at(s, at);
    return hsd_element_is_same(&other, e);
}

/* The row of equals in which `leaver` stands, but for what stands in front of `from`, which is another row. One past
 * its end. */
static hsd_node mark_row(hsd_sequence *s, hsd_node from, hsd_node leaver)
{
    const hsd_element e = *hsd_sequence_at(s, leaver);
    hsd_node first = leaver, end = leaver + 1;
    while (first > from && is_equal_at(s, first - 1, &e))
        first--;
    while (end < s->count && is_equal_at(s, end, &e))
        end++;
    for (hsd_node at = first; at < end; at++)
        hsd_bit_set(s->is_shared, at);
    return end;
}

/* Only what is left over is looked at, and what stands beside it. */
static void mark_rows(hsd_sequence *s)
{
    memset(s->is_shared, 0, (size_t)s->count / 8 + 1);
    for (hsd_node from = 0, at = hsd_next_unpaired(s, 0); at < s->count; at = hsd_next_unpaired(s, from))
        from = mark_row(s, from, at);
}

static bool is_marked(const hsd_sequence *s, hsd_node at) { return hsd_bit_get(s->is_shared, at); }

hsd_status hsd_doubt(hsd_sequence *before, hsd_sequence *after, hsd_sweep_pairs *made, hsd_error *err)
{
    mark_rows(before);
    mark_rows(after);
    for (hsd_node at = 0; (at = hsd_next_with_rung(before, at, HSD_RUNG_ORDER)) < before->count; at++) {
        const hsd_node partner = hsd_sequence_partner(before, at);
        if (partner >= after->count) break; /* an array failed: it says so below */
        if (!is_marked(before, at) && !is_marked(after, partner)) continue;
        hsd_sequence_pair(before, at, after, partner, HSD_RUNG_TWINS);
        made->order--;
        made->twins++;
    }
    HSD_TRY(hsd_sequence_check(before, err));
    return hsd_sequence_check(after, err);
}
