/*
 * What grows in a fleet as one page: versions, and for each finding small curves of its processes, drawn alike, those
 * of the version before beside them. No script, no other file: a policy in the head forbids both.
 */
#include <inttypes.h>
#include <string.h>

#include "fleet/fleet.h"

enum { CURVE_WIDTH = 132, CURVE_HEIGHT = 44, CURVES_SHOWN = 7 };

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 "
    "1rem;color:#1c1f23;background:#fff}"
    "h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.6rem 0 "
    ".2rem;"
    "overflow-wrap:anywhere}p{margin:.2rem 0}table{border-collapse:collapse}td,th{padding:.15rem .9rem .15rem "
    "0;text-align:"
    "left}td.n,th.n{text-align:right}th{font-weight:600;border-bottom:1px solid "
    "#bbb}.bar{display:inline-block;height:.7rem;"
    "background:#b3421f;vertical-align:middle}.bar.before{background:#7a8694}.curves{display:flex;flex-wrap:wrap;gap:."
    "5rem;"
    "margin:.4rem 0}figure{margin:0}figcaption{font-size:12px;color:#555}svg{border:1px solid #ddd;background:#fafafa}"
    "polyline{fill:none;stroke:#b3421f;stroke-width:1.5}.before polyline{stroke:#7a8694}.dim{color:#555}"
    "@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181b}svg{background:#1e2126;border-color:#"
    "3a3f46}"
    "figcaption,.dim{color:#a5adb5}th{border-color:#555}}";

static void put_xml(cli_out *out, hsd_text text)
{
    if (text.size == 0)
        cli_out_text(out, "(none)");
    else
        cli_out_escaped(out, HSD_ESCAPE_XML, text.data, text.size);
}

/* ---- versions ---- */

static uint64_t growing_in(const hsd_fleet_report *report, size_t version)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        count += report->findings[i].is_place && report->findings[i].version == version;
    return count;
}

static void put_versions(cli_out *out, const hsd_fleet_report *report)
{
    char processes[HSD_NUMBER_CHARS], judged[HSD_NUMBER_CHARS], captures[HSD_NUMBER_CHARS], began[HSD_NUMBER_CHARS];
    cli_out_text(out,
                 "<h2>Versions</h2>\n<table>\n<tr><th>service</th><th>version</th><th>since</th><th class=\"n\">"
                 "processes</th><th class=\"n\">judged</th><th class=\"n\">captures</th><th class=\"n\">places that "
                 "grow</th></tr>\n");
    for (size_t i = 0; i < report->version_count; i++) {
        const hsd_fleet_version *v = &report->versions[i];
        cli_out_text(out, "<tr><td>");
        put_xml(out, v->service);
        cli_out_text(out, "</td><td>");
        put_xml(out, v->version);
        cli_out_format(out,
                       "</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td "
                       "class=\"n\">%" PRIu64 "</td></tr>\n",
                       hsd_format_time(began, v->began_unix_ns), hsd_format_count(processes, v->processes),
                       hsd_format_count(judged, v->judged), hsd_format_count(captures, v->captures),
                       growing_in(report, i));
    }
    cli_out_text(out, "</table>\n");
}

/* ---- curves ---- */

typedef struct frame { /* that all curves of a finding are drawn in */
    uint64_t span_ns, most_bytes;
} frame;

static frame frame_of(const hsd_fleet_finding *f)
{
    frame all = {1, 1};
    for (size_t i = 0; i < f->line_count; i++) {
        const hsd_fleet_line *line = f->lines[i];
        const uint64_t span = line->unix_ns[line->count - 1] - line->unix_ns[0];
        if (span > all.span_ns) all.span_ns = span;
        for (uint32_t j = 0; j < line->count; j++)
            if (line->bytes[j] > all.most_bytes) all.most_bytes = line->bytes[j];
    }
    return all;
}

static void put_curve(cli_out *out, const hsd_fleet_line *line, const frame *all)
{
    char first[HSD_NUMBER_CHARS], last[HSD_NUMBER_CHARS];
    hsd_format_bytes(first, line->bytes[0]);
    hsd_format_bytes(last, line->bytes[line->count - 1]);
    cli_out_format(out,
                   "<figure%s><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s to "
                   "%s\"><polyline points=\"",
                   line->is_before ? " class=\"before\"" : "", CURVE_WIDTH, CURVE_HEIGHT, CURVE_WIDTH, CURVE_HEIGHT,
                   first, last);
    for (uint32_t i = 0; i < line->count; i++) {
        const double x = (double)(line->unix_ns[i] - line->unix_ns[0]) / (double)all->span_ns;
        const double y = (double)line->bytes[i] / (double)all->most_bytes;
        cli_out_format(out, "%s%.1f,%.1f", i > 0 ? " " : "", 2 + x * (CURVE_WIDTH - 4),
                       CURVE_HEIGHT - 2 - y * (CURVE_HEIGHT - 4));
    }
    cli_out_format(out, "\"/></svg><figcaption>%s &rarr; %s</figcaption></figure>\n", first, last);
}

static void put_curves(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f, bool is_before)
{
    const frame all = frame_of(f);
    const hsd_fleet_version *v = &report->versions[f->version];
    size_t shown = 0, lines = 0;
    for (size_t i = 0; i < f->line_count; i++)
        lines += f->lines[i]->is_before == is_before;
    if (lines == 0) return;
    cli_out_text(out, "<p class=\"dim\">");
    put_xml(out, is_before ? report->versions[v->before].version : v->version);
    cli_out_text(out, lines > CURVES_SHOWN ? ", some processes:</p>\n<div class=\"curves\">\n"
                                           : ":</p>\n<div class=\"curves\">\n");
    for (size_t i = 0; i < f->line_count && shown < CURVES_SHOWN; i++) {
        if (f->lines[i]->is_before != is_before) continue;
        put_curve(out, f->lines[i], &all);
        shown++;
    }
    cli_out_text(out, "</div>\n");
}

/* ---- findings ---- */

static void put_share(cli_out *out, uint64_t grows, uint64_t judged, bool is_before)
{
    const unsigned width = judged > 0 ? (unsigned)(120.0 * (double)grows / (double)judged) : 0;
    cli_out_format(out, "<span class=\"bar%s\" style=\"width:%upx\"></span> grows in ", is_before ? " before" : "",
                   width);
    cli_fleet_put_share(out, grows, judged);
}

static void put_finding(cli_out *out, const hsd_fleet_report *report, const hsd_fleet_finding *f)
{
    const hsd_fleet_version *v = &report->versions[f->version], *before = &report->versions[v->before];
    char slope[HSD_NUMBER_CHARS], spread[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS], when[HSD_NUMBER_CHARS];
    cli_out_text(out, "<h3>");
    put_xml(out, f->name);
    cli_out_text(out, "</h3>\n");
    if (f->held.size > 0) {
        cli_out_text(out, "<p>What accumulates: ");
        put_xml(out, f->held);
        cli_out_text(out, "</p>\n");
    }
    cli_out_format(out, "<p>%s an hour (&#177; %s), %s in a process in the middle; first seen %s</p>\n<p>",
                   hsd_format_bytes_signed(slope, f->per_hour), hsd_format_bytes(spread, f->spread_per_hour),
                   hsd_format_bytes_signed(growth, f->growth), hsd_format_time(when, f->first_unix_ns));
    put_xml(out, v->service);
    cli_out_text(out, " ");
    put_xml(out, v->version);
    cli_out_text(out, ": ");
    put_share(out, f->processes, v->judged, false);
    cli_out_text(out, "</p>\n");
    if (before != v) {
        cli_out_text(out, "<p>");
        put_xml(out, before->version);
        cli_out_text(out, " before it: ");
        put_share(out, f->before_processes, before->judged, true);
        cli_out_text(out, "</p>\n");
        put_curves(out, report, f, true);
    }
    put_curves(out, report, f, false);
}

static void put_findings(cli_out *out, const hsd_fleet_report *report, bool places, size_t most)
{
    size_t told = 0, all = 0;
    for (size_t i = 0; i < report->finding_count; i++) {
        if (report->findings[i].is_place != places) continue;
        if (all++ == 0)
            cli_out_text(out, places ? "<h2>What holds growth in most processes of a version, and not in the version "
                                       "before</h2>\n"
                                     : "<h2>Types that grow so</h2>\n");
        if (told == most) continue;
        put_finding(out, report, &report->findings[i]);
        told++;
    }
    if (all > told) cli_out_format(out, "<p class=\"dim\">%zu more: --top %zu</p>\n", all - told, all);
}

void cli_fleet_write_html(cli_out *out, const cli_app *cli, const hsd_fleet_report *report)
{
    const size_t most = cli_out_rows(cli, 20);
    size_t places = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        places += report->findings[i].is_place;
    cli_out_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-"
        "Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"viewport\""
        " content=\"width=device-width\">\n<title>hsdiff: a fleet</title>\n<style>%s</style>\n</head>\n<body>\n",
        style);
    if (report->finding_count == 0)
        cli_out_format(out, "<h1>%s</h1>\n", cli_fleet_nothing(report));
    else
        cli_out_format(out,
                       "<h1>%zu place%s and %zu type%s grow in most processes of a version, and did not before.</h1>\n",
                       places, places == 1 ? "" : "s", report->finding_count - places,
                       report->finding_count - places == 1 ? "" : "s");
    cli_out_text(out, "<p class=\"dim\">");
    cli_fleet_put_captures(out, report->captures);
    cli_out_text(out, " of ");
    cli_fleet_put_processes(out, report->processes);
    cli_out_text(out, ". Curves of one finding have one scale: time from left to right, bytes from 0 upwards.</p>\n");
    put_findings(out, report, true, most);
    put_versions(out, report);
    put_findings(out, report, false, most);
    cli_out_text(out, "</body>\n</html>\n");
}
