/*
 * Markdown of a series, for job summaries and comments: the answer, where it leads, the table of types with a picture
 * of each, holders, roots, and what stays of what came; rows are left out from the end until it fits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/formats.h"
#include "report/model/series_rows.h"
#include "report/sentences/series_words.h"
#include "report/words/number.h"
#include "report/words/sparkline.h"
#include "report/write/markdown.h"

#define TYPES_SHOWN 20
#define ROWS_SHOWN  10 /* of the other tables */

typedef struct page {
    hsd_markdown doc;
    const hsd_series *series;
    const hsd_report_options *options;
    uint64_t *bytes; /* of one row, for its picture */
} page;

static char *size_of(const page *p, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return p->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

static char *growth_of(const page *p, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return p->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

/* A paragraph; `mark` stands around it. Nothing when there is nothing to say. */
static void put_words(page *p, void (*say)(hsd_series_words *words), const char *mark)
{
    hsd_series_words words;
    if (p->doc.out.status != HSD_OK) return;
    hsd_series_words_begin(&words, p->series, p->options, HSD_ESCAPE_MARKDOWN, p->doc.out.err);
    say(&words);
    p->doc.out.status = hsd_series_words_end(&words);
    if (words.text.size > 0) {
        hsd_out_text(&p->doc.out, mark);
        hsd_out_bytes(&p->doc.out, words.text.data, words.text.size);
        hsd_out_text(&p->doc.out, mark);
        hsd_out_text(&p->doc.out, "\n\n");
    }
    hsd_series_words_release(&words);
}

static void put_warnings(page *p)
{
    if (p->series->warning_count == 0) return;
    hsd_markdown_begin_list(&p->doc, "warning", "warnings");
    for (size_t i = 0; i < p->series->warning_count; i++) {
        if (!hsd_markdown_item(&p->doc)) continue;
        hsd_out_text(&p->doc.out, "- \xe2\x9a\xa0 ");
        hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, p->series->warnings[i]);
        hsd_out_text(&p->doc.out, "\n");
    }
    hsd_markdown_end(&p->doc);
}

/* ---- tables with trends ---- */

static void cell_of_picture(page *p, const hsd_amount *values)
{
    char text[HSD_SPARKLINE_CHARS];
    const size_t warmup = p->series->warmup, count = p->series->point_count - warmup;
    for (size_t i = 0; i < count; i++)
        p->bytes[i] = values[warmup + i].bytes;
    hsd_markdown_cell(&p->doc,
                      hsd_sparkline(text, p->bytes, count, HSD_SPARKLINE_COLUMNS_MAX, p->series->noise_bytes, true));
}

static void put_values(page *p, const hsd_amount *values, const hsd_series_row *row)
{
    char text[HSD_NUMBER_CHARS];
    const hsd_amount first = hsd_series_first(p->series, values), last = hsd_series_last(p->series, values);
    hsd_markdown_cell(&p->doc, size_of(p, text, first.bytes));
    hsd_markdown_cell(&p->doc, size_of(p, text, last.bytes));
    hsd_markdown_cell(&p->doc, growth_of(p, text, (int64_t)(last.bytes - first.bytes)));
    if (!hsd_series_has_trend(p->series)) {
        hsd_markdown_cell(&p->doc, hsd_format_percent(text, first.bytes, last.bytes));
        return;
    }
    const char *verdict = row                                       ? hsd_verdict_word(row->trend.verdict)
                          : hsd_series_is_steady(p->series, values) ? hsd_verdict_word(HSD_VERDICT_STEADY)
                                                                    : "";
    const int64_t rate = row ? hsd_series_rate(p->series, &row->trend) : 0;
    hsd_markdown_cell(&p->doc, row ? growth_of(p, text, rate) : "");
    cell_of_picture(p, values);
    hsd_markdown_cell(&p->doc, verdict);
}

/* ---- tables of repeated captures ---- */

static void cell_of_side(page *p, uint64_t median, uint64_t spread)
{
    char size[HSD_NUMBER_CHARS], around[HSD_NUMBER_CHARS], text[2 * HSD_NUMBER_CHARS + 8];
    if (p->options->exact_bytes)
        hsd_format_exact(around, spread);
    else
        hsd_format_share(around, spread, median);
    snprintf(text, sizeof text, "%s \xc2\xb1 %s", size_of(p, size, median), around);
    hsd_markdown_cell(&p->doc, text);
}

/* Without a row: what was folded here, of which no medians are known. */
static void put_contrast(page *p, const hsd_series_row *row)
{
    char text[HSD_NUMBER_CHARS];
    if (!row) {
        for (size_t i = 0; i < 5; i++)
            hsd_markdown_cell(&p->doc, "");
        return;
    }
    const hsd_contrast *contrast = &row->contrast;
    cell_of_side(p, contrast->median_before, contrast->spread_before);
    cell_of_side(p, contrast->median_after, contrast->spread_after);
    hsd_markdown_cell(&p->doc, growth_of(p, text, hsd_series_growth(p->series, row)));
    hsd_format_percent(text, contrast->median_before, contrast->median_after);
    hsd_markdown_cell(&p->doc, contrast->is_significant ? text : "\\~");
    hsd_markdown_cell(&p->doc, hsd_format_p(text, contrast->p_millionths));
}

/* ---- tables ---- */

static void put_numbers(page *p, const hsd_amount *values, const hsd_series_row *row)
{
    if (p->series->before_count > 0)
        put_contrast(p, row);
    else
        put_values(p, values, row);
}

static void begin_table(page *p, hsd_report_table which)
{
    static const char *const headings[] = {"Type", "Root", "What keeps it alive"};
    static const char *const nouns[][2] = {{"type", "types"}, {"root", "roots"}, {"holder", "holders"}};
    const char *rate = hsd_series_is_hourly(p->series) ? "Per hour" : "Per step";
    const hsd_markdown_column trend[] = {{headings[which], false}, {"First", true}, {"Last", true},
                                         {"Growth", true},         {rate, true},    {"Trend", false},
                                         {"Verdict", false}};
    const hsd_markdown_column pair[] = {
        {headings[which], false}, {"First", true}, {"Last", true}, {"Growth", true}, {"%", true}};
    const hsd_markdown_column contrast[] = {{headings[which], false}, {"Before", true}, {"After", true},
                                            {"Growth", true},         {"%", true},      {"p", true}};
    const char *one = nouns[which][0], *many = nouns[which][1];
    if (p->series->before_count > 0)
        hsd_markdown_begin_table(&p->doc, contrast, 6, one, many);
    else if (hsd_series_has_trend(p->series))
        hsd_markdown_begin_table(&p->doc, trend, 7, one, many);
    else
        hsd_markdown_begin_table(&p->doc, pair, 5, one, many);
}

static void put_row(page *p, hsd_report_table which, const hsd_series_row *row)
{
    hsd_buffer place = {0};
    if (!hsd_markdown_row(&p->doc)) return;
    if (which == HSD_TABLE_HOLDERS) {
        if (p->doc.out.status == HSD_OK) p->doc.out.status = hsd_series_append_holder(&place, row, p->doc.out.err);
        hsd_markdown_cell_name(&p->doc, (hsd_text){(const char *)place.data, place.size});
    } else {
        hsd_markdown_cell_name(&p->doc, row->name);
    }
    hsd_buffer_release(&place);
    put_numbers(p, row->values, row);
}

static void put_others(page *p, hsd_report_table which, const hsd_series_pick *pick)
{
    static const char *const nouns[] = {"type", "root", "holder"};
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (pick->other_count == 0 || !hsd_markdown_row(&p->doc)) return;
    snprintf(text, sizeof text, "%s other %s%s", hsd_format_count(number, pick->other_count), nouns[which],
             pick->other_count == 1 ? "" : "s");
    hsd_markdown_cell(&p->doc, text);
    put_numbers(p, pick->others, pick->others_row);
}

static void put_pick(page *p, hsd_report_table which, const hsd_series_pick *pick)
{
    begin_table(p, which);
    if (which == HSD_TABLE_TYPES && hsd_markdown_row(&p->doc)) { /* first, since the last rows go first */
        hsd_markdown_cell(&p->doc, "**Total**");
        put_numbers(p, p->series->total.values, &p->series->total);
    }
    for (size_t i = 0; i < pick->count; i++)
        put_row(p, which, pick->rows[i]);
    put_others(p, which, pick);
    hsd_markdown_end(&p->doc);
}

static void put_table(page *p, hsd_report_table which)
{
    const size_t usual = which == HSD_TABLE_TYPES ? TYPES_SHOWN : ROWS_SHOWN,
                 top = p->options->top ? p->options->top : usual;
    hsd_series_pick pick;
    if (!hsd_series_table_of(p->series, which)->is_known || p->doc.out.status != HSD_OK) return;
    p->doc.out.status =
        hsd_series_pick_init(&pick, p->series, which, p->options->sort_by, top, top != HSD_TOP_ALL, p->doc.out.err);
    if (p->doc.out.status != HSD_OK) return;
    if (pick.count > 0 || which == HSD_TABLE_TYPES) put_pick(p, which, &pick);
    hsd_series_pick_release(&pick);
}

/* ---- ages ---- */

static void put_survivors(page *p)
{
    static const hsd_markdown_column columns[] = {
        {"What stays", false}, {"Came", true}, {"Still there", true}, {"Objects", true}, {"Share", true}};
    const hsd_cohorts *cohorts = &p->series->cohorts;
    const size_t most = p->options->top ? p->options->top : ROWS_SHOWN;
    char text[HSD_NUMBER_CHARS];
    size_t shown = 0;
    put_words(p, hsd_series_say_survival, "");
    if (!cohorts->are_known || cohorts->cohort_count < 3 || cohorts->type_count == 0) return;
    hsd_markdown_begin_table(&p->doc, columns, 5, "type", "types");
    for (size_t i = 0; i < cohorts->type_count && shown < most; i++) {
        const hsd_survival survival = hsd_survival_of(cohorts, &cohorts->types[i]);
        if (survival.stayed.objects == 0) continue;
        shown++;
        if (!hsd_markdown_row(&p->doc)) continue;
        hsd_markdown_cell_name(&p->doc, cohorts->types[i].name);
        hsd_markdown_cell(&p->doc, size_of(p, text, survival.came.bytes));
        hsd_markdown_cell(&p->doc, size_of(p, text, survival.stayed.bytes));
        hsd_markdown_cell(&p->doc, hsd_format_count(text, survival.stayed.objects));
        hsd_markdown_cell(&p->doc, hsd_format_share(text, survival.stayed.bytes, survival.came.bytes));
    }
    hsd_markdown_end(&p->doc);
}

/* ---- */

static void print(page *p)
{
    put_warnings(p);
    put_words(p, hsd_series_say_answer, "**");
    put_words(p, hsd_series_say_captures, "");
    put_words(p, hsd_series_say_end, "");
    if (p->options->survivors && p->series->before_count == 0) put_survivors(p);
    put_table(p, HSD_TABLE_TYPES);
    put_table(p, HSD_TABLE_HOLDERS);
    put_table(p, HSD_TABLE_ROOTS);
    put_words(p, hsd_series_say_why_not, "");
    if (!p->options->survivors && p->series->before_count == 0) put_survivors(p);
}

hsd_status hsd_markdown_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                               void *context, hsd_error *err)
{
    page p = {.series = series, .options = options, .bytes = calloc(series->point_count, sizeof(uint64_t))};
    if (!p.bytes) return hsd_fail(err, HSD_E_NOMEM, "no memory for a report of %zu captures", series->point_count);
    hsd_markdown_init(&p.doc, options->max_bytes, err);
    print(&p);
    free(p.bytes);
    return hsd_markdown_finish(&p.doc, write, context, err);
}
