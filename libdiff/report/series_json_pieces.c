/*
 * Pieces of JSON of a series.
 */
#include "report/series_json_pieces.h"

#include "report/json_holders.h"
#include "report/json_pieces.h"

static void put_metrics(hsd_out *out, const hsd_series_point *point)
{
    hsd_out_text(out, ", \"metrics\": [");
    for (size_t i = 0; i < point->metric_count; i++) {
        hsd_json_string(out, i > 0 ? ", {\"name\": " : "{\"name\": ", point->metrics[i].name);
        hsd_json_string(out, ", \"unit\": ", point->metrics[i].unit);
        hsd_json_count(out, ", \"value\": ", point->metrics[i].value);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

void hsd_series_json_capture(hsd_out *out, const hsd_series_point *point)
{
    hsd_json_side_fields(out, "\"path\": ", &point->side, false);
    hsd_json_string(out, ", \"label\": ", point->label);
    hsd_json_bool(out, ", \"baseline\": ", point->is_baseline);
    hsd_json_bool(out, ", \"summary\": ", point->is_summary);
    put_metrics(out, point);
}

void hsd_series_json_facts(hsd_out *out, const hsd_series *series)
{
    hsd_json_count(out, "\"before_count\": ", series->before_count);
    hsd_json_count(out, ", \"warmup\": ", series->warmup);
    hsd_json_bool(out, ", \"has_times\": ", series->has_times);
    hsd_json_bool(out, ", \"one_process\": ", series->is_one_process);
    hsd_json_count(out, ", \"noise_bytes\": ", series->noise_bytes);
    if (!series->pair) return;
    hsd_json_count(out, ", \"pair\": {\"from\": ", series->pair_from);
    hsd_json_count(out, ", \"to\": ", series->pair_to);
    hsd_out_text(out, "}");
}

void hsd_series_json_values(hsd_out *out, const hsd_series *series, const hsd_amount *values)
{
    hsd_out_text(out, "\"objects\": [");
    for (size_t i = 0; i < series->point_count; i++)
        hsd_json_count(out, i > 0 ? ", " : "", values[i].objects);
    hsd_out_text(out, "], \"bytes\": [");
    for (size_t i = 0; i < series->point_count; i++)
        hsd_json_count(out, i > 0 ? ", " : "", values[i].bytes);
    hsd_out_text(out, "]");
}

/* A probability as a number with six decimals, made of integers. */
static void put_p(hsd_out *out, const char *key, uint32_t p_millionths)
{
    hsd_out_format(out, "%s%lu.%06lu", key, (unsigned long)(p_millionths / 1000000),
                   (unsigned long)(p_millionths % 1000000));
}

static void put_trend(hsd_out *out, const hsd_series *series, const hsd_trend *trend)
{
    hsd_json_signed(out, ", \"trend\": {\"growth\": ", trend->growth);
    hsd_json_signed(out, ", \"per_step\": ", trend->per_step);
    if (series->has_times)
        hsd_json_signed(out, ", \"per_hour\": ", trend->per_hour);
    else
        hsd_out_text(out, ", \"per_hour\": null");
    hsd_json_signed(out, ", \"least_step\": ", trend->least_step);
    hsd_json_signed(out, ", \"median_step\": ", trend->median_step);
    hsd_json_signed(out, ", \"last_step\": ", trend->last_step);
    hsd_json_count(out, ", \"steps\": ", trend->step_count);
    hsd_json_count(out, ", \"up\": ", trend->up_count);
    hsd_json_count(out, ", \"down\": ", trend->down_count);
    put_p(out, ", \"p\": ", trend->p_millionths);
    hsd_json_text(out, "}, \"verdict\": ", hsd_verdict_word(trend->verdict));
}

static void put_side(hsd_out *out, const char *key, uint64_t median, uint64_t spread)
{
    hsd_json_count(out, key, median);
    hsd_json_count(out, ", \"spread\": ", spread);
    hsd_out_text(out, "}");
}

static void put_contrast(hsd_out *out, const hsd_contrast *contrast)
{
    put_side(out, ", \"contrast\": {\"before\": {\"median\": ", contrast->median_before, contrast->spread_before);
    put_side(out, ", \"after\": {\"median\": ", contrast->median_after, contrast->spread_after);
    hsd_json_signed(out, ", \"growth\": ", (int64_t)(contrast->median_after - contrast->median_before));
    put_p(out, ", \"p\": ", contrast->p_millionths);
    hsd_json_bool(out, ", \"significant\": ", contrast->is_significant);
    hsd_out_text(out, "}");
}

void hsd_series_json_numbers(hsd_out *out, const hsd_series *series, const hsd_amount *values,
                             const hsd_series_row *row)
{
    const bool is_contrast = series->before_count > 0;
    hsd_series_json_values(out, series, values);
    if (row && !is_contrast)
        put_trend(out, series, &row->trend);
    else
        hsd_out_text(out, ", \"trend\": null, \"verdict\": null");
    if (!is_contrast) return;
    if (row)
        put_contrast(out, &row->contrast);
    else
        hsd_out_text(out, ", \"contrast\": null");
}

static void put_kind(hsd_out *out, const hsd_series_row *row)
{
    if (row->is_shared)
        hsd_json_text(out, ", \"kind\": ", "shared");
    else
        hsd_json_root_kind(out, ", \"kind\": ", row->flags);
}

void hsd_series_json_name(hsd_out *out, hsd_report_table table, const hsd_series_row *row)
{
    const bool is_root = table == HSD_TABLE_ROOTS;
    hsd_json_string(out, is_root ? "\"root\": " : "\"type\": ", row->name);
    if (table == HSD_TABLE_HOLDERS) hsd_json_string(out, ", \"root\": ", row->root);
    if (table != HSD_TABLE_TYPES) put_kind(out, row);
    if (table != HSD_TABLE_HOLDERS) return;
    hsd_json_steps(out, ", \"path\": ", row->path, row->path_count);
    hsd_json_held(out, ", \"holders\": ", row->held, row->held_count);
}

static void put_known(hsd_out *out, const char *before, hsd_text text)
{
    if (text.size > 0) {
        hsd_json_string(out, before, text);
        return;
    }
    hsd_out_text(out, before);
    hsd_out_text(out, "null");
}

void hsd_series_json_lost(hsd_out *out, const hsd_series_row *row)
{
    hsd_json_string(out, "\"type\": ", row->name);
    put_known(out, ", \"cycle\": ", row->cycle);
    put_known(out, ", \"place\": ", row->place);
    if (row->frame == NULL) {
        hsd_out_text(out, ", \"frame\": null");
        return;
    }
    hsd_json_string(out, ", \"frame\": {\"function\": ", row->frame->function);
    hsd_json_string(out, ", \"file\": ", row->frame->file);
    hsd_json_count(out, ", \"line\": ", row->frame->line);
    hsd_json_count(out, ", \"column\": ", row->frame->column);
    hsd_out_text(out, "}");
}

void hsd_series_json_cohort(hsd_out *out, const hsd_cohort *cohort)
{
    hsd_json_count(out, "\"first\": ", cohort->first);
    hsd_json_count(out, ", \"last\": ", cohort->last);
}

void hsd_series_json_alive(hsd_out *out, const hsd_cohorts *cohorts, const hsd_cohort_row *row)
{
    hsd_out_text(out, "\"alive\": [");
    for (size_t at = 0; at < cohorts->cohort_count; at++) {
        hsd_out_text(out, at > 0 ? ", [" : "[");
        for (size_t born = 0; born <= at; born++)
            hsd_json_amount(out, born > 0 ? ", " : "", hsd_cohort_alive(cohorts, row, at, born));
        hsd_out_text(out, "]");
    }
    hsd_out_text(out, "]");
}
