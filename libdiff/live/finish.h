/*
 * What is done with a capture when its way has ended, whatever way that was: it is measured (is it whole, what is in
 * it), names are put to its addresses, and it is written to where the caller wants it.
 */
#ifndef HSD_LIVE_FINISH_H
#define HSD_LIVE_FINISH_H

#include "io/output.h"
#include "live/way.h"

/* Reads the figures of the capture in `fd`, which stays open, into *result; durations and a pause that stands there
 * are left as they are. HSD_E_TRUNCATED: the capture was cut off, or its producer cut it short; with keep_cut that is
 * HSD_OK, and is_complete is false. Else as hsd_capture_open_fd fails. */
hsd_status hsd_capture_measure(int fd, const char *name, bool keep_cut, const hsd_run *run, hsd_live_result *result,
                               hsd_error *err);

/* hsd_capture_measure of live->out_fd. `of_the_way` is the status with which the way ended, and *err its error: if it
 * is a failure, it is returned in place of what the capture says. */
hsd_status hsd_live_inspect(hsd_live *live, hsd_status of_the_way, hsd_error *err);

/* Copies the capture in `fd` into the output, as it is. HSD_E_IO, HSD_E_CANCELLED. */
hsd_status hsd_live_pass_on(hsd_live *live, int fd, hsd_output *output, hsd_error *err);

/* hsd_live_pass_on, with names put to the addresses of a native capture from the files that the process has mapped. If
 * that cannot be done, a note says why, and the capture is copied as it is. */
hsd_status hsd_live_resolve(hsd_live *live, int fd, hsd_output *output, hsd_error *err);

#endif
