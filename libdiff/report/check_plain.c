/*
 * --plain of a check: one record a line, tab separated, exact, nothing cut. A line "# …" before each kind names its fields.
 */
#include <string.h>

#include "report/check_text.h"
#include "report/check_words.h"

static void put_field(hsd_out *out, hsd_escape_form form, hsd_text text)
{
    hsd_out_text(out, "\t");
    hsd_out_escaped(out, form, text);
}

static void put_signed(hsd_out *out, int64_t value) { hsd_out_format(out, "\t%lld", (long long)value); }
static void put_count(hsd_out *out, uint64_t value) { hsd_out_format(out, "\t%llu", (unsigned long long)value); }

static void put_texts(hsd_out *out, hsd_escape_form form, const char *record, const hsd_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hsd_out_text(out, record);
        put_field(out, form, texts[i]);
        hsd_out_text(out, "\n");
    }
}

static void put_sum(hsd_out *out, const hsd_check *check, hsd_escape_form form)
{
    const size_t counts[] = {check->row_count, check->failed, check->warned, check->passed, check->unknown, hsd_check_off(check)};
    hsd_out_text(out, "# check\tverdict\tconfig\trules\tfailed\twarned\tpassed\tunknown\toff\n");
    hsd_out_format(out, "check\t%s", hsd_check_verdict(check));
    put_field(out, form, check->config->name);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        put_count(out, counts[i]);
    hsd_out_text(out, "\n");
}

static void put_capture(hsd_out *out, hsd_escape_form form, hsd_text label, const hsd_side *side)
{
    hsd_out_text(out, "capture");
    put_field(out, form, label);
    put_count(out, side->live.bytes);
    put_count(out, side->live.objects);
    hsd_out_format(out, "\t%s\n", side->info.is_complete ? "complete" : "incomplete");
}

static hsd_text path_of(const hsd_side *side)
{
    const char *path = side->info.path ? side->info.path : "";
    return (hsd_text){path, strlen(path)};
}

static void put_captures(hsd_out *out, const hsd_check *check, hsd_escape_form form)
{
    hsd_out_text(out, "# capture\tname\tbytes\tobjects\tstate\n");
    if (check->diff) {
        put_capture(out, form, path_of(&check->diff->before), &check->diff->before);
        put_capture(out, form, path_of(&check->diff->after), &check->diff->after);
    }
    for (size_t i = 0; check->series && i < check->series->point_count; i++)
        put_capture(out, form, check->series->points[i].label, &check->series->points[i].side);
}

/* What is not known, or was not asked, is empty. */
static void put_rule(hsd_out *out, const hsd_check_row *row, hsd_escape_form form)
{
    const hsd_rule *rule = row->rule;
    hsd_out_format(out, "rule\t%s", hsd_outcome_name(row->outcome));
    put_field(out, form, rule->name);
    hsd_out_format(out, "\t%s\t%s", hsd_level_name(rule->level), hsd_subject_name(rule->subject));
    put_field(out, form, rule->pattern);
    hsd_out_format(out, "\t%s\t%s", hsd_measure_name(rule), hsd_row_unit(row));
    if (row->outcome == HSD_CHECK_UNKNOWN || row->outcome == HSD_CHECK_OFF) {
        hsd_out_text(out, "\t\t\t");
    } else {
        put_signed(out, row->found);
        put_signed(out, row->limit);
        put_signed(out, row->over);
    }
    hsd_out_text(out, row->is_per_round ? "\tyes" : "\tno");
    put_count(out, rule->line);
    put_count(out, hsd_row_left_out(row, row->finding_count));
    put_field(out, form, row->why_unknown);
    hsd_out_text(out, "\n");
}

static void put_finding(hsd_out *out, const hsd_check_row *row, const hsd_finding *finding, hsd_escape_form form)
{
    hsd_buffer place = {0};
    if (out->status == HSD_OK) out->status = hsd_finding_append_place(&place, finding, out->err);
    hsd_out_format(out, "finding\t%s", hsd_finding_state(finding));
    put_field(out, form, row->rule->name);
    put_field(out, form, finding->name);
    put_field(out, form, finding->root);
    put_field(out, form, (hsd_text){(const char *)place.data, place.size});
    hsd_buffer_release(&place);
    put_signed(out, finding->before);
    put_signed(out, finding->after);
    put_signed(out, finding->growth);
    put_signed(out, finding->limit);
    put_signed(out, finding->per_round);
    put_count(out, finding->round_count);
    put_count(out, finding->up_count);
    put_count(out, finding->p_millionths);
    put_field(out, form, finding->allowed ? finding->allowed->reason : (hsd_text){"", 0});
    hsd_out_text(out, "\n");
}

void hsd_check_plain(hsd_out *out, const hsd_check *check, hsd_escape_form form)
{
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    put_texts(out, form, "problem", check->problems, check->problem_count);
    put_texts(out, form, "warning", warnings, warning_count);
    put_sum(out, check, form);
    put_captures(out, check, form);
    hsd_out_text(out, "# rule\toutcome\tname\tlevel\tsubject\tpattern\tmeasure\tunit\tfound\tlimit\tover\tper_round\tline\tother_findings"
                      "\twhy_unknown\n# finding\tstate\trule\tname\troot\tplace\tbefore\tafter\tgrowth\tlimit\tgrowth_per_round\trounds"
                      "\trounds_up\tp_millionths\treason\n");
    for (size_t i = 0; i < check->row_count; i++) {
        put_rule(out, &check->rows[i], form);
        for (size_t k = 0; k < check->rows[i].finding_count; k++)
            put_finding(out, &check->rows[i], &check->rows[i].findings[k], form);
    }
    put_texts(out, form, "note", check->notes, check->note_count);
}
