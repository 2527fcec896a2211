/*
 * The sums of one side.
 */
#include "walk/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"

hsd_status hsd_fold_side_init(hsd_fold_side *fold, uint32_t type_count, uint32_t root_count, hsd_error *err)
{
    HSD_ASSERT(root_count >= 1);
    memset(fold, 0, sizeof *fold);
    fold->type_count = type_count;
    fold->root_count = root_count;
    fold->live_by_type = calloc(type_count, sizeof *fold->live_by_type);
    fold->unreached_by_type = calloc(type_count, sizeof *fold->unreached_by_type);
    fold->live_by_root = calloc(root_count, sizeof *fold->live_by_root);
    if (fold->live_by_type == NULL || fold->unreached_by_type == NULL || fold->live_by_root == NULL) {
        hsd_fold_side_release(fold);
        return hsd_fail_nomem(err, "the tables of the diff");
    }
    return HSD_OK;
}

static bool widen_sums(void *sums, size_t sum_bytes, uint32_t had, uint32_t count)
{
    void *old;
    memcpy(&old, sums, sizeof old);
    uint8_t *wide = realloc(old, count * sum_bytes);
    if (wide == NULL) return false;
    memset(wide + had * sum_bytes, 0, (count - had) * sum_bytes);
    memcpy(sums, &wide, sizeof wide);
    return true;
}

hsd_status hsd_fold_side_widen(hsd_fold_side *fold, uint32_t type_count, hsd_error *err)
{
    const uint32_t had = fold->type_count;
    HSD_ASSERT(type_count >= had);
    if (!widen_sums(&fold->live_by_type, sizeof *fold->live_by_type, had, type_count) ||
        !widen_sums(&fold->unreached_by_type, sizeof *fold->unreached_by_type, had, type_count) ||
        (fold->external_by_type != NULL &&
         !widen_sums(&fold->external_by_type, sizeof *fold->external_by_type, had, type_count)))
        return hsd_fail_nomem(err, "the sums of a capture");
    fold->type_count = type_count;
    return HSD_OK;
}

void hsd_fold_side_release(hsd_fold_side *fold)
{
    free(fold->live_by_type);
    free(fold->unreached_by_type);
    free(fold->live_by_root);
    free(fold->external_by_type);
    memset(fold, 0, sizeof *fold);
}

/* Most heaps have none, so the table is made for the first. */
hsd_status hsd_fold_side_add_external(hsd_fold_side *fold, uint32_t type, uint64_t external, hsd_error *err)
{
    if (fold->external_by_type == NULL)
        fold->external_by_type = calloc(fold->type_count, sizeof *fold->external_by_type);
    if (fold->external_by_type == NULL) return hsd_fail_nomem(err, "the tables of the diff");
    fold->external_by_type[type] += external;
    return HSD_OK;
}
