/*
 * The sentences about ages: how much of what came is still there.
 */
#include "report/sentences/series_words.h"
#include "report/words/number.h"

#define SINCE_MOST 6 /* captures that are named in a sentence */

static char *size_of(const hsd_series_words *words, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return words->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

void hsd_series_say_survival(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const hsd_cohorts *cohorts = &series->cohorts;
    char a[HSD_NUMBER_CHARS], from[HSD_MOMENT_CHARS], to[HSD_MOMENT_CHARS];
    if (!cohorts->are_known && cohorts->why_not.size > 0) {
        hsd_out_text(&words->out, "How old objects are is not known: ");
        hsd_series_say_clause(words, cohorts->why_not);
        hsd_out_text(&words->out, ".");
    }
    if (!cohorts->are_known || cohorts->cohort_count < 3) return;
    const hsd_survival all = hsd_survival_of(cohorts, &cohorts->all);
    const size_t last_born = cohorts->cohorts[cohorts->cohort_count - 2].last;
    hsd_series_moment(from, series, cohorts->cohorts[1].first - 1);
    hsd_series_moment(to, series, last_born);
    if (all.came.objects == 0) {
        hsd_out_format(&words->out, "Nothing came between %s and %s.", from, to);
        return;
    }
    hsd_out_format(&words->out, "Of %s that came between %s and %s, ", size_of(words, a, all.came.bytes), from, to);
    hsd_out_format(&words->out, "%s is still there at %s", size_of(words, a, all.stayed.bytes),
                   hsd_series_moment(to, series, series->point_count - 1));
    hsd_out_format(&words->out, " (%s)", hsd_format_share(a, all.stayed.bytes, all.came.bytes));
    hsd_out_text(&words->out, cohorts->is_by_structure ? "; objects were recognised by structure." : ".");
}

void hsd_series_say_retained(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const size_t last = series->point_count - 1, said = last < SINCE_MOST ? last : SINCE_MOST;
    char size[HSD_NUMBER_CHARS], moment[HSD_MOMENT_CHARS];
    if (!series->cohorts.are_known || !series->cohorts.retained_since) return;
    hsd_out_format(&words->out, "Live at %s and not there yet at ", hsd_series_moment(moment, series, last));
    for (size_t i = 0; i < said; i++) {
        const size_t since = said < last ? i * (last - 1) / (said - 1) : i;
        hsd_out_format(&words->out, "%s%s: %s", i > 0 ? "; at " : "", hsd_series_moment(moment, series, since),
                       size_of(words, size, series->cohorts.retained_since[since].bytes));
    }
    hsd_out_text(&words->out, ".");
}
