/*
 * What grows in a fleet as metrics, in the text form of OpenMetrics 1.0: a file for the collector of a Prometheus.
 *
 * Series stay few and keep their names: a finding is told by the key of its place, which is the same in all versions
 * and on all machines, and no more findings are told than text reports have rows.
 */
#include <inttypes.h>
#include <string.h>

#include "fleet/fleet.h"

enum { NAME_BYTES = 160 }; /* of the name of a finding: more are cut in the middle */

/* Text between the quotes of a label. */
static void put_label_bytes(cli_out *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char piece[] = {'\\', text[i] == '\n' ? 'n' : text[i], 0};
        const bool is_escaped = text[i] == '\n' || text[i] == '"' || text[i] == '\\';
        cli_out_text(out, is_escaped ? piece : piece + 1);
    }
}

/* Where a text may be cut: not within a character. */
static size_t cut_before(const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0u) == 0x80u)
        at--;
    return at;
}

static void put_label(cli_out *out, const char *name, hsd_text text)
{
    cli_out_format(out, "%s=\"", name);
    if (text.size <= NAME_BYTES) {
        put_label_bytes(out, text.data, text.size);
    } else { /* the end says most: the holder stands last */
        const size_t head = cut_before(text.data, NAME_BYTES / 3);
        const size_t tail = cut_before(text.data, text.size - NAME_BYTES * 2 / 3);
        put_label_bytes(out, text.data, head);
        cli_out_text(out, "\xe2\x80\xa6"); /* an ellipsis */
        put_label_bytes(out, text.data + tail, text.size - tail);
    }
    cli_out_text(out, "\"");
}

static void put_family(cli_out *out, const char *name, const char *help)
{
    cli_out_format(out, "# TYPE hsdiff_fleet_%s gauge\n", name);
    cli_out_format(out, "# HELP hsdiff_fleet_%s %s\n", name, help);
}

/* name{service="…",version="…" and no closing brace. */
static void begin_sample(cli_out *out, const char *name, const hsd_fleet_version *v)
{
    cli_out_format(out, "hsdiff_fleet_%s{", name);
    put_label(out, "service", v->service);
    cli_out_text(out, ",");
    put_label(out, "version", v->version);
}

/* ---- versions ---- */

typedef uint64_t (*version_value)(const hsd_fleet_report *report, uint32_t version);

static uint64_t processes_of(const hsd_fleet_report *report, uint32_t version)
{
    return report->versions[version].processes;
}

static uint64_t judged_of(const hsd_fleet_report *report, uint32_t version) { return report->versions[version].judged; }

static uint64_t captures_of(const hsd_fleet_report *report, uint32_t version)
{
    return report->versions[version].captures;
}

static uint64_t places_of(const hsd_fleet_report *report, uint32_t version)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        count += report->findings[i].is_place && report->findings[i].version == version;
    return count;
}

static void put_versions(cli_out *out, const hsd_fleet_report *report, const char *name, const char *help,
                         version_value value)
{
    put_family(out, name, help);
    for (size_t i = 0; i < report->version_count; i++) {
        begin_sample(out, name, &report->versions[i]);
        cli_out_format(out, "} %" PRIu64 "\n", value(report, (uint32_t)i));
    }
}

/* ---- findings ---- */

typedef int64_t (*finding_value)(const hsd_fleet_finding *f);

static int64_t rate_of(const hsd_fleet_finding *f) { return f->per_hour; }
static int64_t rate_before_of(const hsd_fleet_finding *f) { return f->before_per_hour; }
static int64_t growers_of(const hsd_fleet_finding *f) { return (int64_t)f->processes; }
static int64_t growers_before_of(const hsd_fleet_finding *f) { return (int64_t)f->before_processes; }

static void put_findings(cli_out *out, const hsd_fleet_report *report, size_t most, const char *name, const char *help,
                         finding_value value)
{
    put_family(out, name, help);
    for (size_t i = 0; i < report->finding_count && i < most; i++) {
        const hsd_fleet_finding *f = &report->findings[i];
        begin_sample(out, name, &report->versions[f->version]);
        cli_out_format(out, ",kind=\"%s\",key=\"%016" PRIx64 "\",", f->is_place ? "place" : "type", f->key);
        put_label(out, "name", f->name);
        cli_out_format(out, "} %" PRId64 "\n", value(f));
    }
}

void cli_fleet_write_metrics(cli_out *out, const cli_app *cli, const hsd_fleet_report *report)
{
    const size_t most = cli_out_rows(cli, 20);
    put_versions(out, report, "processes", "Processes of a version that were captured.", processes_of);
    put_versions(out, report, "judged_processes", "Those of them with three captures and more.", judged_of);
    put_versions(out, report, "captures", "Captures of a version.", captures_of);
    put_versions(out, report, "growing_places",
                 "Places that grow in most processes of a version, and did not in the version before.", places_of);
    put_findings(out, report, most, "growth_bytes_per_hour",
                 "What a process in the middle gains in a place or type that grows, in bytes an hour.", rate_of);
    put_findings(out, report, most, "growth_before_bytes_per_hour", "The same in the version before.", rate_before_of);
    put_findings(out, report, most, "growing_processes", "In how many of the judged processes it grows.", growers_of);
    put_findings(out, report, most, "growing_processes_before", "The same in the version before.", growers_before_of);
    cli_out_text(out, "# EOF\n");
}
