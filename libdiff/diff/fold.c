/*
 * The sums of one side.
 */
#include "diff/fold.h"

#include <stdlib.h>
#include <string.h>

hsd_status hsd_fold_side_init(hsd_fold_side *fold, uint32_t type_count, uint32_t root_count, hsd_error *err)
{
    memset(fold, 0, sizeof *fold);
    fold->type_count = type_count;
    fold->root_count = root_count;
    fold->live_by_type = calloc(type_count, sizeof *fold->live_by_type);
    fold->unreached_by_type = calloc(type_count, sizeof *fold->unreached_by_type);
    fold->live_by_root = calloc(root_count, sizeof *fold->live_by_root);
    if (fold->live_by_type == NULL || fold->unreached_by_type == NULL || fold->live_by_root == NULL) {
        hsd_fold_side_release(fold);
        return hsd_fail(err, HSD_E_NOMEM, "out of memory for the tables of the diff");
    }
    return HSD_OK;
}

void hsd_fold_side_release(hsd_fold_side *fold)
{
    free(fold->live_by_type);
    free(fold->unreached_by_type);
    free(fold->live_by_root);
    memset(fold, 0, sizeof *fold);
}
