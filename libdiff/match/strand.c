/*
 * Reading along a strand: windows for the aligner, turned round when it runs backward.
 */
#include "match/strand.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"

static void turn_round(hsd_element *elements, uint32_t count)
{
    for (uint32_t i = 0, j = count; i + 1 < j; i++) {
        const hsd_element first = elements[i];
        elements[i] = elements[--j];
        elements[j] = first;
    }
}

hsd_stretch hsd_strand_read(const hsd_strand *strand, hsd_window *window)
{
    HSD_ASSERT(strand->next <= strand->count && strand->count <= strand->whole);
    const hsd_node left = strand->count - strand->next;
    const uint32_t count = (uint32_t)hsd_min_u64(left, HSD_ALIGN_MOST);
    if (count > 0) {
        const hsd_node lowest = strand->is_backward ? strand->next + count - 1 : strand->next;
        hsd_sequence_read(strand->sequence, hsd_strand_position(strand, lowest), count, window->elements);
    }
    if (strand->is_backward) turn_round(window->elements, count);
    for (uint32_t i = 0; i < count; i++)
        window->is_shared[i] = hsd_bit_get(strand->sequence->is_shared, hsd_strand_position(strand, strand->next + i));
    return (hsd_stretch){window->elements, window->is_shared, count, count == left};
}

enum { IN_PAGE = HSD_PAGE_BYTES / sizeof(hsd_node) };

/* Partners from `at` on to the end of the page, or NULL where that is not in memory: then one is asked for. */
static const hsd_node *partners_at(hsd_sequence *sequence, hsd_node at)
{
    const uint64_t byte = (uint64_t)at * sizeof(hsd_node);
    if (hsd_paged_is_absent(&sequence->partners, byte)) return NULL;
    return (const hsd_node *)(const void *)hsd_paged_at(&sequence->partners, byte, HSD_FRAME_USED);
}

static inline hsd_node next_that(hsd_sequence *sequence, hsd_node from, bool is_paired)
{
    HSD_ASSERT(from <= sequence->count);
    while (from < sequence->count) {
        const hsd_node *partners = partners_at(sequence, from);
        if (partners == NULL) {
            if ((hsd_sequence_partner(sequence, from) != HSD_NO_PARTNER) == is_paired) return from;
            from++;
            continue;
        }
        const hsd_node left = (hsd_node)hsd_min_u64(IN_PAGE - from % IN_PAGE, sequence->count - from);
        for (hsd_node i = 0; i < left; i++)
            if ((partners[i] != 0) == is_paired) return from + i;
        from += left;
    }
    return from;
}

hsd_node hsd_next_paired(hsd_sequence *sequence, hsd_node from) { return next_that(sequence, from, true); }

hsd_node hsd_next_unpaired(hsd_sequence *sequence, hsd_node from) { return next_that(sequence, from, false); }

hsd_node hsd_next_with_rung(hsd_sequence *sequence, hsd_node from, hsd_rung rung)
{
    HSD_ASSERT(from <= sequence->count);
    while (from < sequence->count) {
        const hsd_node in_page = HSD_PAGE_BYTES - (from & (HSD_PAGE_BYTES - 1));
        const hsd_node left = (hsd_node)hsd_min_u64(in_page, sequence->count - from);
        const uint8_t *const rungs = hsd_paged_at(&sequence->rungs, from, HSD_FRAME_USED);
        const uint8_t *const found = memchr(rungs, (int)rung, left);
        if (found != NULL) return from + (hsd_node)(found - rungs);
        from += left;
    }
    return from;
}

static bool belongs_to(hsd_sequence *sequence, hsd_node object, hsd_node other)
{
    const hsd_node owner = hsd_sequence_owner(sequence, object);
    if (owner == HSD_NO_POSITION || owner == other) return owner == other;
    return hsd_sequence_owner(sequence, owner) == other;
}

bool hsd_are_kin(hsd_sequence *sequence, hsd_node a, hsd_node b)
{
    return sequence->owners.page_count > 0 && (belongs_to(sequence, a, b) || belongs_to(sequence, b, a));
}

int64_t hsd_previous_paired(hsd_sequence *sequence, hsd_node end)
{
    HSD_ASSERT(end <= sequence->count);
    while (end > 0) {
        const hsd_node first = (end - 1) / IN_PAGE * IN_PAGE;
        const hsd_node *partners = partners_at(sequence, first);
        if (partners == NULL) {
            if (hsd_sequence_partner(sequence, end - 1) != HSD_NO_PARTNER) return (int64_t)end - 1;
            end--;
            continue;
        }
        for (hsd_node i = end - first; i > 0; i--)
            if (partners[i - 1] != 0) return (int64_t)first + (int64_t)i - 1;
        end = first;
    }
    return -1;
}
