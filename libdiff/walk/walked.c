/*
 * What two captures that were walked one after the other share, numbered as if they had been opened together.
 */
#include "walk/walked.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "walk/fold.h"
#include "walk/tree.h"
#include <hsdiff/profile.h>

void hsd_walked_free(hsd_walked *walked)
{
    if (walked == NULL) return;
    hsd_single_release(&walked->single);
    free(walked);
}

/* ---- types */

/* Common types have the flags of the first of their name: what the first capture says must be what this one would. */
static bool flags_agree(const hsd_type_table *types, const hsd_type_names *names, uint8_t *is_seen)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const uint32_t common = types->common[i];
        if (!is_seen[common] && (uint8_t)names->flags[common] != types->flags[i]) return false;
        is_seen[common] = 1;
    }
    return true;
}

hsd_status hsd_walked_open_next(hsd_walked *first, hsd_single *next, hsd_error *err)
{
    hsd_single *before = &first->single;
    next->request.type_names = &before->types;
    const hsd_status status = hsd_side_open(&next->side, &next->request, err);
    uint8_t *is_seen = status == HSD_OK ? calloc(before->types.names.count, 1) : NULL;
    const bool agree = is_seen != NULL && flags_agree(&next->side.types, &before->types, is_seen);
    free(is_seen);
    next->request.type_names = &next->types;
    HSD_TRY(status);
    if (agree) {
        next->types = before->types;
        memset(&before->types, 0, sizeof before->types);
        before->request.type_names = &next->types;
        return HSD_OK;
    }
    hsd_side_release(&next->side);
    next->behind = NULL;
    return HSD_OK;
}

/* ---- names of references */

static uint32_t renumbered(const uint32_t *number_of, uint32_t edge)
{
    return number_of[HSD_EDGE_NAME(edge)] | (edge & HSD_EDGE_SOFT);
}

static hsd_status renumber_tree(hsd_sorter *tree, const uint32_t *number_of, hsd_error *err)
{
    const size_t words = hsd_sorter_words(tree);
    const uint64_t *records;
    hsd_status status;
    size_t count;
    HSD_TRY(hsd_sorter_rewind(tree, err));
    while ((status = hsd_sorter_next_some(tree, &records, &count, err)) == HSD_OK) {
        uint64_t *record = (uint64_t *)(uintptr_t)records; /* of a sorter that is in memory: its own */
        for (size_t i = 0; i < count; i++, record += words)
            hsd_tree_renumber(record, number_of);
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_walked_number_edges(hsd_walked *first, hsd_single *next, hsd_error *err)
{
    hsd_single *before = &first->single;
    hsd_label_table *labels = &before->side.labels, *own = &next->side.labels;
    uint32_t *number_of = NULL;
    if ((uint64_t)before->edges.count + own->count > HSD_MAX_EDGE_NAMES) {
        next->behind = NULL;
        return hsd_edge_names_load(&next->edges, &own, &next->request.capture, 1, err);
    }
    hsd_status status = hsd_edge_names_join(&next->edges, &before->edges, own, next->request.capture, &number_of, err);
    if (status == HSD_OK) status = renumber_tree(before->side.tree, number_of, err);
    for (uint32_t i = 0; status == HSD_OK && i < labels->count; i++)
        labels->edges[i] = renumbered(number_of, labels->edges[i]);
    free(number_of);
    HSD_TRY(status);
    before->request.edge_names = &next->edges;
    return hsd_fold_side_widen(before->side.counts, next->types.names.count, err);
}

/* ---- whether */

bool hsd_walked_can_stay(const hsd_single *single)
{
    const hsd_side_walk *side = &single->side;
    if (!single->has_tree || side->tree == NULL || side->census == NULL) return false;
    if (side->info->identity != HSD_IDENTITY_EXACT || !side->info->is_complete) return false;
    if (hsd_side_loses(side) || side->info->sites > 0) return false;
    return hsd_sorter_stats_get(side->tree).runs == 0 && hsd_sorter_stats_get(side->census).runs == 0;
}
