/*
 * What holds together where groups do not fit in memory. Nothing is read at random: what is asked of a group here and
 * there is some bits, in memory, and the rest waits in sorters until its array is gone through in order.
 *
 *      numbers    (node, group, place)   given in the order of the tree, wanted in that of nodes
 *      numbers    what is asked of a group stands beside them
 *      forks      some bits a group     and a bit for the mark of the first round, while masks climb
 *      tells      (top, place)           what a place tells is what the tops have that it refers to: groups in order,
 *                                        then sums by place
 */
#include "holders/by/told.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/fail.h"

hsd_status hsd_by_sorter(hsd_by_search *s, unsigned words, unsigned parts, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = words,
                                      .key_words = words < HSD_TWO_WORDS ? words : HSD_TWO_WORDS,
                                      .space = &s->growth->pair->space,
                                      .reporter = s->growth->pair->reporter,
                                      .memory_bytes =
                                          hsd_max_u64(s->memory_bytes / HSD_BY_PARTS * parts, HSD_SORT_MIN_BYTES),
                                      .use_thread = s->growth->walks_at_once,
                                      .codec = s->has_columns ? HSD_RUN_PACKED : HSD_RUN_DELTA};
    return hsd_sorter_new(out, &config, err);
}

hsd_status hsd_by_settle_numbers(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status = hsd_sorter_finish(s->by_node, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(s->by_node, &record, err)) == HSD_OK) {
        const hsd_node slot = hsd_by_slot(s, hsd_words_first(record));
        const uint64_t *place = record + HSD_BY_NUMBERED_PLACE;
        hsd_paged_set_node(&s->group_of, slot, hsd_words_second(record));
        hsd_paged_set_two(&s->place_of, slot, hsd_two_of(hsd_words_first(place), hsd_words_second(place)));
    }
    hsd_sorter_free(s->by_node);
    s->by_node = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* ---- marks, and forks ---- */

hsd_status hsd_by_open_marks(hsd_by_search *s, hsd_error *err)
{
    if (!s->has_secondary) return HSD_OK;
    s->primary = calloc((size_t)s->group_room / 8 + 1, 1);
    if (s->primary == NULL) return hsd_fail_nomem(err, "what holds together");
    for (hsd_node i = 1; i <= s->group_count; i++)
        if (hsd_by_group_at(s, i)->mask & HSD_BY_PRIMARY) hsd_bit_set(s->primary, i);
    return hsd_by_groups_check(s, err);
}

hsd_status hsd_by_settle_marks(hsd_by_search *s, hsd_error *err)
{
    for (hsd_node i = 1; s->primary != NULL && i <= s->group_count; i++)
        if (hsd_bit_get(s->primary, i) && (hsd_by_group_at(s, i)->mask & HSD_BY_PRIMARY) == 0)
            hsd_by_group_write(s, i)->mask |= HSD_BY_PRIMARY;
    return hsd_by_groups_check(s, err);
}

hsd_status hsd_by_open_forks(hsd_by_search *s, hsd_error *err)
{
    const size_t bits = (size_t)s->group_count / 8 + 1;
    s->fork_shift = 0;
    while (UINT32_C(1) << (1u << s->fork_shift) < s->fork_count)
        s->fork_shift++;
    if (s->fork_count > 1) s->forks_of = calloc(bits << s->fork_shift, 1);
    s->branches = calloc(bits, 1);
    s->closed = calloc(bits, 1);
    if ((s->fork_count > 1 && s->forks_of == NULL) || s->branches == NULL || s->closed == NULL)
        return hsd_fail_nomem(err, "what holds together");
    for (hsd_node i = 1; i <= s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, i);
        const uint64_t bit = (uint64_t)i << s->fork_shift;
        if (s->forks_of != NULL) s->forks_of[bit / 8] |= (uint8_t)(group->fork << bit % 8);
        if (group->flags & HSD_BY_IS_BRANCH) hsd_bit_set(s->branches, i);
        if (group->flags & HSD_BY_IS_CLOSED) hsd_bit_set(s->closed, i);
        if (group->mask & HSD_BY_SELF) s->has_self = true;
    }
    s->has_forks_of = true;
    return hsd_by_groups_check(s, err);
}

void hsd_by_close_forks(hsd_by_search *s)
{
    free(s->forks_of);
    s->forks_of = NULL;
    s->has_forks_of = false;
}

void hsd_by_close_columns(hsd_by_search *s)
{
    hsd_by_close_forks(s);
    free(s->primary);
    free(s->branches);
    free(s->closed);
    s->primary = s->branches = s->closed = NULL;
    if (s->told != NULL) hsd_by_told_close(s->told);
    free(s->told);
    s->told = NULL;
}

/* ---- what tops have, by place ---- */

/* Frees the sorter of (top, place); the sums are of bytes of tops, by place. */
hsd_status hsd_by_sum_tells(hsd_by_search *s, hsd_sorter **tells, hsd_tally **out, hsd_error *err)
{
    const uint64_t *record;
    HSD_TRY(hsd_tally_new(out, 1, s->memory_bytes / HSD_BY_PARTS * HSD_BY_SORTER, &s->growth->pair->space,
                          s->growth->pair->reporter, err));
    hsd_status status = hsd_sorter_finish(*tells, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(*tells, &record, err)) == HSD_OK) {
        const uint64_t place = hsd_words_second(record), bytes = hsd_by_top_at(s, hsd_words_first(record))->bytes;
        if (bytes > 0) status = hsd_tally_add(*out, &place, 1, bytes, err);
    }
    hsd_sorter_free(*tells);
    *tells = NULL;
    if (status != HSD_END) return status;
    HSD_TRY(hsd_by_groups_check(s, err));
    return hsd_tally_finish(*out, 0, err);
}

static hsd_status tell_places(hsd_by_search *s, hsd_tally *sums, hsd_error *err)
{
    const uint64_t *place;
    hsd_amount sum;
    hsd_status status;
    while ((status = hsd_tally_next(sums, &place, &sum, err)) == HSD_OK)
        hsd_by_place_tell(s, (hsd_node)*place, sum.bytes);
    return status == HSD_END ? hsd_paged_check(&s->places, err) : status;
}

hsd_status hsd_by_settle_tells(hsd_by_search *s, hsd_error *err)
{
    hsd_tally *sums = NULL;
    hsd_status status = hsd_by_sum_tells(s, &s->tells, &sums, err);
    if (status == HSD_OK) status = tell_places(s, sums, err);
    hsd_tally_free(sums);
    return status;
}
