/*
 * The check as a whole: the captures, every rule, what is left to be said, and the exit status.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "check/built_in.h"
#include "check/findings.h"
#include "check/judge.h"
#include "check/problems.h"

static void count_check(hsd_check *check, hsd_check_outcome outcome)
{
    switch (outcome) {
    case HSD_CHECK_OK: check->passed++; break;
    case HSD_CHECK_WARN: check->warned++; break;
    case HSD_CHECK_FAIL: check->failed++; break;
    case HSD_CHECK_UNKNOWN: check->unknown++; break;
    case HSD_CHECK_OFF: break;
    }
}

static hsd_status judge_all(hsd_check *check, hsd_judge *judge, const hsd_rule *rules, size_t rule_count,
                            hsd_error *err)
{
    void *rows;
    HSD_TRY(hsd_check_take(check->store, rule_count, sizeof *check->rows, &rows, err));
    check->rows = rows;
    for (size_t i = 0; i < rule_count; i++) {
        if (judge->has_built_in && !hsd_built_in_asks(&rules[i], &judge->facts)) continue;
        hsd_check_row *row = &check->rows[check->row_count];
        HSD_TRY(hsd_judge_rule(judge, &rules[i], row));
        check->row_count++;
        count_check(check, row->outcome);
    }
    return hsd_allowed_note(&judge->allowed, &judge->facts, check->store, judge->notes, err);
}

static hsd_status check_captures(hsd_problem_lists *lists, const hsd_check *check, const hsd_check_options *options,
                                 hsd_error *err)
{
    return check->diff != NULL ? hsd_problems_of_diff(lists, check->diff, options->allow_incomplete, err)
                               : hsd_problems_of_series(lists, check->series, options->allow_incomplete, err);
}

static hsd_status run_check(hsd_check *check, const hsd_check_options *options, hsd_error *err)
{
    hsd_problem_lists lists = {.store = check->store};
    const bool is_series = check->series != NULL;
    size_t rule_count = check->config->rule_count;
    const hsd_rule *rules = rule_count > 0 ? check->config->rules : hsd_built_in_rules(is_series, &rule_count);
    HSD_TRY(check_captures(&lists, check, options, err));
    hsd_judge judge = {.facts = {.diff = check->diff, .series = check->series, .options = options},
                       .config = check->config,
                       .has_built_in = check->config->is_built_in || check->config->rule_count == 0,
                       .store = check->store,
                       .notes = &lists.notes,
                       .err = err};
    hsd_status status = hsd_judge_open(&judge, options->today);
    if (status == HSD_OK) status = judge_all(check, &judge, rules, rule_count, err);
    hsd_judge_release(&judge);
    check->problems = lists.problems.items;
    check->problem_count = lists.problems.count;
    check->notes = lists.notes.items;
    check->note_count = lists.notes.count;
    return status;
}

static hsd_status expect_input(const hsd_diff *diff, const hsd_series *series, hsd_error *err)
{
    if ((diff == NULL) == (series == NULL)) return hsd_fail(err, HSD_E_MISUSE, "a check takes a diff or a series");
    if (series == NULL) return HSD_OK;
    if (series->before_count > 0)
        return hsd_fail(err, HSD_E_MISUSE, "a check takes one series, not two groups of captures");
    if (series->point_count < 2 || series->warmup > series->point_count - 2)
        return hsd_fail(err, HSD_E_MISUSE, "a check takes a series with two captures behind the warm-up");
    return HSD_OK;
}

hsd_status hsd_check_run(hsd_check **out, const hsd_check_config *config, const hsd_diff *diff,
                         const hsd_series *series, const hsd_check_options *options, hsd_error *err)
{
    hsd_check_options own;
    hsd_check_store *store;
    void *check;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_check_options, sites, &own, options, err));
    if (options == NULL) own.today = INT32_MIN;
    HSD_TRY(expect_input(diff, series, err));
    HSD_TRY(hsd_check_store_new(&store, err));
    hsd_status status = hsd_check_take(store, 1, sizeof(hsd_check), &check, err);
    if (status == HSD_OK) {
        *(hsd_check *)check = (hsd_check){.config = config, .diff = diff, .series = series, .store = store};
        status = run_check(check, &own, err);
    }
    if (status == HSD_OK)
        *out = check;
    else
        hsd_check_store_free(store);
    return status;
}

void hsd_check_free(hsd_check *check)
{
    if (check != NULL) hsd_check_store_free(check->store);
}

int hsd_check_exit(const hsd_check *check)
{
    if (check->problem_count > 0 || check->unknown > 0) return 3;
    return check->failed > 0 ? 1 : 0;
}

/* ---- what a second pass should look at ---- */

typedef struct wanted {
    hsd_text type;
    int64_t growth;
} wanted;

static int compare_wanted(const void *a, const void *b)
{
    const wanted *left = a, *right = b;
    if (left->growth != right->growth) return left->growth > right->growth ? -1 : 1;
    return hsd_check_compare(left->type, right->type);
}

static size_t list_wanted(const hsd_check *check, wanted *out)
{
    size_t found = 0;
    for (size_t i = 0; i < check->row_count; i++) {
        const hsd_check_row *row = &check->rows[i];
        if (row->outcome != HSD_CHECK_FAIL && row->outcome != HSD_CHECK_WARN) continue;
        for (size_t k = 0; k < row->finding_count; k++) {
            const hsd_finding *finding = &row->findings[k];
            const hsd_text type = hsd_finding_type(finding, row->rule->subject);
            if (finding->allowed != NULL || finding->is_levelled || type.size == 0) continue;
            if (out != NULL) out[found] = (wanted){type, finding->growth};
            found++;
        }
    }
    return found;
}

size_t hsd_check_types_wanted(const hsd_check *check, hsd_text *out, size_t most)
{
    const size_t all = list_wanted(check, NULL);
    wanted *list = all > 0 ? calloc(all, sizeof *list) : NULL;
    size_t kept = 0;
    if (list == NULL) return 0;
    list_wanted(check, list);
    qsort(list, all, sizeof *list, compare_wanted);
    for (size_t i = 0; i < all && kept < most; i++) {
        bool is_there = false;
        for (size_t k = 0; k < kept && !is_there; k++)
            is_there = hsd_check_is_same(out[k], list[i].type);
        if (!is_there) out[kept++] = list[i].type;
    }
    free(list);
    return kept;
}

/* ---- whether to look closer ---- */

static bool names_a_holder(const hsd_rule *rule)
{
    const bool is_every = rule->pattern.size == 1 && rule->pattern.data[0] == '*';
    return rule->subject == HSD_SUBJECT_HOLDER && rule->level != HSD_LEVEL_OFF && !is_every;
}

static bool grows(const hsd_series *series, const hsd_series_row *row)
{
    return row->trend.growth > 0 && (uint64_t)row->trend.growth > series->noise_bytes;
}

bool hsd_check_wants_pair(const hsd_check_config *config, const hsd_series *series)
{
    bool names_one = false, has_grown = false;
    for (size_t i = 0; i < config->rule_count; i++)
        names_one |= names_a_holder(&config->rules[i]);
    for (size_t i = 0; names_one && i < series->holders.row_count; i++)
        has_grown |= grows(series, &series->holders.rows[i]);
    return has_grown;
}
