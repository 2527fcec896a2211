/*
 * A check as SARIF 2.1.0 (OASIS): one run, a rule for each rule, a result for each finding and for each rule that is broken without one.
 * Results lie where the growth was allocated if that is known, else at the rule's line in the configuration; logical locations say what
 * holds it. What cannot be judged is a notification of an invocation that was not successful. Allowed findings are suppressed, those that
 * have levelled off are notes.
 */
#include <inttypes.h>

#include "report/check_words.h"
#include "report/formats.h"
#include "report/json_pieces.h"
#include "report/place.h"
#include "report/sarif_parts.h"

#define RESULTS_MOST 5000u /* what GitHub shows of a run */

typedef struct log {
    hsd_out out;
    const hsd_check *check;
    hsd_text config_path;
    size_t results;   /* written */
    uint64_t left_out;
} log;

/* A message of foreign text, raw; the buffer is released. */
static void put_message(hsd_out *out, const char *key, hsd_buffer *raw)
{
    hsd_out_text(out, key);
    hsd_json_string(out, "{\"text\": ", (hsd_text){(const char *)raw->data, raw->size});
    hsd_out_text(out, "}");
    hsd_buffer_release(raw);
}

/* ---- the tool ---- */

static const char *level_of(hsd_check_level level) { return level == HSD_LEVEL_WARN ? "warning" : "error"; }

static void put_rule(hsd_out *out, const hsd_rule *rule)
{
    hsd_json_string(out, "          {\"id\": ", rule->name);
    hsd_json_string(out, ", \"shortDescription\": {\"text\": ", rule->name);
    hsd_out_text(out, "}, \"defaultConfiguration\": {");
    hsd_json_bool(out, "\"enabled\": ", rule->level != HSD_LEVEL_OFF);
    hsd_json_text(out, ", \"level\": ", level_of(rule->level));
    hsd_out_text(out, "}, \"properties\": {");
    hsd_json_text(out, "\"subject\": ", hsd_subject_name(rule->subject));
    hsd_json_string(out, ", \"pattern\": ", rule->pattern);
    hsd_json_text(out, ", \"measure\": ", hsd_measure_name(rule));
    hsd_json_count(out, ", \"line\": ", rule->line);
    hsd_out_text(out, "}}");
}

static void put_tool(log *l)
{
    hsd_out *out = &l->out;
    hsd_out_text(out, "      \"tool\": {\"driver\": {\"name\": \"hsdiff\", \"rules\": [");
    for (size_t i = 0; i < l->check->row_count; i++) {
        hsd_out_text(out, i > 0 ? ",\n" : "\n");
        put_rule(out, l->check->rows[i].rule);
    }
    hsd_out_text(out, l->check->row_count > 0 ? "\n      ]}},\n" : "]}},\n");
}

/* ---- the invocation ---- */

static const char *next(size_t *count) { return (*count)++ > 0 ? ", " : ""; }

static void put_notification(hsd_out *out, const char *level, hsd_text text)
{
    hsd_json_text(out, "{\"level\": ", level);
    hsd_json_string(out, ", \"message\": {\"text\": ", text);
    hsd_out_text(out, "}}");
}

static void put_notifications(hsd_out *out, const char *level, const hsd_text *texts, size_t text_count, size_t *count)
{
    for (size_t i = 0; i < text_count; i++) {
        hsd_out_text(out, next(count));
        put_notification(out, level, texts[i]);
    }
}

static void put_unknown(log *l, size_t *count)
{
    for (size_t i = 0; i < l->check->row_count; i++) {
        hsd_buffer raw = {0};
        if (l->check->rows[i].outcome != HSD_CHECK_UNKNOWN) continue;
        if (l->out.status == HSD_OK) l->out.status = hsd_row_append_verdict(&raw, &l->check->rows[i], true, l->out.err);
        hsd_out_format(&l->out, "%s{\"level\": \"error\", \"associatedRule\": {\"index\": %zu}, ", next(count), i);
        put_message(&l->out, "\"message\": ", &raw);
        hsd_out_text(&l->out, "}");
    }
}

static void put_left_out(log *l, size_t *count)
{
    if (l->left_out == 0) return;
    hsd_out_format(&l->out, "%s{\"level\": \"note\", \"message\": {\"text\": \"%" PRIu64 " more findings are not in this log.\"}}",
                   next(count), l->left_out);
}

static void put_invocation(log *l)
{
    hsd_out *out = &l->out;
    const hsd_check *check = l->check;
    const int status = hsd_check_status(check);
    size_t count = 0, warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    hsd_json_bool(out, "      \"invocations\": [{\"executionSuccessful\": ", status != 3);
    hsd_json_count(out, ", \"exitCode\": ", (uint64_t)status);
    hsd_out_text(out, ", \"toolExecutionNotifications\": [");
    put_notifications(out, "error", check->problems, check->problem_count, &count);
    put_unknown(l, &count);
    put_notifications(out, "warning", warnings, warning_count, &count);
    put_notifications(out, "note", check->notes, check->note_count, &count);
    put_left_out(l, &count);
    hsd_out_text(out, "]}]\n");
}

/* ---- where ---- */

/* True if there was a place to name. */
static bool put_physical(log *l, const hsd_rule *rule, const hsd_site_frame *frame)
{
    hsd_out *out = &l->out;
    const bool has_rule = l->config_path.size > 0 && rule->line > 0;
    if (!frame && !has_rule) return false;
    hsd_out_text(out, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
    hsd_sarif_uri(out, frame ? frame->file : l->config_path);
    hsd_json_count(out, "}, \"region\": {\"startLine\": ", frame ? frame->line : rule->line);
    if (frame && frame->column > 0) hsd_json_count(out, ", \"startColumn\": ", frame->column);
    hsd_out_text(out, "}}");
    return true;
}

/* Words of the standard, and "object" for what holds. */
static const char *kind_of(hsd_subject subject)
{
    return subject == HSD_SUBJECT_HOLDER ? "object" : subject == HSD_SUBJECT_ROOT ? "variable" : "type";
}

/* The place, and where several hold together all of them: as the diff says it, where the place of a series says less. */
static hsd_status append_place(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    const hsd_holder *holder = finding->held_count > 0 ? finding->held[0] : finding->holder;
    if (!holder) return hsd_finding_append_place(out, finding, err);
    const hsd_spot spot = {holder->root, holder->path, holder->path_count, holder->path_cut};
    return holder->by_count > 0 ? hsd_holder_append(out, holder, " (", ")", err) : hsd_place_append(out, &spot, err);
}

/* The type of what is there; several together, and a root, are called by their place. */
static hsd_text name_of(const hsd_finding *finding, hsd_text place)
{
    const hsd_holder *holder = finding->held_count > 0 ? finding->held[0] : finding->holder;
    if (holder) return holder->by_count == 0 && holder->path_count > 0 ? holder->path[holder->path_count - 1].type : place;
    return finding->path_count > 0 ? finding->path[finding->path_count - 1].type : finding->root;
}

static void put_logical(hsd_out *out, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_buffer place = {0};
    hsd_out_text(out, "\"logicalLocations\": [");
    hsd_json_string(out, "{\"name\": ", finding->name.size > 0 ? finding->name : finding->root);
    hsd_json_text(out, ", \"kind\": ", kind_of(row->rule->subject));
    if (out->status == HSD_OK) out->status = append_place(&place, finding, out->err);
    hsd_out_text(out, "}");
    if (place.size > 0) {
        const hsd_text text = {(const char *)place.data, place.size};
        hsd_json_string(out, ", {\"name\": ", name_of(finding, text));
        hsd_json_string(out, ", \"fullyQualifiedName\": ", text);
        hsd_json_text(out, ", \"kind\": ", "object");
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
    hsd_buffer_release(&place);
}

static void put_locations(log *l, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_out *out = &l->out;
    hsd_site_frame source;
    const hsd_site_frame *frame = finding && hsd_finding_source(finding, &source) ? &source : NULL;
    const bool has_any = finding || (l->config_path.size > 0 && row->rule->line > 0);
    if (!has_any) return;
    hsd_out_text(out, ", \"locations\": [{");
    const bool has_physical = put_physical(l, row->rule, frame);
    if (finding) {
        hsd_out_text(out, has_physical ? ", " : "");
        put_logical(out, row, finding);
    }
    hsd_out_text(out, "}]");
}

/* ---- a result ---- */

static void put_sentence(log *l, const hsd_check_row *row, const hsd_finding *finding)
{
    static const char between[] = ": ";
    hsd_buffer raw = {0};
    hsd_out *out = &l->out;
    if (out->status == HSD_OK && finding) out->status = hsd_finding_append(&raw, l->check, row, finding, true, out->err);
    if (out->status == HSD_OK && finding) out->status = hsd_buffer_append(&raw, between, sizeof between - 1, out->err);
    if (out->status == HSD_OK) out->status = hsd_row_append_verdict(&raw, row, true, out->err);
    put_message(out, ", \"message\": ", &raw);
}

static void put_fingerprints(hsd_out *out, const hsd_check_row *row, const hsd_finding *finding)
{
    char digits[HSD_FINGERPRINT_CHARS];
    hsd_sarif_fingerprint(digits, row->rule, finding);
    hsd_out_format(out, ", \"partialFingerprints\": {\"hsdiffFinding/v1\": \"%s\", \"primaryLocationLineHash\": \"%s:1\"}", digits, digits);
}

static void put_suppression(hsd_out *out, const hsd_allowance *allowed)
{
    hsd_json_string(out, ", \"suppressions\": [{\"kind\": \"external\", \"status\": \"accepted\", \"justification\": ", allowed->reason);
    hsd_out_text(out, "}]");
}

static void put_numbers(hsd_out *out, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_json_text(out, ", \"properties\": {\"unit\": ", hsd_row_unit(row));
    if (finding) {
        hsd_json_signed(out, ", \"before\": ", finding->before);
        hsd_json_signed(out, ", \"after\": ", finding->after);
    }
    hsd_json_signed(out, ", \"growth\": ", finding ? finding->growth : row->found);
    hsd_json_signed(out, ", \"limit\": ", finding ? finding->limit : row->limit);
    hsd_out_text(out, "}");
}

static void put_result(log *l, const hsd_check_row *row, size_t rule_index, const hsd_finding *finding)
{
    hsd_out *out = &l->out;
    if (l->results >= RESULTS_MOST) {
        l->left_out++;
        return;
    }
    hsd_out_text(out, l->results++ > 0 ? ",\n" : "\n");
    hsd_json_string(out, "        {\"ruleId\": ", row->rule->name);
    hsd_json_count(out, ", \"ruleIndex\": ", rule_index);
    hsd_json_text(out, ", \"level\": ", finding && finding->is_levelled ? "note" : level_of(row->rule->level));
    put_sentence(l, row, finding);
    put_locations(l, row, finding);
    put_fingerprints(out, row, finding);
    if (finding && finding->allowed) put_suppression(out, finding->allowed);
    put_numbers(out, row, finding);
    hsd_out_text(out, "}");
}

static void put_results(log *l)
{
    hsd_out_text(&l->out, "      \"results\": [");
    for (size_t i = 0; i < l->check->row_count; i++) {
        const hsd_check_row *row = &l->check->rows[i];
        const bool is_broken = row->outcome == HSD_CHECK_FAIL || row->outcome == HSD_CHECK_WARN;
        for (size_t k = 0; k < row->finding_count; k++)
            put_result(l, row, i, &row->findings[k]);
        if (row->finding_count == 0 && is_broken) put_result(l, row, i, NULL);
        l->left_out += row->other_findings;
    }
    hsd_out_text(&l->out, l->results > 0 ? "\n      ],\n" : "],\n");
}

hsd_status hsd_sarif_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                           hsd_error *err)
{
    log l = {.check = check, .config_path = hsd_check_config_path(check, options)};
    hsd_out_init(&l.out, write, context, err);
    hsd_out_text(&l.out, "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n");
    put_tool(&l);
    put_results(&l);
    put_invocation(&l);
    hsd_out_text(&l.out, "    }\n  ]\n}\n");
    return hsd_out_finish(&l.out);
}
