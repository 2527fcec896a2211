/*
 * Reading along a strand: windows for the aligner, turned round when it runs backward.
 */
#include "match/strand.h"

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
    const uint32_t left = strand->count - strand->next;
    const uint32_t count = (uint32_t)hsd_min_u64(left, HSD_ALIGN_MOST);
    if (count > 0) {
        const uint32_t lowest = strand->is_backward ? strand->next + count - 1 : strand->next;
        hsd_sequence_read(strand->sequence, hsd_strand_position(strand, lowest), count, window->elements);
    }
    if (strand->is_backward) turn_round(window->elements, count);
    for (uint32_t i = 0; i < count; i++)
        window->is_shared[i] = hsd_bit_get(strand->sequence->is_shared, hsd_strand_position(strand, strand->next + i));
    return (hsd_stretch){window->elements, window->is_shared, count, count == left};
}

uint32_t hsd_next_paired(hsd_sequence *sequence, uint32_t from)
{
    HSD_ASSERT(from <= sequence->count);
    while (from < sequence->count && hsd_sequence_partner(sequence, from) == HSD_NO_PARTNER)
        from++;
    return from;
}

static bool belongs_to(hsd_sequence *sequence, uint32_t object, uint32_t other)
{
    const uint32_t owner = hsd_sequence_owner(sequence, object);
    if (owner == HSD_NO_POSITION || owner == other) return owner == other;
    return hsd_sequence_owner(sequence, owner) == other;
}

bool hsd_are_kin(hsd_sequence *sequence, uint32_t a, uint32_t b)
{
    return sequence->owners.page_count > 0 && (belongs_to(sequence, a, b) || belongs_to(sequence, b, a));
}

int64_t hsd_previous_paired(hsd_sequence *sequence, uint32_t end)
{
    HSD_ASSERT(end <= sequence->count);
    int64_t at = (int64_t)end - 1;
    while (at >= 0 && hsd_sequence_partner(sequence, (uint32_t)at) == HSD_NO_PARTNER)
        at--;
    return at;
}
