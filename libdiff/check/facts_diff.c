/*
 * The rows of a diff for the judge.
 */
#include "check/facts.h"

#include <hscapture/hscapture.h>

#include <string.h>

static const char *why_no_new(const hsd_diff *diff, hsd_text *why)
{
    if (hsd_new_is_known(diff)) return NULL;
    if (diff->is_summary) return "type totals do not tell one object from another";
    if (!diff->identity_is_known && diff->match_reason.size > 0) {
        *why = diff->match_reason;
        return why->data;
    }
    return diff->identity_is_known ? "the capture before is incomplete: what it lacks looks new"
                                   : "objects cannot be recognised from one capture to the other";
}

static const char *why_no_roots(const hsd_diff *diff)
{
    if (diff->is_summary) return "type totals do not say what a root holds";
    return diff->before.has_roots && diff->after.has_roots ? NULL : "a capture carries no roots or no references";
}

/* A clause. */
static const char *why_no_lost(const hsd_diff *diff)
{
    if (diff->lost.is_known) return NULL;
    const char *reason = why_no_roots(diff);
    if (reason == NULL && diff->is_partial) reason = "a capture is incomplete: what was lost may hold what is left";
    return reason != NULL ? reason
                          : "a capture does not say that what no root reaches is lost: a collector may free it";
}

const char *hsd_facts_diff_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_text *why)
{
    const hsd_diff *diff = facts->diff;
    const char *reason = NULL;
    if (rule->subject == HSD_SUBJECT_ROOT) reason = why_no_roots(diff);
    if (rule->subject == HSD_SUBJECT_HOLDER && !diff->has_holders) {
        *why = diff->why_no_holders;
        reason = why->size > 0 ? why->data : "holders were not looked for";
    }
    if (reason != NULL) return reason;
    if (hsd_measure_is_new(rule->measure)) return why_no_new(diff, why);
    if (hsd_measure_is_unreached(rule->measure)) return why_no_roots(diff);
    if (hsd_measure_is_lost(rule->measure) && rule->subject == HSD_SUBJECT_SITE && diff->lost.is_by_type)
        return "a baseline says what is lost by type, and not who allocated it";
    if (hsd_measure_is_lost(rule->measure)) return why_no_lost(diff);
    return hsd_measure_is_survived(rule->measure) ? "two captures do not tell what survived: give three or more" : NULL;
}

size_t hsd_facts_diff_rows(const hsd_diff *diff, hsd_fact_table table)
{
    switch (table) {
    case HSD_FACTS_TYPES: return diff->type_count;
    case HSD_FACTS_ROOTS: return diff->root_count;
    case HSD_FACTS_HOLDERS: return diff->has_holders ? diff->holder_count : 0;
    case HSD_FACTS_LOST: return diff->lost.row_count;
    case HSD_FACTS_COHORTS:
    case HSD_FACTS_TABLE_COUNT: break;
    }
    return 0;
}

static void name_lost(const hsd_lost_row *row, hsd_fact *fact)
{
    fact->name = row->type;
    fact->place = row->place;
    fact->cycle = row->cycle;
    if (row->frame_count == 0) return;
    fact->frames = row->frames + row->wanted;
    fact->frame_count = row->frame_count - row->wanted;
}

void hsd_facts_diff_name(const hsd_diff *diff, hsd_fact_table table, size_t row, hsd_fact *fact)
{
    *fact = (hsd_fact){.name = {"", 0}, .root = {"", 0}, .place = {"", 0}, .cycle = {"", 0}, .has_before = true};
    if (table == HSD_FACTS_LOST) name_lost(&diff->lost.rows[row], fact);
    if (table == HSD_FACTS_TYPES) {
        fact->name = diff->types[row].name;
        fact->is_code = (diff->types[row].flags & HSC_TYPE_CODE) != 0;
    }
    if (table == HSD_FACTS_ROOTS) fact->name = diff->roots[row].name;
    if (table != HSD_FACTS_HOLDERS) return;
    const hsd_holder *holder = &diff->holders[row];
    fact->name = holder->type;
    fact->root = holder->root;
    fact->path = holder->path;
    fact->path_count = holder->path_count;
    fact->holder = holder;
    fact->is_code = holder->is_code;
    fact->has_before = false;
}

static void take_change(const hsd_change *change, hsd_measure measure, hsd_fact *fact, hsd_amount values[2])
{
    const bool is_new = hsd_measure_is_new(measure);
    fact->base = change->before;
    values[0] = is_new ? (hsd_amount){0, 0} : change->before;
    values[1] = is_new ? change->new_ : change->after;
}

/* A signed growth as a pair of values. */
static void take_growth(int64_t growth, uint64_t *before, uint64_t *after)
{
    *before = growth < 0 ? (uint64_t)0 - (uint64_t)growth : 0;
    *after = growth > 0 ? (uint64_t)growth : 0;
}

static void get_type(const hsd_type_row *row, hsd_measure measure, hsd_fact *fact, hsd_amount values[2])
{
    if (hsd_measure_is_unreached(measure)) {
        fact->base = values[0] = row->unreached_before;
        values[1] = row->unreached_after;
    } else {
        take_change(&row->live, measure, fact, values);
    }
    if (measure != HSD_MEASURE_NEW_TYPES) return;
    const bool is_new = row->live.before.objects == 0 && row->live.after.objects > 0;
    values[0].objects = fact->base.objects = row->live.before.objects > 0;
    values[1].objects = values[0].objects + is_new;
}

void hsd_facts_diff_get(const hsd_diff *diff, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                        hsd_amount values[2])
{
    hsd_facts_diff_name(diff, table, row, fact);
    if (table == HSD_FACTS_TYPES) get_type(&diff->types[row], measure, fact, values);
    if (table == HSD_FACTS_ROOTS) take_change(&diff->roots[row].live, measure, fact, values);
    if (table == HSD_FACTS_LOST) {
        fact->base = values[0] = diff->lost.rows[row].before;
        values[1] = diff->lost.rows[row].after;
        fact->first = values[0];
        fact->last = values[1];
    }
    if (table != HSD_FACTS_HOLDERS) return;
    const hsd_holder *holder = &diff->holders[row];
    values[0] = (hsd_amount){0, 0};
    values[1] = holder->new_;
    if (hsd_measure_is_new(measure)) return;
    take_growth(holder->growth_bytes, &values[0].bytes, &values[1].bytes);
    take_growth(holder->net_objects, &values[0].objects, &values[1].objects);
}

void hsd_facts_diff_total(const hsd_diff *diff, hsd_measure measure, hsd_fact *fact, hsd_amount values[2])
{
    if (!hsd_measure_is_unreached(measure) && !hsd_measure_is_lost(measure)) {
        take_change(&diff->total, measure, fact, values);
        return;
    }
    fact->base = values[0] = diff->unreached_before;
    values[1] = diff->unreached_after;
}
