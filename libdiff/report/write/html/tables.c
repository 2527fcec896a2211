/*
 * Tables of growth of a diff and of a series.
 */
#include "report/write/html/tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/rank.h"
#include "report/model/series_rows.h"
#include "report/words/number.h"
#include "report/write/html/parts.h"

static const char *const nouns[][2] = {[HSD_TABLE_TYPES] = {"type", "types"},
                                       [HSD_TABLE_ROOTS] = {"root", "roots"},
                                       [HSD_TABLE_HOLDERS] = {"holder", "holders"}};
static const char *const names[] = {
    [HSD_TABLE_TYPES] = "Type", [HSD_TABLE_ROOTS] = "Root", [HSD_TABLE_HOLDERS] = "What keeps it alive"};

static void begin_others(hsd_html *page, hsd_report_table table, uint64_t count)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    snprintf(text, sizeof text, "%s other %s", hsd_format_count(number, count), nouns[table][count != 1]);
    hsd_html_begin_sum(page, "others", text);
}

/* ---- a diff ---- */

bool hsd_html_is_proven(const hsd_diff *diff, int64_t growth)
{
    return !diff->is_partial || (hsd_screen_proves_growth(&(hsd_screen){.diff = diff}) && growth > 0);
}

/* "~" for less than noise; what is new, gone or unchanged is a fact and stays. */
static void put_percent(hsd_html *page, const hsd_diff *diff, const hsd_change *change)
{
    const int64_t bytes = hsd_change_bytes(change);
    const uint64_t noise = hsd_html_noise(&(hsd_html_subject){.diff = diff}, page->options);
    char text[HSD_NUMBER_CHARS];
    hsd_format_percent(text, change->before.bytes, change->after.bytes);
    const bool is_noise = text[0] != '[' && change != &diff->total && hsd_magnitude(bytes) < noise;
    hsd_html_cell(page, !hsd_html_is_proven(diff, bytes) ? "?" : is_noise ? "~" : text);
}

static void put_growth(hsd_html *page, const hsd_diff *diff, const char *number, int64_t growth)
{
    if (hsd_html_is_proven(diff, growth))
        hsd_html_cell_growth(page, number, growth);
    else
        hsd_html_cell(page, "?");
}

void hsd_html_change(hsd_html *page, const hsd_diff *diff, const hsd_change *change)
{
    const int64_t bytes = hsd_change_bytes(change), objects = hsd_change_objects(change);
    char text[HSD_NUMBER_CHARS];
    hsd_html_cell(page, hsd_html_size(page, text, change->before.bytes));
    hsd_html_cell(page, hsd_html_size(page, text, change->after.bytes));
    put_growth(page, diff, hsd_html_growth(page, text, bytes), bytes);
    put_percent(page, diff, change);
    put_growth(page, diff, hsd_format_count_signed(text, objects), objects);
}

static void put_change(hsd_html *page, const hsd_diff *diff, const hsd_change *change)
{
    char text[HSD_NUMBER_CHARS];
    hsd_html_change(page, diff, change);
    if (hsd_new_is_known(diff))
        hsd_html_cell(page, hsd_html_size(page, text, hsd_change_sure(change, change->new_).bytes));
    if (hsd_freed_is_known(diff))
        hsd_html_cell(page, hsd_html_size(page, text, hsd_change_sure(change, change->freed).bytes));
    hsd_html_end_row(page);
}

static void begin_growth_table(hsd_html *page, const hsd_diff *diff, hsd_report_table table)
{
    const char *headings[8] = {names[table], "Before", "After", "Growth", "%", "Objects"};
    size_t count = 6;
    if (hsd_new_is_known(diff)) headings[count++] = "New";
    if (hsd_freed_is_known(diff)) headings[count++] = "Freed";
    hsd_html_begin_table(page, headings, count);
}

void hsd_html_growth_table(hsd_html *page, const hsd_diff *diff, hsd_report_table table, size_t most)
{
    hsd_ranking ranking;
    hsd_out *out = &page->out;
    const size_t top = page->options->top > 0 && page->options->top < most ? page->options->top : most;
    if (out->status != HSD_OK) return;
    out->status = hsd_ranking_init(&ranking, diff, table, page->options->sort_by, top, 0, false, out->err);
    if (out->status != HSD_OK) return;
    begin_growth_table(page, diff, table);
    for (size_t i = 0; i < ranking.shown; i++) {
        hsd_html_begin_row(page, NULL, ranking.rows[i].name);
        put_change(page, diff, ranking.rows[i].change);
    }
    if (ranking.count > ranking.shown) {
        begin_others(page, table, ranking.count - ranking.shown);
        put_change(page, diff, &ranking.others);
    }
    hsd_html_begin_sum(page, "total", "TOTAL");
    put_change(page, diff, &diff->total);
    hsd_html_end_table(page);
    hsd_ranking_release(&ranking);
}

/* ---- a series ---- */

/* Medians and p of repeated captures; of what was folded they are not known. */
static void put_contrast(hsd_html *page, const hsd_series *series, const hsd_series_row *row)
{
    char text[HSD_NUMBER_CHARS];
    if (!row) {
        for (size_t i = 0; i < 5; i++)
            hsd_html_cell(page, "");
        return;
    }
    const hsd_contrast *contrast = &row->contrast;
    const int64_t growth = hsd_series_growth(series, row);
    hsd_html_cell(page, hsd_html_size(page, text, contrast->median_before));
    hsd_html_cell(page, hsd_html_size(page, text, contrast->median_after));
    hsd_html_cell_growth(page, hsd_html_growth(page, text, growth), growth);
    hsd_format_percent(text, contrast->median_before, contrast->median_after);
    hsd_html_cell(page, contrast->is_significant ? text : "~");
    hsd_html_cell(page, hsd_format_p(text, contrast->p_millionths));
}

static void put_trend(hsd_html *page, const hsd_series *series, const hsd_amount *values, const hsd_series_row *row)
{
    const hsd_amount first = hsd_series_first(series, values), last = hsd_series_last(series, values);
    const int64_t growth = (int64_t)(last.bytes - first.bytes);
    char text[HSD_NUMBER_CHARS];
    hsd_html_cell(page, hsd_html_size(page, text, first.bytes));
    hsd_html_cell(page, hsd_html_size(page, text, last.bytes));
    hsd_html_cell_growth(page, hsd_html_growth(page, text, growth), growth);
    if (!hsd_series_has_trend(series)) {
        hsd_html_cell(page, hsd_format_percent(text, first.bytes, last.bytes));
        return;
    }
    hsd_html_cell(page, row ? hsd_html_growth(page, text, hsd_series_rate(series, &row->trend)) : "");
    hsd_html_cell(page, row                                    ? hsd_verdict_word(row->trend.verdict)
                        : hsd_series_is_steady(series, values) ? hsd_verdict_word(HSD_VERDICT_STEADY)
                                                               : "");
}

static void put_values(hsd_html *page, const hsd_series *series, const hsd_amount *values, const hsd_series_row *row)
{
    if (series->before_count > 0)
        put_contrast(page, series, row);
    else
        put_trend(page, series, values, row);
    hsd_html_end_row(page);
}

static void begin_series_table(hsd_html *page, const hsd_series *series, hsd_report_table table)
{
    const char *contrast[] = {names[table], "Before", "After", "Growth", "%", "p"};
    const char *pair[] = {names[table], "First", "Last", "Growth", "%"};
    const char *trend[] = {
        names[table], "First", "Last", "Growth", hsd_series_is_hourly(series) ? "Per hour" : "Per step", "Verdict"};
    if (series->before_count > 0)
        hsd_html_begin_table(page, contrast, 6);
    else if (hsd_series_has_trend(series))
        hsd_html_begin_table(page, trend, 6);
    else
        hsd_html_begin_table(page, pair, 5);
}

static void put_row(hsd_html *page, const hsd_series *series, hsd_report_table table, const hsd_series_row *row)
{
    hsd_buffer place = {0};
    hsd_text name = row->name;
    if (table == HSD_TABLE_HOLDERS) {
        if (page->out.status == HSD_OK) page->out.status = hsd_series_append_holder(&place, row, page->out.err);
        name = (hsd_text){(const char *)place.data, place.size};
    }
    hsd_html_begin_row(page, NULL, name);
    hsd_buffer_release(&place);
    put_values(page, series, row->values, row);
}

void hsd_html_series_table(hsd_html *page, const hsd_series *series, hsd_report_table table, size_t most)
{
    const size_t top = page->options->top > 0 && page->options->top < most ? page->options->top : most;
    hsd_series_pick pick;
    hsd_out *out = &page->out;
    if (out->status != HSD_OK) return;
    out->status = hsd_series_pick_init(&pick, series, table, page->options->sort_by, top, false, out->err);
    if (out->status != HSD_OK) return;
    begin_series_table(page, series, table);
    for (size_t i = 0; i < pick.count; i++)
        put_row(page, series, table, pick.rows[i]);
    if (pick.other_count > 0) {
        begin_others(page, table, pick.other_count);
        put_values(page, series, pick.others, pick.others_row);
    }
    hsd_html_begin_sum(page, "total", "TOTAL");
    put_values(page, series, series->total.values, &series->total);
    hsd_html_end_table(page);
    hsd_series_pick_release(&pick);
}
