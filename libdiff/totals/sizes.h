/*
 * Size histograms of the types that changed most, from the type totals of both captures: a record a type, and not one
 * object is read.
 */
#ifndef HSD_TOTALS_SIZES_H
#define HSD_TOTALS_SIZES_H

#include <hsdiff/diff.h>

/*
 * Fills sizes of a result whose types are rows, once nothing else of the diff needs memory. O(types of both captures),
 * of which it holds the numbers and no names. Whatever reading them returns.
 */
hsd_status hsd_sizes_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, hsd_error *err);

#endif
