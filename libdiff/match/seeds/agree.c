/*
 * What all who propose agree on:
 *
 *      (a, b) by a: those with one b only ──► (b, a) by b: those with one a only ──► pairs
 */
#include "base/assert.h"
#include "match/join.h"
#include "match/seeds/parts.h"

hsd_status hsd_seed_sorter(const hsd_seeds_config *config, unsigned words, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config sorter = {
        .record_words = words,
        .key_words = words - 1,
        .memory_bytes = (size_t)(config->memory_bytes / (HSD_SEED_SORTERS + 2)),
        .codec = HSD_RUN_DELTA,
        .space = config->space,
        .reporter = config->reporter,
    };
    return hsd_sorter_new(out, &sorter, err);
}

static hsd_status put_seed_agreement(hsd_sorter *sorter, hsd_node first, hsd_node second, hsd_error *err)
{
    return hsd_sorter_put(sorter, (const uint64_t[]){first, second}, err);
}

/* All proposals for one object of a. Where they disagree, no other object can have one of these of b either. */
static hsd_status turn_group(hsd_seed_stream *by_a, hsd_sorter *by_b, hsd_error *err)
{
    const uint64_t at_a = by_a->hash;
    const hsd_node first = by_a->position;
    bool is_one = true;
    do {
        if (by_a->position != first) {
            if (is_one) HSD_TRY(put_seed_agreement(by_b, first, HSD_NO_POSITION, err));
            HSD_TRY(put_seed_agreement(by_b, by_a->position, HSD_NO_POSITION, err));
            is_one = false;
        }
        HSD_TRY(hsd_seed_advance(by_a, err));
    } while (!by_a->is_at_end && by_a->hash == at_a);
    return is_one ? put_seed_agreement(by_b, first, (hsd_node)at_a, err) : HSD_OK;
}

static hsd_status turn_proposals(hsd_sorter *proposals, hsd_sorter *by_b, hsd_error *err)
{
    hsd_seed_stream by_a = {.sorter = proposals};
    HSD_TRY(hsd_sorter_finish(proposals, 0, err));
    HSD_TRY(hsd_seed_advance(&by_a, err));
    while (!by_a.is_at_end)
        HSD_TRY(turn_group(&by_a, by_b, err));
    return hsd_sorter_finish(by_b, 0, err);
}

static hsd_status pair_agreed(hsd_join *join, hsd_sorter *agreed, hsd_error *err)
{
    hsd_seed_stream by_b = {.sorter = agreed};
    HSD_TRY(hsd_seed_advance(&by_b, err));
    while (!by_b.is_at_end) {
        const hsd_node at_b = (hsd_node)by_b.hash, at_a = by_b.position;
        bool is_one;
        HSD_TRY(hsd_seed_pass(&by_b, NULL, &is_one, err));
        if (is_one && at_a != HSD_NO_POSITION) HSD_TRY(hsd_join_put(join, at_a, at_b, err));
    }
    return hsd_join_finish(join, err);
}

static hsd_status agree(hsd_join *join, hsd_sorter *proposals, hsd_sorter *agreed, hsd_error *err)
{
    HSD_TRY(turn_proposals(proposals, agreed, err));
    return pair_agreed(join, agreed, err);
}

hsd_status hsd_seeds_agree(hsd_sequence *a, hsd_sequence *b, hsd_sorter *proposals, hsd_rung rung,
                           const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err)
{
    HSD_ASSERT(rung > HSD_RUNG_NONE && rung <= HSD_RUNG_CLAIMED);
    const hsd_join_config into = {config->memory_bytes / (HSD_SEED_SORTERS + 2) * 2, config->space, config->reporter,
                                  rung};
    hsd_join join = {0};
    hsd_sorter *agreed = NULL;
    hsd_status status = hsd_seed_sorter(config, 2, &agreed, err);
    if (status == HSD_OK) status = hsd_join_begin(&join, a, b, &into, err);
    if (status == HSD_OK) status = agree(&join, proposals, agreed, err);
    *pairs = join.pairs;
    hsd_join_release(&join);
    hsd_sorter_free(agreed);
    return status;
}
