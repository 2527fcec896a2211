/*
 * hsdiff series A B C …: growth over many captures.
 */
#include "options/common.h"
#include "series.h"

static const cli_example examples[] = {
    {"hsdiff series day*.hs", "what grows, how fast, and since when"},
    {"hsdiff series run/*.heapsnapshot --label 1 --label 2 --label 3", "with names of your own for the captures"},
    {"hsdiff series --survivors base.hs target.hs final.hs", "what came in between and is still there"},
    {"hsdiff series day*.hs --limit 512M", "and when a container of 512 MiB is full, if it surely grows"},
    {"hsdiff series day*.hprof --cohorts", "ages of objects where ids do not tell them apart"},
    {"hsdiff series day*.hs --html growth.html", "and a page to look closer or share"},
    {"hsdiff series day*.hs --format openmetrics -o heap.prom", "for a dashboard"},
    {"hsdiff b1.hs b2.hs b3.hs -- a1.hs a2.hs a3.hs", "repeated captures of two builds: median, spread, p"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_A_REPORT,
    &cli_option_warmup,
    &cli_option_label,
    &(const cli_option){.name = "limit",
                        .value = "SIZE",
                        .kind = CLI_SIZE,
                        .offset = CLI_FIELD(limit_bytes),
                        .told = CLI_TOLD,
                        .help = "say when the process has grown to SIZE, the memory of its container or of the "
                                "machine, such as 512M"},
    &cli_option_survivors,
    &cli_option_cohorts,
    &cli_option_no_cohorts,
    &cli_option_top,
    &cli_option_summary,
    &(const cli_option){.name = "table",
                        .value = "TABLE",
                        .choices = "types|roots|holders|lost",
                        .kind = CLI_CHOICE,
                        .offset = CLI_FIELD(table),
                        .told = CLI_LEFT_OUT,
                        .help = "which table --format csv holds: types (the default), roots, holders or lost"},
    &cli_option_no_holders,
    &cli_option_partial,
    &cli_option_min,
    CLI_OPTIONS_OF_TABLES,
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_series = {
    .name = "series",
    .synopsis = "CAPTURE CAPTURE...",
    .summary = "growth over three or more captures, with trends",
    .description =
        "Adds up 2 to 1,000 captures of one program, one after the other, in the order given, and prints how each "
        "type, each root and each holder grew: first, last, growth, growth per hour, the course in between, and a "
        "verdict. The captures may be full ones (.hs), baselines, or foreign dumps, which are imported in turn, "
        "small ones two at a time.\n"
        "\n"
        "A verdict is steady where nothing left the noise (--min); each step where it grew in every step and still "
        "does; growing where it grows on the whole, not in each step, and chance alone would give that much order in "
        "less than 5 of "
        "100 cases (Mann-Kendall); levelled where it grew and stopped, as a cache that is full; shrinking; else no "
        "trend. Growth per step and per hour is the median of the slopes between all pairs of captures (Theil-Sen), "
        "which one outlier does not move. --warmup N leaves the first N captures out of all this.\n"
        "\n"
        "With --limit, or where the captures know the limit of the heap (-Xmx) or of the container, the report says "
        "when it is reached: "
        "what the process has in resident memory (where captures do not tell that: its heap) is drawn out by its "
        "growth per hour, if it surely grows: in five captures or more, by the test above, and no farther than 30 "
        "times "
        "as long as was watched. If a time cannot be told, the report says why.\n"
        "\n"
        "In a series a holder is a path from a root that leads to exactly one object in every capture. What grows "
        "below it counts for the nearest holder above. This needs no ids, so it works for every runtime. If paths do "
        "not tell what holds the growth, hsdiff compares two of the captures object by object to find out.\n"
        "\n"
        "If the ids of objects last (V8, heaps that do not move), the report also tells the ages of objects: how much "
        "of what came between two captures is still alive in each later one. Healthy work leaves nothing behind; a "
        "leak is a row that does not shrink. --cohorts recognises objects by structure if their ids do not last, which "
        "takes about three times as long. --no-cohorts leaves the ages out. --survivors takes three captures, before, "
        "during and after a piece of work, and first shows what came between the first two and is still there in the "
        "third: what the work left behind.\n"
        "\n"
        "-- between the captures separates two groups of repeated captures: hsdiff b1 b2 b3 -- a1 a2 a3. Each row then "
        "has the median and the spread of both groups, and p: how often chance alone would give as large a difference "
        "(Mann-Whitney). ~ stands where p is 5 of 100 or more.\n"
        "\n"
        "Memory does not grow with the number of captures, and temporary space is that of one capture, "
        "of small ones of four, and two lists of its objects.\n"
        "\n"
        "As JSON, schema hsdiff.series/1: captures; total, unreached, types, roots and holders (lost, where captures "
        "tell it) with bytes and objects, arrays with one value for each capture, trend and verdict, and with holders "
        "where two of the captures (pair) say who holds it; cohorts; others; where a limit is known forecast: "
        "limit_bytes, "
        "used_bytes, bytes_per_hour, and full, a time, or null and why_not.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = HSD_SERIES_MOST,
    .run = cli_run_series,
};
