/*
 * A check as OpenMetrics: gauges by rule, for whoever draws how close each rule comes to its limit. Found, limit and
 * over are in the rule's own unit, which is a label. Rules past the most that a family may have are counted in
 * hsdiff_check_rules_left_out.
 */
#include "base/check.h"
#include "report/formats.h"
#include "report/sentences/check_words.h"
#include "report/write/openmetrics.h"

typedef struct gauge {
    const char *name, *help;
    int64_t (*value_of)(const hsd_check_row *row);
    bool needs_judgement; /* not for rules that were not asked or cannot be judged */
} gauge;

static int64_t outcome_of(const hsd_check_row *row) { return (int64_t)row->outcome; }
static int64_t found_of(const hsd_check_row *row) { return row->found; }
static int64_t limit_of(const hsd_check_row *row) { return row->limit; }
static int64_t over_of(const hsd_check_row *row) { return row->over; }
static int64_t findings_of(const hsd_check_row *row)
{
    int64_t count = 0;
    for (size_t i = 0; i < row->finding_count; i++)
        count += !row->findings[i].allowed && !row->findings[i].is_levelled;
    return count;
}

static const gauge gauges[] = {
    {"hsdiff_check_rule_outcome",
     "0 within its limit, 1 over it with level warn, 2 over it with level error, 3 unknown, 4 off.", outcome_of, false},
    {"hsdiff_check_rule_found", "What was found, in the unit of the rule; of several rows the worst.", found_of, true},
    {"hsdiff_check_rule_limit", "What the strictest limit of the rule comes to, in the unit of the rule.", limit_of,
     true},
    {"hsdiff_check_rule_over", "By how much the limit is exceeded, 0 within it.", over_of, true},
    {"hsdiff_check_rule_findings", "Rows that are over the limit and not accepted, as far as they are listed.",
     findings_of, true},
};

static bool is_judged(const hsd_check_row *row)
{
    return row->outcome != HSD_CHECK_UNKNOWN && row->outcome != HSD_CHECK_OFF;
}

static size_t rules_shown(const hsd_check *check)
{
    return check->row_count < HSD_METRICS_MOST ? check->row_count : HSD_METRICS_MOST;
}

static void put_gauge(hsd_out *out, const hsd_check *check, const gauge *g)
{
    hsd_metrics_family(out, g->name, NULL, g->help);
    for (size_t i = 0; i < rules_shown(check); i++) {
        const hsd_check_row *row = &check->rows[i];
        const hsd_metric_label labels[] = {{"rule", row->rule->name},
                                           hsd_metrics_label("level", hsd_level_name(row->rule->level)),
                                           hsd_metrics_label("measure", hsd_measure_name(row->rule)),
                                           hsd_metrics_label("unit", hsd_row_unit(row)),
                                           hsd_metrics_label("per_round", row->is_per_round ? "yes" : "no")};
        if (g->needs_judgement && !is_judged(row)) continue;
        hsd_metrics_sample(out, g->name, labels, HSD_ARRAY_LEN(labels), g->value_of(row));
    }
}

static void put_counts(hsd_out *out, const hsd_check *check)
{
    static const char name[] = "hsdiff_check_rules";
    const struct {
        const char *outcome;
        size_t count;
    } counts[] = {{"ok", check->passed},
                  {"warn", check->warned},
                  {"fail", check->failed},
                  {"unknown", check->unknown},
                  {"off", hsd_check_off(check)}};
    hsd_metrics_family(out, name, NULL, "Rules by how they came out.");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const hsd_metric_label label = hsd_metrics_label("outcome", counts[i].outcome);
        hsd_metrics_sample_count(out, name, &label, 1, counts[i].count);
    }
}

static void put_number(hsd_out *out, const char *name, const char *help, uint64_t value)
{
    hsd_metrics_family(out, name, NULL, help);
    hsd_metrics_sample_count(out, name, NULL, 0, value);
}

hsd_status hsd_openmetrics_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write,
                                 void *context, hsd_error *err)
{
    hsd_out out;
    (void)options;
    hsd_out_init(&out, write, context, err);
    put_number(&out, "hsdiff_check_exit_status", "0 passed, 1 failed, 3 cannot be judged.",
               (uint64_t)hsd_check_status(check));
    put_number(&out, "hsdiff_check_problems", "Reasons why the captures cannot be judged at all.",
               check->problem_count);
    put_counts(&out, check);
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++)
        put_gauge(&out, check, &gauges[i]);
    put_number(&out, "hsdiff_check_rules_left_out", "Rules without gauges of their own here, since there are too many.",
               check->row_count - rules_shown(check));
    hsd_metrics_end(&out);
    return hsd_out_finish(&out);
}
