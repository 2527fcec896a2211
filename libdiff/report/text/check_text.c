/*
 * The check as a screen: what stands in the way of judging, a line a rule with what is over its limit below it, the
 * sum, what to do next.
 *
 *            RULE                          FOUND       LIMIT      OVER BY
 *      FAIL  whole heap               +259.3 MiB   +16.0 MiB   +243.3 MiB
 *      FAIL  sessions are released      +412,310           0     +412,310
 *              Session, held by global.sessions (SessionCache)
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/formats.h"
#include "report/sentences/check_words.h"
#include "report/text/table.h"
#include "report/words/shorten.h"
#include "report/words/width.h"
#include "report/write/plain.h"

#define FINDINGS_SHOWN   5  /* of one rule */
#define NAME_COLUMNS_MIN 16 /* narrower than that a name says nothing */
/* in a log a wider name stands out of its column, so that all other lines stay short */
#define NAME_COLUMNS_MAX 60
#define GAP_COLUMNS      3

typedef struct line { /* of one rule */
    const char *word;
    hsd_short_name name;
    char found[HSD_VALUE_CHARS], limit[HSD_VALUE_CHARS], over[HSD_VALUE_CHARS];
} line;

typedef struct layout {
    hsd_out out;
    const hsd_check *check;
    const hsd_report_options *options;
    hsd_escape_form form;
    hsd_arena arena;
    line *lines;
    size_t word_width, name_width, found_width, limit_width, over_width;
} layout;

/* ---- sentences ---- */

/* Foreign text as a paragraph: `before` and what `raw` holds, which is released. */
static void put_paragraph(layout *l, const char *before, hsd_buffer *raw, size_t indent)
{
    if (l->out.status == HSD_OK) {
        hsd_out_begin_paragraph(&l->out);
        hsd_out_text(&l->out, before);
        hsd_out_escaped(&l->out, l->form, (hsd_text){(const char *)raw->data, raw->size});
        hsd_out_end_paragraph(&l->out, indent);
    }
    hsd_buffer_release(raw);
}

static void put_texts(layout *l, const char *before, const hsd_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hsd_out_begin_paragraph(&l->out);
        hsd_out_text(&l->out, before);
        hsd_out_escaped(&l->out, l->form, texts[i]);
        hsd_out_end_paragraph(&l->out, 2);
    }
}

static void put_head(layout *l)
{
    hsd_buffer raw = {0};
    if (l->out.status == HSD_OK) l->out.status = hsd_check_append_head(&raw, l->check, l->out.err);
    put_paragraph(l, "hsdiff check: ", &raw, 2);
    hsd_out_text(&l->out, "\n");
}

/* Warnings of the diff only where no problem says the same louder. */
static void put_problems(layout *l)
{
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(l->check, &warning_count);
    put_texts(l, "! ", l->check->problems, l->check->problem_count);
    if (l->check->problem_count > 0)
        hsd_out_text(&l->out, "\n");
    else
        hsd_out_warnings(&l->out, l->form, warnings, warning_count);
}

/* ---- a rule ---- */

static const char *word_of(hsd_check_outcome outcome)
{
    return outcome == HSD_CHECK_FAIL ? "FAIL" : outcome == HSD_CHECK_UNKNOWN ? "????" : hsd_outcome_name(outcome);
}

/* The name, escaped, in the arena. */
static hsd_status take_name(layout *l, line *row, hsd_text name)
{
    const size_t size = hsd_escape(l->form, name.data, name.size, NULL, 0);
    char *text = hsd_arena_take(&l->arena, size + 1);
    if (!text) return hsd_fail(l->out.err, HSD_E_NOMEM, "no memory for %zu rules", l->check->row_count);
    hsd_escape(l->form, name.data, name.size, text, size + 1);
    row->name = (hsd_short_name){.full = text, .full_size = size, .text = text, .size = size};
    return HSD_OK;
}

static hsd_status fill(layout *l, line *row, const hsd_check_row *rule)
{
    const bool is_exact = l->options->exact_bytes;
    row->word = word_of(rule->outcome);
    if (rule->outcome == HSD_CHECK_UNKNOWN) {
        row->found[0] = '?';
    } else if (rule->outcome != HSD_CHECK_OFF) {
        hsd_row_amount(row->found, rule, rule->found, is_exact);
        hsd_row_amount(row->limit, rule, rule->limit, is_exact);
        if (rule->over > 0) hsd_row_amount(row->over, rule, rule->over, is_exact);
    }
    return take_name(l, row, rule->rule->name);
}

static void widen(size_t *width, size_t other)
{
    if (other > *width) *width = other;
}

/* Columns that the name of a rule may take; 0 = as many as it has. */
static size_t room_for_name(const layout *l)
{
    const size_t others = l->word_width + 2 + l->found_width + l->limit_width + l->over_width + 3 * (size_t)GAP_COLUMNS;
    if (l->options->width == 0) return l->options->name_width;
    return l->options->width > others + NAME_COLUMNS_MIN ? l->options->width - others : NAME_COLUMNS_MIN;
}

static hsd_status cut_names(layout *l)
{
    const size_t room = room_for_name(l);
    if (room == 0 || l->name_width <= room) return HSD_OK;
    l->name_width = 4;
    for (size_t i = 0; i < l->check->row_count; i++) {
        hsd_short_name *name = &l->lines[i].name;
        HSD_TRY(hsd_shorten_names(name, 1, room, l->options->use_utf8, &l->arena, l->out.err));
        widen(&l->name_width, hsd_width_of_text(name->text, name->size));
    }
    return HSD_OK;
}

static hsd_status measure(layout *l)
{
    const size_t most = l->options->width > 0 ? SIZE_MAX : NAME_COLUMNS_MAX; /* a terminal's names are cut */
    l->word_width = l->name_width = 4;
    l->found_width = l->limit_width = 5;
    l->over_width = 7;
    for (size_t i = 0; i < l->check->row_count; i++) {
        line *row = &l->lines[i];
        HSD_TRY(fill(l, row, &l->check->rows[i]));
        widen(&l->word_width, strlen(row->word));
        widen(&l->name_width, hsd_min_u64(hsd_width_of_text(row->name.text, row->name.size), most));
        widen(&l->found_width, strlen(row->found));
        widen(&l->limit_width, strlen(row->limit));
        widen(&l->over_width, strlen(row->over));
    }
    return cut_names(l);
}

static void put_right(layout *l, const char *text, size_t width, size_t *pending)
{
    const size_t length = strlen(text);
    *pending += GAP_COLUMNS + width - length;
    if (length == 0) return;
    hsd_out_repeat(&l->out, ' ', *pending);
    hsd_out_text(&l->out, text);
    *pending = 0;
}

static hsd_paint paint_of(const char *word)
{
    return strcmp(word, "FAIL") == 0 || strcmp(word, "????") == 0 ? HSD_PAINT_GROWTH : HSD_PAINT_NONE;
}

static void put_line(layout *l, const line *row, hsd_paint paint)
{
    const bool is_heading = paint == HSD_PAINT_HEADING, use_color = l->options->use_color;
    const size_t width = hsd_width_of_text(row->name.text, row->name.size);
    size_t pending = l->name_width > width ? l->name_width - width : 0;
    hsd_paint_begin(&l->out, paint, use_color);
    hsd_out_text(&l->out, row->word);
    if (!is_heading) hsd_paint_end(&l->out, paint, use_color);
    hsd_out_repeat(&l->out, ' ', 2 + l->word_width - strlen(row->word));
    hsd_out_bytes(&l->out, row->name.text, row->name.size);
    put_right(l, row->found, l->found_width, &pending);
    put_right(l, row->limit, l->limit_width, &pending);
    put_right(l, row->over, l->over_width, &pending);
    if (is_heading) hsd_paint_end(&l->out, paint, use_color);
    hsd_out_text(&l->out, "\n");
}

/* ---- what is below a rule ---- */

static void put_finding(layout *l, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_buffer raw = {0}, site = {0};
    if (l->out.status == HSD_OK)
        l->out.status = hsd_finding_append(&raw, l->check, row, finding, l->options->exact_bytes, l->out.err);
    put_paragraph(l, "        ", &raw, 10);
    if (l->out.status == HSD_OK) l->out.status = hsd_finding_append_site(&site, finding, l->out.err);
    if (site.size > 0)
        put_paragraph(l, "          ", &site, 12);
    else
        hsd_buffer_release(&site);
}

static void put_held(layout *l, const hsd_check_row *row)
{
    hsd_buffer raw = {0};
    if (row->held_count == 0) return;
    if (l->out.status == HSD_OK)
        l->out.status = hsd_row_append_held(&raw, l->check, row, l->options->exact_bytes, l->out.err);
    put_paragraph(l, "        ", &raw, 10);
}

static size_t findings_shown(const layout *l, const hsd_check_row *row)
{
    const size_t most = l->options->top > 0 ? l->options->top : FINDINGS_SHOWN;
    return row->finding_count < most ? row->finding_count : most;
}

static void put_below(layout *l, const hsd_check_row *row)
{
    char count[HSD_NUMBER_CHARS];
    const size_t shown = findings_shown(l, row);
    const uint64_t rest = hsd_row_left_out(row, shown);
    if (row->why_unknown.size > 0) {
        hsd_buffer raw = {0};
        if (l->out.status == HSD_OK) l->out.status = hsd_row_append_verdict(&raw, row, false, l->out.err);
        put_paragraph(l, "        ", &raw, 10);
    }
    put_held(l, row);
    for (size_t i = 0; i < shown; i++)
        put_finding(l, row, &row->findings[i]);
    if (rest > 0) hsd_out_format(&l->out, "        and %s more\n", hsd_format_count(count, rest));
}

static void put_rules(layout *l)
{
    const line heading = {
        .word = "", .name = {.text = "RULE", .size = 4}, .found = "FOUND", .limit = "LIMIT", .over = "OVER BY"};
    if (l->check->row_count == 0 || l->out.status != HSD_OK) return;
    l->lines = calloc(l->check->row_count, sizeof *l->lines);
    l->out.status =
        l->lines ? measure(l) : hsd_fail(l->out.err, HSD_E_NOMEM, "no memory for %zu rules", l->check->row_count);
    if (l->out.status == HSD_OK) put_line(l, &heading, HSD_PAINT_HEADING);
    for (size_t i = 0; l->out.status == HSD_OK && i < l->check->row_count; i++) {
        put_line(l, &l->lines[i], paint_of(l->lines[i].word));
        put_below(l, &l->check->rows[i]);
    }
    hsd_out_text(&l->out, "\n");
}

/* ---- the end ---- */

static bool is_incomplete(const hsd_check *check)
{
    if (check->diff) return !check->diff->before.info.is_complete || !check->diff->after.info.is_complete;
    for (size_t i = 0; check->series && i < check->series->point_count; i++)
        if (!check->series->points[i].side.info.is_complete) return true;
    return false;
}

/* "hsdiff before.hs after.hs" with options in front; nothing where the commands are not known. */
static void put_command(layout *l, const char *what, const char *command)
{
    const char *inputs[] = {l->options->before_command, l->options->after_command};
    if (!inputs[0] || !inputs[1] || l->check->series) return;
    hsd_out_format(&l->out, "%s%s", what, command);
    for (size_t i = 0; i < 2; i++) {
        hsd_out_text(&l->out, " ");
        hsd_out_escaped(&l->out, HSD_ESCAPE_SHELL, (hsd_text){inputs[i], strlen(inputs[i])});
    }
    hsd_out_text(&l->out, "\n");
}

static void put_advice(layout *l)
{
    hsd_buffer raw = {0};
    if (l->check->failed == 0) return;
    if (!hsd_check_has_own_rules(l->check)) {
        put_command(l, "If this growth is intended, start from rules of your own: ", "hsdiff check --init");
        return;
    }
    if (l->out.status == HSD_OK)
        l->out.status = hsd_buffer_append(&raw, l->check->config->name.data, l->check->config->name.size, l->out.err);
    if (l->out.status == HSD_OK)
        l->out.status = hsd_buffer_append(&raw, " and say why.", strlen(" and say why."), l->out.err);
    put_paragraph(l, "If this growth is intended, raise the limit in ", &raw, 0);
}

/* "2 of 4 rules failed, 1 warning. Report: hsdiff-report.html" */
static void put_summary(layout *l)
{
    const char *path = l->options->html_path;
    char summary[HSD_SUMMARY_CHARS];
    hsd_out_text(&l->out, hsd_check_summary(summary, l->check));
    if (path) {
        hsd_out_text(&l->out, " Report: ");
        hsd_out_escaped(&l->out, l->form, (hsd_text){path, strlen(path)});
    }
    hsd_out_text(&l->out, "\n");
}

static void put_end(layout *l)
{
    const hsd_check *check = l->check;
    put_texts(l, "note: ", check->notes, check->note_count);
    if (check->note_count > 0) hsd_out_text(&l->out, "\n");
    put_summary(l);
    if (hsd_check_status(check) == 3 && is_incomplete(check))
        put_command(l, "To judge what is there all the same: ", "hsdiff check --partial");
    put_advice(l);
    if (check->failed + check->warned > 0) put_command(l, "To look closer: ", "hsdiff");
}

hsd_status hsd_text_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                          hsd_error *err)
{
    layout l = {.check = check, .options = options, .form = options->use_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII};
    if (options->plain) return hsd_plain_write(&(hsd_reported){.check = check}, options, write, context, err);
    hsd_out_init(&l.out, write, context, err);
    put_head(&l);
    put_problems(&l);
    put_rules(&l);
    put_end(&l);
    free(l.lines);
    hsd_arena_release(&l.arena);
    return hsd_out_finish(&l.out);
}
