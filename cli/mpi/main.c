/*
 * hsdiff-mpi BEFORE AFTER: hsdiff BEFORE AFTER by several processes. mpirun starts one on each machine; each opens both
 * captures, rank 0 alone writes the answer and says what went wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "compare.h"
#include "input.h"
#include "options/command_line.h"
#include "options/common.h"
#include "outlets.h"
#include "progress.h"
#include "ranks.h"
#include "report_error.h"
#include "signals.h"
#include "stages.h"

static const char usage[] = "Usage: mpirun -n RANKS hsdiff-mpi BEFORE.hs AFTER.hs [options]\n"
                            "\n"
                            "Compares two captures by several processes: what\n"
                            "hsdiff BEFORE.hs AFTER.hs says, byte for byte. Each rank reads both files, so\n"
                            "they lie where all machines see them. Captures alone are read: hsdiff import\n"
                            "makes one of a dump. --memory is what the ranks of one machine may use\n"
                            "together, each an equal part.\n"
                            "\n"
                            "Options are those of hsdiff (hsdiff --help), without --objects and --key.\n"
                            "More: man hsdiff-mpi\n";

/* ---- what was asked ---- */

static const char *refused_option(const cli_options *options)
{
    return options->diff.objects    ? "--objects"
           : options->key_count > 0 ? "--key"
           : options->generate      ? "--generate"
                                    : NULL;
}

static bool is_usable(const cli_app *cli)
{
    if (cli->is_named && cli->command != cli_command_get(0))
        cli_complain("hsdiff-mpi compares two captures; hsdiff %s is of one process.", cli->command->name);
    else if (cli->input_count != 2)
        cli_complain("hsdiff-mpi takes two captures, BEFORE and AFTER, and %zu %s given.", cli->input_count,
                     cli->input_count == 1 ? "was" : "were");
    else if (strcmp(cli->inputs[0], "-") == 0 || strcmp(cli->inputs[1], "-") == 0)
        cli_complain("hsdiff-mpi reads no standard input: each rank opens the files itself.");
    else if (refused_option(&cli->options))
        cli_complain("%s is not to be had of several ranks: use hsdiff.", refused_option(&cli->options));
    else if (cli->options.memory_bytes > 0 && cli->options.memory_bytes < HSD_MEMORY_MIN_BYTES)
        cli_complain("--memory must be at least 16 MiB.");
    else if (cli_find_input_overwritten(cli) || cli_find_output_shared(cli))
        cli_complain("an output is an input, or the file of another output: give each a file of its own.");
    else
        return true;
    return false;
}

/* Rank 0 tells how it is going and what is worth knowing. */
static void prepare_run(cli_app *cli, bool tells)
{
    cli->run =
        (hsd_run){.memory_bytes = cli->options.memory_bytes ? cli->options.memory_bytes : hsd_run_default_memory(),
                  .threads = (unsigned)cli->options.threads,
                  .temp_dir = cli->options.temp_dir,
                  .progress = cli_progress_tell};
    if (!tells) return;
    cli->run.note = cli_take_note;
    cli->run.note_context = cli;
}

/* ---- the diff ---- */

static hsd_status open_input(cli_input *input, const cli_app *cli, hsd_error *err)
{
    const hsd_status status = hsd_capture_open(&input->capture, input->path, cli_damage_wanted(cli), &cli->run, err);
    if (status == HSD_E_NOT_THIS_FORMAT) hsd_error_set_hint(err, "hsdiff import %s -o %s.hs", input->path, input->path);
    return status;
}

/* ---- with --verbose: what each rank did ---- */

enum { BEFORE_RECORDS, AFTER_RECORDS, SENT, ROUNDS, PEAK, PHASES, STAT_WORDS = PHASES + HSD_RANKS_PHASES };

static void fill_stats(uint64_t *words, const hsd_ranks_stats *stats)
{
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    words[BEFORE_RECORDS] = stats->records[0];
    words[AFTER_RECORDS] = stats->records[1];
    words[SENT] = stats->sent_bytes;
    words[ROUNDS] = stats->rounds;
    words[PEAK] = (uint64_t)used.ru_maxrss;
    memcpy(words + PHASES, stats->processor_ns, sizeof stats->processor_ns);
}

static void tell_rank(unsigned rank, const uint64_t *words)
{
    const double s = 1e-9;
    fprintf(stderr,
            "  rank %u: processor %.2f s graph, %.2f s census, %.2f s tree, %.2f s fold, %.2f s answer; peak %.1f MiB; "
            "merged %llu "
            "records before, %llu after; sent %.1f MB in %llu rounds\n",
            rank, (double)words[PHASES + HSD_RANKS_GRAPH] * s, (double)words[PHASES + HSD_RANKS_CENSUS] * s,
            (double)words[PHASES + HSD_RANKS_TELL] * s, (double)words[PHASES + HSD_RANKS_FOLD] * s,
            (double)words[PHASES + HSD_RANKS_ANSWER] * s, (double)words[PEAK] / 1024,
            (unsigned long long)words[BEFORE_RECORDS], (unsigned long long)words[AFTER_RECORDS],
            (double)words[SENT] * 1e-6, (unsigned long long)words[ROUNDS]);
}

/* All ranks. */
static hsd_status tell_all(const hsd_ranks *ranks, const hsd_ranks_stats *stats, hsd_error *err)
{
    const size_t count = (size_t)ranks->count * STAT_WORDS;
    uint64_t *out = calloc(count, sizeof *out), *in = calloc(count, sizeof *in);
    if (!out || !in) cli_ranks_abort(CLI_SYSTEM);
    for (unsigned i = 0; i < ranks->count; i++)
        fill_stats(out + (size_t)i * STAT_WORDS, stats);
    const hsd_status status = ranks->all_to_all(ranks->context, out, in, STAT_WORDS, err);
    for (unsigned i = 0; status == HSD_OK && ranks->rank == 0 && i < ranks->count; i++)
        tell_rank(i, in + (size_t)i * STAT_WORDS);
    free(out);
    free(in);
    return status;
}

static hsd_status tell_how(const cli_app *cli, const hsd_ranks *ranks, const hsd_ranks_stats *stats, hsd_error *err)
{
    return cli->options.verbose && stats->is_parted ? tell_all(ranks, stats, err) : HSD_OK;
}

static hsd_status compare(cli_app *cli, cli_outlets *outlets, cli_input inputs[2], const hsd_ranks *ranks,
                          hsd_error *err)
{
    const hsd_diff_options options = {.struct_bytes = sizeof options,
                                      .summary_only = cli->options.summary,
                                      .no_holders = cli->options.no_holders,
                                      .partial = cli->options.partial,
                                      .match_by = (hsd_match_by)cli->options.match};
    hsd_ranks_stats stats;
    hsd_diff *diff;
    hsd_status status = open_input(&inputs[0], cli, err);
    if (status == HSD_OK) status = open_input(&inputs[1], cli, err);
    HSD_TRY(hsd_ranks_agree(ranks, status, err));
    HSD_TRY(hsd_ranks_diff(&diff, inputs[0].capture, inputs[1].capture, &options, &cli->run, ranks, &stats, err));
    cli_progress_clear();
    status = tell_how(cli, ranks, &stats, err);
    if (status == HSD_OK && outlets != NULL) status = cli_compare_write(cli, outlets, inputs, diff, err);
    hsd_diff_free(diff);
    return status;
}

static int run_rank(cli_app *cli, cli_outlets *outlets, const hsd_ranks *ranks)
{
    cli_input inputs[2] = {{.path = cli->inputs[0]}, {.path = cli->inputs[1]}};
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = compare(cli, outlets, inputs, ranks, &err);
    cli_progress_clear();
    for (int i = 0; i < 2; i++)
        hsd_capture_close(inputs[i].capture);
    if (status == HSD_OK) return CLI_DONE;
    return ranks->rank == 0 ? cli_report_error(cli, &err) : CLI_DONE; /* who is told tells once */
}

/* The outputs are opened before any work is done, by rank 0; if that fails all others end, too. */
static int run_first(cli_app *cli, const hsd_ranks *ranks)
{
    cli_outlets outlets;
    int result = CLI_DONE;
    hsd_error err;
    hsd_error_init(&err);
    const bool is_open = cli_outlets_open(&outlets, cli, HSD_HOLDS_DIFF, &result);
    if (hsd_ranks_agree(ranks, is_open ? HSD_OK : HSD_E_CANCELLED, &err) != HSD_OK) return result;
    cli_progress_begin(cli);
    return cli_outlets_close(&outlets, cli, run_rank(cli, &outlets, ranks));
}

static int run_other(cli_app *cli, const hsd_ranks *ranks)
{
    hsd_error err;
    hsd_error_init(&err);
    return hsd_ranks_agree(ranks, HSD_OK, &err) == HSD_OK ? run_rank(cli, NULL, ranks) : CLI_DONE;
}

/* All ranks have the same command line, so all refuse it; one says why. */
static int run_parsed(cli_app *cli, const hsd_ranks *ranks)
{
    const bool is_first = ranks->rank == 0;
    if (!is_first && freopen("/dev/null", "w", stderr) == NULL) return CLI_SYSTEM;
    if (!cli_parse(cli)) return is_first ? CLI_USAGE : CLI_DONE;
    if (cli->options.help || cli->options.version) {
        if (is_first) fputs(cli->options.help ? usage : "hsdiff-mpi " HSDIFF_VERSION "\n", stdout);
        return CLI_DONE;
    }
    if (!is_usable(cli)) return is_first ? CLI_USAGE : CLI_DONE;
    prepare_run(cli, is_first);
    cli->command_line = cli_command_line(cli);
    if (!cli->command_line) cli_ranks_abort(CLI_SYSTEM);
    const int result = is_first ? run_first(cli, ranks) : run_other(cli, ranks);
    free(cli->command_line);
    return is_first && result == CLI_DONE && cli->saw_damage ? CLI_DAMAGED : result;
}

int main(int argc, char **argv)
{
    cli_app cli = {0};
    hsd_ranks ranks;
    cli_ranks_begin(&ranks, &argc, &argv);
    cli_signals_begin();
    const size_t word_count = (size_t)(argc > 0 ? argc : 1);
    const char **words = calloc(6 * word_count, sizeof *words);
    cli.argc = argc;
    cli.argv = argv;
    cli.given = calloc(word_count + CLI_OPTIONS_MAX, sizeof *cli.given);
    if (!words || !cli.given) cli_ranks_abort(CLI_SYSTEM);
    cli.inputs = words;
    cli.options.keys = words + word_count;
    cli.options.labels = words + 2 * word_count;
    cli.options.also = words + 3 * word_count;
    cli.options.symbols = words + 4 * word_count;
    cli.options.redact.keep = words + 5 * word_count;
    const int result = run_parsed(&cli, &ranks);
    free(words);
    free(cli.given);
    cli_progress_clear();
    cli_ranks_end();
    cli_signals_end();
    return result;
}
