/*
 * Tables from columns: rows that are kept and rows that are folded, verdicts, and the order in which reports show them.
 */
#include "series/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

/* Whatever the budget. */
#define ROWS_LEAST 64u

/* ---- verdicts ---- */

void hsd_rows_judge(const hsd_series *series, hsd_series_row *row)
{
    uint64_t bytes[HSD_SERIES_MOST], times[HSD_SERIES_MOST];
    const size_t count = series->point_count, before = series->before_count;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = row->values[i].bytes;
        times[i] = series->points[i].side.info.taken_unix_ns;
    }
    row->trend = hsd_trend_of(bytes + series->warmup, series->has_times ? times + series->warmup : NULL,
                              count - series->warmup, series->noise_bytes);
    row->enlarged = hsd_trend_enlarged(row->values, series->point_count);
    if (before > 0) row->contrast = hsd_contrast_of(bytes, before, bytes + before, count - before);
}

/* ---- order ---- */

static int compare_growth(int64_t a, int64_t b) { return (a < b) - (a > b); }

static int compare_steps(const hsd_step *a, const hsd_step *b)
{
    int order = hsd_series_compare(a->edge, b->edge);
    if (order == 0) order = hsd_series_compare(a->type, b->type);
    return order != 0 ? order : (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

static int compare_names(const hsd_series_row *a, const hsd_series_row *b)
{
    int order = hsd_series_compare(a->name, b->name);
    if (order == 0) order = hsd_series_compare(a->root, b->root);
    if (order == 0) order = hsd_series_compare(a->place, b->place);
    for (size_t i = 0; order == 0 && i < a->path_count && i < b->path_count; i++)
        order = compare_steps(&a->path[i], &b->path[i]);
    if (order == 0) order = (a->path_count > b->path_count) - (a->path_count < b->path_count);
    return order != 0 ? order : (a->values > b->values) - (a->values < b->values); /* as they came */
}

static int compare_trends(const void *left, const void *right)
{
    const hsd_series_row *a = left, *b = right;
    const int order = compare_growth(a->trend.growth, b->trend.growth);
    return order != 0 ? order : compare_names(a, b);
}

static int64_t change_of(const hsd_contrast *c) { return (int64_t)(c->median_after - c->median_before); }

static int compare_contrasts(const void *left, const void *right)
{
    const hsd_series_row *a = left, *b = right;
    const int order = compare_growth(change_of(&a->contrast), change_of(&b->contrast));
    return order != 0 ? order : compare_names(a, b);
}

void hsd_rows_order(const hsd_series *series, hsd_series_table *table)
{
    qsort(table->rows, table->row_count, sizeof *table->rows,
          series->before_count > 0 ? compare_contrasts : compare_trends);
}

/* ---- which are kept ---- */

typedef struct weight {
    uint64_t most_bytes; /* in any capture */
    uint32_t candidate;
} weight;

static int compare_weights(const void *left, const void *right)
{
    const weight *a = left, *b = right;
    if (a->most_bytes != b->most_bytes) return a->most_bytes < b->most_bytes ? 1 : -1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

static hsd_status weigh(const hsd_rows_source *source, weight *weights, hsd_error *err)
{
    uint64_t *most = calloc((size_t)source->candidate_count + 1, sizeof *most);
    if (most == NULL) return hsd_fail_nomem(err, "the rows of the series");
    const hsd_status status =
        hsd_columns_most(source->columns, source->target, most, (size_t)source->candidate_count + 1, err);
    for (uint32_t i = 0; i < source->candidate_count; i++)
        weights[i] = (weight){most[i], i};
    free(most);
    qsort(weights, source->candidate_count, sizeof *weights, compare_weights);
    return status;
}

/* keep[i]: place of candidate i among the rows, or `kept` for one of the others. */
static hsd_status choose_series_row(const hsd_rows_source *source, uint32_t kept, uint32_t *keep, hsd_error *err)
{
    for (uint32_t i = 0; i <= source->candidate_count; i++)
        keep[i] = kept == source->candidate_count ? i : kept;
    if (kept == source->candidate_count) return HSD_OK;
    weight *weights = malloc(source->candidate_count * sizeof *weights);
    if (weights == NULL) return hsd_fail_nomem(err, "the rows of the series");
    const hsd_status status = weigh(source, weights, err);
    for (uint32_t i = 0; i < kept && status == HSD_OK; i++)
        keep[weights[i].candidate] = i;
    free(weights);
    return status;
}

static uint32_t rows_that_fit(const hsd_series *series, const hsd_rows_source *source)
{
    const uint64_t row_bytes = series->point_count * sizeof(hsd_amount) + sizeof(hsd_series_row);
    return (uint32_t)hsd_min_u64(source->candidate_count, hsd_max_u64(source->memory_bytes / row_bytes, ROWS_LEAST));
}

/* ---- the table ---- */

/* Roots and "(roots)" can be there and hold nothing. */
static bool has_objects(const hsd_series_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (row->values[i].objects != 0 || row->values[i].bytes != 0) return true;
    }
    return false;
}

static void drop_empty_rows(hsd_series_table *table, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        if (has_objects(&table->rows[i], count)) table->rows[kept++] = table->rows[i];
    }
    table->row_count = kept;
}

static hsd_status fill_series_row(hsd_series *series, hsd_series_table *table, const hsd_rows_source *source,
                                  const uint32_t *keep, uint32_t kept, hsd_error *err)
{
    const size_t count = series->point_count;
    void *rows, *values;
    HSD_TRY(hsd_series_take(series->store, kept * sizeof *table->rows, &rows, err));
    HSD_TRY(hsd_series_take(series->store, ((size_t)kept + 1) * count * sizeof(hsd_amount), &values, err));
    table->rows = rows;
    table->row_count = kept;
    for (uint32_t i = 0; i < source->columns->row_count; i++)
        source->target[i] = keep[source->target[i]];
    HSD_TRY(hsd_columns_lay_out(source->columns, source->target, values, err));
    for (uint32_t i = 0; i < source->candidate_count; i++) {
        if (keep[i] == kept) continue;
        hsd_series_row *row = &table->rows[keep[i]];
        row->values = (const hsd_amount *)values + (size_t)keep[i] * count;
        HSD_TRY(source->name(source->context, i, row, err));
    }
    table->others.name = (hsd_text){"", 0};
    table->others.values = (const hsd_amount *)values + (size_t)kept * count;
    table->other_count = source->candidate_count - kept + source->untold_count;
    return HSD_OK;
}

hsd_status hsd_rows_make(hsd_series *series, hsd_series_table *table, const hsd_rows_source *source, hsd_error *err)
{
    const uint32_t kept = rows_that_fit(series, source);
    uint32_t *keep = malloc(((size_t)source->candidate_count + 1) * sizeof *keep);
    if (keep == NULL) return hsd_fail_nomem(err, "the rows of the series");
    hsd_status status = choose_series_row(source, kept, keep, err);
    if (status == HSD_OK) status = fill_series_row(series, table, source, keep, kept, err);
    free(keep);
    HSD_TRY(status);
    drop_empty_rows(table, series->point_count);
    for (size_t i = 0; i < table->row_count; i++)
        hsd_rows_judge(series, &table->rows[i]);
    hsd_rows_judge(series, &table->others);
    hsd_rows_order(series, table);
    return HSD_OK;
}
