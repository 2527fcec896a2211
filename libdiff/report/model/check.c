/*
 * What a report of a check says, schema hsdiff.check/1: how it ended, the configuration, the captures, the rules as
 * they stand in it and the findings of each, those first that fail it. Numbers are exact integers in the unit that the
 * rule names; percents are millionths of the whole.
 */
#include <stdlib.h>

#include "base/check.h"
#include "report/model/check_screen.h"
#include "report/model/columns.h"
#include "report/model/diff_screen.h"
#include "report/model/gauges.h"
#include "report/model/open.h"
#include "report/model/series_screen.h"
#include "report/sentences/check_words.h"

/* A record of CSV: a finding and its rule, or a rule that has none. */
typedef struct csv_row {
    const hsd_check_row *rule;
    const hsd_finding *finding;
} csv_row;

typedef struct check_model {
    hsd_model model;
    hsd_capture_row *captures;
    csv_row current;
    size_t rule, finding; /* of the record that is next */
    hsd_check_people people;
} check_model;

/* ---- how it ended ---- */

static const hsd_check *check_of(const hsd_scope *scope) { return scope->result; }
static hsd_value verdict_of(const hsd_scope *scope) { return hsd_value_string(hsd_check_verdict(check_of(scope))); }
static hsd_value status_of(const hsd_scope *scope)
{
    return hsd_value_count((uint64_t)hsd_check_status(check_of(scope)));
}
static hsd_value off_of(const hsd_scope *scope) { return hsd_value_count(hsd_check_off(check_of(scope))); }
static const void *config_of(const hsd_scope *scope) { return check_of(scope)->config; }

static const hsd_column count_columns[] = {
    {"all", HSD_KIND_SIZE, HSD_AT(hsd_check, row_count)},
    {"failed", HSD_KIND_SIZE, HSD_AT(hsd_check, failed)},
    {"warned", HSD_KIND_SIZE, HSD_AT(hsd_check, warned)},
    {"passed", HSD_KIND_SIZE, HSD_AT(hsd_check, passed)},
    {"unknown", HSD_KIND_SIZE, HSD_AT(hsd_check, unknown)},
    {"off", HSD_KIND_COUNT, .get = off_of},
    {0},
};

/* ---- the configuration ---- */

static const hsd_allowance *allowance_of(const hsd_scope *scope) { return scope->row; }
static hsd_value allowance_subject(const hsd_scope *scope)
{
    return hsd_value_string(hsd_subject_name(allowance_of(scope)->subject));
}
static bool has_bound(const hsd_scope *scope) { return allowance_of(scope)->up_to_bytes != UINT64_MAX; }
static bool has_end(const hsd_scope *scope) { return allowance_of(scope)->until_day != INT32_MAX; }

static hsd_value end_of_allowance(const hsd_scope *scope)
{
    hsd_value value = {.kind = HSD_KIND_TIME};
    hsd_format_day(value.hex, allowance_of(scope)->until_day);
    return value;
}

static const hsd_column allowance_columns[] = {
    {"subject", HSD_KIND_STRING, .get = allowance_subject},
    {"pattern", HSD_KIND_TEXT, HSD_AT(hsd_allowance, pattern)},
    {"reason", HSD_KIND_TEXT, HSD_AT(hsd_allowance, reason)},
    {"up_to_bytes", HSD_KIND_COUNT, HSD_AT(hsd_allowance, up_to_bytes), .is_known = has_bound},
    {"until", HSD_KIND_TIME, .get = end_of_allowance, .is_known = has_end},
    {"line", HSD_KIND_COUNT32, HSD_AT(hsd_allowance, line), .flags = HSD_OR_NULL},
    {0},
};

static bool has_min(const hsd_scope *scope) { return ((const hsd_check_config *)scope->row)->has_min; }
static bool has_warmup(const hsd_scope *scope) { return ((const hsd_check_config *)scope->row)->has_warmup; }
static bool has_one_off(const hsd_scope *scope)
{
    return ((const hsd_check_config *)scope->row)->one_off_bytes != UINT64_MAX;
}

static const hsd_column config_columns[] = {
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_check_config, name)},
    {"built_in", HSD_KIND_FLAG, HSD_AT(hsd_check_config, is_built_in)},
    {"ignore", HSD_KIND_LIST, HSD_LIST_AT(hsd_check_config, ignore, ignore_count, hsd_text),
     .columns = hsd_text_column},
    {"min_bytes", HSD_KIND_COUNT, HSD_AT(hsd_check_config, min_bytes), .is_known = has_min},
    {"warmup", HSD_KIND_COUNT32, HSD_AT(hsd_check_config, warmup), .is_known = has_warmup},
    {"one_off_bytes", HSD_KIND_COUNT, HSD_AT(hsd_check_config, one_off_bytes), .is_known = has_one_off},
    {"allow", HSD_KIND_LIST, HSD_LIST_AT(hsd_check_config, allow, allow_count, hsd_allowance),
     .columns = allowance_columns},
    {0},
};

static const hsd_column result_columns[] = {
    {"verdict", HSD_KIND_STRING, .get = verdict_of},
    {"exit_status", HSD_KIND_COUNT, .get = status_of},
    {"rules", HSD_KIND_RECORD, .columns = count_columns},
    {"config", HSD_KIND_RECORD, .in = HSD_IN_RECORDS, .into = config_of, .columns = config_columns},
    {0},
};

static const hsd_column warmup_columns[] = {{"warmup", HSD_KIND_COUNT32, HSD_AT(hsd_series, warmup)}, {0}};

/* ---- a rule ---- */

static const hsd_check_row *row_of(const hsd_scope *scope) { return scope->row; }
static const hsd_rule *rule_of(const hsd_scope *scope) { return row_of(scope)->rule; }
static hsd_value rule_name(const hsd_scope *scope) { return hsd_value_text(rule_of(scope)->name); }
static hsd_value outcome_of(const hsd_scope *scope)
{
    return hsd_value_string(hsd_outcome_name(row_of(scope)->outcome));
}
static hsd_value level_of(const hsd_scope *scope) { return hsd_value_string(hsd_level_name(rule_of(scope)->level)); }
static hsd_value line_of(const hsd_scope *scope) { return hsd_value_count(rule_of(scope)->line); }
static hsd_value subject_of(const hsd_scope *scope)
{
    return hsd_value_string(hsd_subject_name(rule_of(scope)->subject));
}
static hsd_value pattern_of(const hsd_scope *scope) { return hsd_value_text(rule_of(scope)->pattern); }
static hsd_value measure_of(const hsd_scope *scope) { return hsd_value_string(hsd_measure_name(rule_of(scope))); }
static hsd_value metric_of(const hsd_scope *scope) { return hsd_value_text(rule_of(scope)->capture_metric); }
static hsd_value unit_of(const hsd_scope *scope) { return hsd_value_string(hsd_row_unit(row_of(scope))); }
static bool has_pattern(const hsd_scope *scope) { return rule_of(scope)->subject != HSD_SUBJECT_HEAP; }
static bool has_metric(const hsd_scope *scope) { return rule_of(scope)->measure == HSD_MEASURE_CAPTURE; }
static bool is_judged(const hsd_scope *scope)
{
    return row_of(scope)->outcome != HSD_CHECK_UNKNOWN && row_of(scope)->outcome != HSD_CHECK_OFF;
}

static hsd_value each_of(const hsd_scope *scope)
{
    return (hsd_value){.kind = HSD_KIND_FLAG,
                       .flag = rule_of(scope)->is_each || rule_of(scope)->subject == HSD_SUBJECT_HOLDER};
}

static hsd_value limits_of(const hsd_scope *scope)
{
    return hsd_value_items(rule_of(scope)->limits, rule_of(scope)->limit_count, sizeof(hsd_limit));
}

static hsd_value unit_of_limit(const hsd_scope *scope)
{
    return hsd_value_string(hsd_limit_unit_name(((const hsd_limit *)scope->row)->unit));
}

static bool is_percent(const hsd_scope *scope)
{
    const hsd_limit_unit unit = ((const hsd_limit *)scope->row)->unit;
    return unit == HSD_LIMIT_PERCENT || unit == HSD_LIMIT_PERCENT_PER_ROUND;
}

static bool is_amount(const hsd_scope *scope)
{
    return ((const hsd_limit *)scope->row)->unit != HSD_LIMIT_AUTO && !is_percent(scope);
}

static const hsd_column limit_columns[] = {
    {"unit", HSD_KIND_STRING, .get = unit_of_limit},
    {"millionths", HSD_KIND_COUNT, HSD_AT(hsd_limit, amount), .has = is_percent},
    {"amount", HSD_KIND_COUNT, HSD_AT(hsd_limit, amount), .has = is_amount},
    {0},
};

/* ---- a finding ---- */

static const hsd_finding *finding_of(const hsd_scope *scope) { return scope->row; }
static hsd_value rule_of_finding(const hsd_scope *scope) { return rule_name(scope->above); }
static hsd_value unit_of_finding(const hsd_scope *scope) { return unit_of(scope->above); }
static hsd_value state_of(const hsd_scope *scope) { return hsd_value_string(hsd_finding_state(finding_of(scope))); }
static const void *allowed_in(const hsd_scope *scope) { return finding_of(scope)->allowed; }

static hsd_status place_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return hsd_finding_append_place(text, finding_of(scope), err);
}

static hsd_value holders_of(const hsd_scope *scope)
{
    const hsd_finding *finding = finding_of(scope);
    const bool is_own = finding->held_count == 0;
    hsd_value value = hsd_value_items(is_own ? &finding->holder : finding->held,
                                      is_own ? finding->holder != NULL : finding->held_count, sizeof(hsd_holder *));
    value.items.are_pointers = true;
    return value;
}

static const hsd_column site_frame_columns[] = {
    {"function", HSD_KIND_TEXT, HSD_AT(hsd_site_frame, function)},
    {"file", HSD_KIND_TEXT, HSD_AT(hsd_site_frame, file)},
    {"line", HSD_KIND_COUNT32, HSD_AT(hsd_site_frame, line), .flags = HSD_OR_NULL},
    {"column", HSD_KIND_COUNT32, HSD_AT(hsd_site_frame, column), .flags = HSD_OR_NULL},
    {0},
};

static const hsd_column site_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_site_growth, type)},
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_site_growth, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_site_growth, after)},
    {"frames", HSD_KIND_LIST, HSD_LIST_AT(hsd_site_growth, frames, frame_count, hsd_site_frame),
     .columns = site_frame_columns},
    {0},
};

static hsd_value reason_of(const hsd_scope *scope)
{
    const hsd_allowance *allowed = finding_of(scope)->allowed;
    return hsd_value_text(allowed ? allowed->reason : (hsd_text){"", 0});
}

static hsd_value site_file(const hsd_scope *scope)
{
    const hsd_site_frame *frame = hsd_finding_frame(finding_of(scope));
    return hsd_value_text(frame ? frame->file : (hsd_text){"", 0});
}

static hsd_value site_line(const hsd_scope *scope)
{
    const hsd_site_frame *frame = hsd_finding_frame(finding_of(scope));
    return frame ? hsd_value_count(frame->line) : hsd_value_null();
}

static const hsd_column finding_columns[] = {
    {"rule", HSD_KIND_TEXT, .in = HSD_IN_RECORDS | HSD_IN_PLAIN, .get = rule_of_finding},
    {"unit", HSD_KIND_STRING, .in = HSD_IN_RECORDS, .get = unit_of_finding},
    {"state", HSD_KIND_STRING, .in = HSD_IN_CSV, .get = state_of},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_finding, name)},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_finding, root), .flags = HSD_OR_NULL},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_finding, path, path_count, hsd_step), .in = HSD_IN_JSON,
     .columns = hsd_step_columns},
    {"place", HSD_KIND_WORDS, .words = place_of, .flags = HSD_OR_NULL},
    {"holders", HSD_KIND_LIST, .in = HSD_IN_JSON, .get = holders_of, .columns = hsd_held_columns, .flags = HSD_IF_ANY},
    {"cycle", HSD_KIND_TEXT, HSD_AT(hsd_finding, cycle), .in = HSD_IN_JSON, .flags = HSD_IF_ANY},
    {"state", HSD_KIND_STRING, .in = HSD_IN_JSON, .get = state_of},
    {"before", HSD_KIND_SIGNED, HSD_AT(hsd_finding, before)},
    {"after", HSD_KIND_SIGNED, HSD_AT(hsd_finding, after)},
    {"growth", HSD_KIND_SIGNED, HSD_AT(hsd_finding, growth)},
    {"limit", HSD_KIND_SIGNED, HSD_AT(hsd_finding, limit), .in = HSD_IN_JSON | HSD_IN_PLAIN},
    {"finding_limit", HSD_KIND_SIGNED, HSD_AT(hsd_finding, limit), .in = HSD_IN_CSV},
    {"limit_is_per_round", HSD_KIND_FLAG, HSD_AT(hsd_finding, is_per_round), .in = HSD_IN_JSON},
    {"per_round", HSD_KIND_SIGNED, HSD_AT(hsd_finding, per_round), .in = HSD_IN_JSON},
    {"growth_per_round", HSD_KIND_SIGNED, HSD_AT(hsd_finding, per_round), .in = HSD_IN_CSV},
    {"rounds", HSD_KIND_COUNT32, HSD_AT(hsd_finding, round_count)},
    {"rounds_up", HSD_KIND_COUNT32, HSD_AT(hsd_finding, up_count)},
    {"p_millionths", HSD_KIND_COUNT32, HSD_AT(hsd_finding, p_millionths)},
    {"reason", HSD_KIND_TEXT, .in = HSD_IN_CSV, .get = reason_of},
    {"site_file", HSD_KIND_TEXT, .in = HSD_IN_CSV, .get = site_file},
    {"site_line", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = site_line},
    {"allowed", HSD_KIND_RECORD, .in = HSD_IN_JSON, .into = allowed_in, .columns = allowance_columns},
    {"sites", HSD_KIND_LIST, HSD_LIST_AT(hsd_finding, sites, site_count, hsd_site_growth), .in = HSD_IN_JSON,
     .columns = site_columns},
    {0},
};

static hsd_value unlisted_of(const hsd_scope *scope)
{
    return hsd_value_count(hsd_row_left_out(row_of(scope), row_of(scope)->finding_count));
}

#define FINDINGS                                                                                                       \
    {                                                                                                                  \
        "findings", HSD_KIND_LIST, HSD_LIST_AT(hsd_check_row, findings, finding_count, hsd_finding),                   \
            .in = HSD_IN_DOCUMENT, .columns = finding_columns, .flags = HSD_ON_LINES                                   \
    }

static const hsd_column findings_column = FINDINGS;

static const hsd_column rule_columns[] = {
    {"rule", HSD_KIND_TEXT, .get = rule_name},
    {"outcome", HSD_KIND_STRING, .get = outcome_of},
    {"level", HSD_KIND_STRING, .get = level_of},
    {"line", HSD_KIND_COUNT, .in = HSD_IN_JSON, .get = line_of, .flags = HSD_OR_NULL},
    {"subject", HSD_KIND_STRING, .get = subject_of},
    {"pattern", HSD_KIND_TEXT, .in = HSD_IN_JSON, .get = pattern_of, .is_known = has_pattern},
    {"pattern", HSD_KIND_TEXT, .in = HSD_IN_CSV, .get = pattern_of},
    {"each", HSD_KIND_FLAG, .in = HSD_IN_JSON, .get = each_of},
    {"measure", HSD_KIND_STRING, .get = measure_of},
    {"metric", HSD_KIND_TEXT, .in = HSD_IN_JSON, .get = metric_of, .is_known = has_metric},
    {"unit", HSD_KIND_STRING, .get = unit_of},
    {"limits", HSD_KIND_LIST, .in = HSD_IN_JSON, .get = limits_of, .columns = limit_columns},
    {"found", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, found), .is_known = is_judged},
    {"limit", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, limit), .is_known = is_judged},
    {"over", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, over), .is_known = is_judged},
    {"per_round", HSD_KIND_FLAG, HSD_AT(hsd_check_row, is_per_round)},
    {"why_unknown", HSD_KIND_TEXT, HSD_AT(hsd_check_row, why_unknown), .flags = HSD_OR_NULL},
    {"other_findings", HSD_KIND_COUNT, HSD_AT(hsd_check_row, other_findings), .in = HSD_IN_JSON},
    {"holders", HSD_KIND_LIST, HSD_LIST_AT(hsd_check_row, held, held_count, hsd_holder *), .in = HSD_IN_JSON,
     .columns = hsd_held_columns, .flags = HSD_IF_ANY | HSD_OF_POINTERS},
    {"name", HSD_KIND_TEXT, .in = HSD_IN_PLAIN, .get = rule_name},
    {"line", HSD_KIND_COUNT, .in = HSD_IN_PLAIN, .get = line_of},
    {"other_findings", HSD_KIND_COUNT, .in = HSD_IN_PLAIN, .get = unlisted_of},
    FINDINGS,
    {0},
};

static const void *rule_in(const hsd_scope *scope) { return ((const csv_row *)scope->row)->rule; }
static const void *finding_in(const hsd_scope *scope) { return ((const csv_row *)scope->row)->finding; }

static const hsd_column csv_columns[] = {
    {NULL, HSD_KIND_SPREAD, .into = rule_in, .columns = rule_columns},
    {NULL, HSD_KIND_SPREAD, .into = finding_in, .columns = finding_columns},
    {0},
};

/* ---- --plain: what is not known, or was not asked, is empty ---- */

static hsd_value config_name(const hsd_scope *scope) { return hsd_value_text(check_of(scope)->config->name); }

static const hsd_column plain_check_columns[] = {
    {"verdict", HSD_KIND_STRING, .get = verdict_of},
    {"config", HSD_KIND_TEXT, .get = config_name},
    {"rules", HSD_KIND_SIZE, HSD_AT(hsd_check, row_count)},
    {"failed", HSD_KIND_SIZE, HSD_AT(hsd_check, failed)},
    {"warned", HSD_KIND_SIZE, HSD_AT(hsd_check, warned)},
    {"passed", HSD_KIND_SIZE, HSD_AT(hsd_check, passed)},
    {"unknown", HSD_KIND_SIZE, HSD_AT(hsd_check, unknown)},
    {"off", HSD_KIND_COUNT, .get = off_of},
    {0},
};

/* ---- parts ---- */

static const void *next_record(const hsd_sheet *sheet, size_t i)
{
    check_model *m = sheet->state;
    const hsd_check *check = m->model.result;
    if (i == 0) m->rule = m->finding = 0;
    const hsd_check_row *row = &check->rows[m->rule];
    m->current = (csv_row){row, row->finding_count > 0 ? &row->findings[m->finding] : NULL};
    if (++m->finding >= row->finding_count) {
        m->rule++;
        m->finding = 0;
    }
    return &m->current;
}

static void add_csv(check_model *m, const hsd_check *check)
{
    hsd_part part = {
        .kind = HSD_PART_TABLE, .in = HSD_IN_CSV, .columns = csv_columns, .sheet = {.row_at = next_record, .state = m}};
    for (size_t i = 0; i < check->row_count; i++)
        part.sheet.rows.count += check->rows[i].finding_count > 0 ? check->rows[i].finding_count : 1;
    hsd_model_add(&m->model, part);
}

static void add_texts(check_model *m, const char *member, const char *record, const hsd_text *texts, size_t count)
{
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TEXTS,
                                        .in = HSD_IN_JSON | HSD_IN_PLAIN,
                                        .member = member,
                                        .record = record,
                                        .texts = texts,
                                        .text_count = count});
}

static hsd_status add_captures(check_model *m, const hsd_check *check, const hsd_model_request *request)
{
    const hsd_series *series = check->series;
    const size_t count = check->diff ? 2 : series ? series->point_count : 0;
    m->captures = calloc(count + 1, sizeof *m->captures);
    if (!m->captures) return hsd_fail(request->err, HSD_E_NOMEM, "no memory for a report of %zu captures", count);
    if (check->diff)
        hsd_capture_rows_of_diff(m->captures, check->diff,
                                 check->diff->has_holders && m->model.format == HSD_IN_DOCUMENT);
    else if (series)
        hsd_capture_rows_of_series(m->captures, series);
    hsd_model_add(&m->model, hsd_captures_part(m->captures, count, "name bytes objects state"));
    if (series)
        hsd_model_add(&m->model,
                      (hsd_part){
                          .kind = HSD_PART_FACTS, .in = HSD_IN_DOCUMENT, .columns = warmup_columns, .row = series});
    return HSD_OK;
}

static void add_rules(check_model *m, const hsd_check *check)
{
    hsd_model_add(&m->model,
                  (hsd_part){.kind = HSD_PART_TABLE,
                             .in = HSD_IN_JSON | HSD_IN_PLAIN,
                             .member = "rules",
                             .record = "rule",
                             .names = "rule",
                             .columns = rule_columns,
                             .plain = "outcome name level subject pattern measure unit found limit over per_round line "
                                      "other_findings why_unknown",
                             .below = {{"finding", &findings_column, "finding",
                                        "state rule name root place before after growth limit growth_per_round rounds "
                                        "rounds_up p_millionths reason"}},
                             .sheet = {.rows = {check->rows, check->row_count, sizeof *check->rows, false}}});
}

/* ---- gauges: found, limit and over are in the unit of the rule, which is a label ---- */

static hsd_value count_over(const hsd_scope *scope)
{
    const hsd_check_row *row = row_of(scope);
    int64_t count = 0;
    for (size_t i = 0; i < row->finding_count; i++)
        count += !row->findings[i].allowed && !row->findings[i].is_levelled;
    return hsd_value_signed(count);
}

static hsd_value outcome_number(const hsd_scope *scope) { return hsd_value_count((uint64_t)row_of(scope)->outcome); }
static hsd_value per_round_word(const hsd_scope *scope)
{
    return hsd_value_string(row_of(scope)->is_per_round ? "yes" : "no");
}

static const hsd_column rule_gauges[] = {
    {"rule", HSD_KIND_TEXT, .get = rule_name},
    {"level", HSD_KIND_STRING, .get = level_of},
    {"measure", HSD_KIND_STRING, .get = measure_of},
    {"unit", HSD_KIND_STRING, .get = unit_of},
    {"per_round", HSD_KIND_STRING, .get = per_round_word},
    {"outcome", HSD_KIND_COUNT, .get = outcome_number,
     .title = "0 within its limit, 1 over it with level warn, 2 over it with level error, 3 unknown, 4 off"},
    {"found", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, found), .is_known = is_judged,
     .title = "What was found, in the unit of the rule; of several rows the worst"},
    {"limit", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, limit), .is_known = is_judged,
     .title = "What the strictest limit of the rule comes to, in the unit of the rule"},
    {"over", HSD_KIND_SIGNED, HSD_AT(hsd_check_row, over), .is_known = is_judged,
     .title = "By how much the limit is exceeded, 0 within it"},
    {"findings", HSD_KIND_SIGNED, .get = count_over, .is_known = is_judged,
     .title = "Rows that are over the limit and not accepted, as far as they are listed"},
    {0},
};

static const hsd_column head_gauges[] = {
    {"exit_status", HSD_KIND_COUNT, .get = status_of, .title = "0 passed, 1 failed, 3 cannot be judged"},
    {"problems", HSD_KIND_SIZE, HSD_AT(hsd_check, problem_count),
     .title = "Reasons why the captures cannot be judged at all"},
    {0},
};

static hsd_value count_of_outcome(const hsd_scope *scope)
{
    const hsd_check *check = check_of(scope);
    const size_t counts[] = {check->passed, check->warned, check->failed, check->unknown, hsd_check_off(check)};
    return hsd_value_count(counts[scope->index]);
}

static const hsd_column outcome_gauges[] = {
    {"outcome", HSD_KIND_STRING, .at = 0},
    {NULL, HSD_KIND_COUNT, .get = count_of_outcome, .title = "Rules by how they came out"},
    {0},
};

static hsd_value rules_left_out(const hsd_scope *scope)
{
    const size_t count = check_of(scope)->row_count;
    return hsd_value_count(count > HSD_GAUGES_MOST ? count - HSD_GAUGES_MOST : 0);
}

static const hsd_column left_out_gauge[] = {
    {"rules_left_out", HSD_KIND_COUNT, .get = rules_left_out,
     .title = "Rules without gauges of their own here, since there are too many"},
    {0},
};

static void add_gauges(check_model *m, const hsd_check *check)
{
    static const char *const outcomes[] = {"ok", "warn", "fail", "unknown", "off"};
    const size_t shown = check->row_count < HSD_GAUGES_MOST ? check->row_count : HSD_GAUGES_MOST;
    hsd_gauges_add(&m->model, "check", head_gauges, check, 1, 0);
    hsd_gauges_add(&m->model, "check_rules", outcome_gauges, outcomes, HSD_ARRAY_LEN(outcomes), sizeof outcomes[0]);
    hsd_gauges_add(&m->model, "check_rule", rule_gauges, check->rows, shown, sizeof *check->rows);
    hsd_gauges_add(&m->model, "check", left_out_gauge, check, 1, 0);
}

/* ---- */

static void release_check_model(hsd_model *model)
{
    check_model *m = (check_model *)(void *)model;
    free(m->captures);
    hsd_check_people_release(&m->people);
}

const size_t hsd_model_check_bytes = sizeof(check_model);

/* How it ended, and what the diff or the series that was judged says; of captures that cannot be judged, why not. */
static void tell_answer(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_check *check = model->result;
    char summary[HSD_SUMMARY_CHARS];
    hsd_out_text(out, hsd_check_summary(summary, check));
    hsd_out_text(out, " ");
    for (size_t i = 0; i < check->problem_count; i++) {
        hsd_out_escaped(out, form, check->problems[i]);
        hsd_out_text(out, ". ");
    }
    if (check->problem_count > 0) return;
    if (check->diff)
        hsd_diff_tell_answer(out, check->diff, model, form);
    else if (check->series)
        hsd_series_tell_answer(out, check->series, model, form);
}

hsd_status hsd_model_check(hsd_model *model, const hsd_check *check, const hsd_model_request *request)
{
    check_model *m = (check_model *)(void *)model;
    const bool is_document = model->format == HSD_IN_DOCUMENT;
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    model->schema = "hsdiff.check/1";
    model->result = check;
    model->release = release_check_model;
    if (model->format == HSD_AS_TEXT) return hsd_check_add_screen(model);
    if (model->format == HSD_AS_MARKDOWN) return hsd_check_add_markdown(model, &m->people, request);
    if (model->format == HSD_IN_CSV) {
        add_csv(m, check);
        return HSD_OK;
    }
    if (model->format == HSD_IN_GAUGES) {
        add_gauges(m, check);
        return HSD_OK;
    }
    hsd_model_add(model, hsd_answer_part(tell_answer, NULL));
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RECORD,
                                    .in = HSD_IN_JSON,
                                    .member = "result",
                                    .record = "check",
                                    .columns = result_columns,
                                    .row = check});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RECORD,
                                    .in = HSD_IN_DOCUMENT,
                                    .member = "config",
                                    .columns = config_columns,
                                    .row = check->config});
    if (is_document) HSD_TRY(add_captures(m, check, request));
    add_texts(m, "problems", "problem", check->problems, check->problem_count);
    add_texts(m, "warnings", "warning", warnings, warning_count);
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RECORD,
                                    .in = HSD_IN_PLAIN,
                                    .names = "check",
                                    .record = "check",
                                    .plain = "verdict config rules failed warned passed unknown off",
                                    .columns = plain_check_columns,
                                    .row = check});
    if (!is_document) {
        HSD_TRY(add_captures(m, check, request));
        add_rules(m, check);
    }
    add_texts(m, "notes", "note", check->notes, check->note_count);
    if (is_document) add_rules(m, check);
    return HSD_OK;
}
