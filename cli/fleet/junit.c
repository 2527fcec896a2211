/*
 * A check of a candidate, for a build server.
 */
#include <string.h>

#include "fleet/fleet.h"

static void put_xml(cli_out *out, hsd_text text) { cli_out_escaped(out, HSD_ESCAPE_XML, text.data, text.size); }

static size_t count_findings(const hsd_fleet_report *report, size_t version)
{
    size_t count = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        count += report->findings[i].version == version;
    return count;
}

static void put_failure(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f)
{
    const hsd_fleet_version *v = &report->versions[f->version];
    char slope[HSD_NUMBER_CHARS];
    cli_out_text(out, "      <failure type=\"growth\" message=\"");
    put_xml(out, f->name);
    cli_out_format(out, " grows by %s an hour in ", hsd_format_bytes_signed(slope, f->per_hour));
    cli_fleet_put_share(out, f->processes, v->judged);
    cli_out_text(out, "\"/>\n");
}

static void put_case(cli_out *out, const hsd_fleet_report *report, size_t version)
{
    const hsd_fleet_version *v = &report->versions[version];
    const size_t findings = count_findings(report, version);
    cli_out_text(out, "    <testcase classname=\"hsdiff.fleet\" name=\"");
    put_xml(out, v->service);
    cli_out_text(out, " ");
    put_xml(out, v->version);
    const bool tells = findings > 0 || v->captures_needed == 0;
    cli_out_text(out, findings > 0 || !tells ? "\">\n" : "\"/>\n");
    if (!tells)
        cli_out_format(out,
                       "      <error type=\"unknown\" message=\"too few captures to tell: %u of each process would "
                       "do\"/>\n",
                       v->captures_needed);
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].version == version) put_failure(out, report, &report->findings[i]);
    if (findings > 0 || !tells) cli_out_text(out, "    </testcase>\n");
}

void cli_fleet_write_junit(cli_out *out, const hsd_fleet_report *report, const char *candidate)
{
    size_t cases = 0, failed = 0, unknown = 0;
    for (size_t i = 0; i < report->version_count; i++) {
        if (strcmp(report->versions[i].version.data, candidate) != 0) continue;
        cases++;
        failed += count_findings(report, i) > 0;
        unknown += count_findings(report, i) == 0 && report->versions[i].captures_needed > 0;
    }
    cli_out_format(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"hsdiff fleet\" tests=\"%zu\" "
        "failures=\"%zu\" errors=\"%zu\">\n",
        cases, failed, unknown);
    for (size_t i = 0; i < report->version_count; i++)
        if (strcmp(report->versions[i].version.data, candidate) == 0) put_case(out, report, i);
    cli_out_text(out, "  </testsuite>\n</testsuites>\n");
}
