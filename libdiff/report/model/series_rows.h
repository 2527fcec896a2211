/*
 * What all reports of a series have in common: which rows are shown and what the rest adds up to, the words for
 * captures and verdicts, and the first and last value that count.
 */
#ifndef HSD_REPORT_SERIES_ROWS_H
#define HSD_REPORT_SERIES_ROWS_H

#include "base/buffer.h"
#include <hsdiff/report.h>
#include <hsdiff/series.h>

/* ---- one row ---- */

/* The values that growth is told of: behind the warm-up. */
hsd_amount hsd_series_first(const hsd_series *series, const hsd_amount *values);
hsd_amount hsd_series_last(const hsd_series *series, const hsd_amount *values);

/* Growth in bytes of a row: last - first; of repeated captures the difference of medians. */
int64_t hsd_series_growth(const hsd_series *series, const hsd_series_row *row);

/* Three and more captures behind the warm-up: fewer have no trend to speak of. False of repeated captures. */
bool hsd_series_has_trend(const hsd_series *series);

/* True for values behind the warm-up that never leave the noise: what can be said of sums whose trend is not known.
 * */
bool hsd_series_is_steady(const hsd_series *series, const hsd_amount *values);

/* Growth is told by the hour: the captures have times and ten minutes lie between them, else an hour says little. */
bool hsd_series_is_hourly(const hsd_series *series);

/* Bytes in an hour or in a step, as people are told. */
int64_t hsd_series_rate(const hsd_series *series, const hsd_trend *trend);

/* As hsd_verdict_name has it; the same words in every format. */
const char *hsd_verdict_word(hsd_verdict verdict);

/* Appends the place of a holder and its type, as the report of a diff names places; where the place does not say who
 * holds it, who does. */
hsd_status hsd_series_append_holder(hsd_buffer *out, const hsd_series_row *row, hsd_error *err);
/* The place without the type. */
hsd_status hsd_series_append_place(hsd_buffer *out, const hsd_series_row *row, hsd_error *err);

/* ---- captures ---- */

#define HSD_MOMENT_CHARS 40
#define HSD_SPAN_CHARS   (2 * HSD_MOMENT_CHARS + 8)

/*
 * How a capture is called: by its time, "09:00Z", with seconds or the day ("11-20 09:00Z") where it takes them to
 * tell captures apart; without times "capture 3". ASCII.
 */
char *hsd_series_moment(char out[HSD_MOMENT_CHARS], const hsd_series *series, size_t i);

/* "09:00Z to 10:00Z", "captures 1 to 2". */
char *hsd_series_span(char out[HSD_SPAN_CHARS], const hsd_series *series, size_t first, size_t last);

/* From the first capture to the last, with the year where there is a day; of a series with times. */
char *hsd_series_long_span(char out[HSD_SPAN_CHARS], const hsd_series *series);

/* ---- tables ---- */

/* HSD_TABLE_TYPES, ROOTS or HOLDERS; NULL for the tree, which a series does not have. */
const hsd_series_table *hsd_series_table_of(const hsd_series *series, hsd_report_table table);

typedef struct hsd_series_pick {
    const hsd_series_row **rows; /* those that are shown, in order; owned */
    size_t count;
    uint64_t other_count; /* rows that are not, folded here or by the series */
    hsd_amount *others;   /* what these add up to, for each capture; owned */
    /* not NULL: the series itself folded just these, so their trend is known */
    const hsd_series_row *others_row;
} hsd_series_pick;

/*
 * Picks the `top` rows of the largest growth or shrinkage by the sort key, in the order of the key. With `moving`
 * only such as moved: whose verdict is not steady; of repeated captures, and of two, those whose growth is no noise.
 */
hsd_status hsd_series_pick_init(hsd_series_pick *pick, const hsd_series *series, hsd_report_table table,
                                hsd_sort_by sort_by, size_t top, bool moving, hsd_error *err);
void hsd_series_pick_release(hsd_series_pick *pick);

/* How many rows of a table have the verdict. */
size_t hsd_series_count(const hsd_series_table *table, hsd_verdict verdict);

/* The row whose bytes grow fastest among those that grow in every step; NULL = none does. */
const hsd_series_row *hsd_series_fastest(const hsd_series *series, const hsd_series_table *table);

/* True if most of the growth is program code, and no holder has a part that is worth a word: then nobody leads. */
bool hsd_series_is_code(const hsd_series *series);

/* What that is, in a sentence: a clause. Go compiles nothing while it runs. */
const char *hsd_code_clause(const hsd_side *side);

/*
 * The row that a first sentence names: of those that go on growing (each step, growing) the one that grew most. Holders
 * come first, if theirs has a quarter of the growth of the heap or the heap did not grow; then roots, then types. What
 * no single object holds is no answer. NULL = nothing goes on growing.
 *
 *   table  filled when a row is returned: what it is
 */
const hsd_series_row *hsd_series_leader(const hsd_series *series, hsd_report_table *table);

/* The capture up to which a row lay still and since which it grew in every step (hsd_trend.rises_since). 0 = none. */
size_t hsd_series_grows_since(const hsd_series *series, const hsd_series_row *row);

/* True where what is lost is known and grew by more than noise, and by more than what is live: it comes first. */
bool hsd_series_lost_leads(const hsd_series *series);

/* ---- cohorts ---- */

/* Objects of `row` that came in cohort `born` and are there when cohort `at` ends. */
hsd_amount hsd_cohort_alive(const hsd_cohorts *cohorts, const hsd_cohort_row *row, size_t at, size_t born);

/* What came after the first capture and had an interval to go in: all cohorts but the first and the last; and what of
 * it is live in the last capture. */
typedef struct hsd_survival {
    hsd_amount came, stayed;
} hsd_survival;
hsd_survival hsd_survival_of(const hsd_cohorts *cohorts, const hsd_cohort_row *row);

#endif
