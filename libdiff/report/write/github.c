/*
 * A check as workflow commands of GitHub: an annotation a rule that failed, at the line of the program that is to blame
 * where that is known, else at the rule's line in the configuration. Its text begins with who holds what grew.
 *
 *      ::error file=server.js,line=6,title=hsdiff%3A sessions are released::Session, held by app.sessions (Map); +412,310 objects, the limit is 0, …
 *
 * Notes are notices: a build that passes may have something to tell. A step shows ten annotations of a kind, so the
 * tenth tells of all that would follow. Names are escaped by the runner's rules, with the marks of a terminal in front,
 * so none can end a line or begin a command.
 */
#include <inttypes.h>
#include <string.h>

#include "report/formats.h"
#include "report/sentences/check_words.h"

#define ANNOTATIONS_MOST 10u /* of a kind in one step */
#define FINDINGS_SHOWN   3u  /* of one rule */

typedef struct kind { /* "error", "warning" or "notice" */
    hsd_out *out;
    const hsd_check *check;
    hsd_text config_path;
    const char *command;
    size_t printed;
} kind;

static void put_raw(hsd_out *out, hsd_buffer *raw)
{
    hsd_out_said(out, HSD_ESCAPE_GITHUB_DATA, (hsd_text){(const char *)raw->data, raw->size});
    hsd_buffer_release(raw);
}

/* Who, and by how much. */
static void put_verdict(hsd_out *out, const hsd_check *check, const hsd_check_row *row)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_row_append_who(&raw, check, row, out->err);
    const bool has_who = raw.size > 0;
    put_raw(out, &raw);
    hsd_out_text(out, has_who ? "; " : "");
    if (out->status == HSD_OK) out->status = hsd_row_append_verdict(&raw, row, false, out->err);
    put_raw(out, &raw);
}

static void put_findings(hsd_out *out, const hsd_check *check, const hsd_check_row *row)
{
    size_t shown = 0;
    for (; shown < row->finding_count && shown < FINDINGS_SHOWN; shown++) {
        const hsd_finding *finding = &row->findings[shown];
        hsd_buffer raw = {0}, site = {0};
        if (finding->allowed || finding->is_levelled) return; /* and so are all that follow */
        if (out->status == HSD_OK) out->status = hsd_finding_append(&raw, check, row, finding, false, out->err);
        hsd_out_text(out, "%0A");
        put_raw(out, &raw);
        if (out->status == HSD_OK) out->status = hsd_finding_append_site(&site, finding, out->err);
        if (site.size > 0) hsd_out_text(out, ", ");
        put_raw(out, &site);
    }
    if (hsd_row_left_out(row, shown) > 0) hsd_out_format(out, "%%0Aand %" PRIu64 " more", hsd_row_left_out(row, shown));
}

/* The line of the program where that is known, else that of the rule. */
static void put_place(kind *k, const hsd_check_row *row)
{
    hsd_site_frame source = {.file = k->config_path, .line = row ? row->rule->line : 0};
    if (row) hsd_row_source(row, &source);
    if (source.file.size == 0 || source.line == 0) return;
    hsd_out_text(k->out, "file=");
    hsd_out_escaped(k->out, HSD_ESCAPE_GITHUB_PROPERTY, source.file);
    hsd_out_format(k->out, ",line=%" PRIu32 ",", source.line);
}

/* True for the first line of an annotation, false for what is told in the last one's text. */
static bool begin_github_writer(kind *k, hsd_text title, const hsd_check_row *row)
{
    const bool is_new = k->printed < ANNOTATIONS_MOST;
    k->printed++;
    if (!is_new) {
        hsd_out_text(k->out, "%0A%0A");
        return false;
    }
    if (k->printed > 1) hsd_out_text(k->out, "\n");
    hsd_out_format(k->out, "::%s ", k->command);
    put_place(k, row);
    hsd_out_text(k->out, "title=hsdiff%3A ");
    hsd_out_escaped(k->out, HSD_ESCAPE_GITHUB_PROPERTY, title);
    hsd_out_text(k->out, "::");
    return true;
}

static void put_rule(kind *k, const hsd_check_row *row)
{
    if (!begin_github_writer(k, row->rule->name, row)) {
        hsd_out_escaped(k->out, HSD_ESCAPE_GITHUB_DATA, row->rule->name);
        hsd_out_text(k->out, ": ");
    }
    put_verdict(k->out, k->check, row);
    put_findings(k->out, k->check, row);
}

static void put_words(kind *k, const char *title, hsd_text words)
{
    if (words.size == 0) return;
    begin_github_writer(k, (hsd_text){title, strlen(title)}, NULL);
    hsd_out_escaped(k->out, HSD_ESCAPE_GITHUB_DATA, words);
}

/* Of one kind: what fails, and what cannot be judged, are errors. */
static void put_rules(kind *k, bool is_error)
{
    for (size_t i = 0; i < k->check->row_count; i++) {
        const hsd_check_outcome outcome = k->check->rows[i].outcome;
        const bool fits =
            is_error ? outcome == HSD_CHECK_FAIL || outcome == HSD_CHECK_UNKNOWN : outcome == HSD_CHECK_WARN;
        if (fits) put_rule(k, &k->check->rows[i]);
    }
    if (k->printed > 0) hsd_out_text(k->out, "\n");
}

hsd_status hsd_github_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write,
                            void *context, hsd_error *err)
{
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    kind errors = {
        .out = &out, .check = check, .config_path = hsd_check_config_path(check, options), .command = "error"};
    kind warnings = errors;
    kind notices = errors;
    warnings.command = "warning";
    notices.command = "notice";
    for (size_t i = 0; i < check->problem_count; i++)
        put_words(&errors, "the captures cannot be judged", check->problems[i]);
    put_rules(&errors, true);
    put_rules(&warnings, false);
    for (size_t i = 0; i < check->note_count; i++)
        put_words(&notices, "note", check->notes[i]);
    if (notices.printed > 0) hsd_out_text(&out, "\n");
    return hsd_out_finish(&out);
}
