/*
 * The options of all commands, in the order in which help shows them. One name means the same in every
 * command that takes it; where its values differ it has several rows, each for commands of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define FIELD(name) offsetof(cli_options, name)

static bool set_top(cli_options *options, const char *value)
{
    if (strcmp(value, "all") == 0) {
        options->top = UINT64_MAX;
        return true;
    }
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->top = strtoull(value, &end, 10);
    return *end == 0;
}

/* "2" for both inputs, "1,2" for each its own. */
static bool set_dump(cli_options *options, const char *value)
{
    char *end;
    unsigned long numbers[2];
    if (value[0] < '1' || value[0] > '9') return false;
    numbers[0] = numbers[1] = strtoul(value, &end, 10);
    if (*end == ',') {
        if (end[1] < '1' || end[1] > '9') return false;
        numbers[1] = strtoul(end + 1, &end, 10);
    }
    if (*end != 0 || numbers[0] > 1000000 || numbers[1] > 1000000) return false;
    options->dump_numbers[0] = (unsigned)numbers[0];
    options->dump_numbers[1] = (unsigned)numbers[1];
    return true;
}

static bool set_level(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    options->level = strtoull(value, &end, 10);
    options->has_level = true;
    return *end == 0 && options->level <= 19;
}

static bool set_threads(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->threads = strtoull(value, &end, 10);
    return *end == 0 && options->threads <= 1024;
}

static bool set_key(cli_options *options, const char *value)
{
    if (hsd_key_type_bytes(value) == 0) return false;
    options->keys[options->key_count++] = value;
    return true;
}

static bool set_label(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->labels[options->label_count++] = value;
    return true;
}

static bool set_also(cli_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || equals[1] == 0 || strcmp(equals + 1, "-") == 0) return false;
    options->also[options->also_count++] = value;
    return true;
}

static bool set_html(cli_options *options, const char *value)
{
    if (value[0] == 0 || strcmp(value, "-") == 0) return false;
    options->html = value;
    return true;
}

static bool set_symbols(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->symbols[options->symbol_count++] = value;
    return true;
}

static bool set_pid(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->pid = strtoull(value, &end, 10);
    return *end == 0 && options->pid <= INT32_MAX;
}

static bool set_port(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->port = strtoull(value, &end, 10);
    return *end == 0 && options->port <= UINT16_MAX;
}

static bool set_idle(cli_options *options, const char *value)
{
    options->never_idle = strcmp(value, "never") == 0;
    return options->never_idle || (cli_parse_duration(value, &options->idle_ms) && options->idle_ms > 0);
}

static bool set_warmup(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    options->warmup = strtoull(value, &end, 10);
    options->has_warmup = true;
    return *end == 0 && options->warmup < 1000;
}

#define REPORTS (CLI_ON_DIFF | CLI_ON_CHECK | CLI_ON_SERIES)
#define READS (REPORTS | CLI_ON_BASELINE | CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_IMPORT | CLI_ON_INFO | CLI_ON_DUMP | CLI_ON_EXPORT | CLI_ON_SQL | CLI_ON_VIEW)

static const cli_option table[] = {
    {.name = "format",
     .value = "FORMAT",
     .choices = "text|json|csv",
     .kind = CLI_TEXT,
     .offset = FIELD(format),
     .commands = CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_INFO | CLI_ON_SQL,
     .told = CLI_LEFT_OUT,
     .help =
         "text for people (the default), json for programs, csv for spreadsheets (not of info)"},
    {.name = "format",
     .value = "FORMAT",
     .choices = "text|json|ndjson|csv|markdown|openmetrics|html",
     .kind = CLI_TEXT,
     .offset = FIELD(format),
     .commands = CLI_ON_DIFF | CLI_ON_SERIES,
     .told = CLI_LEFT_OUT,
     .help = "text for people (the default), json, ndjson or csv for programs, markdown for a merge request, openmetrics for a dashboard, "
             "html for a browser"},
    {.name = "format",
     .value = "FORMAT",
     .choices = "text|json|ndjson|csv|markdown|junit|sarif|openmetrics|github|html",
     .kind = CLI_TEXT,
     .offset = FIELD(format),
     .commands = CLI_ON_CHECK,
     .told = CLI_LEFT_OUT,
     .help = "text for people (the default), json, ndjson or csv for programs, markdown for a summary, junit, sarif, openmetrics, "
             "annotations for github, or html for a browser"},
    {.name = "html",
     .value = "FILE",
     .kind = CLI_OTHER,
     .set = set_html,
     .commands = REPORTS,
     .told = CLI_LEFT_OUT,
     .help = "also write the answer to FILE as a page, to look closer and to share: one file that needs no network"},
    {.name = "also",
     .value = "FORMAT=FILE",
     .kind = CLI_OTHER,
     .set = set_also,
     .commands = REPORTS,
     .told = CLI_LEFT_OUT,
     .repeats = true,
     .help = "also write the answer to FILE in another format; may be given again, each with a file of its own"},
    {.name = "config",
     .value = "FILE",
     .kind = CLI_FILE,
     .offset = FIELD(config),
     .commands = CLI_ON_CHECK,
     .told = CLI_TOLD,
     .help = "read the rules there and not in .hsdiff.yml"},
    {.name = "init",
     .kind = CLI_FLAG,
     .offset = FIELD(init),
     .commands = CLI_ON_CHECK,
     .told = CLI_LEFT_OUT,
     .help = "judge nothing: write a first .hsdiff.yml (or -o FILE) whose rules these captures pass"},
    {.name = "update-baseline",
     .kind = CLI_FLAG,
     .offset = FIELD(update_baseline),
     .commands = CLI_ON_CHECK,
     .told = CLI_LEFT_OUT,
     .help = "accept what grew: replace BEFORE by the sums of the last capture, and end with 0"},
    {.name = "warmup",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_warmup,
     .commands = CLI_ON_CHECK | CLI_ON_SERIES,
     .told = CLI_TOLD,
     .help = "leave the first N captures out of trends; series: 0, check: what the rules say, else 1 from four captures on"},
    {.name = "label",
     .value = "TEXT",
     .kind = CLI_OTHER,
     .set = set_label,
     .commands = CLI_ON_CHECK | CLI_ON_SERIES | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .repeats = true,
     .help = "a name for a capture, instead of that of its file; once for each, in their order"},
    {.name = "survivors",
     .kind = CLI_FLAG,
     .offset = FIELD(survivors),
     .commands = CLI_ON_CHECK | CLI_ON_SERIES,
     .told = CLI_TOLD,
     .help = "three captures, baseline, target and final: show what came between the first two and is still there"},
    {.name = "cohorts",
     .kind = CLI_FLAG,
     .offset = FIELD(cohorts),
     .commands = CLI_ON_CHECK | CLI_ON_SERIES,
     .told = CLI_TOLD,
     .help = "tell the ages of objects also where they must be recognised by structure: three times the work"},
    {.name = "no-cohorts",
     .kind = CLI_FLAG,
     .offset = FIELD(no_cohorts),
     .commands = CLI_ON_CHECK | CLI_ON_SERIES,
     .told = CLI_TOLD,
     .help = "leave out the ages of objects"},
    {.name = "identities",
     .kind = CLI_FLAG,
     .offset = FIELD(identities),
     .commands = CLI_ON_BASELINE | CLI_ON_CHECK,
     .told = CLI_LEFT_OUT,
     .help = "keep id, type and size of every object in a baseline, so that new and freed can be told; some bytes an object"},
    {.name = "places",
     .value = "N",
     .kind = CLI_COUNT,
     .offset = FIELD(places),
     .commands = CLI_ON_BASELINE | CLI_ON_CHECK,
     .told = CLI_LEFT_OUT,
     .help = "keep N paths of types in a baseline; by default 8,192"},
    {.name = "max-bytes",
     .value = "SIZE",
     .kind = CLI_SIZE,
     .offset = FIELD(max_bytes),
     .commands = REPORTS,
     .told = CLI_LEFT_OUT,
     .help = "markdown: leave out rows, and say so, until it fits; by default 60,000, which a comment on GitHub takes"},
    {.name = "format",
     .value = "FORMAT",
     .choices = "text|json",
     .kind = CLI_TEXT,
     .offset = FIELD(format),
     .commands = CLI_ON_CAPTURE | CLI_ON_RECEIVE,
     .told = CLI_LEFT_OUT,
     .help = "what is told of each capture: text for people (the default), on standard error; json, one object a line on standard output"},
    {.name = "format",
     .value = "FORMAT",
     .choices = "text|json",
     .kind = CLI_TEXT,
     .offset = FIELD(format),
     .commands = CLI_ON_PS,
     .told = CLI_LEFT_OUT,
     .help = "text for people (the default), json for programs"},
    {.letter = 'a',
     .name = "all",
     .kind = CLI_FLAG,
     .offset = FIELD(all),
     .commands = CLI_ON_PS,
     .told = CLI_LEFT_OUT,
     .help = "programs that no agent is in and that have no runtime of their own, too"},
    {.name = "every",
     .value = "TIME",
     .kind = CLI_DURATION,
     .offset = FIELD(every_ms),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "take a capture every TIME, such as 60s or 5m, until the program ends or --count is reached; by default one, and every 10s "
             "of a program that is started with --"},
    {.name = "count",
     .value = "N",
     .kind = CLI_COUNT,
     .offset = FIELD(count),
     .commands = CLI_ON_CAPTURE | CLI_ON_RECEIVE,
     .told = CLI_LEFT_OUT,
     .help = "stop after N captures (of each process)"},
    {.name = "after",
     .value = "TIME",
     .kind = CLI_DURATION,
     .offset = FIELD(after_ms),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_TOLD,
     .help = "wait that long before the first one; by default not at all, or as long as --every for a program that is started with --"},
    {.name = "way",
     .value = "WAY",
     .choices = "native|mono|lua|jvm|hprof|dotnet|node|inspector",
     .kind = CLI_TEXT,
     .offset = FIELD(way),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_TOLD,
     .help = "go this way to the heap and not the best one that is open; hprof of a JVM takes no memory in it, jvm recognises objects"},
    {.name = "open-inspector",
     .kind = CLI_FLAG,
     .offset = FIELD(open_inspector),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_TOLD,
     .help = "Node without helper: open its inspector on the loopback for the capture (SIGUSR1), and close it again"},
    {.name = "follow",
     .kind = CLI_FLAG,
     .offset = FIELD(follow),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "with --: capture what the program starts, too, and what that starts; their names are told apart by NAME-PID"},
    {.name = "forget",
     .kind = CLI_FLAG,
     .offset = FIELD(forget),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "capture nothing: give back the memory that earlier captures keep in the process (the tags of a JVM)"},
    {.name = "timeout",
     .value = "TIME",
     .kind = CLI_DURATION,
     .offset = FIELD(timeout_ms),
     .commands = CLI_ON_CAPTURE | CLI_ON_RECEIVE,
     .told = CLI_LEFT_OUT,
     .help = "give up when nothing arrives for TIME; by default 60s"},
    {.name = "symbols",
     .value = "DIR",
     .kind = CLI_OTHER,
     .set = set_symbols,
     .commands = CLI_ON_CAPTURE | CLI_ON_SYMBOLIZE,
     .told = CLI_TOLD,
     .repeats = true,
     .help = "look there, too, for programs, libraries and debug files with the names of addresses; may be given again"},
    {.name = "view",
     .kind = CLI_FLAG,
     .offset = FIELD(view),
     .commands = CLI_ON_CAPTURE,
     .told = CLI_TOLD,
     .help = "one capture of one process: show it as hsdiff view does; without -o it is kept nowhere else"},
    {.name = "open",
     .kind = CLI_FLAG,
     .offset = FIELD(open),
     .commands = CLI_ON_VIEW | CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "viewer: also show the page in the browser of this desktop (xdg-open, sensible-browser)"},
    {.name = "port",
     .value = "PORT",
     .kind = CLI_OTHER,
     .set = set_port,
     .commands = CLI_ON_VIEW | CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "viewer: listen on this port, 1 to 65535; by default on one that is free"},
    {.name = "ipv6",
     .kind = CLI_FLAG,
     .offset = FIELD(ipv6),
     .commands = CLI_ON_VIEW | CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "viewer: listen on ::1 and not on 127.0.0.1"},
    {.name = "idle",
     .value = "TIME",
     .kind = CLI_OTHER,
     .set = set_idle,
     .commands = CLI_ON_VIEW | CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help = "viewer: end when the page has asked for nothing for TIME, such as 5m or 1h, or never; by default 30m"},
    {.name = "pid",
     .value = "PID",
     .kind = CLI_OTHER,
     .set = set_pid,
     .commands = CLI_ON_SYMBOLIZE,
     .told = CLI_LEFT_OUT,
     .help = "look at the files that this process has mapped"},
    {.letter = 'o',
     .name = "output",
     .value = "FILE",
     .kind = CLI_FILE,
     .offset = FIELD(output),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "write there and not to standard output; an existing file is kept unless --force is "
             "given"},
    {.name = "force",
     .kind = CLI_FLAG,
     .offset = FIELD(force),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "replace files that exist"},
    {.name = "top",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_top,
     .commands = REPORTS | CLI_ON_DUMP,
     .told = CLI_TOLD,
     .help = "show N rows of each table and add up the rest, or all of them (all); by default 20 "
             "types, 10 roots and the holders with most of the growth as text, everything in other "
             "formats"},
    {.name = "top",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_top,
     .commands = CLI_ON_TOP,
     .told = CLI_TOLD,
     .help =
         "show N types, roots and objects, and add up the rest; all for all of them; by default "
             "20 types, 10 roots and the objects that retain 1 % of the heap as text (at most 10), "
             "else every type and root and 100 objects"},
    {.name = "top",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_top,
     .commands = CLI_ON_PATHS,
     .told = CLI_TOLD,
     .help = "show N paths and add up the rest, or all of them (all); by default 10"},
    {.letter = 's',
     .name = "sort",
     .value = "KEY",
     .choices = "growth|percent|objects|name|retained",
     .kind = CLI_CHOICE,
     .offset = FIELD(sort),
     .commands = CLI_ON_DIFF,
     .told = CLI_TOLD,
     .help = "what decides which types and roots are shown, and in which order: growth in bytes "
             "(the default), percent, objects, name, or the growth of what they retain"},
    {.letter = 's',
     .name = "sort",
     .value = "KEY",
     .choices = "retained|bytes|objects|name",
     .kind = CLI_CHOICE,
     .offset = FIELD(top_sort),
     .commands = CLI_ON_TOP,
     .told = CLI_TOLD,
     .help = "what decides which types and roots are shown, and in which order: what they retain "
             "(the default), bytes, objects or name"},
    {.name = "summary",
     .kind = CLI_FLAG,
     .offset = FIELD(summary),
     .commands = REPORTS | CLI_ON_IMPORT,
     .told = CLI_TOLD,
     .help = "use the totals by type alone and read no object: fast for any size, but no roots, "
             "and garbage counts"},
    {.name = "objects",
     .value = "FILE",
     .kind = CLI_FILE,
     .offset = FIELD(objects),
     .commands = CLI_ON_DIFF,
     .told = CLI_LEFT_OUT,
     .help = "also list each object that came, went or changed there, as CSV: "
             "change,id,type,bytes,before,after"},
    {.name = "table",
     .value = "TABLE",
     .choices = "types|roots|holders|lost|tree|uncollected",
     .kind = CLI_CHOICE,
     .offset = FIELD(table),
     .commands = CLI_ON_DIFF,
     .told = CLI_LEFT_OUT,
     .help = "which table --format csv holds: types (the default), roots, holders, lost, tree or "
             "uncollected"},
    {.name = "table",
     .value = "TABLE",
     .choices = "types|roots|holders|lost",
     .kind = CLI_CHOICE,
     .offset = FIELD(table),
     .commands = CLI_ON_SERIES,
     .told = CLI_LEFT_OUT,
     .help = "which table --format csv holds: types (the default), roots, holders or lost"},
    {.name = "table",
     .value = "TABLE",
     .choices = "types|roots|objects",
     .kind = CLI_CHOICE,
     .offset = FIELD(top_table),
     .commands = CLI_ON_TOP,
     .told = CLI_LEFT_OUT,
     .help = "which table --format csv holds: types (the default), roots or objects"},
    {.name = "retained",
     .value = "FILE",
     .kind = CLI_FILE,
     .offset = FIELD(retained),
     .commands = CLI_ON_TOP,
     .told = CLI_LEFT_OUT,
     .help = "also list what every live object retains there, as CSV: "
             "id,type,bytes,retained_bytes,retained_objects,dominator"},
    {.name = "tree",
     .kind = CLI_FLAG,
     .offset = FIELD(tree),
     .commands = CLI_ON_DIFF,
     .told = CLI_LEFT_OUT,
     .help = "also show growth by path: what each path from a root holds, as a tree with bars; the places that "
             "changed most, or with --top all every one"},
    {.name = "no-holders",
     .kind = CLI_FLAG,
     .offset = FIELD(no_holders),
     .commands = REPORTS,
     .told = CLI_TOLD,
     .help = "stop at types and roots: faster, and does not say which objects hold the growth"},
    {.name = "partial",
     .kind = CLI_FLAG,
     .offset = FIELD(partial),
     .commands = (READS & ~CLI_ON_INFO),
     .told = CLI_TOLD,
     .help = "use what is there of a damaged or cut-off input: figures are then lower bounds, and "
             "nothing is called freed"},
    {.name = "partial",
     .kind = CLI_FLAG,
     .offset = FIELD(partial),
     .commands = CLI_ON_CAPTURE | CLI_ON_RECEIVE,
     .told = CLI_TOLD,
     .help = "keep a capture that was cut off in the middle: it says that it is incomplete"},
    {.name = "match",
     .value = "HOW",
     .choices = "best|structure|counts",
     .kind = CLI_CHOICE,
     .offset = FIELD(match),
     .commands = CLI_ON_DIFF | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .help = "by what objects are recognised: best (the default), what is surest in both captures; "
             "structure, do not look at ids; counts, recognise nothing: growth is exact, new and "
             "freed are not known"},
    {.name = "key",
     .value = "TYPE:FIELD",
     .kind = CLI_OTHER,
     .set = set_key,
     .commands = CLI_ON_DIFF | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .repeats = true,
     .help = "where objects have no ids that last, tell those of TYPE apart by the value of FIELD; may "
             "be given again for other types"},
    {.name = "min",
     .value = "SIZE",
     .kind = CLI_SIZE,
     .offset = FIELD(noise_bytes),
     .commands = REPORTS | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .help = "changes below SIZE are noise: ~ for their percentage, steady; by default 0.1 % of before, and at "
             "least 64 KiB or 2 % of it, whichever is less"},
    {.name = "bytes",
     .kind = CLI_FLAG,
     .offset = FIELD(exact_bytes),
     .commands = REPORTS | CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_INFO,
     .told = CLI_TOLD,
     .help = "show exact bytes instead of KiB, MiB and GiB"},
    {.name = "plain",
     .kind = CLI_FLAG,
     .offset = FIELD(plain),
     .commands = REPORTS | CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_SQL,
     .told = CLI_LEFT_OUT,
     .help =
         "one record a line, tab separated, nothing cut or aligned: for screen readers and awk"},
    {.letter = 'w',
     .name = "wide",
     .kind = CLI_FLAG,
     .offset = FIELD(wide),
     .commands = REPORTS | CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_SQL,
     .told = CLI_LEFT_OUT,
     .help = "never cut names, neither to the width of the terminal nor elsewhere, and show all columns"},
    {.name = "only",
     .value = "KINDS",
     .kind = CLI_TEXT,
     .offset = FIELD(only),
     .commands = CLI_ON_DUMP,
     .choices = "strings|types|labels|sites|threads|frames|metrics|losses|objects|edges|roots|"
                "totals|groups",
     .told = CLI_LEFT_OUT,
     .help = "the kinds of records to print, separated by commas"},
    {.name = "to",
     .value = "FORMAT",
     .kind = CLI_TEXT,
     .offset = FIELD(to),
     .commands = CLI_ON_EXPORT,
     .told = CLI_LEFT_OUT,
     .help = "the format to write; by default the one that the name of FILE tells (hsdiff help formats)"},
    {.name = "stacks",
     .value = "OF",
     .choices = "auto|sites|paths",
     .kind = CLI_CHOICE,
     .offset = FIELD(stacks),
     .commands = CLI_ON_EXPORT,
     .told = CLI_LEFT_OUT,
     .help = "profiles: the stacks that allocated objects (sites), or what holds them from the root down (paths); auto takes sites if there are any"},
    {.name = "from",
     .value = "FORMAT",
     .kind = CLI_TEXT,
     .offset = FIELD(from),
     .commands = READS,
     .told = CLI_TOLD,
     .help = "read foreign dumps as this format instead of looking at their first bytes"},
    {.name = "exe",
     .value = "PROGRAM",
     .kind = CLI_TEXT,
     .offset = FIELD(executable),
     .commands =
         REPORTS | CLI_ON_BASELINE | CLI_ON_TOP | CLI_ON_PATHS | CLI_ON_IMPORT | CLI_ON_INFO | CLI_ON_DUMP | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .help = "the program that a heap dump or core of Go is of: its DWARF has the types and the names of globals"},
    {.name = "dump",
     .value = "N[,M]",
     .kind = CLI_OTHER,
     .set = set_dump,
     .commands = READS,
     .told = CLI_TOLD,
     .help = "which dump of a file that holds several, from 1 (of before, of after)"},
    {.name = "with-values",
     .kind = CLI_FLAG,
     .offset = FIELD(with_values),
     .commands = CLI_ON_IMPORT | CLI_ON_CAPTURE | CLI_ON_EXPORT | CLI_ON_SQL | CLI_ON_VIEW,
     .told = CLI_TOLD,
     .help =
         "also keep map keys and value previews; they are user data, and the capture will say so"},
    {.name = "final-is-strong",
     .kind = CLI_FLAG,
     .offset = FIELD(final_is_strong),
     .commands = READS,
     .told = CLI_TOLD,
     .help = "JVM dumps: objects that wait for their finalizer count as held by it"},
    {.name = "level",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_level,
     .commands = CLI_ON_IMPORT | CLI_ON_CAPTURE,
     .told = CLI_LEFT_OUT,
     .help =
         "compress the capture at this zstd level, 1 to 19, or not at all (0); the default is 1"},
    {.name = "memory",
     .value = "SIZE",
     .kind = CLI_SIZE,
     .offset = FIELD(memory_bytes),
     .commands = CLI_ON_WORK,
     .told = CLI_LEFT_OUT,
     .help = "use at most this much memory, such as 64M or 2G; by default the smaller of 1 GiB and "
             "a quarter of what there is"},
    {.name = "temp-dir",
     .value = "DIR",
     .kind = CLI_FOLDER,
     .offset = FIELD(temp_dir),
     .commands = CLI_ON_WORK,
     .told = CLI_LEFT_OUT,
     .help = "put temporary data there; by default $TMPDIR, else /var/tmp"},
    {.name = "threads",
     .value = "N",
     .kind = CLI_OTHER,
     .set = set_threads,
     .commands = CLI_ON_WORK,
     .told = CLI_LEFT_OUT,
     .help = "use at most N threads; by default one for each processor"},
    {.name = "no-progress",
     .kind = CLI_FLAG,
     .offset = FIELD(no_progress),
     .commands = CLI_ON_WORK,
     .told = CLI_LEFT_OUT,
     .help = "no progress line on a terminal"},
    {.name = "color",
     .value = "WHEN",
     .choices = "auto|always|never",
     .kind = CLI_CHOICE,
     .offset = FIELD(color),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "auto (the default), always or never; NO_COLOR and TERM=dumb switch auto off"},
    {.letter = 'q',
     .name = "quiet",
     .kind = CLI_FLAG,
     .offset = FIELD(quiet),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "only the result and errors: no notes, no suggestions"},
    {.letter = 'v',
     .name = "verbose",
     .kind = CLI_FLAG,
     .offset = FIELD(verbose),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "tell on standard error how memory was divided and what each stage took"},
    {.letter = 'h',
     .name = "help",
     .kind = CLI_FLAG,
     .offset = FIELD(help),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "this help"},
    {.name = "version",
     .kind = CLI_FLAG,
     .offset = FIELD(version),
     .commands = CLI_ON_ALL,
     .told = CLI_LEFT_OUT,
     .help = "the version, and the formats that are known"},
    {.name = "generate",
     .value = "WHAT",
     .choices = "man|man-formats|complete-bash|complete-zsh|complete-fish",
     .kind = CLI_TEXT,
     .offset = FIELD(generate),
     .commands = CLI_ON_HELP,
     .told = CLI_LEFT_OUT,
     .help = "print the manual page (of a command that follows), that of the formats, or the completions of a shell"},
};

_Static_assert(sizeof table / sizeof table[0] <= CLI_OPTIONS_MAX, "the parser notes which rows were used");

const cli_option *cli_option_get(size_t i)
{
    return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}
