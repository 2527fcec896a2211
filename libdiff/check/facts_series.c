/*
 * The rows of a series for the judge. What came and stayed is told by cohorts: the objects that were first seen in the
 * captures of one cohort and are live in the last capture.
 */
#include "check/facts.h"

#include <string.h>

#include <hscapture/hscapture.h>

static const hsd_series_table *table_of(const hsd_series *series, hsd_fact_table table)
{
    switch (table) {
    case HSD_FACTS_TYPES: return &series->types;
    case HSD_FACTS_ROOTS: return &series->roots;
    case HSD_FACTS_HOLDERS: return &series->holders;
    case HSD_FACTS_LOST: return &series->lost;
    case HSD_FACTS_COHORTS:
    case HSD_FACTS_TABLE_COUNT: break;
    }
    return NULL;
}

static bool have_all_roots(const hsd_series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].is_summary || !series->points[i].side.has_roots) return false;
    return true;
}

static const char *why_no_cohorts(const hsd_series *series, hsd_subject subject, hsd_text *why)
{
    if (subject == HSD_SUBJECT_ROOT || subject == HSD_SUBJECT_HOLDER) return "a series tells what is new by type alone";
    if (series->cohorts.are_known) return NULL;
    *why = series->cohorts.why_not;
    return why->size > 0 ? why->data : "ages of objects were not looked for";
}

const char *hsd_facts_series_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_text *why)
{
    const hsd_series *series = facts->series;
    if (hsd_measure_is_new(rule->measure) || hsd_measure_is_survived(rule->measure))
        return why_no_cohorts(series, rule->subject, why);
    if (hsd_measure_is_unreached(rule->measure)) {
        if (rule->subject == HSD_SUBJECT_TYPE) return "a series adds up what is unreached for the whole heap alone";
        return have_all_roots(series) ? NULL : "a capture carries no roots or no references";
    }
    const hsd_fact_table at = hsd_facts_table(facts, rule->subject, rule->measure);
    const hsd_series_table *table = table_of(series, at);
    const bool is_of_heap = rule->subject == HSD_SUBJECT_HEAP && !hsd_measure_is_lost(rule->measure);
    if ((is_of_heap && rule->measure != HSD_MEASURE_NEW_TYPES) || table->is_known) return NULL;
    *why = table->why_not;
    return why->size > 0 ? why->data : "the captures do not have it";
}

size_t hsd_facts_series_rows(const hsd_series *series, hsd_fact_table table)
{
    if (table == HSD_FACTS_COHORTS) return series->cohorts.are_known ? series->cohorts.type_count : 0;
    return table_of(series, table)->is_known ? table_of(series, table)->row_count : 0;
}

void hsd_facts_series_name(const hsd_series *series, hsd_fact_table table, size_t row, hsd_fact *fact)
{
    *fact = (hsd_fact){.name = {"", 0}, .root = {"", 0}, .place = {"", 0}, .cycle = {"", 0}, .has_before = true};
    if (table == HSD_FACTS_COHORTS) {
        fact->name = series->cohorts.types[row].name;
        return;
    }
    const hsd_series_row *at = &table_of(series, table)->rows[row];
    fact->name = at->name;
    fact->is_code = table == HSD_FACTS_TYPES ? (at->flags & HSC_TYPE_CODE) != 0 : at->is_code;
    if (table == HSD_FACTS_LOST) {
        fact->place = at->place;
        fact->cycle = at->cycle;
        fact->frames = at->frame;
        fact->frame_count = at->frame != NULL;
    }
    if (table != HSD_FACTS_HOLDERS) return;
    fact->root = at->root;
    fact->path = at->path;
    fact->path_count = at->path_count;
    fact->held = at->held;
    fact->held_count = at->held_count;
}

/* ---- cohorts ---- */

static void add_series_fact(hsd_amount *sum, hsd_amount part)
{
    sum->objects += part.objects;
    sum->bytes += part.bytes;
}

/* The cohort whose end tells what was live at the first capture behind the warm-up: the first that ends there or
 * later. */
static size_t cohort_behind(const hsd_cohorts *cohorts, size_t first)
{
    size_t at = 0;
    while (at + 1 < cohorts->cohort_count && cohorts->cohorts[at].last < first)
        at++;
    return at;
}

static void take_cohorts(const hsd_facts *facts, const hsd_cohort_row *row, hsd_measure measure, hsd_fact *fact,
                         hsd_amount *values)
{
    const hsd_cohorts *cohorts = &facts->series->cohorts;
    const size_t count = cohorts->cohort_count, last = facts->series->point_count - 1;
    const size_t before = cohort_behind(cohorts, facts->first);
    hsd_amount stayed = {0, 0};
    for (size_t born = 0; born < count; born++) {
        const bool is_between = cohorts->cohorts[born].first > facts->first &&
                                (hsd_measure_is_new(measure) || cohorts->cohorts[born].last < last);
        if (is_between) add_series_fact(&stayed, row->alive[(count - 1) * count + born]);
        if (born <= before) add_series_fact(&fact->base, row->alive[before * count + born]);
    }
    for (size_t i = 0; i + 1 < facts->value_count; i++)
        values[i] = (hsd_amount){0, 0};
    values[facts->value_count - 1] = stayed;
}

/* ---- rows ---- */

static void take_values(const hsd_facts *facts, const hsd_series_row *row, hsd_measure measure, hsd_fact *fact,
                        hsd_amount *values)
{
    memcpy(values, row->values + facts->first, facts->value_count * sizeof *values);
    fact->base = fact->first = values[0];
    fact->last = values[facts->value_count - 1];
    if (measure == HSD_MEASURE_BYTES) fact->trend = &row->trend;
    if (measure != HSD_MEASURE_NEW_TYPES) return;
    const bool was_there = values[0].objects > 0;
    for (size_t i = 0; i < facts->value_count; i++)
        values[i].objects = was_there || values[i].objects > 0;
    fact->base = values[0];
}

void hsd_facts_series_get(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                          hsd_amount *values)
{
    hsd_facts_series_name(facts->series, table, row, fact);
    if (table == HSD_FACTS_COHORTS)
        take_cohorts(facts, &facts->series->cohorts.types[row], measure, fact, values);
    else
        take_values(facts, &table_of(facts->series, table)->rows[row], measure, fact, values);
}

void hsd_facts_series_total(const hsd_facts *facts, hsd_measure measure, hsd_fact *fact, hsd_amount *values)
{
    const hsd_series *series = facts->series;
    if (hsd_measure_is_new(measure) || hsd_measure_is_survived(measure))
        take_cohorts(facts, &series->cohorts.all, measure, fact, values);
    else
        take_values(facts,
                    hsd_measure_is_unreached(measure) || hsd_measure_is_lost(measure) ? &series->unreached
                                                                                      : &series->total,
                    measure, fact, values);
}
