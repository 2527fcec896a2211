/*
 * The two ways to hold rows against a rule, each by itself or all together, and the findings of both.
 */
#include <string.h>

#include "base/check.h"
#include "check/findings.h"
#include "check/judge.h"
#include <hscapture/hscapture.h>

static hsd_shortlist new_list(const hsd_trial *trial, size_t most)
{
    return (hsd_shortlist){.facts = &trial->judge->facts, .most = most};
}

static void take_outcome(hsd_trial *trial, const hsd_grown *worst, bool fails)
{
    hsd_check_row *row = trial->row;
    row->is_per_round = worst->is_per_round;
    row->found = worst->found;
    row->limit = worst->limit;
    if (!fails) return;
    row->over = hsd_int64_minus(worst->found, worst->limit);
    row->outcome = trial->rule->level == HSD_LEVEL_WARN ? HSD_CHECK_WARN : HSD_CHECK_FAIL;
}

/* ---- findings ---- */

static void write_list(hsd_trial *trial, const hsd_shortlist *list, const hsd_grown *sum)
{
    hsd_check_row *row = trial->row;
    for (size_t i = 0; i < list->count && row->finding_count < HSD_FINDINGS_MOST; i++) {
        const hsd_candidate *at = &list->items[i];
        hsd_fact fact;
        hsd_grown grown = hsd_trial_weigh(trial, at->table, at->row, &fact);
        if (sum != NULL) {
            grown.limit = sum->limit;
            grown.is_per_round = sum->is_per_round;
        }
        hsd_finding_fill(&row->findings[row->finding_count++], &trial->judge->facts, at, &fact, &grown,
                         trial->rule->subject);
    }
}

/* What fails, then what is accepted. `sum` gives its limit to the rows that carry it. */
static hsd_status write_findings(hsd_trial *trial, hsd_shortlist *failing, hsd_shortlist *accepted,
                                 const hsd_grown *sum)
{
    hsd_check_row *row = trial->row;
    void *findings;
    if (failing->total + accepted->total == 0) return HSD_OK;
    HSD_TRY(hsd_check_take(trial->judge->store, HSD_FINDINGS_MOST, sizeof *row->findings, &findings,
                           trial->judge->err));
    row->findings = findings;
    write_list(trial, failing, sum);
    write_list(trial, accepted, sum);
    row->other_findings = failing->total + accepted->total - row->finding_count;
    return HSD_OK;
}

/* ---- each ---- */

/* Rows that fail tell more than rows within their limits, and these more than what is accepted or breathes. */
static int weight_of(const hsd_grown *grown, bool fails) { return fails ? 3 : grown->excess <= 0 ? 2 : 1; }

/* A holder that the rule lets pass, as it lay still at first. */
static void note_late(hsd_trial *trial, size_t row, const hsd_fact *fact, const hsd_grown *grown)
{
    if (!trial->by.has_trend || !trial->by.is_bytes || fact->trend == NULL || grown->leaks ||
        hsd_root_is_nobody(fact->root) || grown->growth <= trial->late_growth)
        return;
    const uint32_t rounds = hsd_grown_late(&trial->by, trial->judge->values, fact->trend);
    if (rounds == 0) return;
    trial->late_row = row;
    trial->late_rounds = rounds;
    trial->late_growth = grown->growth;
}

/* A holder that the rule lets pass, as it lay still in some rounds. */
static void note_enlarged(hsd_trial *trial, size_t row, const hsd_fact *fact, const hsd_grown *grown)
{
    const hsd_series *series = trial->judge->facts.series;
    if (series == NULL || !trial->by.is_bytes || grown->leaks || fact->is_code || hsd_root_is_nobody(fact->root))
        return;
    const hsd_series_row *of = &series->holders.rows[row];
    const uint64_t first = of->values[0].bytes, last = of->values[series->point_count - 1].bytes;
    if (last <= first || last - first <= series->noise_bytes || last - first > INT64_MAX) return;
    if (of->enlarged == 0 || (int64_t)(last - first) <= trial->enlarged_growth) return;
    trial->enlarged_row = row;
    trial->enlarged_times = of->enlarged;
    trial->enlarged_growth = (int64_t)(last - first);
}

/* A row that the rule lets pass, as what each round brought is small. */
static hsd_status note_steady(hsd_trial *trial, hsd_subject subject, size_t row, const hsd_fact *fact,
                              const hsd_grown *grown)
{
    const hsd_allowance *allowed;
    if (!trial->by.has_trend || !trial->by.is_bytes || grown->leaks || grown->is_levelled || fact->is_code ||
        hsd_root_is_nobody(fact->root))
        return HSD_OK;
    const uint64_t objects = hsd_grown_steadily(&trial->by, trial->judge->values);
    if (objects == 0) return HSD_OK;
    HSD_TRY(hsd_allowed_find(&trial->judge->allowed, subject, fact, grown->bytes, &allowed, trial->judge->err));
    if (allowed != NULL) return HSD_OK;
    trial->steady_count++;
    if (trial->steady_objects > 0 && grown->growth <= trial->steady_growth) return HSD_OK;
    trial->steady_row = row;
    trial->steady_objects = objects;
    trial->steady_growth = grown->growth;
    return HSD_OK;
}

/* What is lost by one place, within the limit of a rule that passes. Nothing is full one day here: what is lost is. */
hsd_status hsd_trial_note_losses(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    if (trial->rule->subject != HSD_SUBJECT_HEAP || !hsd_measure_is_lost(trial->rule->measure) ||
        trial->row->outcome != HSD_CHECK_OK)
        return HSD_OK;
    for (size_t row = 0; row < hsd_facts_rows(&judge->facts, HSD_FACTS_LOST); row++) {
        hsd_fact fact;
        if (hsd_facts_is_ignored(&judge->facts, HSD_FACTS_LOST, row)) continue;
        const hsd_grown grown = hsd_trial_weigh(trial, HSD_FACTS_LOST, row, &fact);
        hsd_facts_name(&judge->facts, HSD_FACTS_LOST, row, &fact);
        HSD_TRY(note_steady(trial, HSD_SUBJECT_SITE, row, &fact, &grown));
    }
    return HSD_OK;
}

hsd_status hsd_trial_each(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    hsd_shortlist failing = new_list(trial, HSD_FINDINGS_MOST), accepted = new_list(trial, HSD_FINDINGS_MOST);
    hsd_grown worst = {0};
    int weight = 1;
    for (size_t row = 0; row < hsd_facts_rows(&judge->facts, trial->table); row++) {
        hsd_fact fact;
        bool is_match;
        HSD_TRY(hsd_trial_matches(trial, row, &is_match));
        if (!is_match) continue;
        const hsd_grown grown = hsd_trial_weigh(trial, trial->table, row, &fact);
        hsd_candidate candidate = {.table = trial->table,
                                   .row = row,
                                   .excess = grown.excess,
                                   .growth = grown.growth,
                                   .is_levelled = grown.is_levelled};
        trial->matched++;
        trial->breathing += grown.breathes;
        trial->small += grown.is_small;
        if (trial->rule->subject == HSD_SUBJECT_HOLDER) {
            note_late(trial, row, &fact, &grown);
            note_enlarged(trial, row, &fact, &grown);
            HSD_TRY(note_steady(trial, HSD_SUBJECT_HOLDER, row, &fact, &grown));
        }
        if (grown.leaks)
            HSD_TRY(hsd_allowed_find(&judge->allowed, trial->rule->subject, &fact, grown.bytes, &candidate.allowed,
                                     judge->err));
        const bool fails = grown.leaks && candidate.allowed == NULL;
        if (fails)
            hsd_shortlist_put(&failing, &candidate);
        else if (grown.leaks || grown.is_levelled)
            hsd_shortlist_put(&accepted, &candidate);
        const int own = weight_of(&grown, fails);
        if (own > weight || (own == weight && own > 1 && grown.excess > worst.excess)) {
            worst = grown;
            weight = own;
        }
    }
    hsd_shortlist_sort(&failing);
    hsd_shortlist_sort(&accepted);
    take_outcome(trial, &worst, weight == 3);
    return write_findings(trial, &failing, &accepted, NULL);
}

/* ---- the sum ---- */

static void add_values(hsd_amount *sums, const hsd_amount *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[i].objects = hsd_add_saturating(sums[i].objects, values[i].objects);
        sums[i].bytes = hsd_add_saturating(sums[i].bytes, values[i].bytes);
    }
}

static void take_values(hsd_amount *sums, const hsd_amount *less, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[i].objects -= hsd_min_u64(sums[i].objects, less[i].objects);
        sums[i].bytes -= hsd_min_u64(sums[i].bytes, less[i].bytes);
    }
}

/* The sum of what matches in judge->sums; *trend is its own where it is known. */
static hsd_status add_up_trial(hsd_trial *trial, hsd_amount *base, const hsd_trend **trend)
{
    hsd_judge *judge = trial->judge;
    const size_t count = judge->facts.value_count;
    hsd_fact fact;
    if (trial->rule->subject == HSD_SUBJECT_HEAP) {
        hsd_facts_total(&judge->facts, trial->rule, &fact, judge->sums, judge->scratch);
        *base = fact.base;
        *trend = fact.trend;
        if (trial->rule->measure == HSD_MEASURE_CAPTURE || trial->rule->measure == HSD_MEASURE_NEW_TYPES)
            trial->by.heap = trial->by.is_bytes ? base->bytes : base->objects;
        return HSD_OK;
    }
    *base = (hsd_amount){0, 0};
    memset(judge->sums, 0, count * sizeof *judge->sums);
    for (size_t row = 0; row < hsd_facts_rows(&judge->facts, trial->table); row++) {
        bool is_match;
        HSD_TRY(hsd_trial_matches(trial, row, &is_match));
        if (!is_match) continue;
        hsd_facts_get(&judge->facts, trial->table, row, trial->rule->measure, &fact, judge->values);
        add_values(judge->sums, judge->values, count);
        add_values(base, &fact.base, 1);
        trial->matched++;
    }
    return HSD_OK;
}

/* Rows of the subject that stand behind a sum, and are known by its measure. */
static hsd_status has_rows(hsd_trial *trial, hsd_subject subject, bool *out)
{
    hsd_rule rule = *trial->rule;
    hsd_text why;
    *out = rule.measure != HSD_MEASURE_CAPTURE;
    if (rule.measure == HSD_MEASURE_NEW_TYPES) *out = subject == HSD_SUBJECT_TYPE;
    if (!*out) return HSD_OK;
    rule.subject = subject;
    rule.limit_count = 0; /* what a percentage is of does not matter here */
    HSD_TRY(hsd_facts_why_not(&trial->judge->facts, &rule, trial->judge->store, &why, trial->judge->err));
    *out = why.size == 0;
    return HSD_OK;
}

typedef struct allowed_sum { /* the growth of the rows of one table that are allowed */
    hsd_subject subject;
    hsd_shortlist list;
    uint64_t growth;
} allowed_sum;

/* The allowed rows of one table: on the list, and their values in judge->less. */
static hsd_status add_allowed(hsd_trial *trial, hsd_subject subject, allowed_sum *out)
{
    hsd_judge *judge = trial->judge;
    hsd_trial rows = *trial;
    bool is_known;
    *out = (allowed_sum){.subject = subject, .list = new_list(trial, HSD_FINDINGS_MOST)};
    memset(judge->less, 0, judge->facts.value_count * sizeof *judge->less);
    HSD_TRY(has_rows(trial, subject, &is_known));
    rows.table = hsd_facts_table(&judge->facts, subject, trial->rule->measure);
    for (size_t row = 0; is_known && row < hsd_facts_rows(&judge->facts, rows.table); row++) {
        hsd_fact fact;
        bool is_match;
        HSD_TRY(hsd_trial_matches(&rows, row, &is_match));
        if (!is_match) continue;
        const hsd_grown grown = hsd_trial_weigh(trial, rows.table, row, &fact);
        hsd_candidate candidate = {.table = rows.table, .row = row, .excess = grown.growth, .growth = grown.growth};
        if (grown.growth <= 0) continue;
        HSD_TRY(hsd_allowed_find(&judge->allowed, subject, &fact, grown.bytes, &candidate.allowed, judge->err));
        if (candidate.allowed == NULL) continue;
        hsd_shortlist_put(&out->list, &candidate);
        add_values(judge->less, judge->values, judge->facts.value_count);
    }
    out->growth = out->list.growth;
    return HSD_OK;
}

/* Takes what is allowed out of judge->sums. */
static hsd_status take_allowed(hsd_trial *trial, allowed_sum *best)
{
    static const hsd_subject subjects[] = {HSD_SUBJECT_TYPE, HSD_SUBJECT_ROOT, HSD_SUBJECT_HOLDER, HSD_SUBJECT_SITE};
    const bool is_heap = trial->rule->subject == HSD_SUBJECT_HEAP;
    *best = (allowed_sum){.subject = HSD_SUBJECT_HEAP};
    if (trial->judge->allowed.count == 0) return HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(subjects); i++) {
        allowed_sum sum;
        if (!is_heap && subjects[i] != trial->rule->subject) continue;
        HSD_TRY(add_allowed(trial, subjects[i], &sum));
        if (sum.growth > best->growth) *best = sum;
    }
    if (best->growth == 0) return HSD_OK;
    HSD_TRY(add_allowed(trial, best->subject, best)); /* its values again */
    take_values(trial->judge->sums, trial->judge->less, trial->judge->facts.value_count);
    return HSD_OK;
}

/* The rows that carry the sum, but for those that are allowed. */
static hsd_status add_carriers(hsd_trial *trial, const allowed_sum *allowed, bool is_levelled, hsd_shortlist *out)
{
    hsd_judge *judge = trial->judge;
    const hsd_subject subject = trial->rule->subject == HSD_SUBJECT_HEAP ? HSD_SUBJECT_TYPE : trial->rule->subject;
    bool is_known;
    HSD_TRY(has_rows(trial, subject, &is_known));
    for (size_t row = 0; is_known && row < hsd_facts_rows(&judge->facts, trial->table); row++) {
        hsd_fact fact;
        const hsd_allowance *allowance = NULL;
        bool is_match;
        HSD_TRY(hsd_trial_matches(trial, row, &is_match));
        if (!is_match) continue;
        const hsd_grown grown = hsd_trial_weigh(trial, trial->table, row, &fact);
        if (grown.growth <= 0) continue;
        if (allowed->subject == subject)
            HSD_TRY(hsd_allowed_find(&judge->allowed, subject, &fact, grown.bytes, &allowance, judge->err));
        const hsd_candidate candidate = {.table = trial->table,
                                         .row = row,
                                         .excess = grown.growth,
                                         .growth = grown.growth,
                                         .is_levelled = is_levelled};
        if (allowance == NULL) hsd_shortlist_put(out, &candidate);
    }
    hsd_shortlist_sort(out);
    hsd_shortlist_cut(out);
    return HSD_OK;
}

/* ---- what a series does not tell of types ---- */

/* A series adds up what is unreached of the whole heap. Of which types it is, its pair knows. */
static bool knows_by_pair(const hsd_trial *trial)
{
    const hsd_series *series = trial->judge->facts.diff == NULL ? trial->judge->facts.series : NULL;
    return series != NULL && series->pair != NULL && trial->rule->subject == HSD_SUBJECT_HEAP &&
           hsd_measure_is_unreached(trial->rule->measure);
}

/* What came between its two captures is known, and not by which round. */
static void leave_rounds_out(hsd_finding *finding, const hsd_series *series)
{
    const size_t rounds = series->pair_to > series->pair_from ? series->pair_to - series->pair_from : 1;
    finding->round_count = finding->up_count = 0;
    finding->per_round = finding->growth / (int64_t)rounds;
}

/* The findings of the pair, in the place of those that the series does not have. */
static hsd_status find_by_pair(hsd_trial *trial, const allowed_sum *allowed, const hsd_grown *sum)
{
    hsd_judge *judge = trial->judge;
    const hsd_facts of_series = judge->facts;
    const hsd_yardstick by = trial->by;
    hsd_shortlist carriers = new_list(trial, HSD_CARRIERS_MOST), none = new_list(trial, 0);
    judge->facts = (hsd_facts){.diff = of_series.series->pair, .options = of_series.options};
    hsd_status status = hsd_facts_open(&judge->facts, judge->config, judge->store, judge->err);
    trial->by.value_count = judge->facts.value_count;
    trial->by.has_trend = false;
    if (status == HSD_OK) status = add_carriers(trial, allowed, sum->is_levelled, &carriers);
    if (status == HSD_OK) status = write_findings(trial, &carriers, &none, sum);
    for (size_t i = 0; status == HSD_OK && i < trial->row->finding_count; i++)
        leave_rounds_out(&trial->row->findings[i], of_series.series);
    judge->facts = of_series;
    trial->by = by;
    return status;
}

/* ---- program code ---- */

/* What hangs from code, and is of other types. */
static bool is_notes(const hsd_series_row *row)
{
    const size_t size = strlen(HSD_RUNTIME_NOTES);
    return row->is_code && row->root.size == size && memcmp(row->root.data, HSD_RUNTIME_NOTES, size) == 0;
}

/* In a diff the row of its own; a series has none that leaves out functions of the program, but the types. */
static bool is_code(const hsd_facts *facts, size_t row)
{
    if (facts->diff != NULL) return facts->diff->holders[row].is_code;
    return hsc_type_is_program_code(facts->series->types.rows[row].flags) &&
           !hsd_facts_is_ignored(facts, HSD_FACTS_TYPES, row);
}

static void add_row_of_code(hsd_trial *trial, hsd_fact_table table, size_t row)
{
    hsd_judge *judge = trial->judge;
    hsd_fact fact;
    hsd_facts_get(&judge->facts, table, row, trial->rule->measure, &fact, judge->values);
    add_values(judge->less, judge->values, judge->facts.value_count);
}

/* Its values in judge->less. */
static void add_code(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    const hsd_series *series = judge->facts.diff == NULL ? judge->facts.series : NULL;
    const hsd_fact_table table = series == NULL ? HSD_FACTS_HOLDERS : HSD_FACTS_TYPES;
    memset(judge->less, 0, judge->facts.value_count * sizeof *judge->less);
    for (size_t row = 0; row < hsd_facts_rows(&judge->facts, table); row++)
        if (is_code(&judge->facts, row)) add_row_of_code(trial, table, row);
    for (size_t row = 0; series != NULL && row < hsd_facts_rows(&judge->facts, HSD_FACTS_HOLDERS); row++)
        if (is_notes(&series->holders.rows[row])) add_row_of_code(trial, HSD_FACTS_HOLDERS, row);
}

/*
 * True if the heap is over a built-in limit by what the runtime compiled alone: that goes on for as long as a program
 * meets new work, and is no leak of the program's. What a program makes of functions is not code alone: whoever keeps
 * them has objects of its own.
 */
static bool is_code_alone(hsd_trial *trial, hsd_amount base)
{
    hsd_judge *judge = trial->judge;
    if (!judge->has_built_in || trial->rule->subject != HSD_SUBJECT_HEAP || trial->rule->measure != HSD_MEASURE_BYTES)
        return false;
    add_code(trial);
    const size_t bytes = judge->facts.value_count * sizeof *judge->sums;
    memcpy(judge->scratch, judge->sums, bytes);
    take_values(judge->scratch, judge->less, judge->facts.value_count);
    return !hsd_grown_of(&trial->by, judge->scratch, base, NULL, false).leaks;
}

static hsd_status note_code(const hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    hsd_text text;
    HSD_TRY(hsd_check_say(judge->store, &text, judge->err,
                          "rule '%.*s': over the limit by program code alone, which the runtime compiled meanwhile",
                          hsd_check_shown(trial->rule->name), trial->rule->name.data));
    return hsd_check_add(judge->store, judge->notes, text, judge->err);
}

hsd_status hsd_trial_sum(hsd_trial *trial)
{
    hsd_judge *judge = trial->judge;
    hsd_shortlist carriers = new_list(trial, HSD_CARRIERS_MOST);
    allowed_sum allowed = {.subject = HSD_SUBJECT_HEAP, .list = new_list(trial, 0)};
    const hsd_trend *trend = NULL;
    hsd_amount base;
    HSD_TRY(add_up_trial(trial, &base, &trend));
    hsd_grown grown = hsd_grown_of(&trial->by, judge->sums, base, trend, false);
    if (grown.leaks) {
        HSD_TRY(take_allowed(trial, &allowed));
        hsd_shortlist_sort(&allowed.list);
        if (allowed.growth > 0) grown = hsd_grown_of(&trial->by, judge->sums, base, NULL, false);
    }
    if (grown.leaks && is_code_alone(trial, base)) {
        take_outcome(trial, &grown, false);
        return note_code(trial);
    }
    trial->breathing += grown.breathes;
    trial->small += grown.is_small;
    take_outcome(trial, &grown, grown.leaks);
    if (grown.leaks && knows_by_pair(trial)) return find_by_pair(trial, &allowed, &grown);
    if (grown.leaks || grown.is_levelled) HSD_TRY(add_carriers(trial, &allowed, grown.is_levelled, &carriers));
    return write_findings(trial, &carriers, &allowed.list, &grown);
}
