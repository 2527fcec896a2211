/*
 * The page of a check: how it ended, all rules with what was found, and then the sections of the diff or the series
 * that was judged.
 */
#include <string.h>

#include "report/formats.h"
#include "report/sentences/check_words.h"
#include "report/write/html/parts.h"

#define RULES_SHOWN    200
#define FINDINGS_SHOWN 5  /* of one rule */
#define FINDINGS_MOST  40 /* of all */

/* ---- the answer ---- */

static hsd_status say_answer(hsd_buffer *text, const hsd_check *check, hsd_error *err)
{
    char summary[HSD_SUMMARY_CHARS];
    hsd_check_summary(summary, check);
    HSD_TRY(hsd_buffer_append(text, "hsdiff check: ", strlen("hsdiff check: "), err));
    return hsd_buffer_append(text, summary, strlen(summary), err);
}

/* What was compared. It holds names as they are, so it is no harmless text yet. */
static void put_head(hsd_html *page, const hsd_check *check)
{
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_check_append_head(&raw, check, out->err);
    hsd_out_text(out, "<p class=\"relation\">");
    hsd_html_raw(page, &raw);
    hsd_out_text(out, "</p>\n");
}

/* ---- rules ---- */

static void put_finding(hsd_html *page, const hsd_check *check, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK)
        out->status = hsd_finding_append(&raw, check, row, finding, page->options->exact_bytes, out->err);
    hsd_out_text(out, "<li>");
    hsd_html_raw(page, &raw);
    if (out->status == HSD_OK) out->status = hsd_finding_append_site(&raw, finding, out->err);
    if (raw.size > 0) hsd_out_text(out, ", ");
    hsd_html_raw(page, &raw);
    hsd_out_text(out, "</li>\n");
}

static void put_held(hsd_html *page, const hsd_check *check, const hsd_check_row *row)
{
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (row->held_count == 0) return;
    if (out->status == HSD_OK)
        out->status = hsd_row_append_held(&raw, check, row, page->options->exact_bytes, out->err);
    hsd_out_text(out, "<li>");
    hsd_html_raw(page, &raw);
    hsd_out_text(out, "</li>\n");
}

/* How many findings of a rule are shown, of `room` at most. */
static size_t shown_of(const hsd_check_row *row, size_t room)
{
    const size_t most = room < FINDINGS_SHOWN ? room : FINDINGS_SHOWN;
    return row->finding_count < most ? row->finding_count : most;
}

static void put_below(hsd_html *page, const hsd_check *check, const hsd_check_row *row, size_t shown)
{
    const uint64_t rest = hsd_row_left_out(row, shown);
    char number[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (row->why_unknown.size > 0) {
        if (out->status == HSD_OK)
            out->status = hsd_buffer_append(&raw, row->why_unknown.data, row->why_unknown.size, out->err);
        hsd_out_text(out, "<p>");
        hsd_html_raw(page, &raw);
        hsd_out_text(out, "</p>");
    }
    if (shown == 0 && rest == 0 && row->held_count == 0) return;
    hsd_out_text(out, "<ul class=\"findings\">\n");
    put_held(page, check, row);
    for (size_t i = 0; i < shown; i++)
        put_finding(page, check, row, &row->findings[i]);
    if (rest > 0) hsd_out_format(out, "<li>and %s more</li>\n", hsd_format_count(number, rest));
    hsd_out_text(out, "</ul>");
}

static void put_rule(hsd_html *page, const hsd_check *check, const hsd_check_row *row, size_t findings)
{
    char found[HSD_VALUE_CHARS] = "", limit[HSD_VALUE_CHARS] = "", over[HSD_VALUE_CHARS] = "";
    const bool is_exact = page->options->exact_bytes,
               is_judged = row->outcome != HSD_CHECK_UNKNOWN && row->outcome != HSD_CHECK_OFF;
    const char *outcome = hsd_outcome_name(row->outcome);
    hsd_out *out = &page->out;
    if (is_judged) {
        hsd_row_amount(found, row, row->found, is_exact);
        hsd_row_amount(limit, row, row->limit, is_exact);
        if (row->over > 0) hsd_row_amount(over, row, row->over, is_exact);
    }
    hsd_out_text(out, "<tr><th scope=\"row\" class=\"name\">");
    hsd_html_name(page, row->rule->name);
    put_below(page, check, row, findings);
    hsd_out_format(out, "</th><td class=\"outcome %s\">%s</td>", outcome, outcome);
    hsd_html_cell(page, found);
    hsd_html_cell(page, limit);
    hsd_html_cell(page, over);
    hsd_html_end_row(page);
}

static bool is_passed(const hsd_check_row *row)
{
    return row->outcome == HSD_CHECK_OK || row->outcome == HSD_CHECK_OFF;
}

/* How many of those that passed have room behind all that did not. */
static size_t room_for_passed(const hsd_check *check)
{
    size_t others = 0;
    for (size_t i = 0; i < check->row_count; i++)
        others += !is_passed(&check->rows[i]);
    return others < RULES_SHOWN ? RULES_SHOWN - others : 0;
}

static void put_rules(hsd_html *page, const hsd_check *check)
{
    static const char *const headings[] = {"Rule", "Outcome", "Found", "Limit", "Over by"};
    size_t room[] = {RULES_SHOWN, room_for_passed(check)}, shown = 0, findings_left = FINDINGS_MOST;
    char number[HSD_NUMBER_CHARS];
    hsd_html_begin(page, "rules", "Rules");
    hsd_html_begin_table(page, headings, 5);
    for (size_t i = 0; i < check->row_count; i++) {
        size_t *left = &room[is_passed(&check->rows[i])];
        if (*left == 0) continue;
        const size_t findings = shown_of(&check->rows[i], findings_left);
        put_rule(page, check, &check->rows[i], findings);
        findings_left -= findings;
        --*left;
        shown++;
    }
    hsd_html_end_table(page);
    if (shown < check->row_count)
        hsd_out_format(&page->out, "<p>And %s more.</p>\n", hsd_format_count(number, check->row_count - shown));
    if (check->note_count > 0) hsd_html_texts(page, check->notes, check->note_count);
    hsd_html_end(page);
}

/* ---- */

static void put_page(hsd_html *page, const hsd_html_subject *subject)
{
    const hsd_check *check = subject->check;
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    hsd_buffer answer = {0};
    if (page->out.status == HSD_OK) page->out.status = say_answer(&answer, check, page->out.err);
    hsd_html_open(page, "check", &answer);
    put_head(page, check);
    if (check->diff) hsd_html_card(page, check->diff);
    if (check->diff) hsd_html_diff_facts(page, check->diff);
    hsd_html_end_answer(page);
    hsd_html_warnings(page, warnings, warning_count, check->problems, check->problem_count);
    put_rules(page, check);
    if (check->diff) hsd_html_diff_sections(page, check->diff);
    if (check->series) hsd_html_series_sections(page, check->series);
    hsd_html_how(page, subject);
}

hsd_status hsd_html_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                          hsd_error *err)
{
    const hsd_html_subject subject = {.check = check, .diff = check->diff, .series = check->series};
    return hsd_html_write(&subject, put_page, options, write, context, err);
}
