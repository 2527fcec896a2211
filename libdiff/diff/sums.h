/*
 * A diff of sums: where one of the captures is a baseline there are no objects to compare, but what both hold by type,
 * by root and by place says how much each grew and what holds it. The profiles of both captures (hsdiff/profile.h) take
 * the place of the two walks, the search for holders goes on as it does without identity (holders/counts.c).
 */
#ifndef HSD_DIFF_SUMS_H
#define HSD_DIFF_SUMS_H

#include <hsdiff/diff.h>

/* True if one of the captures is a baseline. */
bool hsd_sums_are_all(const hsd_capture *before, const hsd_capture *after);

/* True if both captures have objects all the same (baselines with identities): without holders these tell new and
 * freed. */
bool hsd_sums_have_objects(const hsd_capture *before, const hsd_capture *after);

/* As hsd_diff_run. HSD_E_UNSUPPORTED for what needs objects: options->changed, matched, keys, match_by STRUCTURE. */
hsd_status hsd_sums_run(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_diff_options *options,
                        const hsd_run *run, hsd_error *err);

#endif
