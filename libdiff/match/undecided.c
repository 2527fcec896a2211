/*
 * Each side's gaps once; a closed gap is seen from either side, and each time those of that side are told. Which types
 * lie on the other side is written as the number of the gap, so that nothing needs to be cleared.
 */
#include "match/undecided.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "match/strand.h"

#define STAGE  "telling what is undecided"
#define ONE_IN 0xffu

typedef struct telling {
    hsd_sequence *here, *there;
    hsd_reporter *reporter;
    hsd_node *seen_in; /* by type: number of the last gap in whose other side it was */
    uint32_t type_count;
    hsd_node gap; /* from 1 */
} telling;

static hsd_status know_type(telling *t, uint32_t type, hsd_error *err)
{
    if (type < t->type_count) return HSD_OK;
    return HSD_ARRAY_GROW_ZEROED(t->seen_in, t->type_count, (uint64_t)type + 1, (uint64_t)type + 64,
                                 "the types of objects", err);
}

/* The types of what has no partner there from `first` on, up to the next that has one. */
static hsd_status look_there(telling *t, hsd_node first, hsd_error *err)
{
    for (hsd_node at = first; at < t->there->count && hsd_sequence_partner(t->there, at) == HSD_NO_PARTNER; at++) {
        const hsd_element e = *hsd_sequence_at(t->there, at);
        HSD_TRY(know_type(t, e.type, err));
        t->seen_in[e.type] = t->gap;
    }
    return HSD_OK;
}

static void tell_undecided_pair(telling *t, hsd_node first, hsd_node end, bool is_closed)
{
    for (hsd_node at = first; at < end; at++) {
        const hsd_element e = *hsd_sequence_at(t->here, at);
        if (hsd_element_is_anchor(&e)) continue;
        if (is_closed && (e.type >= t->type_count || t->seen_in[e.type] != t->gap)) continue;
        hsd_sequence_set_partner(t->here, at, HSD_NO_PARTNER, HSD_RUNG_UNDECIDED);
    }
}

/* Between the recognised neighbours in front of `first` and at `end`, or the ends of the sequence. */
static hsd_status tell_gap(telling *t, hsd_node first, hsd_node end, hsd_error *err)
{
    const hsd_node before = first == 0 ? HSD_NO_PARTNER : hsd_sequence_partner(t->here, first - 1);
    const hsd_node first_there = before + 1; /* HSD_NO_PARTNER + 1 is 0 */
    const hsd_node end_there = end == t->here->count ? t->there->count : hsd_sequence_partner(t->here, end);
    /* an array failed: it says so in the end */
    if (first_there > t->there->count || end_there > t->there->count) return HSD_OK;
    const bool is_closed = hsd_next_paired(t->there, first_there) == end_there;
    t->gap++;
    if (is_closed) HSD_TRY(look_there(t, first_there, err));
    tell_undecided_pair(t, first, end, is_closed);
    return (t->gap & ONE_IN) == 0 ? hsd_progress(t->reporter, STAGE, end, t->here->count, err) : HSD_OK;
}

static hsd_status tell_side(telling *t, hsd_error *err)
{
    for (hsd_node first = 0; (first = hsd_next_unpaired(t->here, first)) < t->here->count;) {
        const hsd_node end = hsd_next_paired(t->here, first);
        HSD_TRY(tell_gap(t, first, end, err));
        first = end;
    }
    HSD_TRY(hsd_sequence_check(t->here, err));
    return hsd_sequence_check(t->there, err);
}

static hsd_status tell_of(hsd_sequence *here, hsd_sequence *there, hsd_reporter *reporter, hsd_error *err)
{
    telling t = {.here = here, .there = there, .reporter = reporter};
    const hsd_status status = tell_side(&t, err);
    free(t.seen_in);
    return status;
}

hsd_status hsd_undecided(hsd_sequence *a, hsd_sequence *b, hsd_reporter *reporter, hsd_error *err)
{
    HSD_TRY(tell_of(a, b, reporter, err));
    return tell_of(b, a, reporter, err);
}
