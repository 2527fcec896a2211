/*
 * --plain of a series: records for screen readers, cut and awk. One record a line, fields separated by one tab, the
 * first says what the record is; exact bytes, nothing cut, aligned or drawn. A line "# ..." before each kind names
 * its fields. Captures count from 1.
 */
#include <string.h>

#include "report/series_screen.h"

static void field_signed(hsd_series_screen *screen, int64_t value)
{
    hsd_out_format(&screen->page.out, "\t%lld", (long long)value);
}

static void field_text(hsd_series_screen *screen, const char *text)
{
    hsd_page_field(&screen->page, (hsd_text){text, strlen(text)});
}

static void record_of_text(hsd_series_screen *screen, const char *record, hsd_text text)
{
    hsd_out_text(&screen->page.out, record);
    hsd_page_field(&screen->page, text);
    hsd_out_text(&screen->page.out, "\n");
}

static void put_capture(hsd_series_screen *screen, size_t i)
{
    const hsd_series_point *point = &screen->series->points[i];
    const hsd_capture_info *info = &point->side.info;
    const bool is_before = i < screen->series->before_count;
    char time[HSD_NUMBER_CHARS] = "";
    if (info->taken_unix_ns > 0) hsd_format_time(time, info->taken_unix_ns);
    hsd_out_format(&screen->page.out, "capture\t%zu", i + 1);
    hsd_page_field(&screen->page, point->label);
    field_text(screen, info->path ? info->path : "");
    field_text(screen, time);
    hsd_page_field_count(&screen->page, point->side.live.bytes);
    hsd_page_field_count(&screen->page, point->side.live.objects);
    hsd_page_field_count(&screen->page, point->side.unreached.bytes);
    hsd_page_field_count(&screen->page, point->side.unreached.objects);
    field_text(screen, screen->series->before_count == 0 ? "" : is_before ? "before" : "after");
    hsd_out_format(&screen->page.out, "\t%s\n", info->is_complete ? "complete" : "incomplete");
}

/* ---- rows ---- */

static void put_trend(hsd_series_screen *screen, const hsd_series_row *row)
{
    char p[HSD_NUMBER_CHARS];
    if (!row) {
        hsd_out_text(&screen->page.out, "\t\t\t\t\t\t\t");
        return;
    }
    field_signed(screen, row->trend.per_step);
    if (screen->series->has_times)
        field_signed(screen, row->trend.per_hour);
    else
        hsd_out_text(&screen->page.out, "\t");
    hsd_page_field_count(&screen->page, row->trend.step_count);
    hsd_page_field_count(&screen->page, row->trend.up_count);
    hsd_page_field_count(&screen->page, row->trend.down_count);
    field_text(screen, hsd_format_p(p, row->trend.p_millionths));
    field_text(screen, hsd_verdict_word(row->trend.verdict));
}

static void put_contrast(hsd_series_screen *screen, const hsd_series_row *row)
{
    char p[HSD_NUMBER_CHARS];
    if (!row) {
        hsd_out_text(&screen->page.out, "\t\t\t\t\t\t\t");
        return;
    }
    hsd_page_field_count(&screen->page, row->contrast.median_before);
    hsd_page_field_count(&screen->page, row->contrast.spread_before);
    hsd_page_field_count(&screen->page, row->contrast.median_after);
    hsd_page_field_count(&screen->page, row->contrast.spread_after);
    field_signed(screen, hsd_series_growth(screen->series, row));
    field_text(screen, hsd_format_p(p, row->contrast.p_millionths));
    field_text(screen, row->contrast.is_significant ? "significant" : "~");
}

/* Behind the kind and the three names. */
static void put_numbers(hsd_series_screen *screen, const hsd_amount *values, const hsd_series_row *row)
{
    const hsd_series *series = screen->series;
    const hsd_amount first = hsd_series_first(series, values), last = hsd_series_last(series, values);
    field_signed(screen, (int64_t)(last.bytes - first.bytes));
    field_signed(screen, (int64_t)(last.objects - first.objects));
    if (series->before_count > 0)
        put_contrast(screen, row);
    else
        put_trend(screen, row);
    for (size_t i = 0; i < series->point_count; i++)
        hsd_page_field_count(&screen->page, values[i].bytes);
    hsd_out_text(&screen->page.out, "\n");
}

static void put_place(hsd_series_screen *screen, const hsd_series_row *row)
{
    hsd_buffer place = {0};
    hsd_out *out = &screen->page.out;
    if (out->status == HSD_OK) out->status = hsd_series_append_place(&place, row, out->err);
    hsd_page_field(&screen->page, (hsd_text){(const char *)place.data, place.size});
    hsd_buffer_release(&place);
}

static void put_row(hsd_series_screen *screen, const char *kind, bool is_holder, const hsd_series_row *row)
{
    hsd_out_text(&screen->page.out, kind);
    hsd_page_field(&screen->page, row->name);
    if (is_holder)
        put_place(screen, row);
    else
        hsd_out_text(&screen->page.out, "\t");
    put_numbers(screen, row->values, row);
}

static void put_rows(hsd_series_screen *screen, hsd_report_table which, const hsd_series_pick *pick)
{
    static const char *const nouns[] = {
        [HSD_TABLE_TYPES] = "type", [HSD_TABLE_ROOTS] = "root", [HSD_TABLE_HOLDERS] = "holder"};
    for (size_t i = 0; i < pick->count; i++)
        put_row(screen, nouns[which], which == HSD_TABLE_HOLDERS, pick->rows[i]);
    if (pick->other_count == 0) return;
    hsd_out_format(&screen->page.out, "others-%s\t\t", nouns[which]);
    put_numbers(screen, pick->others, pick->others_row);
}

static void put_table(hsd_series_screen *screen, hsd_report_table which)
{
    static const char *const unknown[] = {
        [HSD_TABLE_TYPES] = "no-types", [HSD_TABLE_ROOTS] = "no-roots", [HSD_TABLE_HOLDERS] = "no-holders"};
    const hsd_series_table *table = hsd_series_table_of(screen->series, which);
    const size_t top = screen->options->top ? screen->options->top : HSD_TOP_ALL;
    hsd_out *out = &screen->page.out;
    hsd_series_pick pick;
    if (!table->is_known) {
        record_of_text(screen, unknown[which], table->why_not);
        return;
    }
    if (out->status != HSD_OK) return;
    out->status = hsd_series_pick_init(&pick, screen->series, which, screen->options->sort_by, top, false, out->err);
    if (out->status != HSD_OK) return;
    put_rows(screen, which, &pick);
    hsd_series_pick_release(&pick);
}

static void put_heading(hsd_series_screen *screen)
{
    hsd_out *out = &screen->page.out;
    hsd_out_text(out, "# total, unreached, type, root, holder\tname\tplace\tgrowth_bytes\tgrowth_objects");
    hsd_out_text(out, screen->series->before_count > 0
                          ? "\tbefore_median\tbefore_spread\tafter_median\tafter_spread\tmedian_growth\tp\tsignificance"
                          : "\tper_step\tper_hour\tsteps\tup\tdown\tp\tverdict");
    for (size_t i = 0; i < screen->series->point_count; i++)
        hsd_out_format(out, "\tbytes_%zu", i + 1);
    hsd_out_text(out, "\n");
}

/* ---- ages ---- */

static void put_cohort(hsd_series_screen *screen, const hsd_cohort_row *row, const char *kind, size_t born)
{
    const hsd_cohorts *cohorts = &screen->series->cohorts;
    for (size_t at = born; at < cohorts->cohort_count; at++) {
        const hsd_amount alive = hsd_cohort_alive(cohorts, row, at, born);
        hsd_out_text(&screen->page.out, kind);
        hsd_page_field(&screen->page, row->name);
        hsd_page_field_count(&screen->page, cohorts->cohorts[born].first + UINT64_C(1));
        hsd_page_field_count(&screen->page, cohorts->cohorts[born].last + UINT64_C(1));
        hsd_page_field_count(&screen->page, cohorts->cohorts[at].last + UINT64_C(1));
        hsd_page_field_count(&screen->page, alive.bytes);
        hsd_page_field_count(&screen->page, alive.objects);
        hsd_out_text(&screen->page.out, "\n");
    }
}

static void put_retained_since(hsd_series_screen *screen)
{
    const hsd_amount *since = screen->series->cohorts.retained_since;
    if (!since) return;
    hsd_out_text(&screen->page.out, "# retained-since\tcapture\tbytes\tobjects\n");
    for (size_t i = 0; i < screen->series->point_count; i++)
        hsd_out_format(&screen->page.out, "retained-since\t%zu\t%llu\t%llu\n", i + 1,
                       (unsigned long long)since[i].bytes, (unsigned long long)since[i].objects);
}

static void put_ages(hsd_series_screen *screen)
{
    const hsd_cohorts *cohorts = &screen->series->cohorts;
    if (!cohorts->are_known) {
        if (cohorts->why_not.size > 0) record_of_text(screen, "no-cohorts", cohorts->why_not);
        return;
    }
    hsd_out_text(&screen->page.out,
                 "# cohort, cohort-type\ttype\tfirst_capture\tlast_capture\tlive_at\tbytes\tobjects\n");
    for (size_t born = 0; born < cohorts->cohort_count; born++)
        put_cohort(screen, &cohorts->all, "cohort", born);
    for (size_t i = 0; i < cohorts->type_count && (screen->options->top == 0 || i < screen->options->top); i++)
        for (size_t born = 0; born < cohorts->cohort_count; born++)
            put_cohort(screen, &cohorts->types[i], "cohort-type", born);
    put_retained_since(screen);
}

void hsd_series_print_plain(hsd_series_screen *screen)
{
    const hsd_series *series = screen->series;
    for (size_t i = 0; i < series->warning_count; i++)
        record_of_text(screen, "warning", series->warnings[i]);
    hsd_out_text(&screen->page.out, "# capture\tnumber\tlabel\tpath\ttaken\tbytes\tobjects\tunreached_bytes"
                                    "\tunreached_objects\tside\tstate\n");
    for (size_t i = 0; i < series->point_count; i++)
        put_capture(screen, i);
    put_heading(screen);
    put_row(screen, "total", false, &series->total);
    put_row(screen, "unreached", false, &series->unreached);
    for (int table = HSD_TABLE_TYPES; table <= HSD_TABLE_HOLDERS; table++)
        put_table(screen, (hsd_report_table)table);
    put_ages(screen);
}
