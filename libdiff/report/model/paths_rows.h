/*
 * Paths as lines: the first is where a path begins, the others are its steps.
 */
#ifndef HSD_REPORT_PATHS_ROWS_H
#define HSD_REPORT_PATHS_ROWS_H

#include "base/buffer.h"
#include <hsdiff/report.h>

/* Steps of a path that have a line of their own: not the first when it is what the root itself names. */
size_t hsd_path_first_step(const hsd_path_row *row);

/* "global.sessions: Map": the root, and what it names. */
hsd_status hsd_path_append_start(hsd_buffer *out, const hsd_path_row *row, hsd_error *err);

/* The whole path in one line: "global.sessions: Map > .entries: Entry[] > {1,203 more} > [*].value: Session". */
hsd_status hsd_path_append(hsd_buffer *out, const hsd_path_row *row, hsd_error *err);

/* "{1,203 more}": references that are not shown. */
hsd_status hsd_path_append_cut(hsd_buffer *out, uint64_t cut, hsd_error *err);

#endif
