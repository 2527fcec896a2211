/*
 * Fields of a check. Numbers are exact integers in the unit that the rule names; percents are millionths of the whole.
 */
#include "report/check_fields.h"

#include "report/check_words.h"
#include "report/json_holders.h"
#include "report/json_pieces.h"

static void put_signed_or_null(hsd_out *out, bool is_known, const char *key, int64_t value)
{
    if (is_known)
        hsd_json_signed(out, key, value);
    else
        hsd_out_format(out, "%snull", key);
}

static void put_count_or_null(hsd_out *out, bool is_known, const char *key, uint64_t value)
{
    if (is_known)
        hsd_json_count(out, key, value);
    else
        hsd_out_format(out, "%snull", key);
}

static void put_string_or_null(hsd_out *out, bool is_known, const char *key, hsd_text text)
{
    if (is_known)
        hsd_json_string(out, key, text);
    else
        hsd_out_format(out, "%snull", key);
}

void hsd_check_put_sum(hsd_out *out, const hsd_check *check)
{
    hsd_json_text(out, "\"verdict\": ", hsd_check_verdict(check));
    hsd_json_count(out, ", \"exit_status\": ", (uint64_t)hsd_check_status(check));
    hsd_json_count(out, ", \"rules\": {\"all\": ", check->row_count);
    hsd_json_count(out, ", \"failed\": ", check->failed);
    hsd_json_count(out, ", \"warned\": ", check->warned);
    hsd_json_count(out, ", \"passed\": ", check->passed);
    hsd_json_count(out, ", \"unknown\": ", check->unknown);
    hsd_json_count(out, ", \"off\": ", hsd_check_off(check));
    hsd_out_text(out, "}");
}

/* ---- the configuration ---- */

static void put_allowance(hsd_out *out, const hsd_allowance *allowance)
{
    char day[HSD_NUMBER_CHARS];
    hsd_json_text(out, "{\"subject\": ", hsd_subject_name(allowance->subject));
    hsd_json_string(out, ", \"pattern\": ", allowance->pattern);
    hsd_json_string(out, ", \"reason\": ", allowance->reason);
    put_count_or_null(out, allowance->up_to_bytes != UINT64_MAX, ", \"up_to_bytes\": ", allowance->up_to_bytes);
    if (allowance->until_day == INT32_MAX)
        hsd_out_text(out, ", \"until\": null");
    else
        hsd_json_text(out, ", \"until\": ", hsd_format_day(day, allowance->until_day));
    put_count_or_null(out, allowance->line > 0, ", \"line\": ", allowance->line);
    hsd_out_text(out, "}");
}

void hsd_check_put_config(hsd_out *out, const hsd_check_config *config)
{
    hsd_json_string(out, "\"name\": ", config->name);
    hsd_json_bool(out, ", \"built_in\": ", config->is_built_in);
    hsd_json_texts(out, ", \"ignore\": ", config->ignore, config->ignore_count);
    put_count_or_null(out, config->has_min, ", \"min_bytes\": ", config->min_bytes);
    put_count_or_null(out, config->has_warmup, ", \"warmup\": ", config->warmup);
    put_count_or_null(out, config->one_off_bytes != UINT64_MAX, ", \"one_off_bytes\": ", config->one_off_bytes);
    hsd_out_text(out, ", \"allow\": [");
    for (size_t i = 0; i < config->allow_count; i++) {
        hsd_out_text(out, i > 0 ? ", " : "");
        put_allowance(out, &config->allow[i]);
    }
    hsd_out_text(out, "]");
}

/* ---- a rule ---- */

static void put_limits(hsd_out *out, const hsd_rule *rule)
{
    hsd_out_text(out, ", \"limits\": [");
    for (size_t i = 0; i < rule->limit_count; i++) {
        const hsd_limit *limit = &rule->limits[i];
        const bool is_percent = limit->unit == HSD_LIMIT_PERCENT || limit->unit == HSD_LIMIT_PERCENT_PER_ROUND;
        hsd_json_text(out, i > 0 ? ", {\"unit\": " : "{\"unit\": ", hsd_limit_unit_name(limit->unit));
        if (limit->unit != HSD_LIMIT_AUTO) hsd_json_count(out, is_percent ? ", \"millionths\": " : ", \"amount\": ", limit->amount);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

void hsd_check_put_rule(hsd_out *out, const hsd_check_row *row)
{
    const hsd_rule *rule = row->rule;
    const bool is_judged = row->outcome != HSD_CHECK_UNKNOWN && row->outcome != HSD_CHECK_OFF;
    hsd_json_string(out, "\"rule\": ", rule->name);
    hsd_json_text(out, ", \"outcome\": ", hsd_outcome_name(row->outcome));
    hsd_json_text(out, ", \"level\": ", hsd_level_name(rule->level));
    put_count_or_null(out, rule->line > 0, ", \"line\": ", rule->line);
    hsd_json_text(out, ", \"subject\": ", hsd_subject_name(rule->subject));
    put_string_or_null(out, rule->subject != HSD_SUBJECT_HEAP, ", \"pattern\": ", rule->pattern);
    hsd_json_bool(out, ", \"each\": ", rule->is_each || rule->subject == HSD_SUBJECT_HOLDER);
    hsd_json_text(out, ", \"measure\": ", hsd_measure_name(rule));
    put_string_or_null(out, rule->measure == HSD_MEASURE_CAPTURE, ", \"metric\": ", rule->capture_metric);
    hsd_json_text(out, ", \"unit\": ", hsd_row_unit(row));
    put_limits(out, rule);
    put_signed_or_null(out, is_judged, ", \"found\": ", row->found);
    put_signed_or_null(out, is_judged, ", \"limit\": ", row->limit);
    put_signed_or_null(out, is_judged, ", \"over\": ", row->over);
    hsd_json_bool(out, ", \"per_round\": ", row->is_per_round);
    put_string_or_null(out, row->why_unknown.size > 0, ", \"why_unknown\": ", row->why_unknown);
    hsd_json_count(out, ", \"other_findings\": ", row->other_findings);
    hsd_json_held(out, ", \"holders\": ", row->held, row->held_count);
}

/* ---- a finding ---- */

static void put_frames(hsd_out *out, const hsd_site_growth *site)
{
    hsd_out_text(out, ", \"frames\": [");
    for (size_t i = 0; i < site->frame_count; i++) {
        const hsd_site_frame *frame = &site->frames[i];
        hsd_json_string(out, i > 0 ? ", {\"function\": " : "{\"function\": ", frame->function);
        hsd_json_string(out, ", \"file\": ", frame->file);
        put_count_or_null(out, frame->line > 0, ", \"line\": ", frame->line);
        put_count_or_null(out, frame->column > 0, ", \"column\": ", frame->column);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_sites(hsd_out *out, const hsd_finding *finding)
{
    hsd_out_text(out, ", \"sites\": [");
    for (size_t i = 0; i < finding->site_count; i++) {
        const hsd_site_growth *site = &finding->sites[i];
        hsd_json_string(out, i > 0 ? ", {\"type\": " : "{\"type\": ", site->type);
        hsd_json_amount(out, ", \"before\": ", site->before);
        hsd_json_amount(out, ", \"after\": ", site->after);
        put_frames(out, site);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_place(hsd_out *out, const hsd_finding *finding)
{
    hsd_buffer place = {0};
    if (out->status == HSD_OK) out->status = hsd_finding_append_place(&place, finding, out->err);
    put_string_or_null(out, place.size > 0, ", \"place\": ", (hsd_text){(const char *)place.data, place.size});
    hsd_buffer_release(&place);
}

void hsd_check_put_finding(hsd_out *out, const hsd_finding *finding)
{
    hsd_json_string(out, "\"name\": ", finding->name);
    put_string_or_null(out, finding->root.size > 0, ", \"root\": ", finding->root);
    hsd_json_steps(out, ", \"path\": ", finding->path, finding->path_count);
    put_place(out, finding);
    if (finding->held_count > 0) hsd_json_held(out, ", \"holders\": ", finding->held, finding->held_count);
    else hsd_json_held(out, ", \"holders\": ", &finding->holder, finding->holder != NULL);
    if (finding->cycle.size > 0) hsd_json_string(out, ", \"cycle\": ", finding->cycle);
    hsd_json_text(out, ", \"state\": ", hsd_finding_state(finding));
    hsd_json_signed(out, ", \"before\": ", finding->before);
    hsd_json_signed(out, ", \"after\": ", finding->after);
    hsd_json_signed(out, ", \"growth\": ", finding->growth);
    hsd_json_signed(out, ", \"limit\": ", finding->limit);
    hsd_json_bool(out, ", \"limit_is_per_round\": ", finding->is_per_round);
    hsd_json_signed(out, ", \"per_round\": ", finding->per_round);
    hsd_json_count(out, ", \"rounds\": ", finding->round_count);
    hsd_json_count(out, ", \"rounds_up\": ", finding->up_count);
    hsd_json_count(out, ", \"p_millionths\": ", finding->p_millionths);
    hsd_out_text(out, ", \"allowed\": ");
    if (finding->allowed)
        put_allowance(out, finding->allowed);
    else
        hsd_out_text(out, "null");
    put_sites(out, finding);
}
