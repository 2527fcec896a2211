/* Of the weights of all places the smallest that there is room for; then one pass over the tree. */
#include "report/model/tree_cut.h"

#include <stdlib.h>

static uint64_t weight_of(const hsd_tree_row *row) { return row->before.bytes + row->after.bytes; }

static int by_weight(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* The weight of the lightest place that is kept. */
static hsd_status find_least(uint64_t *least, const hsd_diff *diff, size_t most, hsd_error *err)
{
    uint64_t *weights = calloc(diff->tree_count, sizeof *weights);
    if (!weights) return hsd_fail(err, HSD_E_NOMEM, "no memory for a tree of %zu places", diff->tree_count);
    for (size_t i = 0; i < diff->tree_count; i++)
        weights[i] = weight_of(&diff->tree[i]);
    qsort(weights, diff->tree_count, sizeof *weights, by_weight);
    *least = weights[most - 1];
    free(weights);
    return HSD_OK;
}

hsd_status hsd_tree_cut(bool **keep, const hsd_diff *diff, size_t most, hsd_error *err)
{
    const size_t count = diff->tree_count;
    uint64_t least = 0;
    size_t room = most;
    *keep = NULL;
    if (most > 0 && most < count) HSD_TRY(find_least(&least, diff, most, err));
    *keep = calloc(count + 1, sizeof **keep);
    if (!*keep) return hsd_fail(err, HSD_E_NOMEM, "no memory for a tree of %zu places", count);
    for (size_t i = 0; i < count; i++)
        room -= room > 0 && weight_of(&diff->tree[i]) > least;
    for (size_t i = 0; i < count && most > 0; i++) { /* of those of the least weight as many as there is room for */
        const uint64_t weight = weight_of(&diff->tree[i]);
        (*keep)[i] = weight > least || (weight == least && room > 0);
        room -= weight == least && room > 0;
    }
    return HSD_OK;
}
