/*
 * hsdiff symbolize IN -o OUT: names for the addresses in a capture of a native program, where they were not at hand
 * when it was taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <hsdiff/output.h>
#include <hsdiff/symbols.h>

#include "options/common.h"
#include "options/values.h"
#include "progress.h"
#include "report_error.h"

static void tell_symbolized(const cli_app *cli, const hsd_symbol_result *result)
{
    char names[HSD_NUMBER_CHARS], resolved[HSD_NUMBER_CHARS], modules[HSD_NUMBER_CHARS], found[HSD_NUMBER_CHARS];
    if (result->names == 0) {
        cli_note(cli, "there was no name to resolve: %s is a copy", cli->options.output);
        return;
    }
    cli_note(cli, "%s of %s name%s resolved; %s of %s file%s found", hsd_format_count(resolved, result->resolved),
             hsd_format_count(names, result->names), result->names == 1 ? "" : "s",
             hsd_format_count(found, result->modules_found), hsd_format_count(modules, result->modules),
             result->modules == 1 ? "" : "s");
}

static int run_symbolize(cli_app *cli)
{
    const cli_options *options = &cli->options;
    hsd_symbol_result result = {0};
    hsd_error err;
    hsd_error_init(&err);
    if (!options->output) {
        cli_complain("symbolize needs to know where to write: -o OUT.hs.");
        return CLI_USAGE;
    }
    const int in = open(cli->inputs[0], O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in < 0) {
        hsd_fail_errno(&err, errno, "cannot be opened");
        hsd_error_set_file(&err, cli->inputs[0]);
        return cli_report_error(cli, &err);
    }
    const hsd_symbol_options symbols = {
        .pid = (long)options->pid, .directories = options->symbols, .directory_count = options->symbol_count};
    const hsd_status status =
        hsd_symbols_resolve_file(in, options->output, options->force, &symbols, &cli->run, &result, &err);
    close(in);
    cli_progress_clear();
    if (status != HSD_OK) {
        hsd_error_set_file(&err, cli->inputs[0]);
        return cli_report_error(cli, &err);
    }
    tell_symbolized(cli, &result);
    if (result.is_whole) return CLI_DONE;
    cli_note(cli, "%s was cut off, and so is %s: it ends where the last whole block did", cli->inputs[0],
             options->output);
    return CLI_DAMAGED;
}

static const cli_example examples[] = {
    {"hsdiff symbolize heap.hs -o named.hs --symbols build/", "programs and libraries lie in build/"},
    {"hsdiff symbolize heap.hs -o named.hs --pid 4121", "those that process 4121 has mapped"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_symbols,
    &(const cli_option){.name = "pid",
                        .value = "PID",
                        .kind = CLI_OTHER,
                        .set = cli_set_pid,
                        .told = CLI_LEFT_OUT,
                        .help = "look at the files that this process has mapped"},
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_symbolize = {
    .name = "symbolize",
    .synopsis = "IN.hs -o OUT.hs",
    .summary = "replace addresses in a native capture by names",
    .description =
        "A capture of a C or C++ program that an agent wrote by itself, or sent to hsdiff receive, holds "
        "addresses and build ids; hsdiff "
        "capture puts names to them at once, from the files that the process has mapped. This does it "
        "later: programs, libraries and "
        "debug files are looked for by build id, in the folders of --symbols, in /usr/lib/debug, and with "
        "--pid among the files that a process "
        "has mapped. A heap profile as text has no build ids: its files are found by name, and hsdiff says so. No path "
        "that stands in the capture is ever opened.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_symbolize,
};
