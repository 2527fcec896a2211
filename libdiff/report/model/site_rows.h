/*
 * Growth by allocation site as rows: which of them a report shows, what the others add up to, and the words for a
 * frame. Shared by all formats.
 */
#ifndef HSD_REPORT_SITE_ROWS_H
#define HSD_REPORT_SITE_ROWS_H

#include "base/buffer.h"
#include <hsdiff/report.h>

#define HSD_SITES_SHOWN   10 /* where nobody asked for a number */
#define HSD_CALLERS_SHOWN 4  /* of a stack, below its innermost frame */

/*
 * Rows of which a reader sees no difference, as one: stacks that differ below the frame that wanted the memory alone
 * (the parts of std::make_shared, say) are one site. `out` gets at most `count` rows, by growth, largest first, as
 * `rows` are; frames stay those of `rows`. Returns how many. Time grows with the square of `count`, at most
 * HSD_SITE_ROWS.
 */
size_t hsd_sites_merge(const hsd_site_row *rows, size_t count, hsd_site_row *out);

/* Rows are sorted by growth, so what changed most stands at both ends: what is not shown is one run of rows between
 * them. */
typedef struct hsd_site_pick {
    const hsd_diff *diff;
    size_t count;         /* rows that are shown */
    size_t first, last;   /* rows from the one up to the other are not */
    uint64_t other_count; /* these, and those that never became rows */
    hsd_change others;
    bool has_folded; /* some of the rows not shown did change */
} hsd_site_pick;

/* The `most` rows that changed most, growth or shrinkage alike, none that changed by fewer than `least_bytes`. */
hsd_site_pick hsd_sites_pick(const hsd_diff *diff, size_t most, uint64_t least_bytes);

/* The i-th row that is shown; largest growth first, shrinkage last. */
const hsd_site_row *hsd_site_pick_row(const hsd_site_pick *pick, size_t i);

/*
 * Which callers of a stack stand below the frame that wanted the memory: `first` of them, and where a library asked for
 * it and the program's own function that called the library is further out, `own`, that one. What stands below main is
 * no caller. `more` are not shown: `before` of them in front of `own`.
 */
typedef struct hsd_callers {
    size_t first, own, before, more; /* own: the index of the frame; 0 = none is shown apart */
} hsd_callers;

hsd_callers hsd_site_callers(const hsd_site_frame *frames, size_t count, size_t wanted, size_t most);

/* "main.fill (main.go:31)": the file without its folders, raw. */
hsd_status hsd_site_frame_append(hsd_buffer *text, const hsd_site_frame *frame, hsd_error *err);

/* "(no stack)" for a row of which no site is known, else the frame that wanted the memory. */
hsd_status hsd_site_append(hsd_buffer *text, const hsd_site_row *row, hsd_error *err);

#endif
