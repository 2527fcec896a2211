/*
 * What a series says in sentences, for all formats that people read. Names and clauses of the result are escaped as
 * they are written; what stands around them is ours and means nothing to a terminal or to Markdown.
 */
#ifndef HSD_REPORT_SERIES_WORDS_H
#define HSD_REPORT_SERIES_WORDS_H

#include "report/model/series_rows.h"
#include "report/write/out.h"

typedef struct hsd_series_words {
    hsd_out out; /* into a buffer: hsd_series_words_begin */
    hsd_buffer text;
    const hsd_series *series;
    const hsd_report_options *options;
    hsd_escape_form form;
} hsd_series_words;

/*
 * One sentence or more is gathered between the two; after _end the text is in words.text, to be released with
 * _release. `form` is HSD_ESCAPE_TERMINAL, ASCII or MARKDOWN.
 */
void hsd_series_words_begin(hsd_series_words *words, const hsd_series *series, const hsd_report_options *options,
                            hsd_escape_form form, hsd_error *err);
hsd_status hsd_series_words_end(hsd_series_words *words);
void hsd_series_words_release(hsd_series_words *words);

/* A clause of the result: a reason. */
void hsd_series_say_clause(hsd_series_words *words, hsd_text clause);

/* "6 captures, 09:00Z to 14:00Z (5h 00m), same process (checkout-api, pid 4121)" */
void hsd_series_say_captures(hsd_series_words *words);

/* "The heap grew 164.5 MiB (+40%) over 5 steps. 96% of the growth hangs from app.sessions, which grew in each step
 * since capture 4." */
void hsd_series_say_answer(hsd_series_words *words);

/* "Growing in every step: 1 type. At this rate Session alone adds 1 GiB in 40.7 h." And when a limit is
 * reached, where one is known. May be empty. */
void hsd_series_say_end(hsd_series_words *words);

/* "Holders are not known: the captures carry no references." One sentence for each table that is not there; may be
 * empty. */
void hsd_series_say_why_not(hsd_series_words *words);

/* "Unreached, not counted: 1.20 MiB -> 3.00 MiB." Empty when there is nothing. */
void hsd_series_say_unreached(hsd_series_words *words);

/* "Of 61.2 MiB that came between 09:00Z and 13:00Z, 60.1 MiB is still there at 14:00Z (98%)." Why that is not known;
 * empty with two captures. */
void hsd_series_say_survival(hsd_series_words *words);

/* "Live at 14:00Z and not there yet at 09:00Z: 170.0 MiB; at 10:00Z: 140.0 MiB." Empty without cohorts. */
void hsd_series_say_retained(hsd_series_words *words);

#endif
