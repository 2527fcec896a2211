/*
 * Rows for the judge: which table, which rows are ignored, the whole heap, metrics of captures.
 */
#include "check/facts.h"

#include <string.h>

#include "base/check.h"

size_t hsd_facts_rows(const hsd_facts *facts, hsd_fact_table table)
{
    return facts->diff != NULL ? hsd_facts_diff_rows(facts->diff, table) : hsd_facts_series_rows(facts->series, table);
}

void hsd_facts_name(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_fact *fact)
{
    if (facts->diff != NULL)
        hsd_facts_diff_name(facts->diff, table, row, fact);
    else
        hsd_facts_series_name(facts->series, table, row, fact);
}

void hsd_facts_get(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                   hsd_amount *values)
{
    if (facts->diff != NULL)
        hsd_facts_diff_get(facts->diff, table, row, measure, fact, values);
    else
        hsd_facts_series_get(facts, table, row, measure, fact, values);
}

hsd_fact_table hsd_facts_table(const hsd_facts *facts, hsd_subject subject, hsd_measure measure)
{
    if (subject == HSD_SUBJECT_SITE || hsd_measure_is_lost(measure)) return HSD_FACTS_LOST;
    if (subject == HSD_SUBJECT_ROOT) return HSD_FACTS_ROOTS;
    if (subject == HSD_SUBJECT_HOLDER) return HSD_FACTS_HOLDERS;
    const bool is_of_age = hsd_measure_is_new(measure) || hsd_measure_is_survived(measure);
    return facts->series != NULL && is_of_age ? HSD_FACTS_COHORTS : HSD_FACTS_TYPES;
}

bool hsd_facts_have_trend(const hsd_facts *facts, hsd_measure measure)
{
    return facts->series != NULL && !hsd_measure_is_new(measure) && !hsd_measure_is_survived(measure) &&
           measure != HSD_MEASURE_NEW_TYPES;
}

/* ---- what is ignored ---- */

static hsd_status is_one_of_check_facts(const hsd_pattern *patterns, size_t count, hsd_text name, hsd_buffer *scratch,
                                        bool *out, hsd_error *err)
{
    *out = false;
    for (size_t i = 0; i < count && !*out; i++)
        HSD_TRY(hsd_pattern_match(&patterns[i], name, scratch, out, err));
    return HSD_OK;
}

static hsd_status find_ignored(hsd_facts *facts, hsd_fact_table table, const hsd_pattern *patterns, size_t count,
                               hsd_check_store *store, hsd_buffer *scratch, hsd_error *err)
{
    void *flags;
    const size_t rows = hsd_facts_rows(facts, table);
    HSD_TRY(hsd_check_take(store, rows, sizeof(bool), &flags, err));
    facts->ignored[table] = flags;
    for (size_t row = 0; row < rows; row++) {
        hsd_fact fact;
        hsd_facts_name(facts, table, row, &fact);
        HSD_TRY(is_one_of_check_facts(patterns, count, fact.name, scratch, &facts->ignored[table][row], err));
    }
    return HSD_OK;
}

static hsd_status find_all_ignored(hsd_facts *facts, const hsd_pattern *patterns, size_t count, hsd_check_store *store,
                                   hsd_error *err)
{
    static const hsd_fact_table tables[] = {HSD_FACTS_TYPES, HSD_FACTS_HOLDERS, HSD_FACTS_COHORTS, HSD_FACTS_LOST};
    hsd_buffer scratch = {0};
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables) && status == HSD_OK; i++)
        status = find_ignored(facts, tables[i], patterns, count, store, &scratch, err);
    hsd_buffer_release(&scratch);
    return status;
}

hsd_status hsd_facts_open(hsd_facts *facts, const hsd_check_config *config, hsd_check_store *store, hsd_error *err)
{
    void *patterns;
    size_t made = 0;
    facts->first = facts->series != NULL ? facts->series->warmup : 0;
    facts->value_count = facts->series != NULL ? facts->series->point_count - facts->first : 2;
    if (config->ignore_count == 0) return HSD_OK;
    HSD_TRY(hsd_check_take(store, config->ignore_count, sizeof(hsd_pattern), &patterns, err));
    hsd_pattern *ignore = patterns;
    hsd_status status = HSD_OK;
    while (made < config->ignore_count && status == HSD_OK) {
        status = hsd_pattern_make(&ignore[made], config->ignore[made], true, err);
        made += status == HSD_OK;
    }
    if (status == HSD_OK) status = find_all_ignored(facts, ignore, made, store, err);
    while (made > 0)
        hsd_pattern_release(&ignore[--made]);
    return status;
}

/* ---- metrics of captures ---- */

static const hsd_profile_metric *find_metric(const hsd_profile_metric *items, size_t count, hsd_text name)
{
    while (count-- > 0)
        if (hsd_check_is_same(items[count].name, name)) return &items[count];
    return NULL;
}

const hsd_profile_metric *hsd_facts_metric(const hsd_facts *facts, size_t at, hsd_text name)
{
    if (facts->series != NULL)
        return find_metric(facts->series->points[at].metrics, facts->series->points[at].metric_count, name);
    return find_metric(facts->options->metrics[at].items, facts->options->metrics[at].count, name);
}

/* Of two captures the diff has it; the options have metrics only where a rule asks for one. */
static bool is_collector_off(const hsd_facts *facts, size_t at)
{
    static const char name[] = "python.gc_disabled";
    const hsd_text text = {name, sizeof name - 1};
    const hsd_side *side = facts->diff == NULL ? NULL : at == 0 ? &facts->diff->before : &facts->diff->after;
    const hsd_profile_metric *metric =
        side != NULL ? find_metric(side->metrics, side->metric_count, text) : hsd_facts_metric(facts, at, text);
    return metric != NULL && metric->value > 0;
}

bool hsd_facts_collector_is_off(const hsd_facts *facts)
{
    for (size_t i = facts->first; i < facts->first + facts->value_count; i++)
        if (!is_collector_off(facts, i)) return false;
    return true;
}

static hsd_text capture_name(const hsd_facts *facts, size_t at)
{
    if (facts->series != NULL) return facts->series->points[at].label;
    const char *path = at == 0 ? facts->diff->before.info.path : facts->diff->after.info.path;
    return (hsd_text){path, strlen(path)};
}

static hsd_status why_no_metric(const hsd_facts *facts, hsd_text name, hsd_check_store *store, hsd_text *why,
                                hsd_error *err)
{
    for (size_t i = facts->first; i < facts->first + facts->value_count; i++) {
        if (hsd_facts_metric(facts, i, name) != NULL) continue;
        const hsd_text capture = capture_name(facts, i);
        return hsd_check_say(store, why, err, "%.*s carries no metric %.*s", hsd_check_shown(capture), capture.data,
                             hsd_check_shown(name), name.data);
    }
    return HSD_OK;
}

static void take_metric(const hsd_facts *facts, hsd_text name, hsd_fact *fact, hsd_amount *values)
{
    for (size_t i = 0; i < facts->value_count; i++) {
        const uint64_t value = hsd_facts_metric(facts, facts->first + i, name)->value;
        values[i] = (hsd_amount){value, value};
    }
    fact->base = values[0];
}

/* ---- the whole heap ---- */

static void subtract(uint64_t *from, uint64_t what) { *from = *from > what ? *from - what : 0; }

static void subtract_amount(hsd_amount *from, hsd_amount what)
{
    subtract(&from->objects, what.objects);
    subtract(&from->bytes, what.bytes);
}

static void subtract_ignored(const hsd_facts *facts, hsd_measure measure, hsd_fact *fact, hsd_amount *values,
                             hsd_amount *scratch)
{
    const hsd_fact_table table = hsd_facts_table(facts, HSD_SUBJECT_TYPE, measure);
    const bool has_rows = facts->diff != NULL || !hsd_measure_is_unreached(measure);
    for (size_t row = 0; has_rows && facts->ignored[table] != NULL && row < hsd_facts_rows(facts, table); row++) {
        hsd_fact of_row;
        if (!facts->ignored[table][row]) continue;
        hsd_facts_get(facts, table, row, measure, &of_row, scratch);
        for (size_t i = 0; i < facts->value_count; i++)
            subtract_amount(&values[i], scratch[i]);
        subtract_amount(&fact->base, of_row.base);
        fact->trend = NULL;
    }
}

static void count_types(const hsd_facts *facts, hsd_fact *fact, hsd_amount *values, hsd_amount *scratch)
{
    memset(values, 0, facts->value_count * sizeof *values);
    for (size_t row = 0; row < hsd_facts_rows(facts, HSD_FACTS_TYPES); row++) {
        hsd_fact of_row;
        if (hsd_facts_is_ignored(facts, HSD_FACTS_TYPES, row)) continue;
        hsd_facts_get(facts, HSD_FACTS_TYPES, row, HSD_MEASURE_NEW_TYPES, &of_row, scratch);
        for (size_t i = 0; i < facts->value_count; i++)
            values[i].objects += scratch[i].objects;
        fact->base.objects += of_row.base.objects;
    }
}

void hsd_facts_total(const hsd_facts *facts, const hsd_rule *rule, hsd_fact *fact, hsd_amount *values,
                     hsd_amount *scratch)
{
    *fact = (hsd_fact){.name = {"", 0}, .root = {"", 0}, .place = {"", 0}, .cycle = {"", 0}, .has_before = true};
    if (rule->measure == HSD_MEASURE_CAPTURE) {
        take_metric(facts, rule->capture_metric, fact, values);
    } else if (rule->measure == HSD_MEASURE_NEW_TYPES) {
        count_types(facts, fact, values, scratch);
    } else {
        if (facts->diff != NULL)
            hsd_facts_diff_total(facts->diff, rule->measure, fact, values);
        else
            hsd_facts_series_total(facts, rule->measure, fact, values);
        subtract_ignored(facts, rule->measure, fact, values, scratch);
    }
}

/* ---- what is not known ---- */

static bool has_percentage(const hsd_rule *rule)
{
    for (size_t i = 0; i < rule->limit_count; i++)
        if (rule->limits[i].unit == HSD_LIMIT_PERCENT) return true;
    return false;
}

/* Of what is lost types and sites are known, and sites of nothing else. */
static const char *why_not_lost(const hsd_rule *rule)
{
    const bool is_lost = hsd_measure_is_lost(rule->measure);
    if (is_lost && (rule->subject == HSD_SUBJECT_ROOT || rule->subject == HSD_SUBJECT_HOLDER))
        return "nothing holds what is lost";
    return !is_lost && rule->subject == HSD_SUBJECT_SITE ? "sites are known of what is lost alone" : NULL;
}

hsd_status hsd_facts_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_check_store *store, hsd_text *why,
                             hsd_error *err)
{
    *why = (hsd_text){"", 0};
    if (rule->measure == HSD_MEASURE_CAPTURE) return why_no_metric(facts, rule->capture_metric, store, why, err);
    const char *reason = why_not_lost(rule);
    if (reason == NULL)
        reason =
            facts->diff != NULL ? hsd_facts_diff_why_not(facts, rule, why) : hsd_facts_series_why_not(facts, rule, why);
    if (reason == NULL && facts->diff != NULL && rule->subject == HSD_SUBJECT_HOLDER && has_percentage(rule))
        reason = "two captures do not tell how much a holder held before: give an amount, or a percentage per round";
    if (reason != NULL && why->size == 0) *why = (hsd_text){reason, strlen(reason)};
    return HSD_OK;
}
