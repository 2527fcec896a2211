/*
 * Names and values of a check. Sentences about findings are in check_sentences.c.
 */
#include "report/sentences/check_words.h"

#include <stdio.h>
#include <string.h>

#include "report/words/number.h"

const char *hsd_outcome_name(hsd_check_outcome outcome)
{
    static const char *const names[] = {[HSD_CHECK_OK] = "ok",
                                        [HSD_CHECK_WARN] = "warn",
                                        [HSD_CHECK_FAIL] = "fail",
                                        [HSD_CHECK_UNKNOWN] = "unknown",
                                        [HSD_CHECK_OFF] = "off"};
    return names[outcome];
}

const char *hsd_level_name(hsd_check_level level)
{
    static const char *const names[] = {
        [HSD_LEVEL_ERROR] = "error", [HSD_LEVEL_WARN] = "warn", [HSD_LEVEL_OFF] = "off"};
    return names[level];
}

const char *hsd_subject_name(hsd_subject subject)
{
    static const char *const names[] = {[HSD_SUBJECT_HEAP] = "heap",
                                        [HSD_SUBJECT_TYPE] = "type",
                                        [HSD_SUBJECT_ROOT] = "root",
                                        [HSD_SUBJECT_HOLDER] = "holder",
                                        [HSD_SUBJECT_SITE] = "site"};
    return names[subject];
}

const char *hsd_measure_name(const hsd_rule *rule)
{
    const bool is_total = rule->subject == HSD_SUBJECT_HEAP;
    switch (rule->measure) {
    case HSD_MEASURE_BYTES: return is_total ? "total.bytes" : "bytes";
    case HSD_MEASURE_OBJECTS: return is_total ? "total.objects" : "objects";
    case HSD_MEASURE_NEW_BYTES: return "new.bytes";
    case HSD_MEASURE_NEW_OBJECTS: return "new.objects";
    case HSD_MEASURE_NEW_TYPES: return "new.types";
    case HSD_MEASURE_UNREACHED_BYTES: return "unreached.bytes";
    case HSD_MEASURE_UNREACHED_OBJECTS: return "unreached.objects";
    case HSD_MEASURE_SURVIVED_BYTES: return "survived.bytes";
    case HSD_MEASURE_SURVIVED_OBJECTS: return "survived.objects";
    case HSD_MEASURE_LOST_BYTES: return "lost.bytes";
    case HSD_MEASURE_LOST_OBJECTS: return "lost.objects";
    case HSD_MEASURE_CAPTURE: break;
    }
    return "metric";
}

const char *hsd_row_unit(const hsd_check_row *row)
{
    if (row->is_bytes) return "bytes";
    if (row->rule->measure == HSD_MEASURE_NEW_TYPES) return "types";
    return row->rule->measure == HSD_MEASURE_CAPTURE ? "value" : "objects";
}

const char *hsd_limit_unit_name(hsd_limit_unit unit)
{
    static const char *const names[] = {[HSD_LIMIT_AMOUNT] = "amount",
                                        [HSD_LIMIT_PERCENT] = "percent",
                                        [HSD_LIMIT_AMOUNT_PER_ROUND] = "amount_per_round",
                                        [HSD_LIMIT_PERCENT_PER_ROUND] = "percent_per_round",
                                        [HSD_LIMIT_AUTO] = "auto"};
    return names[unit];
}

const char *hsd_finding_state(const hsd_finding *finding)
{
    return finding->allowed ? "allowed" : finding->is_levelled ? "levelled" : "over";
}

/* ---- the whole ---- */

int hsd_check_status(const hsd_check *check)
{
    if (check->problem_count > 0 || check->unknown > 0) return 3;
    return check->failed > 0 ? 1 : 0;
}

const char *hsd_check_verdict(const hsd_check *check)
{
    const int status = hsd_check_status(check);
    return status == 3 ? "unknown" : status == 1 ? "failed" : "passed";
}

size_t hsd_check_off(const hsd_check *check)
{
    size_t off = 0;
    for (size_t i = 0; i < check->row_count; i++)
        off += check->rows[i].outcome == HSD_CHECK_OFF;
    return off;
}

size_t hsd_check_asked(const hsd_check *check) { return check->row_count - hsd_check_off(check); }

/* "1 warning", "2 warnings". */
static void put_warnings(char *out, size_t capacity, size_t warned)
{
    char count[HSD_NUMBER_CHARS];
    out[0] = 0;
    if (warned > 0) snprintf(out, capacity, ", %s warning%s", hsd_format_count(count, warned), warned == 1 ? "" : "s");
}

char *hsd_check_summary(char out[HSD_SUMMARY_CHARS], const hsd_check *check)
{
    char warnings[48], failed[HSD_NUMBER_CHARS], unknown[HSD_NUMBER_CHARS], asked[HSD_NUMBER_CHARS];
    const size_t rules = hsd_check_asked(check);
    const char *noun = rules == 1 ? "rule" : "rules";
    put_warnings(warnings, sizeof warnings, check->warned);
    hsd_format_count(asked, rules);
    hsd_format_count(failed, check->failed);
    hsd_format_count(unknown, check->unknown);
    if (rules == 0)
        snprintf(out, HSD_SUMMARY_CHARS, "No rule was asked.");
    else if (check->unknown > 0)
        snprintf(out, HSD_SUMMARY_CHARS, "%s of %s %s cannot be judged, %s failed%s.", unknown, asked, noun, failed,
                 warnings);
    else if (check->failed > 0)
        snprintf(out, HSD_SUMMARY_CHARS, "%s of %s %s failed%s.", failed, asked, noun, warnings);
    else if (check->problem_count > 0)
        snprintf(out, HSD_SUMMARY_CHARS, "The captures cannot be judged.");
    else
        snprintf(out, HSD_SUMMARY_CHARS, "%s %s hold%s%s.", asked, noun, rules == 1 ? "s" : "", warnings);
    return out;
}

bool hsd_check_has_own_rules(const hsd_check *check)
{
    for (size_t i = 0; i < check->row_count; i++)
        if (check->rows[i].outcome == HSD_CHECK_FAIL && check->rows[i].rule->line > 0) return true;
    return false;
}

hsd_text hsd_check_config_path(const hsd_check *check, const hsd_report_options *options)
{
    if (check->config->is_built_in) return (hsd_text){"", 0};
    if (options->config_path) return (hsd_text){options->config_path, strlen(options->config_path)};
    return check->config->name;
}

const hsd_text *hsd_check_warnings(const hsd_check *check, size_t *count)
{
    *count = check->diff ? check->diff->warning_count : check->series ? check->series->warning_count : 0;
    return check->diff ? check->diff->warnings : check->series ? check->series->warnings : NULL;
}

/* ---- values ---- */

static bool is_growth(hsd_measure measure)
{
    switch (measure) {
    case HSD_MEASURE_NEW_BYTES:
    case HSD_MEASURE_NEW_OBJECTS:
    case HSD_MEASURE_NEW_TYPES:
    case HSD_MEASURE_SURVIVED_BYTES:
    case HSD_MEASURE_SURVIVED_OBJECTS: return false;
    case HSD_MEASURE_BYTES:
    case HSD_MEASURE_OBJECTS:
    case HSD_MEASURE_UNREACHED_BYTES:
    case HSD_MEASURE_UNREACHED_OBJECTS:
    case HSD_MEASURE_LOST_BYTES:
    case HSD_MEASURE_LOST_OBJECTS:
    case HSD_MEASURE_CAPTURE: break;
    }
    return true;
}

char *hsd_row_value(char out[HSD_VALUE_CHARS], const hsd_check_row *row, int64_t value, bool is_exact)
{
    if (value > 0 && !is_growth(row->rule->measure)) {
        if (!row->is_bytes) return hsd_format_count(out, (uint64_t)value);
        return is_exact ? hsd_format_exact(out, (uint64_t)value) : hsd_format_bytes(out, (uint64_t)value);
    }
    if (!row->is_bytes) return hsd_format_count_signed(out, value);
    return is_exact ? hsd_format_exact_signed(out, value) : hsd_format_bytes_signed(out, value);
}

char *hsd_row_amount(char out[HSD_VALUE_CHARS], const hsd_check_row *row, int64_t value, bool is_exact)
{
    static const char per_round[] = "/round";
    hsd_row_value(out, row, value, is_exact);
    if (row->is_per_round) memcpy(out + strlen(out), per_round, sizeof per_round);
    return out;
}

char *hsd_format_day(char out[HSD_NUMBER_CHARS], int32_t day)
{
    /* Civil date from days since 1970-01-01, in eras of 400 years that begin on a first of March. */
    const int64_t shifted = (int64_t)day + 719468;
    const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const unsigned of_era = (unsigned)(shifted - era * 146097);
    const unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned march_month = (5 * of_year + 2) / 153, month = march_month < 10 ? march_month + 3 : march_month - 9;
    snprintf(out, HSD_NUMBER_CHARS, "%04lld-%02u-%02u", (long long)(year_of_era + era * 400 + (month <= 2)), month,
             of_year - (153 * march_month + 2) / 5 + 1);
    return out;
}
