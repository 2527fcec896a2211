/*
 * Choosing rows of a tree. Parents are found from the depths in one pass; then rows are taken from the heaviest down,
 * each with the part of its way up that is not there yet.
 */
#include "report/text/outline.h"

#include <stdlib.h>

#include "report/words/number.h"

#define NO_PARENT SIZE_MAX

typedef struct candidate {
    uint64_t weight;
    size_t row;
} candidate;

static int by_weight(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

static void find_parents(const hsd_outline_row *rows, size_t count, size_t *parents)
{
    for (size_t i = 0; i < count; i++) {
        size_t parent = i > 0 ? i - 1 : NO_PARENT;
        while (parent != NO_PARENT && rows[parent].depth >= rows[i].depth)
            parent = parents[parent];
        parents[i] = parent;
    }
}

/* Rows from `row` up that are not shown yet. */
static size_t missing(const hsd_outline_row *rows, const size_t *parents, size_t row)
{
    size_t count = 0;
    for (; row != NO_PARENT && !rows[row].is_shown; row = parents[row])
        count++;
    return count;
}

static void take_outline(hsd_outline_row *rows, const size_t *parents, size_t row)
{
    for (; row != NO_PARENT && !rows[row].is_shown; row = parents[row])
        rows[row].is_shown = true;
}

hsd_status hsd_outline_choose(hsd_outline_row *rows, size_t count, size_t limit, uint64_t least, hsd_error *err)
{
    candidate *candidates = calloc(count + 1, sizeof *candidates);
    size_t *parents = calloc(count + 1, sizeof *parents), shown = 0;
    if (!candidates || !parents) {
        free(candidates);
        free(parents);
        return hsd_fail(err, HSD_E_NOMEM, "no memory to order %zu rows of the report", count);
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].is_shown = false;
        candidates[i] = (candidate){hsd_magnitude(rows[i].weight), i};
    }
    find_parents(rows, count, parents);
    qsort(candidates, count, sizeof *candidates, by_weight);
    for (size_t i = 0; i < count && shown < limit && candidates[i].weight >= least; i++) {
        const size_t more = missing(rows, parents, candidates[i].row);
        if (more > limit - shown) continue;
        take_outline(rows, parents, candidates[i].row);
        shown += more;
    }
    free(candidates);
    free(parents);
    return HSD_OK;
}
