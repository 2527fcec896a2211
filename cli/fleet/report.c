/*
 * What grows in a fleet, for people and for programs.
 */
#include <string.h>

#include "fleet/fleet.h"

static void put_name(cli_out *out, hsd_text name)
{
    if (name.size == 0)
        cli_out_text(out, "(none)");
    else
        cli_out_escaped(out, HSD_ESCAPE_TERMINAL, name.data, name.size);
}

/* ---- text */

static void put_number(cli_out *out, uint64_t count)
{
    char number[HSD_NUMBER_CHARS];
    cli_out_text(out, hsd_format_count(number, count));
}

void cli_fleet_put_processes(cli_out *out, uint64_t processes)
{
    put_number(out, processes);
    cli_out_text(out, processes == 1 ? " process" : " processes");
}

void cli_fleet_put_captures(cli_out *out, uint64_t captures)
{
    put_number(out, captures);
    cli_out_text(out, captures == 1 ? " capture" : " captures");
}

void cli_fleet_put_share(cli_out *out, uint64_t grows, uint64_t processes)
{
    put_number(out, grows);
    cli_out_text(out, " of ");
    cli_fleet_put_processes(out, processes);
}

static void put_versions(cli_out *out, const hsd_fleet_report *report)
{
    char number[HSD_NUMBER_CHARS];
    for (size_t i = 0; i < report->version_count; i++) {
        const hsd_fleet_version *v = &report->versions[i];
        cli_out_text(out, "  ");
        put_name(out, v->service);
        cli_out_text(out, " ");
        put_name(out, v->version);
        cli_out_text(out, ": ");
        cli_fleet_put_processes(out, v->processes);
        cli_out_text(out, ", ");
        cli_fleet_put_captures(out, v->captures);
        if (v->judged < v->processes)
            cli_out_format(out, " (%s with three and more)", hsd_format_count(number, v->judged));
        cli_out_format(out, ", since %s", hsd_format_time(number, v->began_unix_ns));
        if (v->captures_needed > 0)
            cli_out_format(out, "; too few to tell, %u captures of each would do", v->captures_needed);
        cli_out_text(out, "\n");
    }
}

static void put_rate(cli_out *out, const hsd_fleet_finding *f)
{
    char slope[HSD_NUMBER_CHARS], spread[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS];
    cli_out_format(out, "     %s an hour (+- %s), %s in a process in the middle\n",
                   hsd_format_bytes_signed(slope, f->per_hour), hsd_format_bytes(spread, f->spread_per_hour),
                   hsd_format_bytes_signed(growth, f->growth));
}

static void put_finding(cli_out *out, const hsd_fleet_report *report, size_t number)
{
    const hsd_fleet_finding *f = &report->findings[number];
    const hsd_fleet_version *v = &report->versions[f->version], *before = &report->versions[v->before];
    char grows[HSD_NUMBER_CHARS], judged[HSD_NUMBER_CHARS], when[HSD_NUMBER_CHARS];
    cli_out_format(out, "\n%3zu. ", number + 1);
    put_name(out, f->name);
    cli_out_text(out, "\n");
    if (f->held.size > 0) {
        cli_out_text(out, "     what accumulates: ");
        put_name(out, f->held);
        cli_out_text(out, "\n");
    }
    put_rate(out, f);
    cli_out_text(out, "     in ");
    put_name(out, v->service);
    cli_out_text(out, " ");
    put_name(out, v->version);
    cli_out_text(out, ", in ");
    cli_fleet_put_share(out, f->processes, v->judged);
    cli_out_format(out, "; first seen %s\n", hsd_format_time(when, f->first_unix_ns));
    if (before == v) {
        cli_out_text(out, "     there is no version before it to hold it against\n");
        return;
    }
    cli_out_text(out, "     in ");
    put_name(out, before->version);
    cli_out_format(out, " before it: in %s of %s\n", hsd_format_count(grows, f->before_processes),
                   hsd_format_count(judged, before->judged));
}

static void put_findings(cli_out *out, const hsd_fleet_report *report, bool places, size_t most)
{
    size_t told = 0, all = 0;
    for (size_t i = 0; i < report->finding_count; i++) {
        if (report->findings[i].is_place != places) continue;
        if (all++ == 0)
            cli_out_text(out,
                         places ? "\nWhat holds growth in most processes of a version, and not in the version before:\n"
                                : "\nTypes that grow so:\n");
        if (told == most) continue;
        put_finding(out, report, i);
        told++;
    }
    if (all > told) cli_out_format(out, "\n     %zu more: --top %zu\n", all - told, all);
}

/* "static Shop.cache > HashMap grows in 18 of 20 processes of shop 2.4.1, and in 0 of 20 of 2.4.0; 2 more places do."
 */
static void put_answer(cli_out *out, const hsd_fleet_report *report)
{
    const hsd_fleet_finding *f = &report->findings[0];
    const hsd_fleet_version *v = &report->versions[f->version], *before = &report->versions[v->before];
    char grows[HSD_NUMBER_CHARS], judged[HSD_NUMBER_CHARS];
    size_t places = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        places += report->findings[i].is_place;
    put_name(out, f->name);
    cli_out_text(out, " grows in ");
    cli_fleet_put_share(out, f->processes, v->judged);
    cli_out_text(out, " of ");
    put_name(out, v->service);
    cli_out_text(out, " ");
    put_name(out, v->version);
    if (before != v) {
        cli_out_format(out, ", and in %s of %s of ", hsd_format_count(grows, f->before_processes),
                       hsd_format_count(judged, before->judged));
        put_name(out, before->version);
    }
    if (places > 1) cli_out_format(out, "; %zu more place%s", places - 1, places == 2 ? " does" : "s do");
    cli_out_text(out, ".\n\n");
}

bool cli_fleet_can_tell(const hsd_fleet_report *report, const char *version)
{
    bool tells = true;
    for (size_t i = 0; i < report->version_count; i++) {
        const hsd_fleet_version *v = &report->versions[i];
        tells = tells && (v->captures_needed == 0 || (version != NULL && strcmp(v->version.data, version) != 0));
    }
    return tells;
}

const char *cli_fleet_nothing(const hsd_fleet_report *report)
{
    return cli_fleet_can_tell(report, NULL)
               ? "Nothing grows in most processes of a version that did not in the version before."
               : "Nothing is proven to grow, and of some versions there are too few captures to tell.";
}

void cli_fleet_write_text(cli_out *out, const cli_app *cli, const hsd_fleet_report *report)
{
    const size_t most = cli_out_rows(cli, 20);
    if (report->finding_count > 0) put_answer(out, report);
    cli_fleet_put_captures(out, report->captures);
    cli_out_text(out, " of ");
    cli_fleet_put_processes(out, report->processes);
    cli_out_text(out, "\n");
    put_versions(out, report);
    put_findings(out, report, true, most);
    put_findings(out, report, false, most);
    if (report->finding_count == 0) cli_out_format(out, "\n%s\n", cli_fleet_nothing(report));
}

/* ---- JSON */

static void put_json_text(cli_out *out, const char *key, hsd_text text)
{
    cli_out_format(out, "\"%s\": \"", key);
    cli_out_escaped(out, HSD_ESCAPE_JSON, text.data, text.size);
    cli_out_text(out, "\"");
}

static void put_json_version(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_version *v)
{
    const hsd_fleet_version *before = &report->versions[v->before];
    cli_out_text(out, "{");
    put_json_text(out, "service", v->service);
    cli_out_text(out, ", ");
    put_json_text(out, "version", v->version);
    cli_out_text(out, ", ");
    if (before == v)
        cli_out_text(out, "\"before\": null");
    else
        put_json_text(out, "before", before->version);
    cli_out_format(out,
                   ", \"processes\": %llu, \"judged\": %llu, \"captures\": %llu, \"captures_needed\": %u, "
                   "\"began_unix_ns\": %llu}",
                   (unsigned long long)v->processes, (unsigned long long)v->judged, (unsigned long long)v->captures,
                   v->captures_needed, (unsigned long long)v->began_unix_ns);
}

static void put_json_finding(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f)
{
    const hsd_fleet_version *v = &report->versions[f->version], *before = &report->versions[v->before];
    cli_out_format(out, "{\"kind\": \"%s\", \"key\": %lld, ", f->is_place ? "place" : "type", (long long)f->key);
    put_json_text(out, "name", f->name);
    cli_out_text(out, ", ");
    put_json_text(out, "held", f->held);
    cli_out_text(out, ", ");
    put_json_text(out, "service", v->service);
    cli_out_text(out, ", ");
    put_json_text(out, "version", v->version);
    cli_out_format(out, ", \"processes\": %llu, \"judged\": %llu, ", (unsigned long long)f->processes,
                   (unsigned long long)v->judged);
    if (before == v) {
        cli_out_text(out, "\"before\": null, ");
    } else {
        cli_out_text(out, "\"before\": {");
        put_json_text(out, "version", before->version);
        cli_out_format(out, ", \"processes\": %llu, \"judged\": %llu, \"per_hour\": %lld, \"p_millionths\": %u}, ",
                       (unsigned long long)f->before_processes, (unsigned long long)before->judged,
                       (long long)f->before_per_hour, f->contrast_millionths);
    }
    cli_out_format(out,
                   "\"per_hour\": %lld, \"spread_per_hour\": %llu, \"growth\": %lld, \"first_unix_ns\": %llu, "
                   "\"p_millionths\": %u}",
                   (long long)f->per_hour, (unsigned long long)f->spread_per_hour, (long long)f->growth,
                   (unsigned long long)f->first_unix_ns, f->p_millionths);
}

void cli_fleet_write_json(cli_out *out, const hsd_fleet_report *report)
{
    cli_out_format(
        out, "{\n  \"schema\": \"hsdiff.fleet/1\",\n  \"captures\": %llu,\n  \"processes\": %llu,\n  \"versions\": [",
        (unsigned long long)report->captures, (unsigned long long)report->processes);
    for (size_t i = 0; i < report->version_count; i++) {
        cli_out_text(out, i == 0 ? "\n    " : ",\n    ");
        put_json_version(out, report, &report->versions[i]);
    }
    cli_out_text(out, report->version_count > 0 ? "\n  ],\n  \"findings\": [" : "],\n  \"findings\": [");
    for (size_t i = 0; i < report->finding_count; i++) {
        cli_out_text(out, i == 0 ? "\n    " : ",\n    ");
        put_json_finding(out, report, &report->findings[i]);
    }
    cli_out_text(out, report->finding_count > 0 ? "\n  ]\n}\n" : "]\n}\n");
}
