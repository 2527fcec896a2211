/*
 * The captures of a series: what each says of itself, and what they say of each other.
 */
#ifndef HSD_SERIES_POINTS_H
#define HSD_SERIES_POINTS_H

#include "series/store.h"

/* Copies what is kept of a capture. `label` NULL = the name of its file without folders. */
hsd_status hsd_point_fill(hsd_series_store *store, const hsd_profile *profile, const char *label, hsd_series_point *out,
                          hsd_error *err);

/* When all points are filled: has_times, is_one_process, and warnings of what sets captures apart. */
void hsd_points_compare(hsd_series *series);

#endif
