/*
 * What all formats say of a check in the same words: names of outcomes and measures, values in their unit, who is over
 * a limit and what holds it. Sentences about findings are raw text with foreign names in it: escape each as a whole,
 * when it is complete.
 */
#ifndef HSD_REPORT_CHECK_WORDS_H
#define HSD_REPORT_CHECK_WORDS_H

#include "report/write/out.h"
#include <hsdiff/check.h>

/* For machines: "ok", "warn", "fail", "unknown", "off"; "error", "warn", "off"; "heap", "type", "root", "holder". */
const char *hsd_outcome_name(hsd_check_outcome outcome);
const char *hsd_level_name(hsd_check_level level);
const char *hsd_subject_name(hsd_subject subject);

/* As in a configuration: "total.bytes", "objects", "new.types"; "metric" for what the capture measured
 * (rule->capture_metric). */
const char *hsd_measure_name(const hsd_rule *rule);

/* "bytes", "objects", "types"; "value" for a metric of the capture that is no size. */
const char *hsd_row_unit(const hsd_check_row *row);

/* "amount", "percent", "amount_per_round", "percent_per_round". */
const char *hsd_limit_unit_name(hsd_limit_unit unit);

/* "over", "allowed", "levelled". */
const char *hsd_finding_state(const hsd_finding *finding);

/* "passed", "failed", "unknown", and the exit status of the command for it: 0, 1, 3. */
const char *hsd_check_verdict(const hsd_check *check);
int hsd_check_status(const hsd_check *check);

/* Rules that were asked, so all but those that are off; and those that are off. */
size_t hsd_check_asked(const hsd_check *check);
size_t hsd_check_off(const hsd_check *check);

/* "+412,310", "+16.0 MiB", exact with `is_exact`; without a sign where the measure is no growth ("5" new types).
 * Returns out. */
#define HSD_VALUE_CHARS (HSD_NUMBER_CHARS + 8)
char *hsd_row_value(char out[HSD_VALUE_CHARS], const hsd_check_row *row, int64_t value, bool is_exact);

/* The same of found, limit and over, which may be per round: "+12.3 KiB/round". */
char *hsd_row_amount(char out[HSD_VALUE_CHARS], const hsd_check_row *row, int64_t value, bool is_exact);

/* "2 of 4 rules failed, 1 warning.", "4 rules passed.", "1 of 4 rules cannot be judged, 1 failed." */
#define HSD_SUMMARY_CHARS 192
char *hsd_check_summary(char out[HSD_SUMMARY_CHARS], const hsd_check *check);

/* The whole of a finding's state: what it is called, what holds it, its growth where that is not the row's, rounds, why
 * it is accepted. "Session +118.2 MiB, held by global.sessions (Map), grew in 5 of 5 rounds, +12.3 KiB per round" */
hsd_status hsd_finding_append(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row,
                              const hsd_finding *finding, bool is_exact, hsd_error *err);

/* "Session, held by global.sessions (Map)"; of a holder "global.sessions: Map". */
hsd_status hsd_finding_append_subject(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding,
                                      hsd_error *err);

/* The place alone: "global.sessions"; nothing where it is not known. */
hsd_status hsd_finding_append_place(hsd_buffer *out, const hsd_finding *finding, hsd_error *err);

/* The same for people: where several hold together, by which. */
hsd_status hsd_finding_append_holder(hsd_buffer *out, const hsd_finding *finding, hsd_error *err);

/* Who holds what the whole heap grew by, each with its part: "held by app.byId: Map and app.byName: Map, together,
 * +1.20 MiB; and others". Nothing where it is not known, and of other rules. */
hsd_status hsd_row_append_held(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row, bool is_exact,
                               hsd_error *err);

/* What a title has room for, of a rule that is broken: who holds it, else what grew most. */
hsd_status hsd_row_append_who(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row, hsd_error *err);

/* Why a finding does not fail its rule: "allowed: REASON", or that it has levelled off. Nothing for one that does. */
hsd_status hsd_finding_append_excuse(hsd_buffer *out, const hsd_finding *finding, hsd_error *err);

/* "allocated at handler (server.js:41)"; nothing without sites. */
hsd_status hsd_finding_append_site(hsd_buffer *out, const hsd_finding *finding, hsd_error *err);

/* The innermost frame of the largest site that lies in a file, not in one of the runtime's own ("node:…"), and does not
 * allocate for others where there is one that does not; NULL = none. */
const hsd_site_frame *hsd_finding_frame(const hsd_finding *finding);

/* A file and a line of the program for a finding: the frame above, else what the name of its type says, or of what its
 * holders got most of: a function of V8 has its place in its name. False where none is known, *out is as it was. */
bool hsd_finding_source(const hsd_finding *finding, hsd_site_frame *out);

/* The same for a rule that is broken: of who holds it, else of the first finding that has one. */
bool hsd_row_source(const hsd_check_row *row, hsd_site_frame *out);

/* True if the findings of the rule are places by themselves, so that nothing need be said to hold them. */
static inline bool hsd_row_is_of_places(const hsd_check_row *row)
{
    return row->rule->subject == HSD_SUBJECT_HOLDER || row->rule->subject == HSD_SUBJECT_ROOT;
}

/* "+412,310 objects, the limit is 0, over by +412,310"; why it cannot be judged or was not asked; raw text. */
hsd_status hsd_row_append_verdict(hsd_buffer *out, const hsd_check_row *row, bool is_exact, hsd_error *err);

/* What all reports say first: the rules and the captures. Foreign, raw: ".hsdiff.yml, 4 rules, base.hs -> head.hs". */
hsd_status hsd_check_append_head(hsd_buffer *out, const hsd_check *check, hsd_error *err);

/* True if a rule of a file was broken, so that there is a limit to raise. */
bool hsd_check_has_own_rules(const hsd_check *check);

/* Where the configuration lies, for annotations; size 0 when there is none (built-in rules). */
hsd_text hsd_check_config_path(const hsd_check *check, const hsd_report_options *options);

/* Findings that stand in no list. */
static inline uint64_t hsd_row_left_out(const hsd_check_row *row, size_t shown)
{
    return row->other_findings + (row->finding_count - shown);
}

/* "2027-03-31" of days since 1970-01-01. Returns out. */
char *hsd_format_day(char out[HSD_NUMBER_CHARS], int32_t day);

/* Warnings of what was judged: those of the diff or the series. */
const hsd_text *hsd_check_warnings(const hsd_check *check, size_t *count);

#endif
