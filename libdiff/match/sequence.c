/*
 * Reading and writing windows of a sequence: an element lies in one page, so a window is copied page by page.
 */
#include "match/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define ELEMENT_BYTES ((uint64_t)sizeof(hsd_element))

_Static_assert(HSD_PAGE_BYTES % sizeof(hsd_element) == 0, "an element lies in one page");

void hsd_sequence_read(hsd_sequence *sequence, hsd_node first, hsd_node count, hsd_element *out)
{
    HSD_ASSERT((uint64_t)first + count <= sequence->count);
    for (uint64_t at = first * ELEMENT_BYTES, left = count * ELEMENT_BYTES; left > 0;) {
        const uint64_t in_page = hsd_min_u64(left, HSD_PAGE_BYTES - (at & (HSD_PAGE_BYTES - 1)));
        memcpy(out, hsd_paged_at(&sequence->elements, at, HSD_FRAME_USED), (size_t)in_page);
        out += in_page / ELEMENT_BYTES;
        at += in_page;
        left -= in_page;
    }
}

void hsd_sequence_set_partner(hsd_sequence *sequence, hsd_node position, hsd_node partner, hsd_rung rung)
{
    HSD_ASSERT(position < sequence->count);
    hsd_paged_set_node(&sequence->partners, position, partner + 1);
    *hsd_paged_at(&sequence->rungs, position, HSD_FRAME_USED | HSD_FRAME_DIRTY) = (uint8_t)rung;
}

void hsd_sequence_pair(hsd_sequence *a, hsd_node at_a, hsd_sequence *b, hsd_node at_b, hsd_rung rung)
{
    HSD_ASSERT(rung != HSD_RUNG_NONE && rung != HSD_RUNG_UNDECIDED);
    hsd_sequence_set_partner(a, at_a, at_b, rung);
    hsd_sequence_set_partner(b, at_b, at_a, rung);
}

void hsd_sequence_unpair(hsd_sequence *a, hsd_node at_a, hsd_sequence *b, hsd_node at_b)
{
    hsd_sequence_set_partner(a, at_a, HSD_NO_PARTNER, HSD_RUNG_NONE);
    hsd_sequence_set_partner(b, at_b, HSD_NO_PARTNER, HSD_RUNG_NONE);
}

hsd_status hsd_sequence_check(const hsd_sequence *sequence, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&sequence->elements, err));
    HSD_TRY(hsd_paged_check(&sequence->addresses, err));
    HSD_TRY(hsd_paged_check(&sequence->positions, err));
    HSD_TRY(hsd_paged_check(&sequence->owners, err));
    HSD_TRY(hsd_paged_check(&sequence->partners, err));
    return hsd_paged_check(&sequence->rungs, err);
}

void hsd_sequence_release(hsd_sequence *sequence)
{
    hsd_paged *const arrays[] = {&sequence->elements, &sequence->addresses, &sequence->positions,
                                 &sequence->owners,   &sequence->partners,  &sequence->rungs};
    hsd_sorter *const sorters[] = {sequence->names, sequence->keys, sequence->hashes, sequence->places};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i]->page_count > 0) hsd_paged_close(arrays[i]);
    }
    for (size_t i = 0; i < sizeof sorters / sizeof *sorters; i++)
        hsd_sorter_free(sorters[i]);
    hsd_wholes_close(&sequence->wholes);
    free(sequence->is_shared);
    memset(sequence, 0, sizeof *sequence);
}
