/*
 * What a page is of, and the parts that pages of a diff, of a series and of a check share.
 */
#ifndef HSD_REPORT_HTML_PARTS_H
#define HSD_REPORT_HTML_PARTS_H

#include "report/model/open.h"
#include "report/text/text.h"
#include "report/write/html/page.h"
#include <hsdiff/check.h>
#include <hsdiff/series.h>

typedef struct hsd_html_subject {
    const hsd_check *check; /* with what it judged below; NULL for the report of a diff or a series */
    const hsd_diff *diff;   /* one of the two */
    const hsd_series *series;
} hsd_html_subject;

/* A page: its records are packed, then it is written. `put` writes all sections. */
hsd_status hsd_html_write(const hsd_html_subject *subject, void (*put)(hsd_html *page, const hsd_html_subject *subject),
                          const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err);

/* Parts of the text report, as harmless text for hsd_html_prose; the caller releases it. */
hsd_status hsd_html_say(hsd_buffer *text, const hsd_diff *diff, const hsd_report_options *options,
                        void (*part)(hsd_screen *screen), hsd_error *err);

/* ---- pack.c ---- */

/* The records of the page, packed; rows are left out until they fit. */
hsd_status hsd_html_pack(hsd_buffer *packed, const hsd_html_subject *subject, const hsd_report_options *options,
                         hsd_error *err);

/* ---- facts.c ---- */

/* #facts of a diff: before, after, growth, new, freed, time apart, process, whether complete, values inside. */
void hsd_html_diff_facts(hsd_html *page, const hsd_diff *diff);

/* The one place that holds most of the growth; nothing where none is known. */
void hsd_html_card(hsd_html *page, const hsd_diff *diff);

/* #warnings; nothing where there are none. `problems` are why a check cannot judge. */
void hsd_html_warnings(hsd_html *page, const hsd_text *warnings, size_t count, const hsd_text *problems,
                       size_t problem_count);

/* A list of texts, at most some tens; the rest is counted. */
void hsd_html_texts(hsd_html *page, const hsd_text *texts, size_t count);

/* ---- model.c ---- */

/* The tables of a result; NULL after a failure. For hsd_model_close. */
hsd_model *hsd_html_model(hsd_html *page, const hsd_reported *subject);

/* The table of a section; NULL: the model has none. */
const hsd_part *hsd_html_part(const hsd_model *model, const char *member);

/* A table: rows, each with those that are deeper as a list in its name, what was folded, and the sum. */
void hsd_html_table(hsd_html *page, const hsd_model *model, const hsd_part *part);

/* A section with its table; false and nothing where the model has none. */
bool hsd_html_section(hsd_html *page, const hsd_model *model, const char *member);

/* ---- holders.c, diff.c, series.c ---- */

/* "What keeps it alive": the largest holders, each with its path and the references below it, or why they are not
 * known. */
void hsd_html_holders(hsd_html *page, const hsd_diff *diff);

/* All sections behind the answer. */
void hsd_html_diff_sections(hsd_html *page, const hsd_diff *diff);
void hsd_html_series_sections(hsd_html *page, const hsd_series *series);

/* ---- made.c ---- */

#define HSD_HTML_MADE_MOST 8

typedef struct hsd_html_made {
    const char *labels[HSD_HTML_MADE_MOST];
    hsd_buffer texts[HSD_HTML_MADE_MOST]; /* harmless text */
    size_t count;
} hsd_html_made;

/* How the report was made, from what the result says of itself. Released also after a failure. */
hsd_status hsd_html_made_of(hsd_html_made *made, const hsd_html_subject *subject, const hsd_report_options *options,
                            hsd_error *err);
void hsd_html_made_release(hsd_html_made *made);

/* Below this a change is noise. */
uint64_t hsd_html_noise(const hsd_html_subject *subject, const hsd_report_options *options);

/* #made, with a table of the captures. */
void hsd_html_how(hsd_html *page, const hsd_html_subject *subject);

#endif
