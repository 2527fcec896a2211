/*
 * hsdiff BEFORE AFTER: opens or imports both sides, compares them, prints the answer in the format that
 * was asked for.
 */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "input.h"
#include "options/common.h"
#include "outlets.h"
#include "progress.h"
#include "report_error.h"
#include "series.h"

/* --objects: a second result file that fills while the comparison runs. */
typedef struct object_list {
    hsd_result_file *file;
    hsd_objects_csv csv;
} object_list;

static hsd_status open_objects(object_list *list, const cli_app *cli, hsd_error *err)
{
    if (!cli->options.diff.objects) return HSD_OK;
    HSD_TRY(hsd_result_file_open(&list->file, cli->options.diff.objects, cli->options.force, err));
    return hsd_objects_csv_begin(&list->csv, hsd_result_file_write, list->file, err);
}

static hsd_status compare_diff(hsd_diff **diff, cli_input inputs[2], object_list *list, const cli_app *cli,
                               hsd_error *err)
{
    const hsd_diff_options options = {.summary_only = cli->options.summary,
                                      .no_holders = cli->options.no_holders,
                                      .partial = cli->options.partial,
                                      .match_by = (hsd_match_by)cli->options.match,
                                      .keys = cli->options.keys,
                                      .key_count = cli->options.key_count,
                                      .changed = list->file ? hsd_objects_csv_row : NULL,
                                      .changed_context = &list->csv};
    HSD_TRY(hsd_diff_run(diff, inputs[0].capture, inputs[1].capture, &options, &cli->run, err));
    return list->file ? hsd_result_file_finish(list->file, err) : HSD_OK;
}

/* For "Next:" lines of the screen. */
static void name_inputs(hsd_report_options *report, const cli_app *cli, const cli_input inputs[2])
{
    if (cli->options.quiet) return;
    report->before_command = inputs[0].path;
    report->after_command = inputs[1].path;
    report->before_is_foreign = inputs[0].is_foreign;
    report->after_is_foreign = inputs[1].is_foreign;
}

typedef struct diff_answer {
    const cli_app *cli;
    const cli_input *inputs;
    const hsd_diff *diff;
} diff_answer;

static hsd_status write_report(const hsd_report_format *format, const hsd_report_options *options, const void *what,
                               hsd_write_fn write, void *context, hsd_error *err)
{
    const diff_answer *answer = what;
    hsd_report_options report = *options;
    name_inputs(&report, answer->cli, answer->inputs);
    return format->write_diff(answer->diff, &report, write, context, err);
}

/* The option that shows what comes with holders; NULL when there is none. */
static const char *option_for_holders(const cli_options *options)
{
    return options->diff.tree                        ? "--tree"
           : options->table == HSD_TABLE_HOLDERS     ? "--table holders"
           : options->table == HSD_TABLE_TREE        ? "--table tree"
           : options->diff.sort == HSD_SORT_RETAINED ? "--sort retained"
                                                     : NULL;
}

/* A CSV file cannot say why it is empty. */
static void tell_why_empty(const cli_options *options, const hsd_diff *diff, const hsd_report_format *format)
{
    char why[512];
    const bool is_of_holders = options->table == HSD_TABLE_HOLDERS || options->table == HSD_TABLE_TREE;
    if (strcmp(format->name, "csv") != 0) return;
    if (options->table == HSD_TABLE_LOST && !diff->lost.is_known)
        fprintf(stderr, "hsdiff: the table is empty: the captures do not say that what no root reaches is lost.\n");
    if (options->table == HSD_TABLE_UNCOLLECTED && !diff->uncollected.is_known)
        fprintf(stderr,
                "hsdiff: the table is empty: the captures do not say that a collector frees what no root reaches.\n");
    if (diff->has_holders || !is_of_holders) return;
    hsd_escape_terminal(why, sizeof why, diff->why_no_holders.data, diff->why_no_holders.size);
    fprintf(stderr, "hsdiff: the table is empty: %s.\n", why);
}

/* Ids are surer than any field. */
static void tell_of_idle_keys(const cli_app *cli, const hsd_diff *diff)
{
    if (cli->options.key_count == 0 || !diff->identity_is_known || diff->is_by_structure) return;
    cli_note(cli, "--key was not needed: objects of both captures have ids that tell them apart.");
}

hsd_status cli_compare_write(cli_app *cli, cli_outlets *outlets, const cli_input inputs[2], const hsd_diff *diff,
                             hsd_error *err)
{
    const diff_answer answer = {cli, inputs, diff};
    cli_out_tell_space(cli, diff->temp_bytes_peak);
    tell_why_empty(&cli->options, diff, outlets->format);
    tell_of_idle_keys(cli, diff);
    return cli_outlets_write(outlets, cli, write_report, &answer, err);
}

int cli_compare(cli_app *cli, cli_outlets *outlets)
{
    cli_input inputs[2] = {{.path = cli->inputs[0]}, {.path = cli->inputs[1]}};
    object_list list = {0};
    hsd_diff *diff = NULL;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = open_objects(&list, cli, &err);
    if (status == HSD_OK) status = cli_inputs_open(inputs, 2, cli, cli->options.summary, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) status = compare_diff(&diff, inputs, &list, cli, &err);
    cli_progress_clear();
    if (status == HSD_OK) status = cli_compare_write(cli, outlets, inputs, diff, &err);
    hsd_diff_free(diff);
    cli_inputs_close(inputs, 2);
    hsd_result_file_close(list.file);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

/* The option that asks for single objects; NULL when there is none. */
static const char *option_for_objects(const cli_options *options)
{
    return options->diff.objects ? "--objects" : options->key_count > 0 ? "--key" : NULL;
}

static bool is_usable_diff(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (strcmp(cli->inputs[0], "-") == 0 && strcmp(cli->inputs[1], "-") == 0)
        cli_complain("only one of the two inputs can be standard input.");
    else if (options->diff.objects && options->summary)
        cli_complain("--summary reads no object, so --objects has nothing to list.");
    else if (options->key_count > 0 && options->summary)
        cli_complain("--summary reads no object, so --key has nothing to tell apart.");
    else if (options->match != HSD_MATCH_BY_BEST && options->summary)
        cli_complain("--summary reads no object, so --match has nothing to choose.");
    else if (options->match == HSD_MATCH_BY_COUNTS && option_for_objects(options))
        cli_complain("--match counts recognises no object: leave out %s.", option_for_objects(options));
    else if (option_for_holders(options) && (options->no_holders || options->summary))
        cli_complain("%s leaves out what %s shows.", options->no_holders ? "--no-holders" : "--summary",
                     option_for_holders(options));
    else if (options->diff.tree && options->format && strcmp(options->format, "csv") == 0)
        cli_complain("--format csv holds one table: --table tree.");
    else if (options->diff.objects && strcmp(options->diff.objects, "-") == 0 &&
             (!options->output || strcmp(options->output, "-") == 0))
        cli_complain("--objects and the report cannot both go to standard output: add -o FILE.");
    else
        return true;
    return false;
}

static int run_diff(cli_app *cli)
{
    if (cli->input_count > 2) return cli_run_series(cli);
    if (!is_usable_diff(cli)) return CLI_USAGE;
    return cli_outlets_run(cli, HSD_HOLDS_DIFF, cli_compare);
}

static const cli_example examples[] = {
    {"hsdiff before.hs after.hs", "what grew, and what keeps it alive"},
    {"hsdiff monday.heapsnapshot tuesday.heapsnapshot", "heap dumps that other tools have written"},
    {"hsdiff --summary a.hprof b.hprof", "by type alone, in one pass"},
    {"hsdiff a.hs b.hs --html growth.html", "also write a page to share"},
    {"hsdiff a.hs b.hs --format json -o growth.json", "as JSON, for a script"},
    {"hsdiff a.hs b.hs --tree", "also show the growth as a tree"},
    {"hsdiff a.hs b.hs --objects changed.csv", "also list each object that came or went"},
    {"hsdiff a.hprof b.hprof --key com.shop.Order:id", "orders with equal fields id are the same"},
    {"hsdiff a.hprof b.hprof --memory 256M --temp-dir /scratch", "with little memory"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_A_REPORT,
    &cli_option_top,
    &(const cli_option){.letter = 's',
                        .name = "sort",
                        .value = "KEY",
                        .choices = "growth|percent|objects|name|retained",
                        .kind = CLI_CHOICE,
                        .offset = CLI_FIELD(diff.sort),
                        .told = CLI_TOLD,
                        .help = "order types and roots by growth (in bytes, the default), percent, objects, name, or "
                                "retained (growth of the bytes that they retain)"},
    &cli_option_summary,
    &(const cli_option){.name = "objects",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(diff.objects),
                        .told = CLI_LEFT_OUT,
                        .help = "also write to FILE, as CSV, each object that came, went or changed its size: "
                                "change,id,type,bytes,before,after"},
    &(const cli_option){
        .name = "table",
        .value = "TABLE",
        .choices = "types|roots|holders|lost|tree|uncollected",
        .kind = CLI_CHOICE,
        .offset = CLI_FIELD(table),
        .told = CLI_LEFT_OUT,
        .help = "which table --format csv writes: types (the default), roots, holders, lost, tree or uncollected"},
    &(const cli_option){.name = "tree",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(diff.tree),
                        .told = CLI_LEFT_OUT,
                        .help = "also show growth as a tree of the paths from each root, with bars: the places that "
                                "changed most; with --top all, every place"},
    &cli_option_no_holders,
    &cli_option_partial,
    &cli_option_match,
    &cli_option_key,
    &cli_option_min,
    CLI_OPTIONS_OF_TABLES,
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_diff = {
    .name = "diff",
    .synopsis = "BEFORE AFTER | CAPTURE... | CAPTURE... -- CAPTURE...",
    .summary = "what grew between two captures, and what keeps it alive",
    .description =
        "Compares two captures and prints how much the live heap grew, by type and by root, how much is new and how "
        "much was freed, and which objects keep the growth in memory. The word diff may be left out. BEFORE and AFTER "
        "are captures (.hs) or dumps of other tools, which hsdiff first imports into temporary files without a name. "
        "One of them may be -, which is standard input.\n"
        "\n"
        "An object is live if it can be reached from a root over strong references. An object that cannot be reached "
        "is garbage that was not collected yet. It is counted apart, and in no table of live objects. C and C++ have "
        "no collector, so such memory is lost: the table LOST says how much was lost since BEFORE, the block at its "
        "head, and who allocated that block. Every live object counts for exactly one root: the one from which alone "
        "it can be reached, or (shared) if there are several. So the rows of each table, with the row of others, add "
        "up to TOTAL.\n"
        "\n"
        "The holder of a new object is the nearest object that was there before, and through which every path from the "
        "roots to the new object leads: the container that it was put into. Freed objects are subtracted from the "
        "place that held them, so the growth of all holders adds up to the growth of the heap. WHAT KEEPS IT ALIVE "
        "shows the largest holders, the path from a root to each, and below it the references through which it holds "
        "the growth. [*] stands for all elements of a container, {x5} for five steps that read alike. If several "
        "objects hold something together, as two tables of the same objects do, they stand in one row. Holders of one "
        "kind, as the nodes of a list or the threads of a pool, count as one. (roots) holds what no single object "
        "holds alone.\n"
        "\n"
        "Holders take more time and memory than types and roots, and they need complete captures. If --memory is too "
        "small or a part of a capture is missing, the report says so. --no-holders leaves them out.\n"
        "\n"
        "hsdiff recognises an object in the second capture by an id that is never reused (V8), else by address and "
        "type (heaps that do not move). Neither works if objects move (JVM), or if the captures come from different "
        "processes or builds. Then hsdiff recognises objects by structure, and the report says how many by which "
        "means. name: the only object of that name. same address: it and most others stayed where they were. "
        "neighbourhood: the only object with this type, size, content and these neighbours. order: it stands between "
        "neighbours that were recognised. place: the only object of its type below a root with a name. changed: it was "
        "written to meanwhile. twins: equal objects, of which some came or went. For changed and twins the number is "
        "right, and which object is which is uncertain. The report warns when they hold more than 5 % of the bytes.\n"
        "\n"
        "--key makes this sure for objects that have a field of their own to tell them apart: a number, a boolean or a "
        "character. hsdiff then also reads the values of these types from a JVM dump. A capture must have been made "
        "with values (hsdiff import --with-values).\n"
        "\n"
        "If objects cannot be recognised by structure either, as in a part of a capture, growth is still exact, and "
        "new and freed are not known. The report says so. A holder is then a path from a root that leads to exactly "
        "one object in each capture. --match counts asks for this. --match structure ignores ids, also if they would "
        "do.\n"
        "\n"
        "The percentage of a row refers to its own size before. [NEW]: it had no size before. [DEL]: it has none "
        "after. [ = ]: it did not change. x281: it is 281 times as large. ~: the change is below --min.\n"
        "\n"
        "The exit status is 0 also when the heap grew.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = HSD_SERIES_MOST,
    .run = run_diff,
};
