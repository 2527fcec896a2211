/*
 * Behind the way: is the capture whole, what is in it, its names, and where it goes.
 */
#ifndef HSD_LIVE_FINISH_H
#define HSD_LIVE_FINISH_H

#include "io/output.h"
#include "live/way.h"

/* Of a capture in `fd`, which stays open: its figures into *result, but for the durations. A pause that is there
 * already stays. HSD_E_TRUNCATED: it was cut off, or its producer cut it short; with keep_cut that is HSD_OK with
 * is_complete false. */
hsd_status hsd_capture_measure(int fd, const char *name, bool keep_cut, const hsd_run *run, hsd_live_result *result,
                               hsd_error *err);

/* The same for live->out_fd, when the way ended with this status, whose error stands in *err; a failure of the way goes
 * before. */
hsd_status hsd_live_inspect(hsd_live *live, hsd_status of_the_way, hsd_error *err);

/* The capture in `fd` into the output, as it is. */
hsd_status hsd_live_pass_on(hsd_live *live, int fd, hsd_output *output, hsd_error *err);

/* The same with its names resolved by the files of the process. Where that fails a note says why, and they stay
 * unresolved. */
hsd_status hsd_live_resolve(hsd_live *live, int fd, hsd_output *output, hsd_error *err);

#endif
