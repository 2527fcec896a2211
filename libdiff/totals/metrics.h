/*
 * Metrics of captures (FORMAT.md 8.3): the resident memory of the process, the heap in use, collections. A record or so
 * each, so they cost a block at most.
 */
#ifndef HSD_TOTALS_METRICS_H
#define HSD_TOTALS_METRICS_H

#include "walk/store.h"

/* Those of a capture, by name; texts and rows live in the store. */
hsd_status hsd_metrics_read(hsd_diff_store *store, hsd_capture *capture, hsd_profile_metric **out, size_t *count,
                            hsd_error *err);

/* Fills metrics of both sides. A partial diff has those that were read. */
hsd_status hsd_metrics_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, hsd_error *err);

#endif
