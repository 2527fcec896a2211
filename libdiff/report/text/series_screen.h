/*
 * The parts of the text report of a series, each a function that prints one part of the screen; series_text.c puts
 * them in order.
 */
#ifndef HSD_REPORT_SERIES_SCREEN_H
#define HSD_REPORT_SERIES_SCREEN_H

#include "report/model/series_rows.h"
#include "report/sentences/series_words.h"
#include "report/text/page.h"

typedef struct hsd_series_screen {
    hsd_page page;
    hsd_report_options look; /* what the page takes of the options */
    const hsd_series *series;
    const hsd_report_options *options;
} hsd_series_screen;

/* series_text.c: what must be known before any number is believed; and what `say` has to say, as a paragraph, parted
 * from what stands above with `is_part`. Nothing when it says nothing. */
void hsd_series_print_words(hsd_series_screen *screen, void (*say)(hsd_series_words *words), bool is_part);

/* series_table.c: one table with trends, or with two captures without them. Types with at most `top` rows and TOTAL;
 * with `moving` those that are steady are folded, and a table of roots or holders that has no others is left out. */
void hsd_series_print_table(hsd_series_screen *screen, hsd_report_table table, size_t top, bool moving);

/* series_contrast.c: the same for repeated captures. */
void hsd_series_print_contrast(hsd_series_screen *screen, hsd_report_table table, size_t top, bool moving);

/* series_cohorts.c: what came in each interval and how much of it is still there, and of which types. */
void hsd_series_print_survival(hsd_series_screen *screen);

/* ---- shared by the tables ---- */

/* "TYPE", "ROOT", "WHAT KEEPS IT ALIVE". */
const char *hsd_series_heading(hsd_report_table table);

/* The name of a row in column 0 of the newest line: of a holder its place and type. */
void hsd_series_put_row_name(hsd_series_screen *screen, hsd_table *table, hsd_report_table which,
                             const hsd_series_row *row);

/* "1,206 other types". */
void hsd_series_put_others_name(hsd_series_screen *screen, hsd_table *table, hsd_report_table which, uint64_t count);

/* "+125.8 MiB", or exact with --bytes; "[ = ]" when there is none. */
char *hsd_series_growth_size(const hsd_series_screen *screen, char out[HSD_NUMBER_CHARS], int64_t bytes);

/*
 * Prints and releases a table with a heading in row 0; its last rows are that of others, with other_count > 0, and of
 * types TOTAL. Where the lines are too long for the terminal the row of others loses a word, names of types are cut,
 * and those of roots and holders stand on lines of their own above their numbers.
 */
void hsd_series_end_table(hsd_series_screen *screen, hsd_table *table, hsd_report_table which, uint64_t other_count);

#endif
