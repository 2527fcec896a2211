/*
 * Writing pairs. A step takes what the step before it has sorted by one side, and puts what is left of it into a sorter
 * by the other side.
 */
#include "match/join.h"

#include <string.h>

#include "base/assert.h"

#define PROGRESS_STEPS 0xffffu
#define PAIR_WORDS     HSD_TWO_WORDS

/* Every page has a place in memory, whether it is there yet or not: none goes for another. */
static bool has_every_page(const hsd_paged *array) { return array->frame_count == array->page_count; }

static bool are_resident(const hsd_sequence *s) { return has_every_page(&s->partners) && has_every_page(&s->rungs); }

static bool is_free(hsd_sequence *s, hsd_node position) { return hsd_sequence_partner(s, position) == HSD_NO_PARTNER; }

/* Two sorters are there at the same time. */
static hsd_status new_sorter(const hsd_join *j, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {
        .record_words = PAIR_WORDS,
        .key_words = PAIR_WORDS,
        .memory_bytes = (size_t)(j->config.memory_bytes / 2),
        .codec = HSD_RUN_DELTA,
        .space = j->config.space,
        .reporter = j->config.reporter,
    };
    return hsd_sorter_new(out, &config, err);
}

static bool has_plain(const hsd_sequence *s)
{
    return hsd_paged_plain(&s->partners) != NULL && hsd_paged_plain(&s->rungs) != NULL;
}

static void look_plain(hsd_join *j, int side, hsd_sequence *s)
{
    j->plain[side].partners = hsd_paged_plain_to_write(&s->partners);
    j->plain[side].rungs = hsd_paged_plain_to_write(&s->rungs);
}

hsd_status hsd_join_begin(hsd_join *j, hsd_sequence *a, hsd_sequence *b, const hsd_join_config *config, hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= 2 * HSD_SORT_MIN_BYTES);
    HSD_ASSERT(config->rung > HSD_RUNG_NONE && config->rung <= HSD_RUNG_CLAIMED);
    *j = (hsd_join){.a = a, .b = b, .config = *config};
    return are_resident(a) && are_resident(b) ? HSD_OK : new_sorter(j, &j->waiting, err);
}

static bool is_plain_join(const hsd_join *j) { return j->plain[0].partners != NULL; }

bool hsd_join_make_plain(hsd_join *j)
{
    if (j->waiting != NULL || !has_plain(j->a) || !has_plain(j->b)) return false;
    look_plain(j, 0, j->a);
    look_plain(j, 1, j->b);
    return true;
}

static hsd_status put_match_join(hsd_sorter *sorter, hsd_node first, hsd_node second, hsd_error *err)
{
    const uint64_t record[PAIR_WORDS] = {HSD_TWO(first, second)};
    return hsd_sorter_put(sorter, record, err);
}

static void put_plain(hsd_join *j, hsd_node at_a, hsd_node at_b)
{
    if (j->plain[0].partners[at_a] != 0 || j->plain[1].partners[at_b] != 0) return;
    j->plain[0].partners[at_a] = at_b + 1;
    j->plain[1].partners[at_b] = at_a + 1;
    j->plain[0].rungs[at_a] = j->plain[1].rungs[at_b] = (uint8_t)j->config.rung;
    j->pairs++;
}

hsd_status hsd_join_put(hsd_join *j, hsd_node at_a, hsd_node at_b, hsd_error *err)
{
    HSD_ASSERT(at_a < j->a->count && at_b < j->b->count);
    if (j->waiting != NULL) return put_match_join(j->waiting, at_a, at_b, err);
    if (is_plain_join(j)) {
        put_plain(j, at_a, at_b);
        return HSD_OK;
    }
    if (!is_free(j->a, at_a) || !is_free(j->b, at_b)) return HSD_OK;
    hsd_sequence_pair(j->a, at_a, j->b, at_b, j->config.rung);
    j->pairs++;
    return HSD_OK;
}

/* ---- steps ---- */

typedef hsd_status join_step(hsd_join *j, hsd_node first, hsd_node second, hsd_sorter *next, hsd_error *err);

static hsd_status keep_free(hsd_join *j, hsd_node at_a, hsd_node at_b, hsd_sorter *next, hsd_error *err)
{
    return is_free(j->a, at_a) ? put_match_join(next, at_b, at_a, err) : HSD_OK;
}

static hsd_status write_b(hsd_join *j, hsd_node at_b, hsd_node at_a, hsd_sorter *next, hsd_error *err)
{
    if (!is_free(j->b, at_b)) return HSD_OK;
    hsd_sequence_set_partner(j->b, at_b, at_a, j->config.rung);
    j->pairs++;
    return put_match_join(next, at_a, at_b, err);
}

static hsd_status write_a(hsd_join *j, hsd_node at_a, hsd_node at_b, hsd_sorter *next, hsd_error *err)
{
    (void)next, (void)err;
    hsd_sequence_set_partner(j->a, at_a, at_b, j->config.rung);
    return HSD_OK;
}

static hsd_status take_all_match_joins(hsd_join *j, join_step *step, hsd_sorter *next, hsd_error *err)
{
    const uint64_t count = hsd_sorter_count(j->waiting);
    for (uint64_t done = 0;; done++) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(j->waiting, &record, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        HSD_TRY(step(j, hsd_words_first(record), hsd_words_second(record), next, err));
        if ((done & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(j->config.reporter, "writing recognised objects", done, count, err));
    }
}

/* What waits goes through `step` into a new sorter, which waits then. */
static hsd_status pass_on_match_join(hsd_join *j, join_step *step, hsd_error *err)
{
    hsd_sorter *next = NULL;
    HSD_TRY(hsd_sorter_finish(j->waiting, 0, err));
    HSD_TRY(new_sorter(j, &next, err));
    const hsd_status status = take_all_match_joins(j, step, next, err);
    hsd_sorter_free(j->waiting);
    j->waiting = next;
    return status;
}

static hsd_status write_waiting(hsd_join *j, hsd_error *err)
{
    HSD_TRY(pass_on_match_join(j, keep_free, err));
    HSD_TRY(pass_on_match_join(j, write_b, err));
    HSD_TRY(hsd_sorter_finish(j->waiting, 0, err));
    return take_all_match_joins(j, write_a, NULL, err);
}

hsd_status hsd_join_finish(hsd_join *j, hsd_error *err)
{
    if (j->waiting != NULL) HSD_TRY(write_waiting(j, err));
    HSD_TRY(hsd_sequence_check(j->a, err));
    return hsd_sequence_check(j->b, err);
}

void hsd_join_release(hsd_join *j)
{
    hsd_sorter_free(j->waiting);
    memset(j, 0, sizeof *j);
}
