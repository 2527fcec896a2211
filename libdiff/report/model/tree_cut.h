/*
 * The heaviest places of the type-path tree, where there is no room for all.
 */
#ifndef HSD_REPORT_TREE_CUT_H
#define HSD_REPORT_TREE_CUT_H

#include <hsdiff/diff.h>

/*
 * *keep: for each row of the tree whether it is one of the `most` with the most bytes, before and after together; of
 * equals those further up. A place that is kept has its parent kept, since that weighs as much at least. The caller
 * frees it. O(n log n).
 */
hsd_status hsd_tree_cut(bool **keep, const hsd_diff *diff, size_t most, hsd_error *err);

#endif
