/*
 * The columns of a series: lists with one value for each capture, the trend and the verdict of a row, or with repeated
 * captures the contrast. In CSV and --plain captures count from 1, in all else from 0.
 */
#include "report/model/series_columns.h"

#include "report/model/columns.h"
#include "report/model/series_rows.h"

static const hsd_series *series_of(const hsd_scope *scope) { return scope->result; }
static bool is_contrast(const hsd_scope *scope) { return series_of(scope)->before_count > 0; }

/* ---- captures and facts ---- */

static const hsd_capture_row *capture_of(const hsd_scope *scope) { return scope->row; }
static hsd_value number_of(const hsd_scope *scope) { return hsd_value_count(scope->index); }
static const void *side_in(const hsd_scope *scope) { return capture_of(scope)->side; }
static const void *point_in(const hsd_scope *scope) { return capture_of(scope)->point; }

static const hsd_column metric_columns[] = {
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_profile_metric, name)},
    {"unit", HSD_KIND_TEXT, HSD_AT(hsd_profile_metric, unit)},
    {"value", HSD_KIND_COUNT, HSD_AT(hsd_profile_metric, value)},
    {0},
};

static const hsd_column point_columns[] = {
    {"label", HSD_KIND_TEXT, HSD_AT(hsd_series_point, label)},
    {"baseline", HSD_KIND_FLAG, HSD_AT(hsd_series_point, is_baseline)},
    {"summary", HSD_KIND_FLAG, HSD_AT(hsd_series_point, is_summary)},
    {"metrics", HSD_KIND_LIST, HSD_LIST_AT(hsd_series_point, metrics, metric_count, hsd_profile_metric),
     .columns = metric_columns},
    {0},
};

static hsd_value plain_number(const hsd_scope *scope) { return hsd_value_count(scope->index + 1); }

static hsd_value plain_side(const hsd_scope *scope)
{
    const size_t before = series_of(scope)->before_count;
    return hsd_value_string(before == 0 ? "" : scope->index < before ? "before" : "after");
}

const hsd_column hsd_series_capture_columns[] = {
    {"number", HSD_KIND_COUNT, .in = HSD_IN_PLAIN, .get = plain_number},
    {"side", HSD_KIND_STRING, .in = HSD_IN_PLAIN, .get = plain_side},
    {"number", HSD_KIND_COUNT, .in = HSD_IN_RECORDS, .get = number_of},
    {NULL, HSD_KIND_SPREAD, .into = side_in, .columns = hsd_side_columns},
    {NULL, HSD_KIND_SPREAD, .into = point_in, .columns = point_columns},
    {0},
};

static bool has_pair(const hsd_scope *scope) { return series_of(scope)->pair != NULL; }

static const hsd_column pair_columns[] = {
    {"from", HSD_KIND_SIZE, HSD_AT(hsd_series, pair_from)},
    {"to", HSD_KIND_SIZE, HSD_AT(hsd_series, pair_to)},
    {0},
};

static const hsd_forecast *forecast_of(const hsd_scope *scope) { return &series_of(scope)->forecast; }
static bool has_limit(const hsd_scope *scope) { return forecast_of(scope)->limit_bytes > 0; }
static const void *forecast_in(const hsd_scope *scope) { return forecast_of(scope); }
static hsd_value limit_name(const hsd_scope *scope)
{
    const hsd_text name = forecast_of(scope)->limit_name;
    return name.size > 0 ? hsd_value_text(name) : hsd_value_string("asked");
}
static hsd_value used_name(const hsd_scope *scope)
{
    const hsd_text name = forecast_of(scope)->used_name;
    return name.size > 0 ? hsd_value_text(name) : hsd_value_string("heap");
}

static const hsd_column forecast_columns[] = {
    {"limit_bytes", HSD_KIND_COUNT, HSD_AT(hsd_forecast, limit_bytes)},
    {"limit", HSD_KIND_TEXT, .get = limit_name},
    {"used_bytes", HSD_KIND_COUNT, HSD_AT(hsd_forecast, used_bytes)},
    {"used", HSD_KIND_TEXT, .get = used_name},
    {"bytes_per_hour", HSD_KIND_SIGNED, HSD_AT(hsd_forecast, per_hour)},
    {"full", HSD_KIND_TIME, HSD_AT(hsd_forecast, full_unix_ns), .flags = HSD_OR_NULL},
    {"why_not", HSD_KIND_TEXT, HSD_AT(hsd_forecast, why_not), .flags = HSD_IF_ANY},
    {0},
};

const hsd_column hsd_series_fact_columns[] = {
    {"captures", HSD_KIND_SIZE, HSD_AT(hsd_series, point_count), .in = HSD_IN_RECORDS},
    {"before_count", HSD_KIND_SIZE, HSD_AT(hsd_series, before_count)},
    {"warmup", HSD_KIND_COUNT32, HSD_AT(hsd_series, warmup)},
    {"has_times", HSD_KIND_FLAG, HSD_AT(hsd_series, has_times)},
    {"one_process", HSD_KIND_FLAG, HSD_AT(hsd_series, is_one_process)},
    {"noise_bytes", HSD_KIND_COUNT, HSD_AT(hsd_series, noise_bytes)},
    {"pair", HSD_KIND_RECORD, .has = has_pair, .columns = pair_columns},
    {"forecast", HSD_KIND_RECORD, .has = has_limit, .into = forecast_in, .columns = forecast_columns},
    {0},
};

/* ---- values, trend, contrast ---- */

static const hsd_column objects_column[] = {{NULL, HSD_KIND_COUNT, HSD_AT(hsd_amount, objects)}, {0}};
static const hsd_column bytes_column[] = {{NULL, HSD_KIND_COUNT, HSD_AT(hsd_amount, bytes)}, {0}};

static hsd_value values_of(const hsd_scope *scope)
{
    return hsd_value_items(((const hsd_series_row *)scope->row)->values, series_of(scope)->point_count,
                           sizeof(hsd_amount));
}

static bool is_known_row(const hsd_scope *scope)
{
    return !scope->is_rest || ((const hsd_series_others *)scope->row)->has_trend;
}
static bool has_trend(const hsd_scope *scope) { return !is_contrast(scope) && is_known_row(scope); }
static bool has_times(const hsd_scope *scope) { return series_of(scope)->has_times; }

static hsd_value verdict_of(const hsd_scope *scope)
{
    return hsd_value_string(hsd_verdict_word(((const hsd_series_row *)scope->row)->trend.verdict));
}

static const hsd_column trend_columns[] = {
    {"growth", HSD_KIND_SIGNED, HSD_AT(hsd_trend, growth)},
    {"per_step", HSD_KIND_SIGNED, HSD_AT(hsd_trend, per_step)},
    {"per_hour", HSD_KIND_SIGNED, HSD_AT(hsd_trend, per_hour), .is_known = has_times},
    {"least_step", HSD_KIND_SIGNED, HSD_AT(hsd_trend, least_step)},
    {"median_step", HSD_KIND_SIGNED, HSD_AT(hsd_trend, median_step)},
    {"last_step", HSD_KIND_SIGNED, HSD_AT(hsd_trend, last_step)},
    {"steps", HSD_KIND_COUNT32, HSD_AT(hsd_trend, step_count)},
    {"up", HSD_KIND_COUNT32, HSD_AT(hsd_trend, up_count)},
    {"down", HSD_KIND_COUNT32, HSD_AT(hsd_trend, down_count)},
    {"p", HSD_KIND_MILLIONTHS, HSD_AT(hsd_trend, p_millionths)},
    {0},
};

static hsd_value growth_of_medians(const hsd_scope *scope)
{
    const hsd_contrast *contrast = scope->row;
    return hsd_value_signed((int64_t)(contrast->median_after - contrast->median_before));
}

static const hsd_column before_columns[] = {
    {"median", HSD_KIND_COUNT, HSD_AT(hsd_contrast, median_before)},
    {"spread", HSD_KIND_COUNT, HSD_AT(hsd_contrast, spread_before)},
    {0},
};

static const hsd_column after_columns[] = {
    {"median", HSD_KIND_COUNT, HSD_AT(hsd_contrast, median_after)},
    {"spread", HSD_KIND_COUNT, HSD_AT(hsd_contrast, spread_after)},
    {0},
};

static const hsd_column contrast_columns[] = {
    {"before", HSD_KIND_RECORD, .columns = before_columns},
    {"after", HSD_KIND_RECORD, .columns = after_columns},
    {"growth", HSD_KIND_SIGNED, .get = growth_of_medians},
    {"p", HSD_KIND_MILLIONTHS, HSD_AT(hsd_contrast, p_millionths)},
    {"significant", HSD_KIND_FLAG, HSD_AT(hsd_contrast, is_significant)},
    {0},
};

const hsd_column hsd_series_number_columns[] = {
    {"objects", HSD_KIND_LIST, .get = values_of, .columns = objects_column},
    {"bytes", HSD_KIND_LIST, .get = values_of, .columns = bytes_column},
    {"trend", HSD_KIND_RECORD, HSD_AT(hsd_series_row, trend), .is_known = has_trend, .columns = trend_columns},
    {"verdict", HSD_KIND_STRING, .get = verdict_of, .is_known = has_trend},
    {"contrast", HSD_KIND_RECORD, HSD_AT(hsd_series_row, contrast), .has = is_contrast, .is_known = is_known_row,
     .columns = contrast_columns},
    {0},
};

/* ---- types, roots, holders, what is lost ---- */

static hsd_value kind_of(const hsd_scope *scope)
{
    const hsd_series_row *row = scope->row;
    return hsd_value_string(row->is_shared ? "shared" : hsd_root_kind_word(row->flags));
}

const hsd_column hsd_series_type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_series_number_columns},
    {0},
};

const hsd_column hsd_series_root_columns[] = {
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {"kind", HSD_KIND_STRING, .get = kind_of},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_series_number_columns},
    {0},
};

const hsd_column hsd_series_holder_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_series_row, root)},
    {"kind", HSD_KIND_STRING, .get = kind_of},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_series_row, path, path_count, hsd_step), .columns = hsd_step_columns},
    {"holders", HSD_KIND_LIST, HSD_LIST_AT(hsd_series_row, held, held_count, hsd_holder *), .columns = hsd_held_columns,
     .flags = HSD_IF_ANY | HSD_OF_POINTERS},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_series_number_columns},
    {0},
};

static const void *frame_in(const hsd_scope *scope) { return ((const hsd_series_row *)scope->row)->frame; }

const hsd_column hsd_series_lost_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {"cycle", HSD_KIND_TEXT, HSD_AT(hsd_series_row, cycle), .flags = HSD_OR_NULL},
    {"place", HSD_KIND_TEXT, HSD_AT(hsd_series_row, place), .flags = HSD_OR_NULL},
    {"frame", HSD_KIND_RECORD, .into = frame_in, .columns = hsd_frame_columns},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_series_number_columns},
    {0},
};

/* ---- cohorts ---- */

static const hsd_cohort_row *born_of(const hsd_scope *scope) { return scope->row; }
static const hsd_cohorts *cohorts_of(const hsd_scope *scope) { return &series_of(scope)->cohorts; }

static hsd_value alive_of(const hsd_scope *scope)
{
    const size_t count = cohorts_of(scope)->cohort_count;
    return hsd_value_items(born_of(scope)->alive, count, count * sizeof(hsd_amount));
}

/* Those that had come by then. */
static hsd_value alive_at(const hsd_scope *scope)
{
    return hsd_value_items(scope->row, scope->index + 1, sizeof(hsd_amount));
}

static const hsd_column amount_column[] = {{NULL, HSD_KIND_AMOUNT, .at = 0}, {0}};
static const hsd_column alive_column[] = {{NULL, HSD_KIND_LIST, .get = alive_at, .columns = amount_column}, {0}};

/* For each cohort in whose last capture is counted. */
static const hsd_column alive_columns[] = {{"alive", HSD_KIND_LIST, .get = alive_of, .columns = alive_column}, {0}};

static const hsd_column cohort_type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_cohort_row, name)},
    {NULL, HSD_KIND_SPREAD, .columns = alive_columns},
    {0},
};

static const hsd_column span_columns[] = {
    {"first", HSD_KIND_COUNT32, HSD_AT(hsd_cohort, first)},
    {"last", HSD_KIND_COUNT32, HSD_AT(hsd_cohort, last)},
    {0},
};

static hsd_value by_structure(const hsd_scope *scope)
{
    return (hsd_value){.kind = HSD_KIND_FLAG, .flag = cohorts_of(scope)->is_by_structure};
}
static hsd_value spans_of(const hsd_scope *scope)
{
    return hsd_value_items(cohorts_of(scope)->cohorts, cohorts_of(scope)->cohort_count, sizeof(hsd_cohort));
}
static const void *all_in(const hsd_scope *scope) { return &cohorts_of(scope)->all; }
static const void *since_in(const hsd_scope *scope) { return cohorts_of(scope)->retained_since; }
static hsd_value since_of(const hsd_scope *scope)
{
    return hsd_value_items(scope->row, series_of(scope)->point_count, sizeof(hsd_amount));
}

static hsd_value cohort_types(const hsd_scope *scope)
{
    return hsd_value_items(cohorts_of(scope)->types, ((const hsd_series_cohorts_row *)scope->row)->types,
                           sizeof(hsd_cohort_row));
}

static const hsd_column since_columns[] = {
    {"objects", HSD_KIND_LIST, .get = since_of, .columns = objects_column},
    {"bytes", HSD_KIND_LIST, .get = since_of, .columns = bytes_column},
    {0},
};

const hsd_column hsd_series_cohorts_columns[] = {
    {"by_structure", HSD_KIND_FLAG, .get = by_structure},
    {"cohorts", HSD_KIND_LIST, .get = spans_of, .columns = span_columns},
    {"all", HSD_KIND_RECORD, .into = all_in, .columns = alive_columns},
    {"types", HSD_KIND_LIST, .get = cohort_types, .columns = cohort_type_columns,
     .flags = HSD_ON_LINES | HSD_CLOSED_BEHIND},
    {"retained_since", HSD_KIND_RECORD, .into = since_in, .columns = since_columns},
    {0},
};

static hsd_value alive_since(const hsd_scope *scope)
{
    const hsd_cohorts *cohorts = cohorts_of(scope);
    const size_t born = scope->index, count = cohorts->cohort_count;
    return hsd_value_items(&cohorts->all.alive[born * count + born], count - born, count * sizeof(hsd_amount));
}

/* What was live of it at the end of each cohort from its own on. */
const hsd_column hsd_series_cohort_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = span_columns},
    {"by_structure", HSD_KIND_FLAG, .get = by_structure},
    {"alive", HSD_KIND_LIST, .get = alive_since, .columns = amount_column},
    {0},
};

static hsd_value came_of(const hsd_scope *scope)
{
    return hsd_value_amount(hsd_survival_of(cohorts_of(scope), scope->row).came);
}
static hsd_value stayed_of(const hsd_scope *scope)
{
    return hsd_value_amount(hsd_survival_of(cohorts_of(scope), scope->row).stayed);
}

const hsd_column hsd_series_survivor_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_cohort_row, name)},
    {"came", HSD_KIND_AMOUNT, .get = came_of},
    {"stayed", HSD_KIND_AMOUNT, .get = stayed_of},
    {0},
};

/* ---- CSV ---- */

static const hsd_series_csv_row *csv_of(const hsd_scope *scope) { return scope->row; }
static const hsd_series_row *row_in(const hsd_scope *scope) { return csv_of(scope)->row; }
static hsd_value csv_name(const hsd_scope *scope) { return hsd_value_text(row_in(scope)->name); }
static hsd_value csv_root(const hsd_scope *scope) { return hsd_value_text(row_in(scope)->root); }
static hsd_value csv_capture(const hsd_scope *scope)
{
    return hsd_value_count((uint64_t)(csv_of(scope)->point - series_of(scope)->points) + 1);
}
static hsd_value csv_label(const hsd_scope *scope) { return hsd_value_text(csv_of(scope)->point->label); }
static const void *csv_point(const hsd_scope *scope) { return csv_of(scope)->point; }

static hsd_value csv_table(const hsd_scope *scope)
{
    static const char *const nouns[] = {[HSD_TABLE_TYPES] = "type",
                                        [HSD_TABLE_ROOTS] = "root",
                                        [HSD_TABLE_HOLDERS] = "holder",
                                        [HSD_TABLE_LOST] = "lost",
                                        [HSD_TABLE_TREE] = "others"};
    return hsd_value_string(nouns[csv_of(scope)->table]);
}

static hsd_status csv_path(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_series_row *row = row_in(scope);
    if (csv_of(scope)->table == HSD_TABLE_LOST) return hsd_buffer_append(text, row->place.data, row->place.size, err);
    return csv_of(scope)->table == HSD_TABLE_HOLDERS ? hsd_series_append_place(text, row, err) : HSD_OK;
}

static const hsd_column csv_point_columns[] = {
    {"taken", HSD_KIND_TIME, HSD_AT(hsd_series_point, side.info.taken_unix_ns)}, {0}};

/* `name` is the type or root, of a holder its type, empty for the root itself, of what is lost the type of what heads
 * it; `root` and `path` are of holders, and of what is lost `path` is who allocated that. `table` says others of what
 * is no row, whose name is empty. */
const hsd_column hsd_series_csv_columns[] = {
    {"table", HSD_KIND_STRING, .get = csv_table},
    {"name", HSD_KIND_TEXT, .get = csv_name},
    {"root", HSD_KIND_TEXT, .get = csv_root},
    {"path", HSD_KIND_WORDS, .words = csv_path},
    {"capture", HSD_KIND_COUNT, .get = csv_capture},
    {"label", HSD_KIND_TEXT, .get = csv_label},
    {NULL, HSD_KIND_SPREAD, .into = csv_point, .columns = csv_point_columns},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_series_csv_row, value.objects)},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_series_csv_row, value.bytes)},
    {0},
};

/* ---- --plain: captures count from 1 ---- */

static hsd_value grown_bytes(const hsd_scope *scope)
{
    const hsd_amount *values = ((const hsd_series_row *)scope->row)->values;
    return hsd_value_signed((int64_t)(hsd_series_last(series_of(scope), values).bytes -
                                      hsd_series_first(series_of(scope), values).bytes));
}

static hsd_value grown_objects(const hsd_scope *scope)
{
    const hsd_amount *values = ((const hsd_series_row *)scope->row)->values;
    return hsd_value_signed((int64_t)(hsd_series_last(series_of(scope), values).objects -
                                      hsd_series_first(series_of(scope), values).objects));
}

/* The place of a holder; of other rows nothing. */
static hsd_status plain_place(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return hsd_series_append_place(text, scope->row, err);
}

static hsd_value significance(const hsd_scope *scope)
{
    return hsd_value_string(((const hsd_contrast *)scope->row)->is_significant ? "significant" : "~");
}

static const hsd_column plain_trend_columns[] = {
    {"per_step", HSD_KIND_SIGNED, HSD_AT(hsd_trend, per_step)},
    {"per_hour", HSD_KIND_SIGNED, HSD_AT(hsd_trend, per_hour), .is_known = has_times},
    {"steps", HSD_KIND_COUNT32, HSD_AT(hsd_trend, step_count)},
    {"up", HSD_KIND_COUNT32, HSD_AT(hsd_trend, up_count)},
    {"down", HSD_KIND_COUNT32, HSD_AT(hsd_trend, down_count)},
    {"p", HSD_KIND_MILLIONTHS, HSD_AT(hsd_trend, p_millionths)},
    {0},
};

static const hsd_column plain_contrast_columns[] = {
    {"before_median", HSD_KIND_COUNT, HSD_AT(hsd_contrast, median_before)},
    {"before_spread", HSD_KIND_COUNT, HSD_AT(hsd_contrast, spread_before)},
    {"after_median", HSD_KIND_COUNT, HSD_AT(hsd_contrast, median_after)},
    {"after_spread", HSD_KIND_COUNT, HSD_AT(hsd_contrast, spread_after)},
    {"median_growth", HSD_KIND_SIGNED, .get = growth_of_medians},
    {"p", HSD_KIND_MILLIONTHS, HSD_AT(hsd_contrast, p_millionths)},
    {"significance", HSD_KIND_STRING, .get = significance},
    {0},
};

static const hsd_column plain_name_columns[] = {
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {"place", HSD_KIND_WORDS, .words = plain_place},
    {"growth_bytes", HSD_KIND_SIGNED, .get = grown_bytes},
    {"growth_objects", HSD_KIND_SIGNED, .get = grown_objects},
    {"bytes", HSD_KIND_LIST, .get = values_of, .columns = bytes_column},
    {0},
};

static const hsd_column plain_trend_row_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = plain_name_columns},
    {NULL, HSD_KIND_SPREAD, HSD_AT(hsd_series_row, trend), .is_known = is_known_row, .columns = plain_trend_columns},
    {"verdict", HSD_KIND_STRING, .get = verdict_of, .is_known = is_known_row},
    {0},
};

static const hsd_column plain_contrast_row_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = plain_name_columns},
    {NULL, HSD_KIND_SPREAD, HSD_AT(hsd_series_row, contrast), .is_known = is_known_row,
     .columns = plain_contrast_columns},
    {0},
};

const char *hsd_series_plain_row(const hsd_series *series)
{
    return series->before_count > 0
               ? "name place growth_bytes growth_objects before_median before_spread after_median after_spread "
                 "median_growth p significance bytes"
               : "name place growth_bytes growth_objects per_step per_hour steps up down p verdict bytes";
}

const hsd_column *hsd_series_plain_columns(const hsd_series *series)
{
    return series->before_count > 0 ? plain_contrast_row_columns : plain_trend_row_columns;
}

static const hsd_series_plain_cohort *cohort_of(const hsd_scope *scope) { return scope->row; }
static hsd_value cohort_type(const hsd_scope *scope) { return hsd_value_text(cohort_of(scope)->row->name); }
static hsd_value cohort_first(const hsd_scope *scope)
{
    return hsd_value_count(cohorts_of(scope)->cohorts[cohort_of(scope)->born].first + UINT64_C(1));
}
static hsd_value cohort_last(const hsd_scope *scope)
{
    return hsd_value_count(cohorts_of(scope)->cohorts[cohort_of(scope)->born].last + UINT64_C(1));
}
static hsd_value cohort_live_at(const hsd_scope *scope)
{
    return hsd_value_count(cohorts_of(scope)->cohorts[cohort_of(scope)->at].last + UINT64_C(1));
}

static hsd_amount cohort_alive(const hsd_scope *scope)
{
    return hsd_cohort_alive(cohorts_of(scope), cohort_of(scope)->row, cohort_of(scope)->at, cohort_of(scope)->born);
}

static hsd_value cohort_bytes(const hsd_scope *scope) { return hsd_value_count(cohort_alive(scope).bytes); }
static hsd_value cohort_objects(const hsd_scope *scope) { return hsd_value_count(cohort_alive(scope).objects); }

const hsd_column hsd_series_plain_cohort_columns[] = {
    {"type", HSD_KIND_TEXT, .get = cohort_type},
    {"first_capture", HSD_KIND_COUNT, .get = cohort_first},
    {"last_capture", HSD_KIND_COUNT, .get = cohort_last},
    {"live_at", HSD_KIND_COUNT, .get = cohort_live_at},
    {"bytes", HSD_KIND_COUNT, .get = cohort_bytes},
    {"objects", HSD_KIND_COUNT, .get = cohort_objects},
    {0},
};

const hsd_column hsd_series_plain_since_columns[] = {
    {"capture", HSD_KIND_COUNT, .get = plain_number},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_amount, bytes)},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_amount, objects)},
    {0},
};
