/*
 * hsdiff series A B C …: growth over many captures.
 */
#include "common_options.h"
#include "series.h"

static const cli_example examples[] = {
    {"hsdiff series day*.hs", "what grows, how fast, and since when"},
    {"hsdiff series run/*.heapsnapshot --label 1 --label 2 --label 3", "with names of your own for the captures"},
    {"hsdiff series --survivors base.hs target.hs final.hs", "what came in between and is still there"},
    {"hsdiff series day*.hprof --cohorts", "ages of objects where ids do not tell them apart"},
    {"hsdiff series day*.hs --html growth.html", "and a page to look closer or share"},
    {"hsdiff series day*.hs --format openmetrics -o heap.prom", "for a dashboard"},
    {"hsdiff b1.hs b2.hs b3.hs -- a1.hs a2.hs a3.hs", "repeated captures of two builds: median, spread, p"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_format_of_growth,
    &cli_option_html,
    &cli_option_also,
    &cli_option_warmup,
    &cli_option_label,
    &cli_option_survivors,
    &cli_option_cohorts,
    &cli_option_no_cohorts,
    &cli_option_max_bytes,
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
    &cli_option_bytes,
    &cli_option_plain,
    &cli_option_wide,
    &cli_option_from,
    &cli_option_exe,
    &cli_option_dump,
    &cli_option_final_is_strong,
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_series = {
    .name = "series",
    .synopsis = "CAPTURE CAPTURE...",
    .summary = "growth over a series of captures: trends, verdicts, and what stays",
    .description =
        "Adds up 2 to 1,000 captures of one program, one after the other, in the order given, and prints how each "
        "type, each root "
        "and each holder grew: first, last, growth, growth per hour, the course in between, and a verdict. The "
        "captures "
        "may be full ones (.hs), baselines, or foreign dumps, which are imported one at a time.\n"
        "\n"
        "A verdict is steady where nothing left the noise (--min); each step where it grew in every step and still "
        "does; growing where "
        "it grows with steps back, and chance alone would give that much order in less than 5 of 100 cases "
        "(Mann-Kendall); levelled "
        "where it grew and stopped, as a cache that is full; shrinking; else no trend. Growth per step and per hour is "
        "the median "
        "of the slopes between all pairs of captures (Theil-Sen), which one outlier does not move. --warmup N leaves "
        "the "
        "first N captures out of all this.\n"
        "\n"
        "A holder is a path from a root at which exactly one object stands in every capture; what grows below it "
        "counts for the nearest "
        "one. It needs no identity, so it works for every runtime. Where no place says who holds what grows, two of "
        "the captures are compared object by object, and say it.\n"
        "\n"
        "Where the ids of objects last (V8, heaps that do not move), the ages of objects are told as well: of what "
        "came in one interval, "
        "how much is alive in each later capture. Of healthy work nothing stays; a leak is a line that does not decay. "
        "--cohorts recognises objects by structure where ids do not serve, which takes about three times as long, and "
        "--no-cohorts leaves it out. --survivors shows it first, for three captures: what came between the first two "
        "and is still there in "
        "the third is what a finished piece of work left behind.\n"
        "\n"
        "With -- between the captures there are two groups, of repeated captures on each side: hsdiff b1 b2 b3 -- a1 "
        "a2 a3. Rows then have "
        "the median and the spread of both, and p, how often chance alone would set the groups apart as far "
        "(Mann-Whitney); ~ where that is "
        "5 of 100 or more.\n"
        "\n"
        "Memory does not grow with the number of captures, and temporary space is that of one capture and two lists of "
        "its objects.\n"
        "\n"
        "As JSON, schema hsdiff.series/1: captures; total, unreached, types, roots and holders (lost, where captures "
        "tell it) with bytes and objects, arrays with one "
        "value for each capture, trend and verdict, and with holders where two of the captures (pair) say who holds "
        "it; cohorts; others.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = HSD_SERIES_MOST,
    .run = cli_run_series,
};
