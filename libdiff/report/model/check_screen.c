/*
 * As text: what stands in the way of judging, a line a rule with what is over its limit below it, the sum, what to do
 * next.
 *
 *            RULE                          FOUND       LIMIT      OVER BY
 *      FAIL  whole heap               +259.3 MiB   +16.0 MiB   +243.3 MiB
 *      FAIL  sessions are released      +412,310           0     +412,310
 *              Session, held by global.sessions (SessionCache)
 *
 * As Markdown, the summary of a job, a comment on a merge request: how it ended; then what stands in the way of
 * judging, the rules, what is over its limit, what is accepted, notes, what to do next.
 */
#include "report/model/check_screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sentences/check_words.h"
#include "report/sentences/place.h"
#include "report/words/number.h"

static const hsd_check *check_in(const hsd_model *model) { return model->result; }
static const hsd_check *check_of(const hsd_scope *scope) { return scope->result; }
static bool is_exact(const hsd_scope *scope) { return scope->model->options->exact_bytes; }

static bool is_text(const hsd_scope *scope) { return (scope->model->format & HSD_IN_TEXT) != 0; }

static hsd_status append_check_screen(hsd_buffer *text, const char *words, hsd_error *err)
{
    return hsd_buffer_append(text, words, strlen(words), err);
}

/* ---- the headline ---- */

static void tell_growth(hsd_out *out, const hsd_diff *diff)
{
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    const int64_t growth = hsd_change_bytes(&diff->total);
    if (diff->is_partial) return;
    if (growth == 0) {
        hsd_out_text(out, " The heap kept its size.");
        return;
    }
    hsd_format_bytes(size, hsd_magnitude(growth));
    hsd_out_format(out, " The heap %s %s (%s).", growth > 0 ? "grew" : "shrank", size,
                   hsd_format_percent(percent, diff->total.before.bytes, diff->total.after.bytes));
}

static void tell_headline(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    char summary[HSD_SUMMARY_CHARS];
    (void)form;
    hsd_out_format(out, "**hsdiff check: %s**", hsd_check_summary(summary, model->result));
    if (check_in(model)->diff) tell_growth(out, check_in(model)->diff);
}

static hsd_text path_of(const hsd_side *side)
{
    const char *path = side->info.path ? side->info.path : "";
    return (hsd_text){path, strlen(path)};
}

static void tell_captures(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_check *check = model->result;
    const hsd_series *series = check->series;
    hsd_text first = {"", 0}, last = {"", 0};
    char count[HSD_NUMBER_CHARS];
    if (series && series->point_count > 0) {
        first = series->points[0].label;
        last = series->points[series->point_count - 1].label;
        hsd_out_format(out, "%s captures: ", hsd_format_count(count, series->point_count));
    } else if (check->diff) {
        first = path_of(&check->diff->before);
        last = path_of(&check->diff->after);
    }
    hsd_out_name(out, form, first);
    hsd_out_text(out, " → ");
    hsd_out_name(out, form, last);
    if (series && series->warmup == 1)
        hsd_out_text(out, ", the first left out as warm-up");
    else if (series && series->warmup > 1)
        hsd_out_format(out, ", the first %s left out as warm-up", hsd_format_count(count, series->warmup));
    hsd_out_text(out, check->config->is_built_in ? ", built-in rules" : ", rules of ");
    if (!check->config->is_built_in) hsd_out_name(out, form, check->config->name);
    hsd_out_text(out, ".");
}

/* ---- rules ---- */

static const hsd_check_row *row_of(const hsd_scope *scope) { return scope->row; }
static hsd_value name_of(const hsd_scope *scope) { return hsd_value_text(row_of(scope)->rule->name); }
static bool is_asked(const hsd_scope *scope) { return row_of(scope)->outcome != HSD_CHECK_OFF; }
static bool is_judged(const hsd_scope *scope) { return is_asked(scope) && row_of(scope)->outcome != HSD_CHECK_UNKNOWN; }
static bool is_over(const hsd_scope *scope) { return is_judged(scope) && row_of(scope)->over > 0; }

static hsd_status word_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_check_outcome outcome = row_of(scope)->outcome;
    if (outcome == HSD_CHECK_FAIL) return append_check_screen(text, is_text(scope) ? "FAIL" : "**FAIL**", err);
    if (outcome == HSD_CHECK_UNKNOWN) return append_check_screen(text, is_text(scope) ? "????" : "**unknown**", err);
    return append_check_screen(text, hsd_outcome_name(outcome), err);
}

/* Room for the longest word. */
static hsd_status heading_of_words(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_check_screen(text, is_text(scope) ? "    " : "", err);
}

static int64_t is_bad(const hsd_scope *scope)
{
    return row_of(scope)->outcome == HSD_CHECK_FAIL || row_of(scope)->outcome == HSD_CHECK_UNKNOWN;
}

static hsd_status append_amount(hsd_buffer *text, const hsd_scope *scope, int64_t value, hsd_error *err)
{
    char words[HSD_VALUE_CHARS];
    return append_check_screen(text, hsd_row_amount(words, row_of(scope), value, is_exact(scope)), err);
}

static hsd_status found_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return is_judged(scope) ? append_amount(text, scope, row_of(scope)->found, err)
                            : append_check_screen(text, "?", err);
}
static hsd_status limit_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_amount(text, scope, row_of(scope)->limit, err);
}
static hsd_status over_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return append_amount(text, scope, row_of(scope)->over, err);
}

static const hsd_column rule_columns[] = {
    {"outcome", HSD_KIND_LABEL, .heading = heading_of_words, .words = word_of, .sign = is_bad},
    {"rule", HSD_KIND_TEXT, .title = "Rule", .get = name_of},
    {"found", HSD_KIND_LABEL, .title = "Found", .words = found_of, .is_known = is_asked,
     .flags = HSD_ON_RIGHT | HSD_TO_THE_LAST},
    {"limit", HSD_KIND_LABEL, .title = "Limit", .words = limit_of, .is_known = is_judged, .flags = HSD_ON_RIGHT},
    {"over", HSD_KIND_LABEL, .title = "Over by", .words = over_of, .is_known = is_over, .flags = HSD_ON_RIGHT},
    {0},
};

static void tell_unknown(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    hsd_out_name(out, form, row_of(scope)->rule->name);
    hsd_out_text(out, ": ");
    hsd_out_escaped(out, HSD_ESCAPE_MARKDOWN_PROSE, row_of(scope)->why_unknown);
}

static const hsd_column unknown_columns[] = {{"rule", HSD_KIND_TOLD, .tell = tell_unknown}, {0}};

/* ---- findings ---- */

static const hsd_finding_line *line_of(const hsd_scope *scope) { return scope->row; }
static const hsd_finding *finding_of(const hsd_scope *scope) { return line_of(scope)->finding; }
static hsd_value rule_of(const hsd_scope *scope) { return hsd_value_text(line_of(scope)->rule->rule->name); }
static bool is_finding(const hsd_scope *scope) { return finding_of(scope) != NULL; }
static bool is_of_series(const hsd_scope *scope) { return check_of(scope)->series != NULL; }

static void tell_raw(hsd_out *out, hsd_escape_form form, hsd_buffer *raw)
{
    if (raw->size > 0) hsd_out_name(out, form, (hsd_text){(const char *)raw->data, raw->size});
    hsd_buffer_release(raw);
}

/* Nothing where it is not known or the row itself is a root. */
static void tell_holder(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_finding_line *line = scope->row;
    hsd_buffer place = {0};
    if (out->status != HSD_OK) return;
    if (line->holder)
        out->status = hsd_holder_append(&place, line->holder, " (", ")", out->err);
    else if (line->rule->rule->subject == HSD_SUBJECT_HOLDER)
        out->status = hsd_finding_append_subject(&place, line->rule, line->finding, out->err);
    else if (!hsd_row_is_of_places(line->rule))
        out->status = hsd_finding_append_holder(&place, line->finding, out->err);
    tell_raw(out, form, &place);
}

/* Of a holder the type that it got most of. */
static void tell_who(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_finding *finding = finding_of(scope);
    if (!finding) return;
    const hsd_holder *holder = finding->held_count > 0 ? finding->held[0] : finding->holder;
    if (line_of(scope)->rule->rule->subject != HSD_SUBJECT_HOLDER)
        hsd_out_name(out, form, finding->name);
    else if (holder && holder->type_count > 0)
        hsd_out_name(out, form, holder->types[0].type);
}

static hsd_status growth_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_finding_line *line = scope->row;
    char value[HSD_VALUE_CHARS];
    if (line->finding)
        return append_check_screen(text, hsd_row_value(value, line->rule, line->finding->growth, is_exact(scope)), err);
    return append_check_screen(text,
                               is_exact(scope) ? hsd_format_exact_signed(value, line->holder->growth_bytes)
                                               : hsd_format_bytes_signed(value, line->holder->growth_bytes),
                               err);
}

static hsd_status rounds_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    char words[HSD_NUMBER_CHARS];
    if (finding_of(scope)->round_count == 0) return HSD_OK;
    snprintf(words, sizeof words, "%" PRIu32 " of %" PRIu32, finding_of(scope)->up_count,
             finding_of(scope)->round_count);
    return append_check_screen(text, words, err);
}

static hsd_status per_round_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    char value[HSD_VALUE_CHARS];
    return append_check_screen(
        text, hsd_row_value(value, line_of(scope)->rule, finding_of(scope)->per_round, is_exact(scope)), err);
}

static void tell_site(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_site_frame *frame = is_finding(scope) ? hsd_finding_frame(finding_of(scope)) : NULL;
    if (!frame) return;
    hsd_out_name(out, form, frame->file);
    hsd_out_format(out, " line %" PRIu32, frame->line);
}

static const hsd_column finding_columns[] = {
    {"rule", HSD_KIND_TEXT, .title = "Rule", .get = rule_of},
    {"held_by", HSD_KIND_TOLD, .title = "Held by", .tell = tell_holder},
    {"name", HSD_KIND_TOLD, .title = "What grew", .tell = tell_who},
    {"growth", HSD_KIND_LABEL, .title = "Growth", .words = growth_of, .flags = HSD_ON_RIGHT},
    {"rounds_up", HSD_KIND_LABEL, .title = "Rounds up", .words = rounds_of, .has = is_of_series, .is_known = is_finding,
     .flags = HSD_ON_RIGHT},
    {"per_round", HSD_KIND_LABEL, .title = "Per round", .words = per_round_of, .has = is_of_series,
     .is_known = is_finding, .flags = HSD_ON_RIGHT},
    {"site", HSD_KIND_TOLD, .title = "Allocated in", .tell = tell_site},
    {0},
};

static void tell_accepted(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_finding_line *line = scope->row;
    hsd_buffer subject = {0}, excuse = {0};
    char value[HSD_VALUE_CHARS];
    if (out->status == HSD_OK) out->status = hsd_finding_append_subject(&subject, line->rule, line->finding, out->err);
    if (out->status == HSD_OK) out->status = hsd_finding_append_excuse(&excuse, line->finding, out->err);
    hsd_out_name(out, form, (hsd_text){(const char *)subject.data, subject.size});
    hsd_out_format(out, " %s: ", hsd_row_value(value, line->rule, line->finding->growth, is_exact(scope)));
    hsd_out_escaped(out, HSD_ESCAPE_MARKDOWN_PROSE, (hsd_text){(const char *)excuse.data, excuse.size});
    hsd_buffer_release(&subject);
    hsd_buffer_release(&excuse);
}

static const hsd_column accepted_columns[] = {{"finding", HSD_KIND_TOLD, .tell = tell_accepted}, {0}};

/* ---- the end ---- */

static void tell_advice(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_check *check = model->result;
    if (hsd_check_status(check) == 3)
        hsd_out_text(out, "A check that cannot judge ends with status 3, whatever the rules say.\n");
    if (check->failed == 0) return;
    hsd_out_text(out, "If this growth is intended, ");
    if (!hsd_check_has_own_rules(check)) {
        hsd_out_text(out, "start from rules of your own: `hsdiff check --init`.\n");
        return;
    }
    hsd_out_text(out, "raise the limit in ");
    hsd_out_name(out, form, check->config->name);
    hsd_out_text(out, " and say why.\n");
}

/* ---- text: below a rule ---- */

#define FINDINGS_SHOWN 5 /* of one rule */

/* Foreign text as a paragraph; the buffer is released. */
static void put_paragraph(hsd_out *out, hsd_escape_form form, const char *before, hsd_buffer *raw, size_t indent)
{
    if (out->status == HSD_OK) {
        hsd_out_begin_paragraph(out);
        hsd_out_text(out, before);
        hsd_out_said(out, form, (hsd_text){(const char *)raw->data, raw->size});
        hsd_out_end_paragraph(out, indent);
    }
    hsd_buffer_release(raw);
}

static void put_finding(hsd_out *out, const hsd_scope *scope, hsd_escape_form form, const hsd_finding *finding)
{
    hsd_buffer raw = {0}, site = {0};
    if (out->status == HSD_OK)
        out->status = hsd_finding_append(&raw, check_of(scope), row_of(scope), finding, is_exact(scope), out->err);
    put_paragraph(out, form, "        ", &raw, 10);
    if (out->status == HSD_OK) out->status = hsd_finding_append_site(&site, finding, out->err);
    if (site.size > 0)
        put_paragraph(out, form, "          ", &site, 12);
    else
        hsd_buffer_release(&site);
}

static void tell_below(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_check_row *row = scope->row;
    const size_t top = scope->model->options->top, most = top > 0 ? top : FINDINGS_SHOWN,
                 shown = row->finding_count < most ? row->finding_count : most;
    const uint64_t rest = hsd_row_left_out(row, shown);
    char count[HSD_NUMBER_CHARS];
    hsd_buffer why = {0}, held = {0};
    if (row->why_unknown.size > 0) {
        if (out->status == HSD_OK) out->status = hsd_row_append_verdict(&why, row, false, out->err);
        put_paragraph(out, form, "        ", &why, 10);
    }
    if (row->held_count > 0) {
        if (out->status == HSD_OK)
            out->status = hsd_row_append_held(&held, check_of(scope), row, is_exact(scope), out->err);
        put_paragraph(out, form, "        ", &held, 10);
    }
    for (size_t i = 0; i < shown; i++)
        put_finding(out, scope, form, &row->findings[i]);
    if (rest > 0) hsd_out_format(out, "        and %s more\n", hsd_format_count(count, rest));
}

/* ---- text: the head and the end ---- */

static void tell_head(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_check_append_head(&raw, model->result, out->err);
    put_paragraph(out, form, "hsdiff check: ", &raw, 2);
    hsd_out_text(out, "\n");
}

static bool is_incomplete(const hsd_check *check)
{
    if (check->diff) return !check->diff->before.info.is_complete || !check->diff->after.info.is_complete;
    for (size_t i = 0; check->series && i < check->series->point_count; i++)
        if (!check->series->points[i].side.info.is_complete) return true;
    return false;
}

/* "hsdiff before.hs after.hs" with options in front; nothing where the commands are not known. */
static void put_command(hsd_out *out, const hsd_model *model, const char *what, const char *command)
{
    const char *inputs[] = {model->options->before_command, model->options->after_command};
    if (!inputs[0] || !inputs[1] || check_in(model)->series) return;
    hsd_out_format(out, "%s%s", what, command);
    for (size_t i = 0; i < 2; i++) {
        hsd_out_text(out, " ");
        hsd_out_escaped(out, HSD_ESCAPE_SHELL, (hsd_text){inputs[i], strlen(inputs[i])});
    }
    hsd_out_text(out, "\n");
}

static void put_advice(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_check *check = model->result;
    hsd_buffer raw = {0};
    if (check->failed == 0 || !model->options->before_command) return;
    if (!hsd_check_has_own_rules(check)) {
        static const char what[] = "If this growth is intended, start from rules of your own: ";
        put_command(out, model, what, "hsdiff check --init");
        if (check->series) hsd_out_format(out, "%shsdiff check --init, with the same captures\n", what);
        return;
    }
    const hsd_text name = check->config->name;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&raw, name.data, name.size, out->err);
    if (out->status == HSD_OK) out->status = append_check_screen(&raw, " and say why.", out->err);
    put_paragraph(out, form, "If this growth is intended, raise the limit in ", &raw, 0);
}

/* "2 of 4 rules failed, 1 warning. Report: hsdiff-report.html", and what to do next. */
static void tell_end(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_check *check = model->result;
    const char *path = model->options->html_path;
    char summary[HSD_SUMMARY_CHARS];
    hsd_out_text(out, hsd_check_summary(summary, check));
    if (path) {
        hsd_out_text(out, " Report: ");
        hsd_out_escaped(out, form, (hsd_text){path, strlen(path)});
    }
    hsd_out_text(out, "\n");
    if (hsd_check_status(check) == 3 && is_incomplete(check))
        put_command(out, model, "To judge what is there all the same: ", "hsdiff check --partial");
    put_advice(out, model, form);
    if (check->failed + check->warned > 0) put_command(out, model, "To look closer: ", "hsdiff");
}

/* ---- parts ---- */

static void add_texts(hsd_model *model, const char *title, const hsd_text *texts, size_t count, const char *one,
                      const char *many)
{
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TEXTS,
                                    .in = HSD_IN_PEOPLE,
                                    .title = title,
                                    .one = one,
                                    .many = many,
                                    .texts = texts,
                                    .text_count = count});
}

static void add_table(hsd_model *model, const hsd_column *columns, const char *one, const char *many, hsd_sheet sheet)
{
    if (sheet.rows.count == 0) return;
    hsd_model_add(
        model,
        (hsd_part){
            .kind = HSD_PART_TABLE, .in = HSD_IN_PEOPLE, .one = one, .many = many, .columns = columns, .sheet = sheet});
}

static void add_list(hsd_model *model, const char *title, const hsd_column *columns, const char *one, const char *many,
                     hsd_items rows)
{
    if (rows.count == 0) return;
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PEOPLE,
                                    .title = title,
                                    .one = one,
                                    .many = many,
                                    .is_list = true,
                                    .columns = columns,
                                    .sheet = {.rows = rows}});
}

static hsd_status take_rows(hsd_check_people *people, const hsd_check *check, hsd_error *err)
{
    size_t most = 1;
    for (size_t i = 0; i < check->row_count; i++)
        most += check->rows[i].finding_count + check->rows[i].held_count;
    people->findings = calloc(most, sizeof *people->findings);
    people->accepted = calloc(most, sizeof *people->accepted);
    people->unknown = calloc(check->row_count + 1, sizeof *people->unknown);
    if (people->findings && people->accepted && people->unknown) return HSD_OK;
    return hsd_fail(err, HSD_E_NOMEM, "no memory for %zu rules", check->row_count);
}

typedef struct counts {
    size_t findings, accepted, unknown, named; /* named: findings that are over a limit */
    uint64_t unlisted;
} counts;

/* Who holds what the whole heap grew by stands before the findings of its rule. */
static counts fill_check_screen(hsd_check_people *people, const hsd_check *check)
{
    counts n = {0};
    for (size_t i = 0; i < check->row_count; i++) {
        const hsd_check_row *row = &check->rows[i];
        if (row->why_unknown.size > 0) people->unknown[n.unknown++] = row;
        for (size_t k = 0; k < row->held_count; k++)
            people->findings[n.findings++] = (hsd_finding_line){.rule = row, .holder = row->held[k]};
        for (size_t k = 0; k < row->finding_count; k++) {
            const hsd_finding *finding = &row->findings[k];
            const bool is_accepted = finding->allowed || finding->is_levelled;
            *(is_accepted ? &people->accepted[n.accepted++] : &people->findings[n.findings++]) =
                (hsd_finding_line){.rule = row, .finding = finding};
            n.named += !is_accepted;
        }
        n.unlisted += row->other_findings;
    }
    return n;
}

static void add_head(hsd_model *model, const hsd_check *check)
{
    size_t count;
    const hsd_text *warnings = hsd_check_warnings(check, &count);
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_SENTENCE, .in = HSD_IN_PEOPLE, .tell = tell_headline});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RELATION, .in = HSD_IN_PEOPLE, .tell = tell_captures});
    add_texts(model, "The captures cannot be judged", check->problems, check->problem_count, "problem", "problems");
    if (check->problem_count == 0)
        add_texts(model, "Know before you believe a number", warnings, count, "warning", "warnings");
}

/* Of rules that name more than they list, the rest counts as left out. */
hsd_status hsd_check_add_markdown(hsd_model *model, hsd_check_people *people, const hsd_model_request *request)
{
    const hsd_check *check = model->result;
    HSD_TRY(take_rows(people, check, request->err));
    const counts n = fill_check_screen(people, check);
    add_head(model, check);
    add_table(model, rule_columns, "rule", "rules",
              (hsd_sheet){.rows = {check->rows, check->row_count, sizeof *check->rows, false}});
    if (n.named > 0)
        add_table(model, finding_columns, "finding", "findings",
                  (hsd_sheet){.rows = {people->findings, n.findings, sizeof *people->findings, false},
                              .unlisted_count = n.unlisted});
    add_list(model, "Not judged", unknown_columns, "rule", "rules",
             (hsd_items){people->unknown, n.unknown, sizeof *people->unknown, true});
    add_list(model, "Accepted growth", accepted_columns, "finding", "findings",
             (hsd_items){people->accepted, n.accepted, sizeof *people->accepted, false});
    add_texts(model, "Notes", check->notes, check->note_count, "note", "notes");
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_PEOPLE, .tell = tell_advice});
    return HSD_OK;
}

static void add_lines(hsd_model *model, void (*what)(hsd_out *, const hsd_model *, hsd_escape_form))
{
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_PEOPLE, .tell = what, .is_close = true});
}

/* Warnings of the diff only where no problem says the same louder. */
hsd_status hsd_check_add_screen(hsd_model *model)
{
    const hsd_check *check = model->result;
    size_t count;
    const hsd_text *warnings = hsd_check_warnings(check, &count);
    add_lines(model, tell_head);
    add_texts(model, NULL, check->problems, check->problem_count, NULL, NULL);
    if (check->problem_count == 0) add_texts(model, NULL, warnings, count, NULL, NULL);
    if (check->row_count > 0)
        hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_PEOPLE,
                                        .columns = rule_columns,
                                        .has_ids = true,
                                        .is_loose = true,
                                        .is_set_off = true,
                                        .sheet = {.rows = {check->rows, check->row_count, sizeof *check->rows, false},
                                                  .tell_below = tell_below}});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TEXTS,
                                    .in = HSD_IN_PEOPLE,
                                    .lead = "note: ",
                                    .texts = check->notes,
                                    .text_count = check->note_count});
    add_lines(model, tell_end);
    return HSD_OK;
}

void hsd_check_people_release(hsd_check_people *people)
{
    free(people->findings);
    free(people->accepted);
    free(people->unknown);
}
