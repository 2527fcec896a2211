/*
 * Any number of references, in the order of their targets: target and source of each through a sorter.
 */
#include "base/check.h"
#include "browse/referrers.h"

#define BATCH_ITEMS    512u
#define PROGRESS_STEPS 0xfffffu

typedef struct sorted {
    hsd_turn *turn;
    hsd_sorter *sorter;
    hsd_node sources[BATCH_ITEMS]; /* that refer to `target` */
    hsd_node target;
    uint32_t count;
} sorted;

static hsd_status take_sorted_referrer(void *context, hsd_node node, const hsd_targets *targets, hsd_error *err)
{
    sorted *s = context;
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint64_t record[HSD_TWO_WORDS] = {HSD_TWO(targets->items[i], node)};
        HSD_TRY(hsd_sorter_put(s->sorter, record, err));
    }
    return HSD_OK;
}

static hsd_status flush_sorted_referrer(sorted *s, hsd_error *err)
{
    const uint32_t count = s->count;
    s->count = 0;
    return hsd_turn_put(s->turn, s->target, s->sources, count, err);
}

static hsd_status serve_sorted_referrer(sorted *s, hsd_error *err)
{
    const uint64_t count = hsd_sorter_count(s->sorter);
    const uint64_t *record;
    hsd_status status;
    for (uint64_t done = 0; (status = hsd_sorter_next(s->sorter, &record, err)) == HSD_OK; done++) {
        const hsd_node target = hsd_words_first(record);
        if ((done & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_index_progress(s->turn->index, "indexing referrers", done, count, err));
        if (target != s->target || s->count == BATCH_ITEMS) HSD_TRY(flush_sorted_referrer(s, err));
        s->target = target;
        s->sources[s->count++] = hsd_words_second(record);
    }
    return status == HSD_END ? flush_sorted_referrer(s, err) : status;
}

static hsd_status run_sorted_referrer(sorted *s, hsd_error *err)
{
    const hsd_index *index = s->turn->index;
    HSD_TRY(hsd_side_sorter(index->walk, HSD_TWO_WORDS, HSD_TWO_WORDS, hsd_index_share(index, 12), &s->sorter, err));
    HSD_TRY(hsd_turn_pass(s->turn, "indexing references", take_sorted_referrer, s, err));
    HSD_TRY(hsd_side_serve(s->sorter, hsd_index_share(index, 6), err));
    return serve_sorted_referrer(s, err);
}

hsd_status hsd_turn_sorted(hsd_turn *turn, hsd_error *err)
{
    sorted s = {.turn = turn};
    const hsd_status status = run_sorted_referrer(&s, err);
    hsd_sorter_free(s.sorter);
    return status;
}
