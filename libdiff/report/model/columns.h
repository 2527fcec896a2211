/*
 * Columns that several results have: captures, paths, stacks, who holds it.
 */
#ifndef HSD_REPORT_MODEL_COLUMNS_H
#define HSD_REPORT_MODEL_COLUMNS_H

#include "report/model/model.h"
#include <hsdiff/diff.h>
#include <hsdiff/series.h>

/* A capture as a row. */
typedef struct hsd_capture_row {
    const char *which; /* "before", "after"; NULL of others */
    const hsd_side *side;
    const hsd_series_point *point; /* that the side is of, in a series; else NULL */
    bool has_soft;                 /* how much is softly held is known */
} hsd_capture_row;

extern const hsd_column hsd_capture_columns[]; /* of an hsd_capture_row */
/* of an hsd_side below one, or below no row where `soft` is not known */
extern const hsd_column hsd_side_columns[];
extern const hsd_column hsd_step_columns[];  /* of an hsd_step */
extern const hsd_column hsd_frame_columns[]; /* of an hsd_site_frame */
extern const hsd_column hsd_text_column[];   /* of an hsd_text: an item that is its value */
/* of an hsd_holder: what it is, where it is, by what it is held together */
extern const hsd_column hsd_who_columns[];
extern const hsd_column hsd_held_columns[]; /* the same with its growth */

/* The two of a diff, or all of a series: for a document `has_soft` says whether how much is softly held is known. */
void hsd_capture_rows_of_diff(hsd_capture_row rows[2], const hsd_diff *diff, bool has_soft);
void hsd_capture_rows_of_series(hsd_capture_row *rows, const hsd_series *series);

/* The part with them; `rows` stays with the caller. `plain` as of a part. */
hsd_part hsd_captures_part(const hsd_capture_row *rows, size_t count, const char *plain);

/* What --plain has of a capture that stands by itself. */
#define HSD_PLAIN_CAPTURE "path taken bytes objects unreached_bytes unreached_objects state"

/* What must be known before any number is believed. */
hsd_part hsd_warnings_part(const hsd_text *warnings, size_t count);

/* What people read first, for programs that pass it on: "answer" of a document. One of the two is NULL. */
hsd_part hsd_answer_part(void (*tell)(hsd_out *, const hsd_model *, hsd_escape_form),
                         hsd_status (*say)(hsd_buffer *, const hsd_model *, hsd_error *));
#endif
