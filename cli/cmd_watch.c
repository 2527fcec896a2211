/*
 * hsdiff watch PID|NAME: captures of a program for as long as it runs, until a growth is proven; then what grew, and
 * what keeps it alive.
 */
#include <stdio.h>
#include <string.h>

#include "capture/names.h"
#include "capture/targets.h"
#include "compare.h"
#include "info_words.h"
#include "options/common.h"
#include "options/values.h"
#include "report_error.h"
#include "signals.h"
#include "watch/rules.h"
#include "watch/watch.h"
#include <hsdiff/signing.h>

enum { KEEP = 24, KEEP_LEAST = 2, WARMUP = 1 };

/* ---- the end ---- */

static void tell_end_cmd_watch(const cli_watch *watch, cli_watch_end end)
{
    char growth[HSD_NUMBER_CHARS], least[HSD_NUMBER_CHARS];
    const hsd_series *series = watch->series;
    const cli_app *cli = watch->cli;
    if (end == CLI_WATCH_ENDED)
        cli_note(cli, "%s (pid %ld) has ended, after %llu capture%s", watch->process.name, watch->process.pid,
                 (unsigned long long)watch->shelf.taken, watch->shelf.taken == 1 ? "" : "s");
    if (end != CLI_WATCH_PROVEN) return;
    const uint64_t limit = cli->options.watch.until_growth_bytes;
    const bool is_lost = !cli_watch_is_proven(&series->total.trend, limit);
    const hsd_trend *trend = is_lost ? &series->unreached.trend : &series->total.trend;
    cli_note(cli, "growth is proven: %s %s in %u steps, %u of them up, and --until-growth is %s",
             is_lost ? "what is lost grew by" : "the live heap grew by",
             hsd_format_bytes(growth, (uint64_t)trend->growth), trend->step_count, trend->up_count,
             hsd_format_bytes(least, limit));
}

static void tell_files(const cli_watch *watch)
{
    char sums[CLI_PATH_BYTES + 8], word[2 * CLI_PATH_BYTES];
    if (watch->shelf.taken == 0) return;
    snprintf(sums, sizeof sums, "%ssums/", watch->shelf.folder);
    hsd_quote_shell(word, sizeof word, sums, strlen(sums));
    if (watch->shelf.taken == 1) /* a series takes two */
        cli_note(watch->cli, "the capture is in %s. Next: let it run for longer, or take more often: --every",
                 watch->shelf.folder);
    else
        cli_note(watch->cli, "captures are in %s. Next: hsdiff series %s*.hs", watch->shelf.folder, word);
}

/* The report of the first and the last capture, by which hsdiff diff would be asked. */
static int write_answer(cli_watch *watch, cli_outlets *outlets)
{
    cli_app *cli = watch->cli;
    const char *ends[2];
    const char **inputs = cli->inputs;
    const size_t count = cli->input_count;
    char *command_line = cli->command_line;
    if (!cli_shelf_ends(&watch->shelf, &ends[0], &ends[1])) {
        fprintf(stderr, "hsdiff: no two captures were taken: there is nothing to compare.\n");
        return CLI_DAMAGED;
    }
    cli->inputs = ends;
    cli->input_count = 2;
    cli->command_line = NULL; /* another command gives the same page */
    const int result = cli_compare(cli, outlets);
    cli->inputs = inputs;
    cli->input_count = count;
    cli->command_line = command_line;
    return result;
}

static int end_with(cli_watch *watch, cli_watch_end end, cli_outlets *outlets)
{
    /* that was how it is ended; a second one ends the report as well */
    if (end == CLI_WATCH_STOPPED) cli_signals_take();
    tell_end_cmd_watch(watch, end);
    const int answer = end == CLI_WATCH_FAILED && watch->shelf.taken < 2 ? watch->result : write_answer(watch, outlets);
    tell_files(watch);
    if (end == CLI_WATCH_FAILED) return watch->result;
    return answer == CLI_DONE && end == CLI_WATCH_PROVEN ? CLI_FAILED : answer;
}

/* ---- the beginning ---- */

static bool find_process(const cli_app *cli, hsd_process *out, int *result)
{
    long pids[CLI_MOST_TARGETS];
    size_t count = 0;
    hsd_error err;
    hsd_error_init(&err);
    *result = CLI_USAGE;
    if (!cli_find_targets(cli, pids, &count)) return false;
    if (count > 1) {
        cli_complain("%zu processes are called '%s': watch one of them by its pid.", count, cli->inputs[0]);
        for (size_t i = 0; i < count; i++)
            cli_note(cli, "  %ld", pids[i]);
        return false;
    }
    if (hsd_process_look(out, pids[0], cli->options.way, &err) == HSD_OK) return true;
    *result = cli_report_error(cli, &err);
    return false;
}

static int watch_it(cli_app *cli, cli_outlets *outlets)
{
    int result = CLI_USAGE;
    cli_watch watch = {.cli = cli};
    const cli_options *options = &cli->options;
    watch.shelf.keep = options->watch.keep == 0 ? KEEP : options->watch.keep;
    watch.shelf.warmup = options->has_warmup ? (size_t)options->warmup : WARMUP;
    if (!find_process(cli, &watch.process, &result)) return result;
    hsd_crypt_read_again(cli->keys);
    if (cli_shelf_open(&watch.shelf, cli, &watch.process, options->watch.folder, &result))
        result = end_with(&watch, cli_watch_run(&watch), outlets);
    cli_watch_release(&watch);
    return result;
}

static int run_watch(cli_app *cli)
{
    if (cli->options.watch.keep > 0 && cli->options.watch.keep < KEEP_LEAST) {
        cli_complain("--keep takes at least 2: the first capture and the last.");
        return CLI_USAGE;
    }
    const char *output = cli->options.output;
    if (output != NULL && output[0] != '\0' && cli_is_folder(output)) {
        cli_complain("-o names the file of the answer, and %s is a folder: captures go to --into %s.", output, output);
        return CLI_USAGE;
    }
    if (!cli_knows_way(cli)) return CLI_USAGE;
    return cli_outlets_run(cli, HSD_HOLDS_DIFF, watch_it);
}

static const cli_example examples[] = {
    {"hsdiff watch checkout-api", "a capture every 5 minutes; Ctrl-C ends it with the answer"},
    {"hsdiff watch 4121 --every 1m --until-growth 50M", "until 50 MiB of growth are proven: exit status 1"},
    {"hsdiff watch 4121 --until-growth 50M --html leak.html", "and a page to share"},
    {"hsdiff watch shop --every 1h --keep 100 --into week/", "for a week, with a hundred captures of it"},
    {"hsdiff series shop-4121/sums/*.hs", "afterwards: the course of every type, root and holder"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_A_REPORT,
    &(const cli_option){
        .name = "every",
        .value = "TIME",
        .kind = CLI_DURATION,
        .offset = CLI_FIELD(every_ms),
        .told = CLI_LEFT_OUT,
        .help = "take a capture every TIME, such as 60s or 5m (the default); less often where --budget demands it"},
    &(const cli_option){.name = "until-growth",
                        .value = "SIZE",
                        .kind = CLI_SIZE,
                        .offset = CLI_FIELD(watch.until_growth_bytes),
                        .told = CLI_LEFT_OUT,
                        .help = "end with the answer, and exit status 1, when a growth of SIZE is proven: a trend that "
                                "chance alone would give in less than 5 of 100 cases"},
    &(const cli_option){.name = "keep",
                        .value = "N",
                        .kind = CLI_COUNT,
                        .offset = CLI_FIELD(watch.keep),
                        .told = CLI_LEFT_OUT,
                        .help = "keep N captures, at least 2, by default 24: the first, the last, and of those between "
                                "as many as there may be, evenly in time"},
    &(const cli_option){.name = "into",
                        .value = "FOLDER",
                        .kind = CLI_FOLDER,
                        .offset = CLI_FIELD(watch.folder),
                        .told = CLI_LEFT_OUT,
                        .help = "put the captures there; by default into NAME-PID here"},
    &(const cli_option){.name = "budget",
                        .value = "PERCENT",
                        .kind = CLI_OTHER,
                        .set = cli_set_budget,
                        .told = CLI_LEFT_OUT,
                        .help = "of the time that the program may stand still, and of one processor that hsdiff may "
                                "use: by default 2%; captures are taken less often "
                                "where they cost more"},
    &(const cli_option){.name = "near",
                        .value = "PERCENT",
                        .kind = CLI_OTHER,
                        .set = cli_set_near,
                        .told = CLI_LEFT_OUT,
                        .help = "take a capture at once when so much of the memory of its control group, or of the "
                                "machine, is in use: by default 90%"},
    &(const cli_option){.name = "warmup",
                        .value = "N",
                        .kind = CLI_OTHER,
                        .set = cli_set_warmup,
                        .told = CLI_TOLD,
                        .help = "leave the first N captures out of trends and of the answer; by default 1"},
    &(const cli_option){.name = "count",
                        .value = "N",
                        .kind = CLI_COUNT,
                        .offset = CLI_FIELD(count),
                        .told = CLI_LEFT_OUT,
                        .help = "end with the answer after N captures"},
    &cli_option_way,
    &cli_option_open_inspector,
    &cli_option_timeout,
    &cli_option_symbols,
    &cli_option_top,
    &cli_option_min,
    CLI_OPTIONS_OF_TABLES,
    &cli_option_with_values,
    &cli_option_level,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_watch = {
    .name = "watch",
    .synopsis = "PID|NAME",
    .summary = "capture a program at intervals until a leak is proven, or Ctrl-C",
    .description =
        "Takes a capture of a running program every --every, adds up what each holds, and compares at the end: what "
        "grew between the first that counts "
        "and the last, and what keeps it alive, as hsdiff BEFORE AFTER has it, in the format of --format. On a "
        "terminal it shows between two captures how "
        "large the program is, and what has grown up to now; elsewhere each capture is one line on standard error.\n"
        "\n"
        "It ends when a growth of --until-growth is proven (exit status 1), when the program ends, after --count "
        "captures, or with Ctrl-C, which is no "
        "failure. Proven is a growth of the live heap, or of what is lost in programs of C and C++, that is no noise, "
        "and whose order chance alone would "
        "give in less than 5 of 100 cases (Mann-Kendall, as hsdiff series has it): of captures that all grow it takes "
        "five. The first capture does not "
        "count (--warmup): programs grow while they start.\n"
        "\n"
        "What a capture costs, the longer of the time that the program stood still and the processor time that hsdiff "
        "took for it, is at most --budget of the "
        "time until the next: where --every would cost more, captures come less often, and that is told.\n"
        "\n"
        "When memory runs short, by default when 90 % of the control group of the program (a container's) or of the "
        "machine are in use, a capture is taken "
        "at once, whatever is due: what is there before the kernel ends the program is what explains it. That comes "
        "again after a relief of 10 %. From the fifth capture on that counts a line also says when that memory, or "
        "the limit of the heap (-Xmx), is full, if it surely grows.\n"
        "\n"
        "Captures are kept in a folder, for their user alone. At most --keep of them stay: the first that counts, the "
        "last, and of those between as many as there "
        "may be, evenly in time. The sums of each (a baseline) stay too, at most 200, in the folder sums beside them, "
        "for hsdiff series.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_watch,
};
