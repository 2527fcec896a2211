/*
 * The parts of the text report, each a function that prints one part of the screen; text.c puts them
 * in order.
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

/* head.c: warnings, the two captures and how they belong together. */
void hsd_screen_warnings(hsd_screen *screen);
void hsd_screen_captures(hsd_screen *screen);

/* "same process (checkout-api, pid 4121), 1h 00m apart, both complete": a paragraph, part of the above. */
void hsd_screen_relation(hsd_screen *screen);

/* answer.c: the sentences; where.c: the one about the place. */
void hsd_screen_answer(hsd_screen *screen);
void hsd_screen_where(hsd_screen *screen);

/* growth.c: one table; *folded becomes true when rows were folded that did change. */
void hsd_screen_growth(hsd_screen *screen, hsd_report_table table, size_t top, bool *folded);

/* lost.c: what is lost, as a sentence and as a table, where it matters; *folded as for growth. */
void hsd_screen_lost_answer(hsd_screen *screen);
void hsd_screen_lost(hsd_screen *screen, bool *folded);

/* lost.c, too: what no root reaches and a collector has not freed yet. */
void hsd_screen_uncollected(hsd_screen *screen, bool *folded);

/* sites.c: growth by allocation site; *folded as for growth. */
void hsd_screen_sites(hsd_screen *screen, bool *folded);

/* holders.c: what keeps the growth alive. tree.c: growth by path, with --tree. */
void hsd_screen_holders(hsd_screen *screen);
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
