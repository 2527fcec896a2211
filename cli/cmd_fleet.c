/*
 * hsdiff fleet ACTION STORE …: many captures of many processes, and what grows in them.
 */
#define _DEFAULT_SOURCE /* timegm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fleet/fleet.h"
#include "options/common.h"
#include "options/values.h"
#include "progress.h"
#include "report_error.h"

/* ---- what is asked */

/* "2026-11-20", UTC, or how long ago. */
static bool read_since(const char *text, uint64_t *since_ns)
{
    struct tm day = {0};
    uint64_t ago_ms;
    int end = 0;
    const uint64_t now_ns = (uint64_t)time(NULL) * 1000000000u;
    if (sscanf(text, "%4d-%2d-%2d%n", &day.tm_year, &day.tm_mon, &day.tm_mday, &end) == 3 && text[end] == 0) {
        day.tm_year -= 1900;
        day.tm_mon -= 1;
        const struct tm given = day;
        const time_t seconds = timegm(&day); /* which makes 2 March of 30 February */
        *since_ns = seconds > 0 ? (uint64_t)seconds * 1000000000u : 0;
        return seconds > 0 && day.tm_mon == given.tm_mon && day.tm_mday == given.tm_mday;
    }
    if (!cli_parse_duration(text, &ago_ms) || ago_ms > now_ns / 1000000u) return false;
    *since_ns = now_ns - ago_ms * 1000000u;
    return true;
}

static const char *format_of(const cli_app *cli) { return cli->options.format ? cli->options.format : "text"; }

static bool read_asked(const cli_app *cli, hsd_fleet_report_options *wanted)
{
    const cli_options *options = &cli->options;
    *wanted = (hsd_fleet_report_options)HSD_OPTIONS_INIT(hsd_fleet_report_options);
    wanted->service = options->fleet.service;
    wanted->version = options->fleet.candidate;
    wanted->baseline = options->fleet.baseline;
    wanted->noise_bytes = options->noise_bytes;
    wanted->with_lines = strcmp(format_of(cli), "html") == 0;
    if (!options->fleet.since || read_since(options->fleet.since, &wanted->since_unix_ns)) return true;
    cli_complain("--since takes a day (2026-11-20) or how long ago (7d), not '%.100s'.", options->fleet.since);
    return false;
}

static bool takes_format(const cli_app *cli, const char *const *names)
{
    const char *format = format_of(cli);
    for (size_t i = 0; names[i]; i++)
        if (strcmp(format, names[i]) == 0) return true;
    cli_complain("hsdiff fleet %s has no format '%.100s'.", cli->inputs[0], format);
    return false;
}

/* ---- what grows */

static void write_growth(cli_out *out, const cli_app *cli, const hsd_fleet_report *report)
{
    const char *format = format_of(cli);
    if (strcmp(format, "json") == 0)
        cli_fleet_write_json(out, report);
    else if (strcmp(format, "junit") == 0)
        cli_fleet_write_junit(out, report, cli->options.fleet.candidate);
    else if (strcmp(format, "sarif") == 0)
        cli_fleet_write_sarif(out, report, cli->options.fleet.candidate);
    else if (strcmp(format, "html") == 0)
        cli_fleet_write_html(out, cli, report);
    else if (strcmp(format, "openmetrics") == 0)
        cli_fleet_write_metrics(out, cli, report);
    else
        cli_fleet_write_text(out, cli, report);
}

static int tell_growth(cli_app *cli, bool is_check)
{
    hsd_fleet_report_options wanted;
    hsd_fleet_report *report;
    hsd_error err;
    cli_out out;
    int result = CLI_USAGE;
    hsd_error_init(&err);
    if (!read_asked(cli, &wanted) || !cli_out_open(&out, cli, &result)) return result;
    const hsd_status status = hsd_fleet_report_run(&report, cli->inputs[1], &wanted, &cli->run, &err);
    cli_progress_clear();
    result = status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
    if (status == HSD_OK) write_growth(&out, cli, report);
    if (status == HSD_OK && is_check && report->finding_count > 0)
        result = CLI_FAILED;
    else if (status == HSD_OK && is_check && !cli_fleet_can_tell(report, cli->options.fleet.candidate))
        result = CLI_DAMAGED;
    hsd_fleet_report_free(report);
    return cli_out_close(&out, cli, result);
}

static int report_fleet(cli_app *cli)
{
    static const char *const formats[] = {"text", "json", "html", "openmetrics", NULL};
    return takes_format(cli, formats) ? tell_growth(cli, false) : CLI_USAGE;
}

static int check_fleet(cli_app *cli)
{
    static const char *const formats[] = {"text", "json", "html", "junit", "sarif", NULL};
    if (!takes_format(cli, formats)) return CLI_USAGE;
    if (cli->options.fleet.candidate && cli->options.fleet.baseline) return tell_growth(cli, true);
    cli_complain("hsdiff fleet check needs --baseline VERSION and --candidate VERSION.");
    return CLI_USAGE;
}

/* ---- the others */

static void tell_compacted(const cli_app *cli, const hsd_fleet_compacted *done)
{
    char before[HSD_NUMBER_CHARS], after[HSD_NUMBER_CHARS], size_before[HSD_NUMBER_CHARS], size_after[HSD_NUMBER_CHARS],
        left[HSD_NUMBER_CHARS], store[512];
    const hsd_fleet_where where = hsd_fleet_where_is(cli->inputs[1]);
    hsd_fleet_store_name(store, sizeof store, cli->inputs[1]);
    hsd_format_count(after, done->batches_after);
    hsd_format_count(before, done->batches_before);
    hsd_format_bytes(size_after, done->bytes_after);
    hsd_format_bytes(size_before, done->bytes_before);
    if (where == HSD_FLEET_BUCKET)
        cli_note(cli, "%s: %s %s, before %s; %s that do not count any more stay there", store, after,
                 done->batches_after == 1 ? "batch" : "batches", before, hsd_format_count(left, done->left_behind));
    else
        cli_note(cli, "%s: %s %s, %s; before %s, %s", store, after,
                 where == HSD_FLEET_DATABASE ? (done->batches_after == 1 ? "capture with rows" : "captures with rows")
                 : done->batches_after == 1  ? "batch"
                                             : "batches",
                 size_after, before, size_before);
}

static int compact_fleet(cli_app *cli)
{
    hsd_fleet_compact_options wanted = HSD_OPTIONS_INIT(hsd_fleet_compact_options);
    hsd_fleet_compacted done;
    hsd_error err;
    hsd_error_init(&err);
    if (cli->options.fleet.keep && !read_since(cli->options.fleet.keep, &wanted.keep_unix_ns)) {
        cli_complain("--keep takes a day (2026-11-20) or how long ago (30d), not '%.100s'.", cli->options.fleet.keep);
        return CLI_USAGE;
    }
    const hsd_status status = hsd_fleet_compact(cli->inputs[1], &wanted, &cli->run, &done, &err);
    cli_progress_clear();
    if (status != HSD_OK) return cli_report_error(cli, &err);
    tell_compacted(cli, &done);
    return CLI_DONE;
}

static hsd_status write_piece(void *context, const void *data, size_t size, hsd_error *err)
{
    cli_out *out = context;
    return hsd_result_file_write(out->file, data, size, err);
}

static int ask_fleet(cli_app *cli)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const hsd_fleet_form forms[] = {HSD_FLEET_BOX, HSD_FLEET_JSON, HSD_FLEET_CSV};
    const char *statement = cli->inputs[2];
    size_t form = 0;
    hsd_error err;
    cli_out out;
    int result = CLI_USAGE;
    hsd_error_init(&err);
    if (!takes_format(cli, formats)) return CLI_USAGE;
    while (strcmp(formats[form], format_of(cli)) != 0)
        form++;
    if (!cli_out_open(&out, cli, &result)) return result;
    const hsd_status status =
        hsd_fleet_sql(cli->inputs[1], statement, strlen(statement), forms[form], &cli->run, write_piece, &out, &err);
    cli_progress_clear();
    result = status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
    if (status == HSD_E_UNSUPPORTED) result = CLI_USAGE;
    return cli_out_close(&out, cli, result);
}

static const struct action {
    const char *name;
    size_t least, most; /* inputs, its name and the store among them */
    const char *takes;
    int (*run)(cli_app *cli);
} actions[] = {{"add", 3, SIZE_MAX, "STORE CAPTURE...", cli_fleet_add},
               {"report", 2, 2, "STORE", report_fleet},
               {"check", 2, 2, "STORE --baseline VERSION --candidate VERSION", check_fleet},
               {"compact", 2, 2, "STORE", compact_fleet},
               {"sql", 3, 3, "STORE STATEMENT", ask_fleet}};

static int run_fleet(cli_app *cli)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct action *action = &actions[i];
        if (strcmp(cli->inputs[0], action->name) != 0) continue;
        if (cli->input_count >= action->least && cli->input_count <= action->most) return action->run(cli);
        cli_complain("it is hsdiff fleet %s %s.", action->name, action->takes);
        return CLI_USAGE;
    }
    cli_complain("hsdiff fleet takes add, report, check, compact or sql first, not '%.100s'.", cli->inputs[0]);
    return CLI_USAGE;
}

/* ---- the page */

static const cli_example examples[] = {
    {"hsdiff fleet add fleet day*.hs --label service=shop --label version=2.4.0 --label host=web-1",
     "captures, or dumps of any known kind, into a store, which is made"},
    {"hsdiff fleet report fleet", "what grows in most processes of a version, and not in the version before"},
    {"hsdiff fleet report fleet --service shop --candidate 2.4.1 --since 7d --format json",
     "of one version, for a program"},
    {"hsdiff fleet report fleet --format html -o fleet.html", "a page, with curves of the processes"},
    {"hsdiff fleet report fleet --format openmetrics -o /var/lib/node_exporter/hsdiff.prom --force",
     "for a Prometheus, once an hour"},
    {"hsdiff fleet check fleet --baseline 2.4.0 --candidate 2.4.1", "exit status 1 when the canary leaks"},
    {"hsdiff fleet compact fleet", "once a day: fewer and smaller files"},
    {"hsdiff fleet sql fleet 'select service, version, count(*) from captures group by all'", "any question"},
    {"hsdiff fleet report postgresql://hsdiff@db.example/fleet", "of a store in a database"},
    {0},
};

static const cli_option option_service = {
    .name = "service",
    .value = "NAME",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(fleet.service),
    .told = CLI_TOLD,
    .help = "report and check: this service alone",
};

static const cli_option option_baseline = {
    .name = "baseline",
    .value = "VERSION",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(fleet.baseline),
    .told = CLI_TOLD,
    .help = "report and check: hold growth against this version. The default of report is the one before",
};

static const cli_option option_candidate = {
    .name = "candidate",
    .value = "VERSION",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(fleet.candidate),
    .told = CLI_TOLD,
    .help = "report and check: what grows in this version alone",
};

static const cli_option option_since = {
    .name = "since",
    .value = "WHEN",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(fleet.since),
    .told = CLI_TOLD,
    .help = "report and check: captures since a day (2026-11-20, in UTC), or of the last 7d or 12h",
};

static const cli_option option_keep = {
    .name = "keep",
    .value = "WHEN",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(fleet.keep),
    .told = CLI_LEFT_OUT,
    .help = "compact: rows since a day (2026-11-20), or of the last 30d; of days before, one line of sums stays for "
            "each process "
            "and place, however many captures there were. Without it all rows stay",
};

static const cli_option option_floor = {
    .name = "floor",
    .value = "SIZE",
    .kind = CLI_SIZE,
    .offset = CLI_FIELD(fleet.floor_bytes),
    .told = CLI_TOLD,
    .help = "add: types, roots and places with less are one row together. The default is a 4,096th of the live bytes",
};

static const cli_option option_no_places = {
    .name = "no-places",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(fleet.no_places),
    .told = CLI_TOLD,
    .help = "add: sums by type and by root alone; a report then cannot name what holds growth",
};

static const cli_option option_format = {
    .name = "format",
    .value = "FORMAT",
    .choices = "text|json|html|csv|junit|sarif|openmetrics",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(format),
    .told = CLI_LEFT_OUT,
    .help = "text for people (the default), json for programs, html with curves; csv of sql; junit and sarif of check; "
            "openmetrics "
            "of report, for a Prometheus",
};

static const cli_option option_min = {
    .name = "min",
    .value = "SIZE",
    .kind = CLI_SIZE,
    .offset = CLI_FIELD(noise_bytes),
    .told = CLI_TOLD,
    .help = "report and check: growth of a process up to SIZE is none. The default is 64 KiB",
};

static const cli_option *const options[] = {
    &cli_option_label_of_fleet,
    &option_service,
    &option_baseline,
    &option_candidate,
    &option_since,
    &option_min,
    &option_keep,
    &option_floor,
    &option_no_places,
    &option_format,
    &(const cli_option){.name = "top",
                        .value = "N",
                        .kind = CLI_OTHER,
                        .set = cli_set_top,
                        .told = CLI_TOLD,
                        .help = "report and check: show N places that grow, or all of them (all); by default 20, and "
                                "as JSON all"},
    &cli_option_partial,
    &cli_option_from,
    &cli_option_exe,
    &cli_option_final_is_strong,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_fleet = {
    .name = "fleet",
    .words = "add|report|check|compact|sql",
    .synopsis = "add|report|check|compact|sql STORE [CAPTURE|STATEMENT...]",
    .summary = "find which version of a service leaks, and where, in many processes",
    .description =
        "Keeps the sums of captures by type, by root and by place in a store, and tells what grows in most processes "
        "of a version and did not in the version before. A store is a folder of Parquet files (doc/fleet.md); several "
        "programs may add to it at once. It may also be in a PostgreSQL server, postgresql://USER@HOST/DATABASE, or in "
        "a "
        "bucket, s3://BUCKET/PREFIX. Objects are not kept: a capture takes some kilobytes.\n"
        "\n"
        "add takes captures and dumps as every command does. --label service=NAME is needed; version, host and pod "
        "tell "
        "processes apart. A capture that does not say when it was taken is as old as its file.\n"
        "\n"
        "report looks at places that least squares over each process say may grow, and judges them by Theil-Sen and "
        "Mann-Kendall in each process, and by Mann-Whitney against the version before. Processes need three captures "
        "to be judged. check is a report of --candidate against --baseline, with exit status 1 when anything grows, "
        "and 3 when there are too few captures to tell: 8 of one process, 5 of two, 4 of three to five, 3 of more.\n"
        "\n"
        "compact makes one batch of all captures of a service and day. sql answers any question; its tables are "
        "captures, "
        "rows and names.\n"
        "\n"
        "Whatever reads a store runs DuckDB's command: duckdb from PATH, or what HSDIFF_DUCKDB names (pip install "
        "duckdb-cli); a bucket takes its extension httpfs, and AWS_ACCESS_KEY_ID and the like of the environment. A "
        "database is asked by psql, or what HSDIFF_PSQL names; ~/.pgpass or PGPASSWORD has its password, which is "
        "shown "
        "nowhere. add to a folder needs nothing.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = SIZE_MAX,
    .run = run_fleet,
};
