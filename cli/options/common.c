/*
 * Options that several commands take. Those of one command stand in its cmd_*.c.
 */
#include "options/common.h"

#include <stdio.h>
#include <string.h>

#include "options/values.h"
#include <hsdiff/import.h>
#include <hsdiff/report.h>

#define FORMAT_NAMES_BYTES 256

const cli_option cli_option_format_of_one = {
    .name = "format",
    .value = "FORMAT",
    .choices = "text|json",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(format),
    .told = CLI_LEFT_OUT,
    .help = "text for people (the default), json for programs",
};

void cli_add_choice(char *choices, size_t room, const char *name)
{
    const size_t length = strlen(choices);
    snprintf(choices + length, room - length, "%s%s", length > 0 ? "|" : "", name);
}

/* Names of formats, "a|b|c": of those that hold any result, and with `of_checks` of those that hold checks alone, too.
 */
static const char *list_formats(char *names, size_t room, bool of_checks)
{
    const hsd_report_format *format;
    names[0] = '\0';
    for (size_t i = 0; (format = hsd_report_format_get(i)) != NULL; i++)
        if (of_checks || format->write_diff) cli_add_choice(names, room, format->name);
    return names;
}

static const char *formats_read(void)
{
    static char names[FORMAT_NAMES_BYTES];
    names[0] = '\0';
    for (size_t i = 0; hsd_importer_get(i); i++)
        cli_add_choice(names, sizeof names, hsd_importer_get(i)->name);
    return names;
}

static const char *formats_of_growth(void)
{
    static char names[FORMAT_NAMES_BYTES];
    return list_formats(names, sizeof names, false);
}

const char *cli_formats_of_checks(void)
{
    static char names[FORMAT_NAMES_BYTES];
    return list_formats(names, sizeof names, true);
}

const cli_option cli_option_format_of_growth = {
    .name = "format",
    .value = "FORMAT",
    .list_choices = formats_of_growth,
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(format),
    .told = CLI_LEFT_OUT,
    .help = "text for people (the default); json, ndjson or csv for programs; markdown for a merge request; "
            "openmetrics for a dashboard; html for a browser",
};

const cli_option cli_option_html = {
    .name = "html",
    .value = "FILE",
    .kind = CLI_OTHER,
    .set = cli_set_html,
    .told = CLI_LEFT_OUT,
    .help = "also write the answer to FILE as a page for a browser: one file that needs no network",
};

const cli_option cli_option_also = {
    .name = "also",
    .value = "FORMAT=FILE",
    .kind = CLI_OTHER,
    .set = cli_set_also,
    .told = CLI_LEFT_OUT,
    .repeats = true,
    .help = "also write the answer to FILE in another format; may be given again, each time with another file",
};

const cli_option cli_option_warmup = {
    .name = "warmup",
    .value = "N",
    .kind = CLI_OTHER,
    .set = cli_set_warmup,
    .told = CLI_TOLD,
    .help = "leave the first N captures out of trends. By default series leaves out none; check leaves out what the "
            "rules say, else 1 from four captures on",
};

const cli_option cli_option_label = {
    .name = "label",
    .value = "TEXT",
    .kind = CLI_OTHER,
    .set = cli_set_label,
    .told = CLI_TOLD,
    .repeats = true,
    .help =
        "a name for a capture, shown instead of the name of its file; give it once for each capture, in their order",
};

const cli_option cli_option_label_of_fleet = {
    .name = "label",
    .value = "NAME=VALUE",
    .kind = CLI_OTHER,
    .set = cli_set_label,
    .told = CLI_TOLD,
    .repeats = true,
    .help = "what the captures are of: service, version, host, pod, and names of your own; give it once for each",
};

const cli_option cli_option_survivors = {
    .name = "survivors",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(survivors),
    .told = CLI_TOLD,
    .help = "for three captures, before a piece of work, during it and after it: show the objects that came between "
            "the first two and are still there in the third",
};

const cli_option cli_option_cohorts = {
    .name = "cohorts",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(cohorts),
    .told = CLI_TOLD,
    .help = "also tell the ages of objects where ids cannot recognise them; hsdiff then recognises them by structure, "
            "which takes three times as long",
};

const cli_option cli_option_no_cohorts = {
    .name = "no-cohorts",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(no_cohorts),
    .told = CLI_TOLD,
    .help = "leave out the ages of objects",
};

const cli_option cli_option_identities = {
    .name = "identities",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(identities),
    .told = CLI_LEFT_OUT,
    .help = "keep the id, type and size of every object in the baseline, so that later reports can tell new from "
            "freed; this takes some bytes for each object",
};

const cli_option cli_option_places = {
    .name = "places",
    .value = "N",
    .kind = CLI_COUNT,
    .offset = CLI_FIELD(places),
    .told = CLI_LEFT_OUT,
    .help = "keep N paths of types in the baseline; by default 8,192",
};

const cli_option cli_option_max_bytes = {
    .name = "max-bytes",
    .value = "SIZE",
    .kind = CLI_SIZE,
    .offset = CLI_FIELD(max_bytes),
    .told = CLI_LEFT_OUT,
    .help = "markdown: leave out rows until the text has at most SIZE bytes, and say so; by default 60,000, which fits "
            "into a comment on GitHub",
};

const cli_option cli_option_format_of_captures = {
    .name = "format",
    .value = "FORMAT",
    .choices = "text|json",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(format),
    .told = CLI_LEFT_OUT,
    .help = "how each capture is reported: text for people (the default), on standard error; json, one object a line, "
            "on standard output",
};

const cli_option cli_option_count = {
    .name = "count",
    .value = "N",
    .kind = CLI_COUNT,
    .offset = CLI_FIELD(count),
    .told = CLI_LEFT_OUT,
    .help = "stop after N captures of each process; a program that hsdiff started (with --) then runs on, and hsdiff "
            "waits for its end",
};

const cli_option cli_option_way = {
    .name = "way",
    .value = "WAY",
    .choices = "native|mono|lua|ruby|python|python-inject|python-remote|jvm|hprof|dotnet|node|inspector",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(way),
    .told = CLI_TOLD,
    .help = "take the capture in this way; by default hsdiff takes the best one that works. For a JVM, hprof uses no "
            "memory in the program, and jvm lets hsdiff recognise objects later",
};

const cli_option cli_option_open_inspector = {
    .name = "open-inspector",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(open_inspector),
    .told = CLI_TOLD,
    .help = "Node without the helper of hsdiff: open its inspector for the capture, on this machine alone (by "
            "SIGUSR1), and close it again",
};

const cli_option cli_option_remote = {
    .name = "remote",
    .value = "COMMAND",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(remote),
    .told = CLI_LEFT_OUT,
    .help = "ssh://: the command that runs hsdiff on the other machine, such as /opt/hsdiff/bin/hsdiff or \"sudo -n "
            "hsdiff\"; by default hsdiff",
};

const cli_option cli_option_timeout = {
    .name = "timeout",
    .value = "TIME",
    .kind = CLI_DURATION,
    .offset = CLI_FIELD(timeout_ms),
    .told = CLI_LEFT_OUT,
    .help = "give up when nothing has arrived for TIME; by default 60s",
};

const cli_option cli_option_symbols = {
    .name = "symbols",
    .value = "DIR",
    .kind = CLI_OTHER,
    .set = cli_set_symbols,
    .told = CLI_TOLD,
    .repeats = true,
    .help = "also look in DIR for the programs, libraries and debug files that have the names of addresses; may be "
            "given again",
};

const cli_option cli_option_open = {
    .name = "open",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(open),
    .told = CLI_LEFT_OUT,
    .help = "viewer: also open the page in the browser of this desktop (xdg-open, sensible-browser)",
};

const cli_option cli_option_port = {
    .name = "port",
    .value = "PORT",
    .kind = CLI_OTHER,
    .set = cli_set_port,
    .told = CLI_LEFT_OUT,
    .help = "viewer: listen on this port, 1 to 65535; by default on a free one",
};

const cli_option cli_option_ipv6 = {
    .name = "ipv6",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(ipv6),
    .told = CLI_LEFT_OUT,
    .help = "viewer: listen on ::1 instead of 127.0.0.1",
};

const cli_option cli_option_idle = {
    .name = "idle",
    .value = "TIME",
    .kind = CLI_OTHER,
    .set = cli_set_idle,
    .told = CLI_LEFT_OUT,
    .help = "viewer: end when the page has asked for nothing for TIME, such as 5m or 1h; never = do not end; by "
            "default 30m",
};

const cli_option cli_option_top = {
    .name = "top",
    .value = "N",
    .kind = CLI_OTHER,
    .set = cli_set_top,
    .told = CLI_TOLD,
    .help = "show N rows of each table and add up the others in one row; all shows every row. By default text shows 20 "
            "types, 10 roots and at most 3 holders, and other formats show every row",
};

const cli_option cli_option_summary = {
    .name = "summary",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(summary),
    .told = CLI_TOLD,
    .help = "compare the totals of each type, which a capture has at its end, and read no object. This is fast for a "
            "heap of any size, but the answer has no roots, and counts garbage, too",
};

const cli_option cli_option_no_holders = {
    .name = "no-holders",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(no_holders),
    .told = CLI_TOLD,
    .help = "do not look for the objects that hold the growth: types and roots alone are faster",
};

const cli_option cli_option_partial = {
    .name = "partial",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(partial),
    .told = CLI_TOLD,
    .help = "also read an input that is damaged or cut off. The figures of that input are then lower bounds, and no "
            "object is called "
            "freed",
};

const cli_option cli_option_partial_capture = {
    .name = "partial",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(partial),
    .told = CLI_TOLD,
    .help = "keep a capture that was cut off in the middle: it says that it is incomplete",
};

const cli_option cli_option_match = {
    .name = "match",
    .value = "HOW",
    .choices = "best|structure|counts",
    .kind = CLI_CHOICE,
    .offset = CLI_FIELD(match),
    .told = CLI_TOLD,
    .help =
        "how to recognise an object in the other capture. best (the default): by the surest means that both captures "
        "allow. structure: without looking at ids. counts: no object is recognised, so it is known what grew, but "
        "not what is new and what was freed",
};

const cli_option cli_option_key = {
    .name = "key",
    .value = "TYPE:FIELD",
    .kind = CLI_OTHER,
    .set = cli_set_key,
    .told = CLI_TOLD,
    .repeats = true,
    .help = "recognise the objects of TYPE by the value of FIELD, where objects have no lasting ids; may be given "
            "again for other types",
};

const cli_option cli_option_min = {
    .name = "min",
    .value = "SIZE",
    .kind = CLI_SIZE,
    .offset = CLI_FIELD(noise_bytes),
    .told = CLI_TOLD,
    .help =
        "treat a change below SIZE as noise: ~ stands for its percentage, and a series calls it steady. The default is "
        "0.1 % of the heap before, or 2 % of it up to 64 KiB where that is more",
};

const cli_option cli_option_bytes = {
    .name = "bytes",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(exact_bytes),
    .told = CLI_TOLD,
    .help = "show exact bytes instead of KiB, MiB and GiB",
};

const cli_option cli_option_plain = {
    .name = "plain",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(plain),
    .told = CLI_LEFT_OUT,
    .help =
        "write one record a line, with tabs between its fields; nothing is cut or aligned. For screen readers and awk",
};

const cli_option cli_option_wide = {
    .letter = 'w',
    .name = "wide",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(wide),
    .told = CLI_LEFT_OUT,
    .help = "never cut a name, and show all columns",
};

const cli_option cli_option_from = {
    .name = "from",
    .value = "FORMAT",
    .list_choices = formats_read,
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(from),
    .told = CLI_TOLD,
    .help = "read foreign dumps as FORMAT; by default hsdiff tells the format by their first bytes",
};

const cli_option cli_option_exe = {
    .name = "exe",
    .value = "PROGRAM",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(executable),
    .told = CLI_TOLD,
    .help = "the program that a Go heap dump or a core was taken of. hsdiff reads the types of objects and the names "
            "of globals from its debug information",
};

const cli_option cli_option_dump = {
    .name = "dump",
    .value = "N[,M]",
    .kind = CLI_OTHER,
    .set = cli_set_dump,
    .told = CLI_TOLD,
    .help = "if a file contains several dumps, use dump N of the first file and dump M of the second, counted from 1",
};

const cli_option cli_option_with_values = {
    .name = "with-values",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(with_values),
    .told = CLI_TOLD,
    .help = "also keep map keys and value previews; they are user data, and the capture will say so",
};

const cli_option cli_option_values_of_dumps = {
    .name = "with-values",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(with_values),
    .told = CLI_TOLD,
    .help = "also read map keys and value previews of a dump; they are user data",
};

const cli_option cli_option_final_is_strong = {
    .name = "final-is-strong",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(final_is_strong),
    .told = CLI_TOLD,
    .help = "JVM dumps: treat objects that await finalization as reachable",
};

const cli_option cli_option_level = {
    .name = "level",
    .value = "N",
    .kind = CLI_OTHER,
    .set = cli_set_level,
    .told = CLI_LEFT_OUT,
    .help = "compress the capture at this zstd level, 1 to 19, or not at all (0); the default is 1",
};

const cli_option cli_option_output = {
    .letter = 'o',
    .name = "output",
    .value = "FILE",
    .kind = CLI_FILE,
    .offset = CLI_FIELD(output),
    .told = CLI_LEFT_OUT,
    .help = "write to FILE instead of standard output. If FILE exists, hsdiff ends with an error and keeps it, unless "
            "--force is given",
    .is_common = true,
};

const cli_option cli_option_force = {
    .name = "force",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(force),
    .told = CLI_LEFT_OUT,
    .help = "replace files that exist",
    .is_common = true,
};

const cli_option cli_option_memory = {
    .name = "memory",
    .value = "SIZE",
    .kind = CLI_SIZE,
    .offset = CLI_FIELD(memory_bytes),
    .told = CLI_LEFT_OUT,
    .help = "use at most SIZE of memory, such as 64M or 2G; by default 1 GiB, but not more than a quarter of the "
            "machine's memory, or an eighth of what ulimit -v allows",
    .is_common = true,
};

const cli_option cli_option_temp_dir = {
    .name = "temp-dir",
    .value = "DIR",
    .kind = CLI_FOLDER,
    .offset = CLI_FIELD(temp_dir),
    .told = CLI_LEFT_OUT,
    .help = "put temporary files into DIR; by default $TMPDIR, else /var/tmp",
    .is_common = true,
};

const cli_option cli_option_threads = {
    .name = "threads",
    .value = "N",
    .kind = CLI_OTHER,
    .set = cli_set_threads,
    .told = CLI_LEFT_OUT,
    .help = "use at most N threads; by default one for each processor",
    .is_common = true,
};

const cli_option cli_option_no_progress = {
    .name = "no-progress",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(no_progress),
    .told = CLI_LEFT_OUT,
    .help = "show no progress line on a terminal",
    .is_common = true,
};

const cli_option cli_option_no_sandbox = {
    .name = "no-sandbox",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(no_sandbox),
    .told = CLI_LEFT_OUT,
    .help = "do not give up rights before reading the input. By default hsdiff can then open only the files that were "
            "named, and can use no network and start no program, whatever the input makes of it",
    .is_common = true,
};

const cli_option cli_option_color = {
    .name = "color",
    .value = "WHEN",
    .choices = "auto|always|never",
    .kind = CLI_CHOICE,
    .offset = CLI_FIELD(color),
    .told = CLI_LEFT_OUT,
    .help = "when to colour the output: auto (the default: on a terminal, unless NO_COLOR or TERM=dumb is set), always "
            "or never",
    .is_common = true,
};

const cli_option cli_option_quiet = {
    .letter = 'q',
    .name = "quiet",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(quiet),
    .told = CLI_LEFT_OUT,
    .help = "print only the result and errors, without notes and suggestions",
    .is_common = true,
};

const cli_option cli_option_verbose = {
    .letter = 'v',
    .name = "verbose",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(verbose),
    .told = CLI_LEFT_OUT,
    .help = "say on standard error how the memory was divided, and how long each stage took",
    .is_common = true,
};

const cli_option cli_option_help = {
    .letter = 'h',
    .name = "help",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(help),
    .told = CLI_LEFT_OUT,
    .help = "print this help",
    .is_common = true,
};

const cli_option cli_option_version = {
    .name = "version",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(version),
    .told = CLI_LEFT_OUT,
    .help = "print the version, and the formats that hsdiff knows",
    .is_common = true,
};
