/*
 * Lines of the first screen of a diff, each a function that prints one part of it; model/diff_screen.c puts them in
 * order, between its tables.
 */
#ifndef HSD_REPORT_TEXT_H
#define HSD_REPORT_TEXT_H

#include "report/write/out.h"
#include <hsdiff/report.h>

/* What every part needs. */
typedef struct hsd_screen {
    hsd_out out;
    const hsd_diff *diff;
    const hsd_report_options *options;
    hsd_escape_form form; /* HSD_ESCAPE_TERMINAL or HSD_ESCAPE_ASCII */
    uint64_t noise_bytes;
} hsd_screen;

/* head.c: the two captures and how they belong together. */
void hsd_screen_captures(hsd_screen *screen);

/* "same process (checkout-api, pid 4121), 1h 00m apart, both complete": a paragraph, part of the above. */
void hsd_screen_relation(hsd_screen *screen);

/* answer.c: the sentences; where.c: the one about the place. */
void hsd_screen_answer(hsd_screen *screen);
void hsd_screen_where(hsd_screen *screen);

/* lost.c: what is lost, where it matters. */
void hsd_screen_lost_answer(hsd_screen *screen);
/* What waits for a collector that the program has switched off. */
void hsd_screen_uncollected_answer(hsd_screen *screen);

/* tree.c: growth by path, with --tree. */
void hsd_screen_tree(hsd_screen *screen);

/* foot.c: what was not counted, how objects were matched, what to do next. */
void hsd_screen_foot(hsd_screen *screen, bool folded);

/* match.c: how objects were matched, and how sure that is. True if there was something to say. */
bool hsd_screen_match(hsd_screen *screen);

/*
 * True if what is seen after and not before has really come: always with complete captures; with a partial
 * one if all of before is there, and after still says what is live.
 */
bool hsd_screen_proves_growth(const hsd_screen *screen);

/* "412.6 MiB", or exact with --bytes. */
char *hsd_screen_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], uint64_t bytes);
char *hsd_screen_growth_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], int64_t bytes);

#endif
