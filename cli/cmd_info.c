/*
 * hsdiff info: what a capture says of itself, and whether it is whole. Reads the ends of the file and headers of
 * blocks, not what is in them; for a foreign dump, which has no such ends, all of it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <hscapture/hscapture.h>

#include "info_parts.h"
#include "info_words.h"
#include "input.h"
#include "options/common.h"
#include "out.h"
#include "progress.h"
#include "report_error.h"

#define NAME_COLUMNS 11

typedef struct info_page {
    cli_out *out;
    const cli_app *cli;
    const cli_input *input;
    const hsd_capture_info *facts;
    hsd_error *err;
} info_page;

static void begin_info(const info_page *info, const char *name)
{
    cli_out_format(info->out, "%-*s", NAME_COLUMNS, name);
}

static void put_name(const info_page *info, const char *text)
{
    cli_out_escaped(info->out, HSD_ESCAPE_TERMINAL, text, SIZE_MAX);
}

static const char *size_text(const info_page *info, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    if (!info->cli->options.exact_bytes) return hsd_format_bytes(out, bytes);
    char digits[HSD_NUMBER_CHARS];
    snprintf(out, HSD_NUMBER_CHARS, "%.27s B", hsd_format_count(digits, bytes));
    return out;
}

static bool has(const char *text) { return text && text[0]; }

/* ---- the sentence and the lines ---- */

static void print_sentence(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    char size[HSD_NUMBER_CHARS];
    struct stat file;
    put_name(info, info->input->path);
    if (info->input->is_foreign) {
        cli_out_text(info->out, ": ");
        put_name(info, info->input->imported.format);
        cli_out_format(info->out, " heap dump, %s%s", facts->is_complete ? "complete, " : "incomplete, ",
                       size_text(info, size, info->input->imported.input_bytes));
    } else {
        cli_out_format(info->out, ": %s heap capture, format %u.%u, %s", facts->is_complete ? "complete" : "incomplete",
                       facts->version_major, facts->version_minor, size_text(info, size, facts->file_bytes));
    }
    if (stat(info->input->path, &file) == 0 && S_ISREG(file.st_mode))
        cli_out_format(info->out, " on disk (%04o)", (unsigned)file.st_mode & 07777u);
    cli_out_text(info->out, "\n");
    if (!facts->is_complete) {
        cli_out_text(info->out, "! incomplete: ");
        put_name(info, has(facts->incomplete_reason) ? facts->incomplete_reason : "there is no end record");
        cli_out_text(info->out, "\n");
    }
    cli_out_text(info->out, "\n");
}

static void print_process(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    const char *separator = "";
    char time[HSD_NUMBER_CHARS];
    if (!has(facts->process_name) && facts->pid == 0 && facts->started_unix_ns == 0) return;
    begin_info(info, "process");
    if (has(facts->process_name)) {
        put_name(info, facts->process_name);
        separator = ", ";
    }
    if (facts->pid > 0) {
        cli_out_format(info->out, "%spid %llu", separator, (unsigned long long)facts->pid);
        separator = ", ";
    }
    if (facts->started_unix_ns > 0)
        cli_out_format(info->out, "%sstarted %s", separator, hsd_format_time(time, facts->started_unix_ns));
    cli_out_text(info->out, "\n");
}

static void print_origin(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    char time[HSD_NUMBER_CHARS];
    if (has(facts->runtime)) {
        begin_info(info, "runtime");
        put_name(info, facts->runtime);
        if (facts->pointer_bytes > 0) cli_out_format(info->out, ", %u-bit references", 8 * facts->pointer_bytes);
        cli_out_text(info->out, "\n");
    }
    if (facts->taken_unix_ns > 0) {
        begin_info(info, "taken");
        cli_out_format(info->out, "%s\n", hsd_format_time(time, facts->taken_unix_ns));
    }
    if (has(facts->producer) && !info->input->is_foreign) {
        begin_info(info, "written by");
        put_name(info, facts->producer);
        if (has(facts->source_format) && !strstr(facts->producer, facts->source_format)) {
            cli_out_text(info->out, ", from ");
            put_name(info, facts->source_format);
        }
        cli_out_text(info->out, "\n");
    }
    if (facts->has_digest) {
        char digits[HSD_HEX_CHARS];
        begin_info(info, "digest");
        cli_out_format(info->out, "%s\n", hsd_format_hex(digits, facts->digest));
    }
}

/* A baseline has no roots and references of its own; whether what was added up had some stands in its sums. */
static uint32_t facts_of_contents(const hsd_capture_info *facts)
{
    const uint32_t of_sums = (facts->sums & HSC_SUMS_ROOTS ? 0 : HSC_FACT_NO_ROOTS) |
                             (facts->sums & HSC_SUMS_REFERENCES ? 0 : HSC_FACT_NO_REFERENCES);
    if (!facts->is_baseline) return facts->facts;
    return (facts->facts & ~(HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES)) | of_sums;
}

static void print_baseline(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], c[HSD_NUMBER_CHARS];
    if (!facts->is_baseline) return;
    begin_info(info, "baseline");
    cli_out_format(info->out, "sums of %s type%s, %s root%s, %s place%s\n", hsd_format_count(a, facts->live_totals),
                   facts->live_totals == 1 ? "" : "s", hsd_format_count(b, facts->root_totals),
                   facts->root_totals == 1 ? "" : "s", hsd_format_count(c, facts->places),
                   facts->places == 1 ? "" : "s");
    if (has(facts->why_no_places)) {
        begin_info(info, "");
        cli_out_text(info->out, "no places: ");
        put_name(info, facts->why_no_places);
        cli_out_text(info->out, "\n");
    }
    if (facts->place_least_bytes == 0) return;
    begin_info(info, "");
    cli_out_format(info->out, "places with less than %s count for the place above\n",
                   size_text(info, a, facts->place_least_bytes));
}

static void print_contents(const info_page *info)
{
    const uint32_t facts = facts_of_contents(info->facts);
    begin_info(info, "contents");
    cli_out_text(info->out, facts & CLI_FACT_VALUES
                                ? "shapes and values: strings, keys or field values of user data are inside\n"
                                : "shapes only: no strings, keys or field values stored\n");
    for (size_t i = 0; cli_fact_get(i); i++) {
        if (!(facts & cli_fact_get(i)->bit) || cli_fact_get(i)->bit == CLI_FACT_VALUES) continue;
        begin_info(info, "");
        cli_out_format(info->out, "%s\n", cli_fact_get(i)->sentence);
    }
    begin_info(info, "identity");
    cli_out_format(info->out, "%s\n", cli_identity_sentence(info->facts->identity));
    print_baseline(info);
}

/* What a report counts otherwise than the file has it: with their owners, or not at all. */
static hsd_status print_parts(const info_page *info)
{
    const uint64_t pseudo = info->facts->pseudo_objects;
    char count[HSD_NUMBER_CHARS];
    uint64_t parts = 0;
    if (!info->facts->is_baseline) HSD_TRY(cli_count_parts(info->input->capture, &parts, info->err));
    if (parts > 0) {
        begin_info(info, "parts");
        cli_out_format(info->out, "%s of these objects are parts: reports count each with the object that owns it\n",
                       hsd_format_count(count, parts));
    }
    if (pseudo > 0) {
        begin_info(info, "nodes");
        cli_out_format(info->out, "%s more, which have no size, are no objects: reports do not count them\n",
                       hsd_format_count(count, pseudo));
    }
    return HSD_OK;
}

static void print_counts(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    const uint64_t objects = facts->objects - facts->pseudo_objects;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], c[HSD_NUMBER_CHARS];
    const bool is_of_sums = facts->is_baseline || facts->objects == 0;
    const uint64_t summed = is_of_sums ? facts->summary_objects : 0;
    const uint64_t summed_bytes = is_of_sums ? facts->summary_bytes : 0;
    begin_info(info, "size");
    cli_out_format(info->out, "%s in %s objects", size_text(info, a, facts->bytes + facts->native_bytes + summed_bytes),
                   hsd_format_count(b, objects + summed));
    if (!facts->is_baseline)
        cli_out_format(info->out, ", %s references", hsd_format_count(c, facts->references + facts->edges));
    else if (facts->objects > 0)
        cli_out_format(info->out, "; identities of %s", hsd_format_count(c, facts->objects));
    cli_out_text(info->out, "\n");
    begin_info(info, "tables");
    cli_out_format(info->out, "%s type%s", hsd_format_count(a, facts->types), facts->types == 1 ? "" : "s");
    if (!facts->is_baseline)
        cli_out_format(info->out, ", %s root%s", hsd_format_count(b, facts->roots), facts->roots == 1 ? "" : "s");
    if (facts->sites > 0) cli_out_format(info->out, ", allocation sites: %s", hsd_format_count(c, facts->sites));
    cli_out_text(info->out, "\n");
    if (info->input->is_foreign) return;
    begin_info(info, "blocks");
    cli_out_format(info->out, "%s, ", hsd_format_count(a, facts->blocks));
    if (facts->damaged_blocks > 0)
        cli_out_format(info->out, "%s of them damaged, ", hsd_format_count(b, facts->damaged_blocks));
    cli_out_format(info->out, "%s\n",
                   facts->has_index ? "index and end record present (contents not read; see verify)"
                                    : "no index: read from the start");
}

/* ---- records that are few: metrics and losses ---- */

static hsd_status print_metrics(const info_page *info)
{
    hsd_record_reader *reader;
    hsd_record record;
    char number[HSD_NUMBER_CHARS];
    const char *name = "metrics";
    HSD_TRY(hsd_record_reader_open(&reader, info->input->capture, HSD_RECORD_METRIC, info->err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, info->err)) == HSD_OK) {
        const hsd_metric *metric = &record.metric;
        const bool is_bytes = metric->unit.size == 5 && memcmp(metric->unit.data, "bytes", 5) == 0;
        const bool is_time = metric->unit.size == 2 && memcmp(metric->unit.data, "ns", 2) == 0;
        begin_info(info, name);
        name = "";
        cli_out_escaped(info->out, HSD_ESCAPE_TERMINAL, metric->name.data, metric->name.size);
        cli_out_format(info->out, "  %s",
                       is_bytes  ? size_text(info, number, metric->value)
                       : is_time ? cli_format_short_time(number, metric->value)
                                 : hsd_format_count(number, metric->value));
        if (!is_bytes && !is_time) {
            cli_out_text(info->out, " ");
            cli_out_escaped(info->out, HSD_ESCAPE_TERMINAL, metric->unit.data, metric->unit.size);
        }
        cli_out_text(info->out, "\n");
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status print_losses(const info_page *info)
{
    hsd_record_reader *reader;
    hsd_record record;
    char number[HSD_NUMBER_CHARS];
    const char *name = "lost";
    HSD_TRY(hsd_record_reader_open(&reader, info->input->capture, HSD_RECORD_LOSS, info->err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, info->err)) == HSD_OK) {
        begin_info(info, name);
        name = "";
        cli_out_format(info->out, "%s ", hsd_format_count(number, record.loss.count));
        cli_out_escaped(info->out, HSD_ESCAPE_TERMINAL, record.loss.what.data, record.loss.what.size);
        cli_out_text(info->out, "\n");
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static void print_next_info(const info_page *info)
{
    char word[4096];
    if (info->cli->options.quiet || strcmp(info->input->path, "-") == 0) return;
    hsd_quote_shell(word, sizeof word, info->input->path, strlen(info->input->path));
    if (info->input->is_foreign)
        cli_out_format(info->out, "\nTo read it only once: hsdiff import %s -o heap.hs\n", word);
    else if (!info->facts->has_index || info->facts->damaged_blocks > 0)
        cli_out_format(info->out, "\nTo keep a clean copy: hsdiff salvage %s -o salvaged.hs\n", word);
    else
        cli_out_format(info->out, "\nTo check every byte: hsdiff verify %s\n", word);
}

static hsd_status print_text(const info_page *info)
{
    print_sentence(info);
    print_process(info);
    print_origin(info);
    print_contents(info);
    print_counts(info);
    HSD_TRY(print_parts(info));
    HSD_TRY(print_metrics(info));
    HSD_TRY(print_losses(info));
    print_next_info(info);
    return HSD_OK;
}

/* ---- JSON, schema hsdiff.info/1 ---- */

static void put_string(const info_page *info, const char *key, const char *text)
{
    cli_out_format(info->out, ",\n  \"%s\": \"", key);
    cli_out_escaped(info->out, HSD_ESCAPE_JSON, text ? text : "", SIZE_MAX);
    cli_out_text(info->out, "\"");
}

static void put_count(const info_page *info, const char *key, uint64_t value)
{
    cli_out_format(info->out, ",\n  \"%s\": %llu", key, (unsigned long long)value);
}

static void put_bool(const info_page *info, const char *key, bool value)
{
    cli_out_format(info->out, ",\n  \"%s\": %s", key, value ? "true" : "false");
}

static void put_time(const info_page *info, const char *key, uint64_t unix_ns)
{
    char time[HSD_NUMBER_CHARS];
    if (unix_ns > 0) put_string(info, key, hsd_format_time(time, unix_ns));
}

static void put_id(const info_page *info, const char *key, const uint8_t id[16])
{
    char digits[HSD_HEX_CHARS];
    put_string(info, key, hsd_format_hex(digits, id));
}

static hsd_status put_losses(const info_page *info)
{
    hsd_record_reader *reader;
    hsd_record record;
    const char *separator = "";
    cli_out_text(info->out, ",\n  \"losses\": [");
    HSD_TRY(hsd_record_reader_open(&reader, info->input->capture, HSD_RECORD_LOSS, info->err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, info->err)) == HSD_OK) {
        cli_out_format(info->out, "%s{\"count\": %llu, \"what\": \"", separator, (unsigned long long)record.loss.count);
        cli_out_escaped(info->out, HSD_ESCAPE_JSON, record.loss.what.data, record.loss.what.size);
        cli_out_text(info->out, "\"}");
        separator = ", ";
    }
    hsd_record_reader_close(reader);
    cli_out_text(info->out, "]");
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status print_json(const info_page *info)
{
    const hsd_capture_info *facts = info->facts;
    cli_out_text(info->out, "{\n  \"schema\": \"hsdiff.info/1\"");
    put_string(info, "path", info->input->path);
    put_string(info, "format", info->input->is_foreign ? info->input->imported.format : "hs");
    put_bool(info, "complete", facts->is_complete);
    if (!facts->is_complete) put_string(info, "incomplete_reason", facts->incomplete_reason);
    put_string(info, "producer", facts->producer);
    put_string(info, "runtime", facts->runtime);
    put_string(info, "source_format", facts->source_format);
    if (has(facts->process_name)) put_string(info, "process", facts->process_name);
    if (facts->pid > 0) put_count(info, "pid", facts->pid);
    put_time(info, "started", facts->started_unix_ns);
    put_time(info, "taken", facts->taken_unix_ns);
    put_string(info, "identity", cli_identity_word(facts->identity));
    put_id(info, "domain", facts->domain);
    put_id(info, "capture_id", facts->capture_id);
    if (facts->has_digest)
        put_id(info, "digest", facts->digest);
    else
        cli_out_text(info->out, ",\n  \"digest\": null");
    for (size_t i = 0; cli_fact_get(i); i++)
        put_bool(info, cli_fact_get(i)->key, facts_of_contents(facts) & cli_fact_get(i)->bit);
    put_bool(info, "baseline", facts->is_baseline);
    if (facts->is_baseline) {
        put_count(info, "live_totals", facts->live_totals);
        put_count(info, "root_totals", facts->root_totals);
        put_count(info, "places", facts->places);
        put_count(info, "place_least_bytes", facts->place_least_bytes);
        put_string(info, "why_no_places", facts->why_no_places);
        put_count(info, "summary_objects", facts->summary_objects);
        put_count(info, "summary_bytes", facts->summary_bytes);
    }
    put_count(info, "objects", facts->objects);
    put_count(info, "pseudo_objects", facts->pseudo_objects);
    put_count(info, "bytes", facts->bytes);
    put_count(info, "native_bytes", facts->native_bytes);
    put_count(info, "references", facts->references + facts->edges);
    put_count(info, "roots", facts->roots);
    put_count(info, "types", facts->types);
    put_count(info, "sites", facts->sites);
    put_count(info, "file_bytes", info->input->is_foreign ? info->input->imported.input_bytes : facts->file_bytes);
    put_count(info, "blocks", facts->blocks);
    put_count(info, "damaged_blocks", facts->damaged_blocks);
    put_count(info, "lost", facts->lost);
    HSD_TRY(put_losses(info));
    cli_out_text(info->out, "\n}\n");
    return HSD_OK;
}

/* ---- */

static int run_info_with(cli_app *cli, cli_out *out, bool as_json)
{
    cli_input input = {.path = cli->inputs[0]};
    bool is_complete = false;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = cli_inputs_open(&input, 1, cli, false, HSD_DAMAGE_SKIP, &err);
    cli_progress_clear();
    if (status == HSD_OK) {
        const info_page info = {
            .out = out, .cli = cli, .input = &input, .facts = hsd_capture_get_info(input.capture), .err = &err};
        status = as_json ? print_json(&info) : print_text(&info);
        is_complete = info.facts->is_complete;
    }
    cli_inputs_close(&input, 1);
    return status != HSD_OK ? cli_report_error(cli, &err) : is_complete ? CLI_DONE : CLI_DAMAGED;
}

static int run_info(cli_app *cli)
{
    const char *format = cli->options.format ? cli->options.format : "text";
    const bool as_json = strcmp(format, "json") == 0;
    cli_out out;
    int result = CLI_DONE;
    if (!as_json && strcmp(format, "text") != 0) {
        cli_complain("info comes as text or json, not as '%s'.", format);
        return CLI_USAGE;
    }
    if (!cli_out_open(&out, cli, &result)) return result;
    return cli_out_close(&out, cli, run_info_with(cli, &out, as_json));
}

static const cli_example examples[] = {
    {"hsdiff info after.hs", "what is in it, and whether it is whole"},
    {"hsdiff info heap.hprof", "the same for a foreign dump, which is read as a whole"},
    {"hsdiff info after.hs --format json", "for a script, schema hsdiff.info/1"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_format_of_one, &cli_option_bytes,           &cli_option_from,       &cli_option_exe,
    &cli_option_dump,          &cli_option_final_is_strong, CLI_OPTIONS_OF_READING, NULL,
};

const cli_command cli_command_info = {
    .name = "info",
    .synopsis = "FILE",
    .summary = "what a capture holds, where it comes from, whether it is complete",
    .description =
        "Prints what a capture says of itself: the process and runtime, when it was "
        "taken, whether values of user data are "
        "inside, how many objects, references, types and roots it holds, metrics, and "
        "what the producer could not capture. "
        "Of a capture only the head, the end and headers in between are read, so it takes milliseconds for "
        "any size; verify reads all of it. "
        "The digest tells whether two files are the same capture, and whether one is that of a report (--html, "
        "--format json): of a capture it is made of its checksums, of a foreign dump it is what xxh128sum prints. "
        "The exit status is 3 when the capture is not complete.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_info,
};
