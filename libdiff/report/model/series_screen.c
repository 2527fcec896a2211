/*
 * Tables with trends: first and last value, growth, rate, a picture of all values and the verdict.
 *
 *      TYPE            FIRST       LAST      GROWTH   PER HOUR  TREND   VERDICT
 *      Session      38.1 MiB  163.9 MiB  +125.8 MiB  +25.2 MiB  ▁▂▄▅▇█  each step
 *      9 other types 266 MiB    266 MiB       [ = ]             ▁▁▁▁▁▁  steady
 *
 * Of repeated captures, before against after, as benchstat has it: median and spread of each side, the growth between
 * the medians, and how often chance alone gives as much.
 *
 *      TYPE            BEFORE (3)       AFTER (4)      GROWTH      %      P
 *      Session   38.1 MiB ± 1%  163.9 MiB ± 0.5%  +125.8 MiB  +330%  0.029
 *
 * Ages: of what came in each interval, how much is still there later. A leak is a row that does not get smaller.
 *
 *      INTERVAL               CAME    11:00Z    12:00Z    13:00Z    14:00Z  STAYED
 *      (first capture)   412.6 MiB 409.1 MiB 408.8 MiB 408.7 MiB 408.7 MiB     99%
 *      09:00Z to 10:00Z   44.0 MiB  25.4 MiB  25.3 MiB  25.2 MiB  25.2 MiB     57%
 *
 * Then the same by type: what stays of each. The last interval is left out of sums: its objects had no time to go.
 */
#include "report/model/series_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/model/columns.h"
#include "report/sentences/series_words.h"
#include "report/words/number.h"

#define TYPES_SHOWN     20
#define ROWS_ON_SCREEN  5 /* roots and holders */
#define ROWS_ELSEWHERE  10
#define SURVIVORS_SHOWN 10
#define SIZE_COLUMNS    11 /* of a table of ages */
#define SHARE_COLUMNS   8
#define FIRST_LABEL     "(first capture)"

static const hsd_series *series_of(const hsd_scope *scope) { return scope->result; }
static const hsd_series_row *row_of(const hsd_scope *scope) { return scope->row; }
static bool is_text(const hsd_scope *scope) { return (scope->model->format & HSD_IN_TEXT) != 0; }
static bool is_page(const hsd_scope *scope) { return (scope->model->format & HSD_IN_HTML) != 0; }

/* False of what was folded here, and not by the series. */
static bool is_known(const hsd_scope *scope)
{
    const bool is_others = scope->is_rest && scope->row != &series_of(scope)->total;
    return !is_others || ((const hsd_series_others *)scope->row)->has_trend;
}

/* ---- first, last, growth ---- */

static hsd_amount first_of(const hsd_scope *scope) { return hsd_series_first(series_of(scope), row_of(scope)->values); }
static hsd_amount last_of(const hsd_scope *scope) { return hsd_series_last(series_of(scope), row_of(scope)->values); }
static int64_t growth_of(const hsd_scope *scope) { return (int64_t)(last_of(scope).bytes - first_of(scope).bytes); }
static bool is_noise(const hsd_scope *scope) { return hsd_magnitude(growth_of(scope)) < series_of(scope)->noise_bytes; }

static hsd_value first_size(const hsd_scope *scope) { return hsd_value_bytes(first_of(scope).bytes); }
static hsd_value last_size(const hsd_scope *scope) { return hsd_value_bytes(last_of(scope).bytes); }
static hsd_value growth(const hsd_scope *scope) { return hsd_value_growth(growth_of(scope)); }
/* A page paints noise, too. */
static int64_t sign_of_growth(const hsd_scope *scope)
{
    return !is_page(scope) && is_noise(scope) ? 0 : growth_of(scope);
}
static const char *none_if_equal(const hsd_scope *scope)
{
    return is_text(scope) && growth_of(scope) == 0 ? "[ = ]" : NULL;
}

static const hsd_column value_columns[] = {
    {"first", HSD_KIND_BYTES, .title = "First", .get = first_size},
    {"last", HSD_KIND_BYTES, .title = "Last", .get = last_size},
    {"growth", HSD_KIND_GROWTH, .title = "Growth", .get = growth, .instead = none_if_equal, .sign = sign_of_growth,
     .flags = HSD_TO_THE_LAST},
    {0},
};

/* ---- of two captures ---- */

static hsd_value percent_of(const hsd_scope *scope)
{
    return hsd_value_percent(first_of(scope).bytes, last_of(scope).bytes);
}

/* A change below the noise prints as ~; what is new, gone or unchanged is a fact and stays. */
static const char *unless_noise(const hsd_scope *scope)
{
    const uint64_t first = first_of(scope).bytes, last = last_of(scope).bytes;
    const bool is_fact = first == last || first == 0 || last == 0, is_total = scope->row == &series_of(scope)->total;
    return is_text(scope) && !is_fact && !is_total && is_noise(scope) ? "~" : NULL;
}

static hsd_value more_objects(const hsd_scope *scope)
{
    return hsd_value_signed((int64_t)(last_of(scope).objects - first_of(scope).objects));
}

static bool is_pair(const hsd_scope *scope)
{
    return series_of(scope)->before_count == 0 && !hsd_series_has_trend(series_of(scope));
}

static const hsd_column pair_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = value_columns},
    {"percent", HSD_KIND_PERCENT, .title = "%", .get = percent_of, .instead = unless_noise, .sign = sign_of_growth},
    {"objects", HSD_KIND_SIGNED, .in = HSD_IN_TEXT, .title = "Objects", .get = more_objects},
    {0},
};

/* ---- trends ---- */

static int64_t rate_of(const hsd_scope *scope) { return hsd_series_rate(series_of(scope), &row_of(scope)->trend); }
static hsd_value rate(const hsd_scope *scope) { return hsd_value_growth(rate_of(scope)); }
static bool knows_rate(const hsd_scope *scope) { return is_known(scope) && (!is_text(scope) || growth_of(scope) != 0); }
static const char *zero_rate(const hsd_scope *scope) { return is_text(scope) && rate_of(scope) == 0 ? "0" : NULL; }

static hsd_status rate_heading(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const char *heading = hsd_series_is_hourly(series_of(scope)) ? "Per hour" : "Per step";
    return hsd_buffer_append(text, heading, strlen(heading), err);
}

static hsd_value trend_of(const hsd_scope *scope)
{
    const size_t warmup = series_of(scope)->warmup, count = series_of(scope)->point_count;
    hsd_value value = hsd_value_items(row_of(scope)->values + warmup, count - warmup, sizeof(hsd_amount));
    value.kind = HSD_KIND_TREND;
    return value;
}

static uint64_t noise_of(const hsd_scope *scope) { return series_of(scope)->noise_bytes; }

/* Of sums whose trend is not known that they are steady, if they are. */
static bool has_verdict(const hsd_scope *scope)
{
    return is_known(scope) || hsd_series_is_steady(series_of(scope), row_of(scope)->values);
}

static hsd_status verdict_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const char *word = hsd_verdict_word(is_known(scope) ? row_of(scope)->trend.verdict : HSD_VERDICT_STEADY);
    return hsd_buffer_append(text, word, strlen(word), err);
}

static int64_t sign_of_verdict(const hsd_scope *scope)
{
    const hsd_verdict verdict = is_known(scope) ? row_of(scope)->trend.verdict : HSD_VERDICT_STEADY;
    if (verdict == HSD_VERDICT_EACH_STEP || verdict == HSD_VERDICT_GROWING) return 1;
    return verdict == HSD_VERDICT_SHRINKING ? -1 : 0;
}

static bool has_trend(const hsd_scope *scope) { return hsd_series_has_trend(series_of(scope)); }

static const hsd_column trend_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = value_columns},
    {"rate", HSD_KIND_GROWTH, .heading = rate_heading, .get = rate, .is_known = knows_rate, .instead = zero_rate},
    {"trend", HSD_KIND_TREND, .in = HSD_IN_TEXT | HSD_IN_MARKDOWN, .title = "Trend", .get = trend_of,
     .noise = noise_of},
    {"verdict", HSD_KIND_LABEL, .title = "Verdict", .words = verdict_of, .is_known = has_verdict,
     .sign = sign_of_verdict, .flags = HSD_TO_THE_LAST},
    {0},
};

/* ---- repeated captures ---- */

static const hsd_contrast *contrast_of(const hsd_scope *scope) { return &row_of(scope)->contrast; }
static bool has_contrast(const hsd_scope *scope) { return series_of(scope)->before_count > 0; }

/* Of what was folded here text tells the medians of the sums, and no more. */
static bool has_medians(const hsd_scope *scope) { return is_text(scope) || is_known(scope); }

/* "412.6 MiB ± 1%"; the spread is a share of the median, or exact with --bytes. A page has the median alone. */
static hsd_status append_side(hsd_buffer *text, const hsd_scope *scope, uint64_t median, uint64_t spread,
                              hsd_error *err)
{
    const hsd_report_options *options = scope->model->options;
    char size[HSD_NUMBER_CHARS], around[HSD_NUMBER_CHARS], words[2 * HSD_NUMBER_CHARS + 8];
    if (options->exact_bytes)
        hsd_format_exact(size, median), hsd_format_exact(around, spread);
    else
        hsd_format_bytes(size, median), hsd_format_share(around, spread, median);
    const bool is_ascii = is_text(scope) && !options->use_utf8;
    snprintf(words, sizeof words, "%s %s %s", size, is_ascii ? "+-" : "\xc2\xb1", around);
    if (!is_known(scope) || is_page(scope)) return hsd_buffer_append(text, size, strlen(size), err);
    if (is_text(scope) && median == 0 && spread == 0) return hsd_buffer_append(text, "0", 1, err);
    return hsd_buffer_append(text, words, strlen(words), err);
}

static hsd_status side_before(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_side(text, scope, contrast_of(scope)->median_before, contrast_of(scope)->spread_before, err);
}

static hsd_status side_after(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_side(text, scope, contrast_of(scope)->median_after, contrast_of(scope)->spread_after, err);
}

/* On a screen with how many captures they are of. */
static hsd_status append_heading(hsd_buffer *text, const hsd_scope *scope, const char *word, size_t count,
                                 hsd_error *err)
{
    char heading[HSD_NUMBER_CHARS];
    snprintf(heading, sizeof heading, is_text(scope) ? "%s (%zu)" : "%s", word, count);
    return hsd_buffer_append(text, heading, strlen(heading), err);
}

static hsd_status heading_before(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_heading(text, scope, "Before", series_of(scope)->before_count, err);
}

static hsd_status heading_after(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_heading(text, scope, "After", series_of(scope)->point_count - series_of(scope)->before_count, err);
}

static int64_t contrast_growth(const hsd_scope *scope)
{
    return (int64_t)(contrast_of(scope)->median_after - contrast_of(scope)->median_before);
}
static hsd_value growth_of_medians(const hsd_scope *scope) { return hsd_value_growth(contrast_growth(scope)); }
static int64_t significant_growth(const hsd_scope *scope)
{
    return is_page(scope) || (is_known(scope) && contrast_of(scope)->is_significant) ? contrast_growth(scope) : 0;
}
static const char *none_if_same(const hsd_scope *scope)
{
    return is_text(scope) && contrast_growth(scope) == 0 ? "[ = ]" : NULL;
}
static hsd_value percent_of_medians(const hsd_scope *scope)
{
    return hsd_value_percent(contrast_of(scope)->median_before, contrast_of(scope)->median_after);
}
static const char *unless_chance(const hsd_scope *scope) { return contrast_of(scope)->is_significant ? NULL : "~"; }
static hsd_value p_of(const hsd_scope *scope)
{
    return (hsd_value){.kind = HSD_KIND_MILLIONTHS, .count = contrast_of(scope)->p_millionths};
}

static const hsd_column contrast_columns[] = {
    {"before", HSD_KIND_LABEL, .heading = heading_before, .words = side_before, .is_known = has_medians,
     .flags = HSD_ON_RIGHT},
    {"after", HSD_KIND_LABEL, .heading = heading_after, .words = side_after, .is_known = has_medians,
     .flags = HSD_ON_RIGHT},
    {"growth", HSD_KIND_GROWTH, .title = "Growth", .get = growth_of_medians, .is_known = has_medians,
     .instead = none_if_same, .sign = significant_growth, .flags = HSD_TO_THE_LAST},
    {"percent", HSD_KIND_PERCENT, .title = "%", .get = percent_of_medians, .is_known = is_known,
     .instead = unless_chance, .sign = significant_growth},
    {"p", HSD_KIND_MILLIONTHS, .title = "p", .get = p_of, .is_known = is_known},
    {0},
};

/* ---- types, roots, holders ---- */

static hsd_status holder_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return hsd_series_append_holder(text, scope->row, err);
}

#define NUMBERS                                                                                                        \
    {NULL, HSD_KIND_SPREAD, .has = has_contrast, .columns = contrast_columns},                                         \
        {NULL, HSD_KIND_SPREAD, .has = has_trend, .columns = trend_columns},                                           \
        {NULL, HSD_KIND_SPREAD, .has = is_pair, .columns = pair_columns},                                              \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const hsd_column type_columns[] = {{"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name), .title = "Type"},
                                          NUMBERS};
static const hsd_column root_columns[] = {{"root", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name), .title = "Root"},
                                          NUMBERS};
static const hsd_column holder_columns[] = {
    {"holder", HSD_KIND_WORDS, .title = "What keeps it alive", .words = holder_of}, NUMBERS};

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the bytes of `count` captures. */
static uint64_t median_of(uint64_t *bytes, const hsd_amount *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = values[i].bytes;
    qsort(bytes, count, sizeof *bytes, by_value);
    const uint64_t low = bytes[(count - 1) / 2], high = bytes[count / 2];
    return low + (high - low) / 2;
}

static hsd_status find_medians(hsd_contrast *contrast, const hsd_series *series, const hsd_amount *values,
                               hsd_error *err)
{
    const size_t before = series->before_count;
    uint64_t *bytes = calloc(series->point_count, sizeof *bytes);
    if (!bytes) return hsd_fail(err, HSD_E_NOMEM, "no memory for a report of %zu captures", series->point_count);
    contrast->median_before = median_of(bytes, values, before);
    contrast->median_after = median_of(bytes, values + before, series->point_count - before);
    free(bytes);
    return HSD_OK;
}

static hsd_status sum_others(hsd_series_others *others, const hsd_series *series, const hsd_series_pick *pick,
                             hsd_error *err)
{
    others->has_trend = pick->others_row != NULL;
    if (pick->others_row) others->row = *pick->others_row;
    others->row.values = pick->others;
    if (others->has_trend || series->before_count == 0 || pick->other_count == 0) return HSD_OK;
    return find_medians(&others->row.contrast, series, pick->others, err);
}

static bool is_on_screen(const hsd_model *model) { return model->format == HSD_AS_TEXT; }

static hsd_status add_table(hsd_model *model, hsd_series_people *people, const hsd_model_request *request,
                            hsd_report_table which)
{
    static const hsd_column *const columns[] = {type_columns, root_columns, holder_columns};
    static const char *const ones[] = {"type", "root", "holder"}, *const many[] = {"types", "roots", "holders"};
    static const char *const members[] = {"types", "roots", "holders"};
    static const char *const titles[] = {"Growth by type", "Growth by root", "What keeps it alive"};
    const hsd_series *series = model->result;
    const bool is_types = which == HSD_TABLE_TYPES, is_html = model->format == HSD_AS_HTML;
    const size_t top = hsd_model_rows(model, is_types              ? TYPES_SHOWN
                                             : is_on_screen(model) ? ROWS_ON_SCREEN
                                                                   : ROWS_ELSEWHERE);
    hsd_series_pick *pick = &people->picks[which];
    if (!hsd_series_table_of(series, which)->is_known) return HSD_OK;
    HSD_TRY(hsd_series_pick_init(pick, series, which, request->options->sort_by, top, top != HSD_TOP_ALL && !is_html,
                                 request->err));
    HSD_TRY(sum_others(&people->others[which], series, pick, request->err));
    if (pick->count == 0 && !is_types && !is_html) return HSD_OK;
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PEOPLE,
                                    .member = members[which],
                                    .title = titles[which],
                                    .one = ones[which],
                                    .many = many[which],
                                    .columns = columns[which],
                                    .is_shared = true,
                                    .fit = is_types ? HSD_FIT_OTHERS : HSD_FIT_STACKED,
                                    .sheet = {.rows = {pick->rows, pick->count, sizeof *pick->rows, true},
                                              .other_count = pick->other_count,
                                              .others = &people->others[which],
                                              .is_total_first = true,
                                              .total = is_types || is_html ? &series->total : NULL}});
    return HSD_OK;
}

/* ---- ages: intervals ---- */

static const char *label_of(const hsd_series *series, char out[HSD_SPAN_CHARS], size_t born)
{
    const hsd_cohort *cohort = &series->cohorts.cohorts[born];
    if (born > 0) return hsd_series_span(out, series, cohort->first - 1, cohort->last);
    snprintf(out, HSD_SPAN_CHARS, "%s", FIRST_LABEL);
    return out;
}

/* As many as fit beside the label, spread evenly; the last is always there. */
static size_t choose_moments(const hsd_model *model, size_t moments[HSD_MOMENTS_MOST])
{
    const hsd_series *series = model->result;
    char label[HSD_SPAN_CHARS], moment[HSD_MOMENT_CHARS];
    const unsigned width = model->options->width;
    const size_t last = series->cohorts.cohort_count - 1;
    size_t most = HSD_MOMENTS_MOST;
    hsd_series_moment(moment, series, series->point_count - 1);
    size_t column = strlen(moment) + 2;
    if (column < SIZE_COLUMNS) column = SIZE_COLUMNS;
    const size_t taken = strlen(label_of(series, label, last)) + SIZE_COLUMNS + SHARE_COLUMNS;
    if (width > 0 && width < taken + most * column) most = width > taken + column ? (width - taken) / column : 1;
    const size_t count = last < most ? last : most;
    for (size_t i = 0; i < count; i++)
        moments[i] = ((i + 1) * last + count - 1) / count;
    return count;
}

static hsd_status interval_label(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_interval_row *row = scope->row;
    return hsd_buffer_append(text, row->label, strlen(row->label), err);
}

static hsd_value interval_share(const hsd_scope *scope)
{
    const hsd_interval_row *row = scope->row;
    return (hsd_value){.kind = HSD_KIND_FRACTION,
                       .share = {row->stayed < row->came ? row->stayed : row->came, row->came}};
}

static bool has_interval_share(const hsd_scope *scope)
{
    const hsd_interval_row *row = scope->row;
    return row->came > 0 && row->stayed != UINT64_MAX;
}

static void fill_interval(hsd_interval_row *row, const hsd_series *series, size_t born, const size_t *moments,
                          size_t count)
{
    const hsd_cohorts *cohorts = &series->cohorts;
    const size_t last = cohorts->cohort_count - 1;
    label_of(series, row->label, born);
    row->came = hsd_cohort_alive(cohorts, &cohorts->all, born, born).bytes;
    row->stayed = born < last ? hsd_cohort_alive(cohorts, &cohorts->all, last, born).bytes : UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        row->later[i] =
            moments[i] > born ? hsd_cohort_alive(cohorts, &cohorts->all, moments[i], born).bytes : UINT64_MAX;
}

/* The columns follow from how many moments there is room for. */
static void fill_columns(hsd_series_ages *ages, const hsd_series *series, const size_t *moments, size_t count)
{
    hsd_column *column = ages->columns;
    *column++ = (hsd_column){"interval", HSD_KIND_LABEL, .title = "Interval", .words = interval_label};
    *column++ = (hsd_column){"came", HSD_KIND_BYTES, HSD_AT(hsd_interval_row, came), .title = "Came"};
    for (size_t i = 0; i < count; i++)
        *column++ =
            (hsd_column){"later", HSD_KIND_BYTES, .at = offsetof(hsd_interval_row, later) + i * sizeof(uint64_t),
                         .title = hsd_series_moment(ages->moments[i], series, series->cohorts.cohorts[moments[i]].last),
                         .flags = HSD_NULL_AT_MOST | HSD_TITLE_STAYS};
    *column++ = (hsd_column){"stayed",
                             HSD_KIND_FRACTION,
                             .title = "Stayed",
                             .get = interval_share,
                             .is_known = has_interval_share,
                             .flags = HSD_TO_THE_LAST};
    *column = (hsd_column){0};
}

static hsd_status add_intervals(hsd_model *model, hsd_series_ages *ages, hsd_error *err)
{
    const hsd_series *series = model->result;
    const size_t count = series->cohorts.cohort_count;
    size_t moments[HSD_MOMENTS_MOST];
    const size_t moment_count = choose_moments(model, moments);
    ages->intervals = calloc(count, sizeof *ages->intervals);
    if (!ages->intervals) return hsd_fail(err, HSD_E_NOMEM, "no memory for a report of %zu cohorts", count);
    for (size_t born = 0; born < count; born++)
        fill_interval(&ages->intervals[born], series, born, moments, moment_count);
    fill_columns(ages, series, moments, moment_count);
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PEOPLE,
                                    .columns = ages->columns,
                                    .sheet = {.rows = {ages->intervals, count, sizeof *ages->intervals, false}}});
    return HSD_OK;
}

/* ---- ages: types ---- */

static const hsd_survival *survival_of(const hsd_scope *scope)
{
    return &((const hsd_survivor_row *)scope->row)->survival;
}
static hsd_value survivor_share(const hsd_scope *scope)
{
    return (hsd_value){.kind = HSD_KIND_FRACTION,
                       .share = {survival_of(scope)->stayed.bytes, survival_of(scope)->came.bytes}};
}
static bool has_survivor_share(const hsd_scope *scope) { return !is_text(scope) || survival_of(scope)->came.bytes > 0; }

static const hsd_column survivor_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_survivor_row, name), .title = "What stays"},
    {"came", HSD_KIND_BYTES, HSD_AT(hsd_survivor_row, survival.came.bytes), .title = "Came"},
    {"stayed", HSD_KIND_BYTES, HSD_AT(hsd_survivor_row, survival.stayed.bytes), .title = "Still there",
     .flags = HSD_TO_THE_LAST},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_survivor_row, survival.stayed.objects), .title = "Objects"},
    {"share", HSD_KIND_FRACTION, .title = "Share", .get = survivor_share, .is_known = has_survivor_share},
    {0},
};

static hsd_amount less(hsd_amount all, hsd_amount part)
{
    return (hsd_amount){all.objects > part.objects ? all.objects - part.objects : 0,
                        all.bytes > part.bytes ? all.bytes - part.bytes : 0};
}

/* At most `most` types of which something stays; how many. */
static size_t choose_survivors(hsd_series_ages *ages, const hsd_cohorts *cohorts, size_t most)
{
    size_t shown = 0;
    hsd_survival *rest = &ages->others.survival;
    *rest = hsd_survival_of(cohorts, &cohorts->all);
    for (size_t i = 0; i < cohorts->type_count && shown < most; i++) {
        const hsd_survival survival = hsd_survival_of(cohorts, &cohorts->types[i]);
        if (survival.stayed.objects == 0) continue;
        ages->survivors[shown++] = (hsd_survivor_row){cohorts->types[i].name, survival};
        *rest = (hsd_survival){less(rest->came, survival.came), less(rest->stayed, survival.stayed)};
    }
    return shown;
}

static hsd_status add_survivors(hsd_model *model, hsd_series_ages *ages, const hsd_model_request *request)
{
    const hsd_cohorts *cohorts = &((const hsd_series *)model->result)->cohorts;
    const size_t asked = request->options->top, top = asked > 0 ? asked : SURVIVORS_SHOWN,
                 most = top < cohorts->type_count ? top : cohorts->type_count;
    const bool is_text = model->format == HSD_AS_TEXT;
    if (is_text ? hsd_survival_of(cohorts, &cohorts->all).came.objects == 0 : cohorts->type_count == 0) return HSD_OK;
    ages->survivors = calloc(most + 1, sizeof *ages->survivors);
    if (!ages->survivors) return hsd_fail(request->err, HSD_E_NOMEM, "no memory for a report of %zu types", most);
    const size_t shown = choose_survivors(ages, cohorts, most);
    const hsd_survival rest = ages->others.survival;
    const bool has_rest = rest.came.objects > 0 || rest.stayed.objects > 0;
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PEOPLE,
                                    .one = "type",
                                    .many = "types",
                                    .columns = survivor_columns,
                                    .sheet = {.rows = {ages->survivors, shown, sizeof *ages->survivors, false},
                                              .other_count = is_text && has_rest,
                                              .others = &ages->others,
                                              .others_name = shown > 0 ? "other types" : "all types"}});
    return HSD_OK;
}

/* ---- sentences ---- */

static void tell_of(hsd_out *out, const hsd_series *series, const hsd_model *model, hsd_escape_form form,
                    void (*say)(hsd_series_words *words))
{
    hsd_series_words words;
    if (out->status != HSD_OK) return;
    hsd_series_words_begin(&words, series, model->options, form, out->err);
    say(&words);
    out->status = hsd_series_words_end(&words);
    hsd_out_bytes(out, words.text.data, words.text.size);
    hsd_series_words_release(&words);
}

#define TELLS(what)                                                                                                    \
    static void tell_##what(hsd_out *out, const hsd_model *model, hsd_escape_form form)                                \
    {                                                                                                                  \
        tell_of(out, model->result, model, form, hsd_series_say_##what);                                               \
    }
TELLS(answer)
TELLS(captures)
TELLS(end)
TELLS(why_not)
TELLS(unreached)
TELLS(survival)
TELLS(retained)

static void add_sentence(hsd_model *model, hsd_part_kind kind,
                         void (*what)(hsd_out *, const hsd_model *, hsd_escape_form))
{
    hsd_model_add(model, (hsd_part){.kind = kind, .in = HSD_IN_PEOPLE, .tell = what});
}

void hsd_series_tell_answer(hsd_out *out, const hsd_series *series, const hsd_model *model, hsd_escape_form form)
{
    void (*const said[])(hsd_series_words *) = {hsd_series_say_answer, hsd_series_say_unreached, hsd_series_say_end};
    const bool lost_first = hsd_series_lost_leads(series);
    if (lost_first) tell_of(out, series, model, form, hsd_series_say_unreached);
    for (size_t i = 0; i < HSD_ARRAY_LEN(said); i++) {
        hsd_out_text(out, " ");
        if (!lost_first || said[i] != hsd_series_say_unreached) tell_of(out, series, model, form, said[i]);
    }
}

/* ---- the order ---- */

static hsd_status add_survival(hsd_model *model, hsd_series_people *people, const hsd_model_request *request)
{
    const hsd_cohorts *cohorts = &((const hsd_series *)model->result)->cohorts;
    const bool is_text = model->format == HSD_AS_TEXT, types_first = request->options->survivors || !is_text;
    add_sentence(model, HSD_PART_SENTENCE, tell_survival);
    if (is_text)
        hsd_model_add(model, (hsd_part){.kind = HSD_PART_SENTENCE,
                                        .in = HSD_IN_TEXT,
                                        .tell = tell_retained,
                                        .is_close = cohorts->cohort_count >= 3});
    if (!cohorts->are_known || cohorts->cohort_count < 3) return HSD_OK;
    if (types_first) HSD_TRY(add_survivors(model, &people->ages, request));
    if (is_text) HSD_TRY(add_intervals(model, &people->ages, request->err));
    return types_first ? HSD_OK : add_survivors(model, &people->ages, request);
}

/* What a series is of, the answer, the tables that prove it, how old what is there is, and where it leads. With
 * --survivors ages come first. */
hsd_status hsd_series_add_screen(hsd_model *model, hsd_series_people *people, const hsd_model_request *request)
{
    const hsd_series *series = model->result;
    const bool has_ages = series->before_count == 0, ages_first = has_ages && request->options->survivors,
               lost_first = hsd_series_lost_leads(series);
    hsd_model_add(model, hsd_warnings_part(series->warnings, series->warning_count));
    add_sentence(model, HSD_PART_SENTENCE, tell_captures);
    if (ages_first) HSD_TRY(add_survival(model, people, request));
    if (lost_first) add_sentence(model, HSD_PART_SENTENCE, tell_unreached);
    add_sentence(model, HSD_PART_SENTENCE, tell_answer);
    for (int table = HSD_TABLE_TYPES; table <= HSD_TABLE_HOLDERS; table++)
        HSD_TRY(add_table(model, people, request, (hsd_report_table)table));
    add_sentence(model, HSD_PART_SENTENCE, tell_why_not);
    if (has_ages && !ages_first) HSD_TRY(add_survival(model, people, request));
    if (!lost_first) add_sentence(model, HSD_PART_SENTENCE, tell_unreached);
    add_sentence(model, HSD_PART_SENTENCE, tell_end);
    return HSD_OK;
}

/* For job summaries and comments: the answer, where it leads, and what is left out last first. */
hsd_status hsd_series_add_markdown(hsd_model *model, hsd_series_people *people, const hsd_model_request *request)
{
    const hsd_series *series = model->result;
    const bool has_ages = series->before_count == 0, ages_first = has_ages && request->options->survivors;
    hsd_part warnings = hsd_warnings_part(series->warnings, series->warning_count);
    warnings.mark = "\xe2\x9a\xa0 ";
    hsd_model_add(model, warnings);
    add_sentence(model, HSD_PART_ANSWER, tell_answer);
    add_sentence(model, HSD_PART_SENTENCE, tell_captures);
    add_sentence(model, HSD_PART_SENTENCE, tell_end);
    if (ages_first) HSD_TRY(add_survival(model, people, request));
    HSD_TRY(add_table(model, people, request, HSD_TABLE_TYPES));
    HSD_TRY(add_table(model, people, request, HSD_TABLE_HOLDERS));
    HSD_TRY(add_table(model, people, request, HSD_TABLE_ROOTS));
    add_sentence(model, HSD_PART_SENTENCE, tell_why_not);
    return has_ages && !ages_first ? add_survival(model, people, request) : HSD_OK;
}

/* ---- HTML ---- */

hsd_status hsd_series_add_page(hsd_model *model, hsd_series_people *people, const hsd_model_request *request)
{
    HSD_TRY(add_table(model, people, request, HSD_TABLE_HOLDERS));
    HSD_TRY(add_table(model, people, request, HSD_TABLE_TYPES));
    return add_table(model, people, request, HSD_TABLE_ROOTS);
}

void hsd_series_people_release(hsd_series_people *people)
{
    for (size_t i = 0; i < sizeof people->picks / sizeof people->picks[0]; i++)
        hsd_series_pick_release(&people->picks[i]);
    free(people->ages.intervals);
    free(people->ages.survivors);
}
