/*
 * A check as SARIF 2.1.0 (OASIS): one run, a rule for each rule, a result for each finding and for each rule that is
 * broken without one. Results lie where the growth was allocated if that is known, else at the rule's line in the
 * configuration, else where such a rule would be written: code scanning takes no result without a file. Logical
 * locations say what holds it. What cannot be judged is a notification of an invocation that was
 * not successful. Allowed findings are suppressed, those that have levelled off are notes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "report/formats.h"
#include "report/sentences/check_words.h"
#include "report/sentences/place.h"
#include "report/write/sarif_parts.h"

#define RESULTS_MOST 5000u /* what GitHub shows of a run */

typedef struct log {
    hsd_out out;
    hsd_json_writer json;
    const hsd_check *check;
    hsd_text config_path;
    size_t results; /* written */
    uint64_t left_out;
} log;

/* A message. */
static void put_message(hsd_json_writer *json, const char *key, hsd_text text)
{
    hsd_json_open_object(json, key, HSD_JSON_INLINE);
    hsd_json_put_text(json, "text", text);
    hsd_json_close(json);
}

/* Of foreign text, raw; the buffer is released. */
static void put_raw_message(hsd_json_writer *json, hsd_buffer *raw)
{
    put_message(json, "message", (hsd_text){(const char *)raw->data, raw->size});
    hsd_buffer_release(raw);
}

/* ---- the tool ---- */

static const char *level_of(hsd_check_level level) { return level == HSD_LEVEL_WARN ? "warning" : "error"; }

static void put_rule(hsd_json_writer *json, const hsd_rule *rule)
{
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_text(json, "id", rule->name);
    put_message(json, "shortDescription", rule->name);
    hsd_json_open_object(json, "defaultConfiguration", HSD_JSON_INLINE);
    hsd_json_put_flag(json, "enabled", rule->level != HSD_LEVEL_OFF);
    hsd_json_put_string(json, "level", level_of(rule->level));
    hsd_json_close(json);
    hsd_json_open_object(json, "properties", HSD_JSON_INLINE);
    hsd_json_put_string(json, "subject", hsd_subject_name(rule->subject));
    hsd_json_put_text(json, "pattern", rule->pattern);
    hsd_json_put_string(json, "measure", hsd_measure_name(rule));
    hsd_json_put_count(json, "line", rule->line);
    hsd_json_close(json);
    hsd_json_close(json);
}

static void put_tool(log *l)
{
    hsd_json_writer *json = &l->json;
    hsd_json_open_object(json, "tool", HSD_JSON_INLINE);
    hsd_json_open_object(json, "driver", HSD_JSON_INLINE);
    hsd_json_put_string(json, "name", "hsdiff");
    hsd_json_open_list(json, "rules", HSD_JSON_DEEP);
    for (size_t i = 0; i < l->check->row_count; i++)
        put_rule(json, l->check->rows[i].rule);
    for (int i = 0; i < 3; i++)
        hsd_json_close(json);
}

/* ---- the invocation ---- */

static void put_notifications(hsd_json_writer *json, const char *level, const hsd_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_string(json, "level", level);
        put_message(json, "message", texts[i]);
        hsd_json_close(json);
    }
}

static void put_unknown(log *l)
{
    hsd_json_writer *json = &l->json;
    for (size_t i = 0; i < l->check->row_count; i++) {
        hsd_buffer raw = {0};
        if (l->check->rows[i].outcome != HSD_CHECK_UNKNOWN) continue;
        if (l->out.status == HSD_OK) l->out.status = hsd_row_append_verdict(&raw, &l->check->rows[i], true, l->out.err);
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_string(json, "level", "error");
        hsd_json_open_object(json, "associatedRule", HSD_JSON_INLINE);
        hsd_json_put_count(json, "index", i);
        hsd_json_close(json);
        put_raw_message(json, &raw);
        hsd_json_close(json);
    }
}

static void put_left_out(log *l)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "%" PRIu64 " more findings are not in this log.", l->left_out);
    const hsd_text note = {text, (size_t)size};
    put_notifications(&l->json, "note", &note, l->left_out > 0);
}

static void put_invocation(log *l)
{
    hsd_json_writer *json = &l->json;
    const hsd_check *check = l->check;
    const int status = hsd_check_status(check);
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    hsd_json_open_list(json, "invocations", HSD_JSON_INLINE);
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_flag(json, "executionSuccessful", status != 3);
    hsd_json_put_count(json, "exitCode", (uint64_t)status);
    hsd_json_open_list(json, "toolExecutionNotifications", HSD_JSON_INLINE);
    put_notifications(json, "error", check->problems, check->problem_count);
    put_unknown(l);
    put_notifications(json, "warning", warnings, warning_count);
    put_notifications(json, "note", check->notes, check->note_count);
    put_left_out(l);
    for (int i = 0; i < 3; i++)
        hsd_json_close(json);
}

/* ---- where ---- */

static void put_physical(log *l, const hsd_rule *rule, const hsd_site_frame *frame)
{
    static const char usual_name[] = ".hsdiff.yml"; /* a built-in rule stands in no file */
    hsd_json_writer *json = &l->json;
    const bool has_rule = l->config_path.size > 0 && rule->line > 0;
    const hsd_text config = has_rule ? l->config_path : (hsd_text){usual_name, sizeof usual_name - 1};
    hsd_json_open_object(json, "physicalLocation", HSD_JSON_INLINE);
    hsd_json_open_object(json, "artifactLocation", HSD_JSON_INLINE);
    hsd_sarif_uri(json, "uri", frame ? frame->file : config);
    hsd_json_close(json);
    hsd_json_open_object(json, "region", HSD_JSON_INLINE);
    hsd_json_put_count(json, "startLine", frame ? frame->line : has_rule ? rule->line : 1);
    if (frame && frame->column > 0) hsd_json_put_count(json, "startColumn", frame->column);
    hsd_json_close(json);
    hsd_json_close(json);
}

/* Words of the standard, and "object" for what holds. */
static const char *kind_of(hsd_subject subject)
{
    return subject == HSD_SUBJECT_HOLDER ? "object" : subject == HSD_SUBJECT_ROOT ? "variable" : "type";
}

/* The place, and where several hold together all of them: as the diff says it, where the place of a series says less.
 */
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
    if (holder)
        return holder->by_count == 0 && holder->path_count > 0 ? holder->path[holder->path_count - 1].type : place;
    return finding->path_count > 0 ? finding->path[finding->path_count - 1].type : finding->root;
}

static void put_logical(log *l, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_json_writer *json = &l->json;
    hsd_buffer place = {0};
    if (l->out.status == HSD_OK) l->out.status = append_place(&place, finding, l->out.err);
    hsd_json_open_list(json, "logicalLocations", HSD_JSON_INLINE);
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_text(json, "name", finding->name.size > 0 ? finding->name : finding->root);
    hsd_json_put_string(json, "kind", kind_of(row->rule->subject));
    hsd_json_close(json);
    if (place.size > 0) {
        const hsd_text text = {(const char *)place.data, place.size};
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_text(json, "name", name_of(finding, text));
        hsd_json_put_text(json, "fullyQualifiedName", text);
        hsd_json_put_string(json, "kind", "object");
        hsd_json_close(json);
    }
    hsd_json_close(json);
    hsd_buffer_release(&place);
}

static void put_locations(log *l, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_json_writer *json = &l->json;
    hsd_site_frame source;
    const hsd_site_frame *frame = finding && hsd_finding_source(finding, &source) ? &source : NULL;
    hsd_json_open_list(json, "locations", HSD_JSON_INLINE);
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    put_physical(l, row->rule, frame);
    if (finding) put_logical(l, row, finding);
    hsd_json_close(json);
    hsd_json_close(json);
}

/* ---- a result ---- */

static hsd_status append_words(hsd_buffer *raw, hsd_text words, hsd_error *err)
{
    return hsd_buffer_append(raw, words.data, words.size, err);
}

/* "Array +1,875,920 B, held by global.sessions (Map); whole heap: +5,661,520 B, the limit is …": the second figure is
 * the rule's. */
static void put_sentence(log *l, const hsd_check_row *row, const hsd_finding *finding)
{
    static const hsd_text between[] = {{"; ", 2}, {": ", 2}};
    hsd_buffer raw = {0};
    hsd_out *out = &l->out;
    if (out->status == HSD_OK && finding)
        out->status = hsd_finding_append(&raw, l->check, row, finding, true, out->err);
    if (out->status == HSD_OK && finding) out->status = append_words(&raw, between[0], out->err);
    if (out->status == HSD_OK && finding) out->status = append_words(&raw, row->rule->name, out->err);
    if (out->status == HSD_OK && finding) out->status = append_words(&raw, between[1], out->err);
    if (out->status == HSD_OK) out->status = hsd_row_append_verdict(&raw, row, true, out->err);
    put_raw_message(&l->json, &raw);
}

static void put_fingerprints(hsd_json_writer *json, const hsd_check_row *row, const hsd_finding *finding)
{
    char digits[HSD_FINGERPRINT_CHARS], with_line[HSD_FINGERPRINT_CHARS + 2];
    hsd_sarif_fingerprint(digits, row->rule, finding);
    snprintf(with_line, sizeof with_line, "%s:1", digits);
    hsd_json_open_object(json, "partialFingerprints", HSD_JSON_INLINE);
    hsd_json_put_string(json, "hsdiffFinding/v1", digits);
    hsd_json_put_string(json, "primaryLocationLineHash", with_line);
    hsd_json_close(json);
}

static void put_suppression(hsd_json_writer *json, const hsd_allowance *allowed)
{
    hsd_json_open_list(json, "suppressions", HSD_JSON_INLINE);
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_string(json, "kind", "external");
    hsd_json_put_string(json, "status", "accepted");
    hsd_json_put_text(json, "justification", allowed->reason);
    hsd_json_close(json);
    hsd_json_close(json);
}

static void put_numbers(hsd_json_writer *json, const hsd_check_row *row, const hsd_finding *finding)
{
    hsd_json_open_object(json, "properties", HSD_JSON_INLINE);
    hsd_json_put_string(json, "unit", hsd_row_unit(row));
    if (finding) {
        hsd_json_put_signed(json, "before", finding->before);
        hsd_json_put_signed(json, "after", finding->after);
    }
    hsd_json_put_signed(json, "growth", finding ? finding->growth : row->found);
    hsd_json_put_signed(json, "limit", finding ? finding->limit : row->limit);
    hsd_json_close(json);
}

static void put_result(log *l, const hsd_check_row *row, size_t rule_index, const hsd_finding *finding)
{
    hsd_json_writer *json = &l->json;
    if (l->results >= RESULTS_MOST) {
        l->left_out++;
        return;
    }
    l->results++;
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_text(json, "ruleId", row->rule->name);
    hsd_json_put_count(json, "ruleIndex", rule_index);
    hsd_json_put_string(json, "level", finding && finding->is_levelled ? "note" : level_of(row->rule->level));
    put_sentence(l, row, finding);
    put_locations(l, row, finding);
    put_fingerprints(json, row, finding);
    if (finding && finding->allowed) put_suppression(json, finding->allowed);
    put_numbers(json, row, finding);
    hsd_json_close(json);
}

static void put_results(log *l)
{
    hsd_json_open_list(&l->json, "results", HSD_JSON_LINES);
    for (size_t i = 0; i < l->check->row_count; i++) {
        const hsd_check_row *row = &l->check->rows[i];
        const bool is_broken = row->outcome == HSD_CHECK_FAIL || row->outcome == HSD_CHECK_WARN;
        for (size_t k = 0; k < row->finding_count; k++)
            put_result(l, row, i, &row->findings[k]);
        if (row->finding_count == 0 && is_broken) put_result(l, row, i, NULL);
        l->left_out += row->other_findings;
    }
    hsd_json_close(&l->json);
}

hsd_status hsd_sarif_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                           hsd_error *err)
{
    log l = {.check = check, .config_path = hsd_check_config_path(check, options)};
    hsd_out_init(&l.out, write, context, err);
    hsd_json_begin(&l.json, &l.out);
    hsd_json_open_object(&l.json, NULL, HSD_JSON_LINES);
    hsd_json_put_string(&l.json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    hsd_json_put_string(&l.json, "version", "2.1.0");
    hsd_json_open_list(&l.json, "runs", HSD_JSON_LINES);
    hsd_json_open_object(&l.json, NULL, HSD_JSON_LINES);
    put_tool(&l);
    put_results(&l);
    put_invocation(&l);
    for (int i = 0; i < 3; i++)
        hsd_json_close(&l.json);
    hsd_out_text(&l.out, "\n");
    return hsd_out_finish(&l.out);
}
