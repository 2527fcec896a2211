/*
 * Which places of the type-path tree are shown, and what all others hold together: shared by the picture and its
 * records.
 */
#ifndef HSD_REPORT_TREE_ROWS_H
#define HSD_REPORT_TREE_ROWS_H

#include "report/text/outline.h"
#include <hsdiff/report.h>

typedef struct hsd_tree_pick {
    hsd_outline_row *rows; /* of each row of the tree; row 0, all, is never shown. Owned */
    size_t count;          /* shown */
    size_t other_count;
    hsd_change others; /* objects in the very places of the others; no kept and resized */
    bool others_are_unchanged;
} hsd_tree_pick;

/* What a place holds with all below it. */
hsd_change hsd_tree_change(const hsd_tree_row *row);

/* At most `limit` places that grew or shrank by `least_bytes`, those that changed most, and what is above them. */
hsd_status hsd_tree_pick_init(hsd_tree_pick *pick, const hsd_diff *diff, size_t limit, uint64_t least_bytes,
                              hsd_error *err);
void hsd_tree_pick_release(hsd_tree_pick *pick);

#endif
