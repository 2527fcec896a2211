/*
 * One rule: whether it can be judged, by what, and what is said of it.
 */
#include "check/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/amount.h"
#include "check/built_in.h"
#include "check/config.h"
#include "check/metric.h"
#include "check/moved.h"

static hsd_status take_values(hsd_judge *judge, hsd_amount **out)
{
    void *values;
    HSD_TRY(hsd_check_take(judge->store, judge->facts.value_count, sizeof **out, &values, judge->err));
    *out = values;
    return HSD_OK;
}

hsd_status hsd_judge_open(hsd_judge *judge, int32_t today)
{
    static const hsd_rule heap = {.measure = HSD_MEASURE_BYTES};
    hsd_fact fact;
    void *numbers;
    HSD_TRY(hsd_facts_open(&judge->facts, judge->config, judge->store, judge->err));
    HSD_TRY(take_values(judge, &judge->values));
    HSD_TRY(take_values(judge, &judge->sums));
    HSD_TRY(take_values(judge, &judge->less));
    HSD_TRY(take_values(judge, &judge->scratch));
    HSD_TRY(hsd_check_take(judge->store, judge->facts.value_count, sizeof *judge->numbers, &numbers, judge->err));
    judge->numbers = numbers;
    HSD_TRY(hsd_moved_find(&judge->facts, judge->store, &judge->most_moved, judge->err));
    hsd_facts_total(&judge->facts, &heap, &fact, judge->values, judge->scratch);
    judge->heap = judge->values[0];
    return hsd_allowed_open(&judge->allowed, judge->config, today, judge->store, judge->err);
}

void hsd_judge_release(hsd_judge *judge)
{
    hsd_allowed_release(&judge->allowed);
    hsd_buffer_release(&judge->name);
    hsd_buffer_release(&judge->of_regex);
}

/* ---- by what ---- */

static bool is_unit_of_bytes(hsd_text unit)
{
    static const char *const units[] = {"bytes", "byte", "B"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(units); i++)
        if (strlen(units[i]) == unit.size && memcmp(units[i], unit.data, unit.size) == 0) return true;
    return false;
}

static bool is_of_bytes(const hsd_judge *judge, const hsd_rule *rule)
{
    if (rule->measure != HSD_MEASURE_CAPTURE) return hsd_measure_is_bytes(rule->measure);
    const hsd_profile_metric *metric = hsd_facts_metric(&judge->facts, judge->facts.first, rule->capture_metric);
    return metric != NULL && is_unit_of_bytes(metric->unit);
}

static uint64_t min_of(const hsd_judge *judge, hsd_measure measure)
{
    const hsd_series *series = judge->facts.series;
    if (judge->has_built_in && hsd_measure_is_lost(measure)) return hsd_built_in_lost_min(judge->heap.bytes);
    if (judge->config->has_min) return judge->config->min_bytes;
    const uint64_t built_in = judge->has_built_in ? hsd_built_in_min(series != NULL) : 0;
    return hsd_max_u64(built_in, series != NULL ? series->noise_bytes : 0);
}

static void set_yardstick(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const hsd_series *series = judge->facts.series;
    trial->by = (hsd_yardstick){.rule = trial->rule,
                                .value_count = judge->facts.value_count,
                                .is_bytes = trial->row->is_bytes,
                                .has_trend = hsd_facts_have_trend(&judge->facts, trial->rule->measure),
                                .min_bytes = min_of(judge, trial->rule->measure),
                                .one_off_bytes = judge->config->one_off_bytes,
                                .noise = series != NULL ? series->noise_bytes : 0,
                                .heap = trial->row->is_bytes ? judge->heap.bytes : judge->heap.objects,
                                .numbers = judge->numbers};
}

static bool is_everything(hsd_text pattern) { return pattern.size == 1 && pattern.data[0] == '*'; }

/* Whoever names a place means it, and all that it holds. */
static bool may_have_moved(const hsd_trial *trial, hsd_fact_table table, const hsd_fact *fact)
{
    const bool is_place =
        table == HSD_FACTS_HOLDERS && trial->judge->most_moved != NULL && hsd_root_is_nobody(fact->root);
    return is_place && is_everything(trial->rule->pattern);
}

hsd_grown hsd_trial_weigh(hsd_trial *trial, hsd_fact_table table, size_t row, hsd_fact *fact)
{
    hsd_judge *judge = trial->judge;
    hsd_facts_get(&judge->facts, table, row, trial->rule->measure, fact, judge->values);
    const bool has_moved = may_have_moved(trial, table, fact) &&
                           hsd_moved_leave_out(judge->most_moved, judge->values, judge->facts.value_count);
    return hsd_grown_of(&trial->by, judge->values, fact->base, has_moved ? NULL : fact->trend, true);
}

/* ---- which rows ---- */

hsd_status hsd_trial_matches(hsd_trial *trial, size_t row, bool *out)
{
    hsd_judge *judge = trial->judge;
    hsd_fact fact;
    *out = false;
    if (hsd_facts_is_ignored(&judge->facts, trial->table, row)) return HSD_OK;
    *out = trial->rule->subject == HSD_SUBJECT_HEAP;
    if (*out) return HSD_OK;
    hsd_facts_name(&judge->facts, trial->table, row, &fact);
    if (fact.is_code && is_everything(trial->rule->pattern)) return HSD_OK;
    return hsd_fact_matches(&fact, trial->rule->subject, &trial->pattern, &judge->name, &judge->of_regex, out,
                            judge->err);
}

/* ---- notes ---- */

static hsd_status note_check_row(hsd_judge *judge, hsd_text text)
{
    return hsd_check_add(judge->store, judge->notes, text, judge->err);
}

static const char *rows_word(hsd_subject subject)
{
    static const char *const words[] = {"capture", "type", "root", "holder", "site"};
    return words[subject];
}

/* What is found is over the limit of a round, and the rule holds: why. */
static hsd_status note_small(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const hsd_text name = trial->rule->name;
    char size[32];
    hsd_text text;
    hsd_amount_write_size(size, trial->by.min_bytes);
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "rule '%.*s': what is over the limit grew by %s at most in all, which is noise here (min)",
                          hsd_check_shown(name), name.data, size));
    return note_check_row(judge, text);
}

/* A row as people read it. */
static hsd_status name_row(hsd_trial *trial, size_t row, hsd_text *out)
{
    hsd_judge *judge = trial->judge;
    hsd_fact fact;
    hsd_facts_name(&judge->facts, trial->table, row, &fact);
    return hsd_fact_place(&fact, trial->rule->subject, &judge->name, out, judge->err);
}

/* What began late is let pass, and worth a look. */
static hsd_status note_late_holder(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    char size[32];
    hsd_text name, text;
    HSD_TRY(name_row(trial, trial->late_row, &name));
    hsd_amount_write_size(size, (uint64_t)trial->late_growth);
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "%.*s lay still at first, and grew in each of the last %" PRIu32
                          " rounds, by %s in all: more rounds tell if it leaks",
                          hsd_check_shown(name), name.data, trial->late_rounds, size));
    return note_check_row(judge, text);
}

/* What is appended to a buffer grows in every round, and the buffer only when it is full. */
static hsd_status note_enlarged_holder(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    char size[32];
    hsd_text name, text;
    HSD_TRY(name_row(trial, trial->enlarged_row, &name));
    hsd_amount_write_size(size, (uint64_t)trial->enlarged_growth);
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "%.*s was enlarged %" PRIu32 " times, by %s in all, with no object more: it may be a buffer "
                          "that something is always appended to, which lies still for longer each time it is enlarged. "
                          "Longer rounds tell if it leaks",
                          hsd_check_shown(name), name.data, trial->enlarged_times, size));
    return note_check_row(judge, text);
}

#define STEADY_LIMIT 20u /* objects a round, of the rule that is told; less than what was found */

typedef struct steady { /* what a note on as many objects in each round says */
    uint64_t limit;     /* objects a round */
    size_t rounds;
    char size[32], more[64]; /* "" where it is one place */
} steady;

static steady steady_of(const hsd_trial *trial, const char *before_more, const char *behind_more)
{
    const uint64_t few = trial->steady_objects / 2, others = trial->steady_count - 1;
    steady s = {.limit = few < STEADY_LIMIT ? few : STEADY_LIMIT, .rounds = trial->by.value_count - 1};
    hsd_amount_write_size(s.size, (uint64_t)trial->steady_growth);
    if (others > 0)
        snprintf(s.more, sizeof s.more, ", and so %s %" PRIu64 " more place%s%s", before_more, others,
                 others > 1 ? "s" : "", behind_more);
    return s;
}

/* As many objects in each round, and few bytes: work left them behind, or what takes them up is not full yet. */
static hsd_status note_steady_holder(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const steady s = steady_of(trial, "did", "");
    hsd_fact fact;
    hsd_text name, text;
    hsd_facts_name(&judge->facts, trial->table, trial->steady_row, &fact);
    HSD_TRY(hsd_fact_place(&fact, trial->rule->subject, &judge->name, &name, judge->err));
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "%.*s got some %" PRIu64 " objects in each of %zu rounds, %s in all%s. That is within the "
                          "limit: a small leak, or something that is not full yet, and then more rounds find an end "
                          "of it. A rule fails for it: {holder: '*', metric: objects, max_growth: %" PRIu64
                          " per round}; hsdiff check --init writes a file to put it in",
                          hsd_check_shown(name), name.data, trial->steady_objects, s.rounds, s.size, s.more, s.limit));
    return note_check_row(judge, text);
}

/* The same of what is lost, which is no noise where each round brings as much. */
static hsd_status note_steady_loss(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const steady s = steady_of(trial, "was what", " allocated");
    hsd_fact fact;
    hsd_text text;
    hsd_facts_name(&judge->facts, HSD_FACTS_LOST, trial->steady_row, &fact);
    const hsd_text place = fact.place.size > 0 ? fact.place : fact.name;
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "what %.*s allocated was lost, some %" PRIu64 " objects in each of %zu rounds, %s in all%s. "
                          "That is within what the rule takes for noise, and is none. A rule fails for it: {metric: "
                          "lost.objects, max_growth: %" PRIu64 " per round}; hsdiff check --init writes a file to put "
                          "it in",
                          hsd_check_shown(place), place.data, trial->steady_objects, s.rounds, s.size, s.more,
                          s.limit));
    return note_check_row(judge, text);
}

#define NEAR_BYTES 32u /* what is longer is taken for no misspelling */

/* The name of a type or a root that a pattern without * may have been meant as; false where none is near. */
static bool find_near(const hsd_trial *trial, char near[NEAR_BYTES + 1])
{
    const hsd_rule *rule = trial->rule;
    const hsd_facts *facts = &trial->judge->facts;
    const char *name = near;
    hsd_fact fact;
    if (rule->subject == HSD_SUBJECT_HOLDER || rule->pattern.size == 0 || rule->pattern.size > NEAR_BYTES) return false;
    if (rule->pattern.data[0] == '/' || memchr(rule->pattern.data, '*', rule->pattern.size)) return false;
    for (size_t row = 0; row < hsd_facts_rows(facts, trial->table); row++) {
        hsd_facts_name(facts, trial->table, row, &fact);
        if (fact.name.size == 0 || fact.name.size > NEAR_BYTES) continue;
        memcpy(near, fact.name.data, fact.name.size);
        near[fact.name.size] = '\0';
        if (hsd_config_nearest(rule->pattern, &name, 1) != NULL) return true;
    }
    return false;
}

static hsd_status note_trial(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const hsd_text name = trial->rule->name;
    hsd_text text;
    if (trial->rule->subject != HSD_SUBJECT_HEAP && trial->matched == 0 && trial->rule->line > 0) {
        char near[NEAR_BYTES + 1];
        const bool is_near = find_near(trial, near);
        HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                              "rule '%.*s': no %s has such a name (line %" PRIu32 ")%s%s%s", hsd_check_shown(name),
                              name.data, rows_word(trial->rule->subject), trial->rule->line,
                              is_near ? "; did you mean " : "", is_near ? near : "", is_near ? "?" : ""));
        HSD_TRY(note_check_row(judge, text));
    }
    if (trial->row->outcome == HSD_CHECK_OK && trial->small > 0) HSD_TRY(note_small(trial));
    if (trial->late_rounds > 0) HSD_TRY(note_late_holder(trial));
    if (trial->enlarged_times > 0) HSD_TRY(note_enlarged_holder(trial));
    if (trial->steady_objects > 0)
        HSD_TRY(hsd_measure_is_lost(trial->rule->measure) ? note_steady_loss(trial) : note_steady_holder(trial));
    if (trial->breathing == 0) return HSD_OK;
    if (trial->rule->is_each || trial->rule->subject == HSD_SUBJECT_HOLDER) {
        HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                              "rule '%.*s': %" PRIu64 " %s%s over the limit without growth in every round",
                              hsd_check_shown(name), name.data, trial->breathing, rows_word(trial->rule->subject),
                              trial->breathing == 1 ? " is" : "s are"));
    } else {
        HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                              "rule '%.*s': over the limit, but without growth in every round", hsd_check_shown(name),
                              name.data));
    }
    return note_check_row(judge, text);
}

/* Built-in rules ask for more than every capture has; rules that somebody wrote are meant. */
static hsd_status cannot_judge(hsd_judge *judge, const hsd_rule *rule, hsd_check_row *row)
{
    hsd_text text;
    row->outcome = judge->has_built_in ? HSD_CHECK_OFF : HSD_CHECK_UNKNOWN;
    if (!judge->has_built_in) return HSD_OK;
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err, "rule '%.*s' was left out: %.*s",
                          hsd_check_shown(rule->name), rule->name.data, (int)hsd_min_u64(row->why_unknown.size, 300),
                          row->why_unknown.data));
    return note_check_row(judge, text);
}

/* ---- who holds it ---- */

/* Of the whole heap: types say what grew, and nobody would know who holds it. */
static hsd_status tell_holders(hsd_trial *trial)
{
    hsd_check_row *row = trial->row;
    const hsd_diff *diff = hsd_facts_holding(&trial->judge->facts);
    const hsd_holder *held[HSD_MOST_HELD];
    const bool is_of_live = trial->rule->measure == HSD_MEASURE_BYTES || trial->rule->measure == HSD_MEASURE_OBJECTS;
    const bool is_over = row->outcome == HSD_CHECK_FAIL || row->outcome == HSD_CHECK_WARN;
    void *kept;
    if (!is_over || !is_of_live || diff == NULL || trial->rule->subject != HSD_SUBJECT_HEAP) return HSD_OK;
    const size_t count = hsd_diff_most_held(diff, hsd_change_bytes(&diff->total), held);
    HSD_TRY(hsd_check_take(trial->judge->store, HSD_MOST_HELD, sizeof *held, &kept, trial->judge->err));
    memcpy(kept, held, count * sizeof *held);
    row->held = kept;
    row->held_count = count;
    return HSD_OK;
}

/* ---- the rule ---- */

static hsd_status try_rule(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const hsd_rule *rule = trial->rule;
    trial->table = hsd_facts_table(&judge->facts, rule->subject, rule->measure);
    set_yardstick(trial);
    if (rule->subject != HSD_SUBJECT_HEAP) HSD_TRY(hsd_pattern_make(&trial->pattern, rule->pattern, false, judge->err));
    const bool is_each = rule->is_each || rule->subject == HSD_SUBJECT_HOLDER;
    const hsd_status status = is_each ? hsd_trial_each(trial) : hsd_trial_sum(trial);
    hsd_pattern_release(&trial->pattern);
    return status;
}

hsd_status hsd_judge_rule(hsd_judge *judge, const hsd_rule *rule, hsd_check_row *row)
{
    *row = (hsd_check_row){.rule = rule, .outcome = HSD_CHECK_OFF, .why_unknown = {"", 0}};
    row->is_bytes = is_of_bytes(judge, rule);
    if (rule->level == HSD_LEVEL_OFF) return HSD_OK;
    HSD_TRY(hsd_facts_why_not(&judge->facts, rule, judge->store, &row->why_unknown, judge->err));
    if (row->why_unknown.size > 0) return cannot_judge(judge, rule, row);
    hsd_trial trial = {.judge = judge, .rule = rule, .row = row};
    row->outcome = HSD_CHECK_OK;
    HSD_TRY(try_rule(&trial));
    HSD_TRY(hsd_trial_note_losses(&trial));
    HSD_TRY(tell_holders(&trial));
    return note_trial(&trial);
}
