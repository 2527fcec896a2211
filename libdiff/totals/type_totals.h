/*
 * Type totals: what the end of a capture says of its objects, without one of them being read.
 */
#ifndef HSD_TOTALS_TYPE_TOTALS_H
#define HSD_TOTALS_TYPE_TOTALS_H

#include "format/tables.h"
#include "walk/store.h"
#include <hsdiff/diff.h>

/* HSD_E_TRUNCATED for a capture that ends before its totals. */
hsd_status hsd_summary_check(const hsd_capture_info *info, hsd_error *err);

/* Adds the totals of a capture to by_type, amounts by common type. */
hsd_status hsd_summary_add(hsd_amount *by_type, hsd_capture *capture, const hsd_type_table *types, hsd_error *err);

/* True if one of the captures has type totals and no object, or too many, and is no baseline; both are complete. */
bool hsd_summary_is_all(const hsd_capture *before, const hsd_capture *after);

/* True of a complete capture, no baseline, with more objects than are walked: type totals are all that can be told. */
bool hsd_summary_is_too_large(const hsd_capture_info *info);

/* Says so in a warning, if it is. */
void hsd_summary_warn_if_too_large(hsd_diff_store *store, const hsd_capture_info *info);

#endif
