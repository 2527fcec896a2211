/*
 * Reading along a strand: windows for the aligner, turned round when it runs backward, and the lengths of runs of
 * equals, which may be longer than any window and are found by walking on element by element.
 */
#include "match/strand.h"

#include <assert.h>

#include "base/check.h"

static bool is_shared(const hsd_sequence *sequence, uint32_t position)
{
    return sequence->is_shared[position >> 3] >> (position & 7) & 1;
}

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
    const uint32_t left = strand->count - strand->next;
    const uint32_t count = (uint32_t)hsd_min_u64(left, HSD_ALIGN_MOST);
    if (count > 0) {
        const uint32_t lowest = strand->is_backward ? strand->next + count - 1 : strand->next;
        hsd_sequence_read(strand->sequence, hsd_strand_position(strand, lowest), count, window->elements);
    }
    if (strand->is_backward) turn_round(window->elements, count);
    for (uint32_t i = 0; i < count; i++)
        window->is_shared[i] = is_shared(strand->sequence, hsd_strand_position(strand, strand->next + i));
    return (hsd_stretch){window->elements, window->is_shared, count, count == left};
}

static const hsd_element *element_at(const hsd_strand *strand, uint32_t place)
{
    const uint64_t position = hsd_strand_position(strand, place);
    return (const hsd_element *)(const void *)hsd_paged_at(&strand->sequence->elements, position * sizeof(hsd_element),
                                                           HSD_FRAME_USED);
}

uint32_t hsd_strand_run(hsd_strand *strand, uint32_t place)
{
    assert(place < strand->run_limit && place >= strand->run_first);
    while (strand->run_end <= place) {
        const hsd_element first = *element_at(strand, strand->run_end);
        strand->run_first = strand->run_end++;
        while (strand->run_end < strand->run_limit && hsd_element_is_same(element_at(strand, strand->run_end), &first))
            strand->run_end++;
    }
    return strand->run_end - strand->run_first;
}

uint32_t hsd_next_paired(hsd_sequence *sequence, uint32_t from)
{
    while (from < sequence->count && hsd_sequence_partner(sequence, from) == HSD_NO_PARTNER) from++;
    return from;
}

int64_t hsd_previous_paired(hsd_sequence *sequence, uint32_t end)
{
    int64_t at = (int64_t)end - 1;
    while (at >= 0 && hsd_sequence_partner(sequence, (uint32_t)at) == HSD_NO_PARTNER) at--;
    return at;
}
