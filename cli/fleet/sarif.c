/*
 * A check of a candidate as SARIF 2.1.0 (OASIS), in the form that hsdiff check writes: one rule, and a result for each
 * place and type that grows. Fingerprints are of service, kind and key: the same from day to day, and on every machine.
 */
#include <inttypes.h>

#include "fleet/fleet.h"

#define RESULTS_MOST 5000u /* what GitHub shows of a run */

static void put_json(cli_out *out, hsd_text text) { cli_out_escaped(out, HSD_ESCAPE_JSON, text.data, text.size); }

static void put_message(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f)
{
    const hsd_fleet_version *v = &report->versions[f->version], *before = &report->versions[v->before];
    char slope[HSD_NUMBER_CHARS];
    cli_out_text(out, "\"message\": {\"text\": \"");
    put_json(out, f->name);
    cli_out_format(out, " grows by %s an hour in ", hsd_format_bytes_signed(slope, f->per_hour));
    cli_fleet_put_share(out, f->processes, v->judged);
    cli_out_text(out, " of ");
    put_json(out, v->service);
    cli_out_text(out, " ");
    put_json(out, v->version);
    if (before != v) {
        cli_out_format(out, ", and in %llu of %llu of ", (unsigned long long)f->before_processes,
                       (unsigned long long)before->judged);
        put_json(out, before->version);
    }
    cli_out_text(out, "\"}");
}

static void put_location(cli_out *out, const hsd_fleet_finding *f)
{
    const hsd_text deepest = f->held.size > 0 ? f->held : f->name;
    cli_out_text(out, "\"locations\": [{\"logicalLocations\": [{\"name\": \"");
    put_json(out, f->name);
    cli_out_text(out, "\", \"fullyQualifiedName\": \"");
    put_json(out, deepest);
    cli_out_format(out, "\", \"kind\": \"%s\"}]}]", f->is_place ? "object" : "type");
}

static void put_result(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f)
{
    cli_out_text(out, "{\"ruleId\": \"fleet-growth\", \"ruleIndex\": 0, \"level\": \"error\", ");
    put_message(out, report, f);
    cli_out_text(out, ", ");
    put_location(out, f);
    cli_out_text(out, ", \"partialFingerprints\": {\"hsdiffFinding/v1\": \"");
    put_json(out, report->versions[f->version].service);
    cli_out_format(out, ":%s:%016" PRIx64 "\"}, ", f->is_place ? "place" : "type", f->key);
    cli_out_format(out, "\"properties\": {\"unit\": \"bytes\", \"perHour\": %" PRId64 ", \"growth\": %" PRId64 "}}",
                   f->per_hour, f->growth);
}

/* What cannot be judged is a notification of an invocation that was not successful, as hsdiff check has it. */
static void put_invocation(cli_out *out, const hsd_fleet_report *report, const char *candidate)
{
    const bool tells = report->finding_count > 0 || cli_fleet_can_tell(report, candidate);
    const int status = !tells ? CLI_DAMAGED : report->finding_count > 0 ? CLI_FAILED : CLI_DONE;
    cli_out_format(out, "{\"executionSuccessful\": %s, \"exitCode\": %d", tells ? "true" : "false", status);
    if (!tells)
        cli_out_format(out,
                       ", \"toolExecutionNotifications\": [{\"level\": \"error\", \"message\": {\"text\": \"%s\"}}]",
                       cli_fleet_nothing(report));
    cli_out_text(out, "}");
}

void cli_fleet_write_sarif(cli_out *out, const hsd_fleet_report *report, const char *candidate)
{
    const size_t told = report->finding_count < RESULTS_MOST ? report->finding_count : RESULTS_MOST;
    cli_out_text(out,
                 "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n"
                 "  \"runs\": [{\n"
                 "    \"tool\": {\"driver\": {\"name\": \"hsdiff\", \"rules\": [\n"
                 "      {\"id\": \"fleet-growth\", \"shortDescription\": {\"text\": \"grows in most processes of the "
                 "candidate, and not of the baseline\"}, \"defaultConfiguration\": {\"level\": \"error\"}}]}},\n"
                 "    \"results\": [");
    for (size_t i = 0; i < told; i++) {
        cli_out_text(out, i == 0 ? "\n      " : ",\n      ");
        put_result(out, report, &report->findings[i]);
    }
    cli_out_text(out, "],\n    \"invocations\": [");
    put_invocation(out, report, candidate);
    cli_out_text(out, "]\n  }]\n}\n");
}
