/*
 * The page of a series: the answer and where it leads, who holds the growth, types and roots with their trends, what
 * stays of what came, how it was made.
 */
#include "report/formats.h"
#include "report/sentences/series_words.h"
#include "report/words/number.h"
#include "report/write/html/parts.h"

/* ---- sentences ---- */

typedef void (*say_fn)(hsd_series_words *words);

static hsd_buffer say(hsd_html *page, const hsd_series *series, say_fn what)
{
    hsd_series_words words;
    if (page->out.status != HSD_OK) return (hsd_buffer){0};
    hsd_series_words_begin(&words, series, page->options, HSD_ESCAPE_TERMINAL, page->out.err);
    what(&words);
    page->out.status = hsd_series_words_end(&words);
    return words.text;
}

static void put_words(hsd_html *page, const hsd_series *series, say_fn what)
{
    hsd_buffer text = say(page, series, what);
    hsd_html_paragraph(page, &text);
}

/* ---- key numbers ---- */

static void put_fact(hsd_html *page, const char *label, uint64_t bytes)
{
    char size[HSD_NUMBER_CHARS];
    hsd_html_begin_fact(page, label);
    hsd_out_text(&page->out, hsd_html_size(page, size, bytes));
    hsd_html_end_fact(page);
}

static void put_facts(hsd_html *page, const hsd_series *series)
{
    const hsd_amount first = hsd_series_first(series, series->total.values),
                     last = hsd_series_last(series, series->total.values);
    const bool is_pair = series->before_count > 0;
    const uint64_t before = is_pair ? series->total.contrast.median_before : first.bytes,
                   after = is_pair ? series->total.contrast.median_after : last.bytes;
    const int64_t growth = (int64_t)(after - before);
    char text[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    hsd_out_text(&page->out, "<dl id=\"facts\">\n");
    put_fact(page, is_pair ? "Before" : "First", before);
    put_fact(page, is_pair ? "After" : "Last", after);
    hsd_html_begin_fact(page, "Growth");
    hsd_out_format(&page->out, "<b class=\"%s\">%s</b> <small>%s</small>", hsd_html_sign(growth),
                   hsd_html_growth(page, text, growth), hsd_format_percent(percent, before, after));
    hsd_html_end_fact(page);
    hsd_html_begin_fact(page, "Captures");
    hsd_out_text(&page->out, hsd_format_count(text, series->point_count));
    hsd_html_end_fact(page);
    if (hsd_series_has_trend(series)) {
        hsd_html_begin_fact(page, "Verdict");
        hsd_out_text(&page->out, hsd_verdict_word(series->total.trend.verdict));
        hsd_html_end_fact(page);
    }
    hsd_out_text(&page->out, "</dl>\n");
}

/* ---- the rest ---- */

/* And why a table is not there. */
static void put_holders(hsd_html *page, const hsd_model *model, const hsd_series *series)
{
    const hsd_part *part = hsd_html_part(model, "holders");
    hsd_html_begin(page, "holders", "What keeps it alive");
    if (part) hsd_html_table(page, model, part);
    put_words(page, series, hsd_series_say_why_not);
    hsd_html_end(page);
}

static void put_ages(hsd_html *page, const hsd_series *series)
{
    if (series->before_count > 0 || series->point_count < 3) return;
    hsd_html_begin(page, "ages", "What stays of what came");
    put_words(page, series, hsd_series_say_survival);
    put_words(page, series, hsd_series_say_retained);
    hsd_html_end(page);
}

void hsd_html_series_sections(hsd_html *page, const hsd_series *series)
{
    hsd_model *model = hsd_html_model(page, &(hsd_reported){.series = series});
    if (!model) return;
    put_holders(page, model, series);
    hsd_html_section(page, model, "types");
    hsd_html_section(page, model, "roots");
    hsd_html_empty(page, "trends", "Course", "how each row went from capture to capture");
    put_ages(page, series);
    hsd_model_close(model);
}

static void put_page(hsd_html *page, const hsd_html_subject *subject)
{
    const hsd_series *series = subject->series;
    hsd_buffer answer = say(page, series, hsd_series_say_answer), captures = say(page, series, hsd_series_say_captures);
    hsd_html_open(page, "series", &answer);
    hsd_html_relation(page, &captures);
    put_words(page, series, hsd_series_say_end);
    put_facts(page, series);
    hsd_html_end_answer(page);
    hsd_html_warnings(page, series->warnings, series->warning_count, NULL, 0);
    hsd_html_series_sections(page, series);
    hsd_html_how(page, subject);
}

hsd_status hsd_html_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                           void *context, hsd_error *err)
{
    const hsd_html_subject subject = {.series = series};
    return hsd_html_write(&subject, put_page, options, write, context, err);
}
