/*
 * A check as Markdown: the summary of a job, a comment on a merge request. The headline says how it ended; then what
 * stands in the way of judging, the rules, what is over its limit, what is accepted, notes, what to do next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/formats.h"
#include "report/sentences/check_words.h"
#include "report/sentences/place.h"
#include "report/words/number.h"
#include "report/write/markdown.h"

typedef struct page {
    hsd_markdown doc;
    const hsd_check *check;
    bool is_exact;
} page;

/* Prose with foreign words in it; the buffer is released. */
static void put_prose(page *p, hsd_buffer *raw)
{
    hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, (hsd_text){(const char *)raw->data, raw->size});
    hsd_buffer_release(raw);
}

static void put_texts(page *p, const char *heading, const hsd_text *texts, size_t count, const char *one,
                      const char *many)
{
    if (count == 0) return;
    hsd_out_format(&p->doc.out, "%s\n\n", heading);
    hsd_markdown_begin_list(&p->doc, one, many);
    for (size_t i = 0; i < count; i++) {
        if (!hsd_markdown_item(&p->doc)) continue;
        hsd_out_text(&p->doc.out, "- ");
        hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, texts[i]);
        hsd_out_text(&p->doc.out, "\n");
    }
    hsd_markdown_end(&p->doc);
}

/* ---- the headline ---- */

static void put_growth(page *p, const hsd_diff *diff)
{
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    const int64_t growth = hsd_change_bytes(&diff->total);
    if (diff->is_partial) return;
    if (growth == 0) {
        hsd_out_text(&p->doc.out, " The heap kept its size.");
        return;
    }
    hsd_format_bytes(size, hsd_magnitude(growth));
    hsd_out_format(&p->doc.out, " The heap %s %s (%s).", growth > 0 ? "grew" : "shrank", size,
                   hsd_format_percent(percent, diff->total.before.bytes, diff->total.after.bytes));
}

static void put_captures(page *p)
{
    hsd_out *out = &p->doc.out;
    const hsd_check *check = p->check;
    const hsd_text none = {"", 0};
    hsd_text ends[2] = {none, none};
    char count[HSD_NUMBER_CHARS];
    if (check->series && check->series->point_count > 0) {
        ends[0] = check->series->points[0].label;
        ends[1] = check->series->points[check->series->point_count - 1].label;
        hsd_out_format(out, "%s captures: ", hsd_format_count(count, check->series->point_count));
    } else if (check->diff) {
        const char *paths[] = {check->diff->before.info.path, check->diff->after.info.path};
        for (size_t i = 0; i < 2; i++)
            if (paths[i]) ends[i] = (hsd_text){paths[i], strlen(paths[i])};
    }
    hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, ends[0]);
    hsd_out_text(out, " → ");
    hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, ends[1]);
    if (check->series && check->series->warmup > 0)
        hsd_out_format(out, ", the first %s left out as warm-up", hsd_format_count(count, check->series->warmup));
    hsd_out_text(out, check->config->is_built_in ? ", built-in rules" : ", rules of ");
    if (!check->config->is_built_in) hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, check->config->name);
    hsd_out_text(out, ".\n\n");
}

static void put_headline(page *p)
{
    char summary[HSD_SUMMARY_CHARS];
    hsd_out_format(&p->doc.out, "**hsdiff check: %s**", hsd_check_summary(summary, p->check));
    if (p->check->diff) put_growth(p, p->check->diff);
    hsd_out_text(&p->doc.out, "\n\n");
    put_captures(p);
}

/* ---- rules ---- */

static const char *word_of(hsd_check_outcome outcome)
{
    if (outcome == HSD_CHECK_FAIL) return "**FAIL**";
    return outcome == HSD_CHECK_UNKNOWN ? "**unknown**" : hsd_outcome_name(outcome);
}

static void put_rule(page *p, const hsd_check_row *row)
{
    char found[HSD_VALUE_CHARS] = "", limit[HSD_VALUE_CHARS] = "", over[HSD_VALUE_CHARS] = "";
    if (row->outcome == HSD_CHECK_UNKNOWN) {
        found[0] = '?';
    } else if (row->outcome != HSD_CHECK_OFF) {
        hsd_row_amount(found, row, row->found, p->is_exact);
        hsd_row_amount(limit, row, row->limit, p->is_exact);
        if (row->over > 0) hsd_row_amount(over, row, row->over, p->is_exact);
    }
    hsd_markdown_cell(&p->doc, word_of(row->outcome));
    hsd_markdown_cell_name(&p->doc, row->rule->name);
    hsd_markdown_cell(&p->doc, found);
    hsd_markdown_cell(&p->doc, limit);
    hsd_markdown_cell(&p->doc, over);
}

static void put_rules(page *p)
{
    static const hsd_markdown_column columns[] = {
        {"", false}, {"Rule", false}, {"Found", true}, {"Limit", true}, {"Over by", true}};
    if (p->check->row_count == 0) return;
    hsd_markdown_begin_table(&p->doc, columns, 5, "rule", "rules");
    for (size_t i = 0; i < p->check->row_count; i++)
        if (hsd_markdown_row(&p->doc)) put_rule(p, &p->check->rows[i]);
    hsd_markdown_end(&p->doc);
}

static void put_unknown(page *p)
{
    bool has_any = false;
    for (size_t i = 0; i < p->check->row_count; i++)
        has_any |= p->check->rows[i].why_unknown.size > 0;
    if (!has_any) return;
    hsd_out_text(&p->doc.out, "Not judged:\n\n");
    hsd_markdown_begin_list(&p->doc, "rule", "rules");
    for (size_t i = 0; i < p->check->row_count; i++) {
        const hsd_check_row *row = &p->check->rows[i];
        if (row->why_unknown.size == 0 || !hsd_markdown_item(&p->doc)) continue;
        hsd_out_text(&p->doc.out, "- ");
        hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, row->rule->name);
        hsd_out_text(&p->doc.out, ": ");
        hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, row->why_unknown);
        hsd_out_text(&p->doc.out, "\n");
    }
    hsd_markdown_end(&p->doc);
}

/* ---- findings ---- */

static bool is_accepted(const hsd_finding *finding) { return finding->allowed || finding->is_levelled; }

static bool has_findings(const hsd_check *check, bool accepted)
{
    for (size_t i = 0; i < check->row_count; i++)
        for (size_t k = 0; k < check->rows[i].finding_count; k++)
            if (is_accepted(&check->rows[i].findings[k]) == accepted) return true;
    return false;
}

/* The holder as one code span, "-" where it is not known or the row itself is a root. */
static void put_holder(page *p, const hsd_check_row *row, const hsd_finding *finding)
{
    const bool is_holder = row->rule->subject == HSD_SUBJECT_HOLDER;
    hsd_buffer place = {0};
    hsd_out *out = &p->doc.out;
    if (out->status == HSD_OK && is_holder) out->status = hsd_finding_append_subject(&place, row, finding, out->err);
    if (out->status == HSD_OK && !hsd_row_is_of_places(row))
        out->status = hsd_finding_append_holder(&place, finding, out->err);
    if (place.size > 0)
        hsd_markdown_cell_name(&p->doc, (hsd_text){(const char *)place.data, place.size});
    else
        hsd_markdown_cell(&p->doc, "");
    hsd_buffer_release(&place);
}

/* Of a holder the type that it got most of. */
static void put_who(page *p, const hsd_check_row *row, const hsd_finding *finding)
{
    const hsd_holder *holder = finding->held_count > 0 ? finding->held[0] : finding->holder;
    if (row->rule->subject != HSD_SUBJECT_HOLDER)
        hsd_markdown_cell_name(&p->doc, finding->name);
    else if (holder && holder->type_count > 0)
        hsd_markdown_cell_name(&p->doc, holder->types[0].type);
    else
        hsd_markdown_cell(&p->doc, "");
}

static void put_rounds(page *p, const hsd_check_row *row, const hsd_finding *finding)
{
    char value[HSD_VALUE_CHARS], text[HSD_NUMBER_CHARS];
    snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32, finding->up_count, finding->round_count);
    hsd_markdown_cell(&p->doc, text);
    hsd_markdown_cell(&p->doc, hsd_row_value(value, row, finding->per_round, p->is_exact));
}

static void put_finding(page *p, const hsd_check_row *row, const hsd_finding *finding)
{
    char value[HSD_VALUE_CHARS];
    hsd_markdown_cell_name(&p->doc, row->rule->name);
    put_holder(p, row, finding);
    put_who(p, row, finding);
    hsd_markdown_cell(&p->doc, hsd_row_value(value, row, finding->growth, p->is_exact));
    if (p->check->series) put_rounds(p, row, finding);
    const hsd_site_frame *frame = hsd_finding_frame(finding);
    if (!frame) {
        hsd_markdown_cell(&p->doc, "");
        return;
    }
    hsd_out_text(&p->doc.out, "| ");
    hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, frame->file);
    hsd_out_format(&p->doc.out, " line %" PRIu32 " ", frame->line);
}

/* Who holds what the whole heap grew by: lines of their own, before the types. */
static void put_holders(page *p, const hsd_check_row *row)
{
    for (size_t i = 0; i < row->held_count; i++) {
        char value[HSD_NUMBER_CHARS];
        hsd_buffer name = {0};
        hsd_out *out = &p->doc.out;
        if (!hsd_markdown_row(&p->doc)) continue;
        if (out->status == HSD_OK) out->status = hsd_holder_append(&name, row->held[i], " (", ")", out->err);
        hsd_markdown_cell_name(&p->doc, row->rule->name);
        hsd_markdown_cell_name(&p->doc, (hsd_text){(const char *)name.data, name.size});
        hsd_markdown_cell(&p->doc, "");
        hsd_markdown_cell(&p->doc, p->is_exact ? hsd_format_exact_signed(value, row->held[i]->growth_bytes)
                                               : hsd_format_bytes_signed(value, row->held[i]->growth_bytes));
        for (size_t k = p->check->series ? 3 : 1; k > 0; k--)
            hsd_markdown_cell(&p->doc, "");
        hsd_buffer_release(&name);
    }
}

/* Of rules that name more than they list, the rest counts as left out. */
static void put_findings(page *p)
{
    static const hsd_markdown_column two[] = {
        {"Rule", false}, {"Held by", false}, {"What grew", false}, {"Growth", true}, {"Allocated in", false}};
    static const hsd_markdown_column many[] = {{"Rule", false},        {"Held by", false},  {"What grew", false},
                                               {"Growth", true},       {"Rounds up", true}, {"Per round", true},
                                               {"Allocated in", false}};
    if (!has_findings(p->check, false)) return;
    hsd_markdown_begin_table(&p->doc, p->check->series ? many : two, p->check->series ? 7 : 5, "finding", "findings");
    for (size_t i = 0; i < p->check->row_count; i++) {
        const hsd_check_row *row = &p->check->rows[i];
        put_holders(p, row);
        for (size_t k = 0; k < row->finding_count; k++)
            if (!is_accepted(&row->findings[k]) && hsd_markdown_row(&p->doc)) put_finding(p, row, &row->findings[k]);
        p->doc.left += row->other_findings;
    }
    hsd_markdown_end(&p->doc);
}

static void put_accepted(page *p)
{
    if (!has_findings(p->check, true)) return;
    hsd_out_text(&p->doc.out, "Accepted growth:\n\n");
    hsd_markdown_begin_list(&p->doc, "finding", "findings");
    for (size_t i = 0; i < p->check->row_count; i++) {
        const hsd_check_row *row = &p->check->rows[i];
        for (size_t k = 0; k < row->finding_count; k++) {
            const hsd_finding *finding = &row->findings[k];
            hsd_buffer raw = {0}, excuse = {0};
            char value[HSD_VALUE_CHARS];
            hsd_out *out = &p->doc.out;
            if (!is_accepted(finding) || !hsd_markdown_item(&p->doc)) continue;
            if (out->status == HSD_OK) out->status = hsd_finding_append_subject(&raw, row, finding, out->err);
            if (out->status == HSD_OK) out->status = hsd_finding_append_excuse(&excuse, finding, out->err);
            hsd_out_text(out, "- ");
            hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, (hsd_text){(const char *)raw.data, raw.size});
            hsd_out_format(out, " %s: ", hsd_row_value(value, row, finding->growth, p->is_exact));
            put_prose(p, &excuse);
            hsd_out_text(out, "\n");
            hsd_buffer_release(&raw);
        }
    }
    hsd_markdown_end(&p->doc);
}

/* ---- the end ---- */

static void put_advice(page *p)
{
    const hsd_check *check = p->check;
    if (hsd_check_status(check) == 3)
        hsd_out_text(&p->doc.out, "A check that cannot judge ends with status 3, whatever the rules say.\n");
    if (check->failed == 0) return;
    hsd_out_text(&p->doc.out, "If this growth is intended, ");
    if (!hsd_check_has_own_rules(check)) {
        hsd_out_text(&p->doc.out, "start from rules of your own: `hsdiff check --init`.\n");
        return;
    }
    hsd_out_text(&p->doc.out, "raise the limit in ");
    hsd_out_name(&p->doc.out, HSD_ESCAPE_MARKDOWN, check->config->name);
    hsd_out_text(&p->doc.out, " and say why.\n");
}

hsd_status hsd_markdown_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write,
                              void *context, hsd_error *err)
{
    page p = {.check = check, .is_exact = options->exact_bytes};
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    hsd_markdown_init(&p.doc, options->max_bytes, err);
    put_headline(&p);
    put_texts(&p, "The captures cannot be judged:", check->problems, check->problem_count, "problem", "problems");
    if (check->problem_count == 0)
        put_texts(&p, "Know before you believe a number:", warnings, warning_count, "warning", "warnings");
    put_rules(&p);
    put_findings(&p);
    put_unknown(&p);
    put_accepted(&p);
    put_texts(&p, "Notes:", check->notes, check->note_count, "note", "notes");
    put_advice(&p);
    return hsd_markdown_finish(&p.doc, write, context, err);
}
