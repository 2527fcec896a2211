/*
 * A capture that is looked at as soon as it is taken. Without -o it has no name anywhere, and is gone with the viewer.
 */
#include "capture/view.h"

#include <stdio.h>
#include <string.h>

#include "capture/names.h"
#include "capture/report.h"
#include "capture/targets.h"
#include "progress.h"
#include "report_error.h"
#include "viewer.h"

static bool is_usable_capture_view(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (cli->has_dashes)
        cli_complain("--view shows a process that runs: hsdiff capture PID --view.");
    else if (options->every_ms > 0 || options->count > 1 || options->capture.forget)
        cli_complain("--view shows one capture: leave out %s.", options->every_ms > 0     ? "--every"
                                                                : options->capture.forget ? "--forget"
                                                                                          : "--count");
    else if (options->output && strcmp(options->output, "-") == 0)
        cli_complain("--view prints its address on standard output: -o takes a file, or leave it out.");
    else if (options->format && strcmp(options->format, "json") == 0)
        cli_complain("--view prints its address on standard output: leave out --format json.");
    else
        return true;
    return false;
}

/* The one process that is meant. False after a message. */
static bool find_process(const cli_app *cli, hsd_process *process, int *result)
{
    long pids[CLI_MOST_TARGETS];
    size_t count;
    hsd_error err;
    hsd_error_init(&err);
    *result = CLI_USAGE;
    if (!cli_find_targets(cli, pids, &count)) return false;
    if (count != 1) {
        cli_complain("--view shows one process, and %zu were named: say which by its pid.", count);
        return false;
    }
    if (hsd_process_look(process, pids[0], cli->options.way, &err) == HSD_OK) return true;
    *result = cli_report_error(cli, &err);
    return false;
}

static hsd_status take_unnamed(const cli_app *cli, const hsd_process *process, const hsd_live_options *options,
                               cli_input *input, hsd_live_result *taken, hsd_error *err)
{
    int fd;
    HSD_TRY(hsd_live_capture_temp(process, options, &cli->run, &fd, taken, err));
    return hsd_capture_open_fd(&input->capture, fd, input->path, HSD_DAMAGE_SKIP, &cli->run, err);
}

static hsd_status take_named(const cli_app *cli, const hsd_process *process, const hsd_live_options *options,
                             cli_input *input, hsd_live_result *taken, hsd_error *err)
{
    HSD_TRY(hsd_live_capture(process, input->path, cli->options.force, options, &cli->run, taken, err));
    return hsd_capture_open(&input->capture, input->path, HSD_DAMAGE_SKIP, &cli->run, err);
}

int cli_capture_view(cli_app *cli, const hsd_live_options *options)
{
    char name[CLI_PATH_BYTES];
    hsd_process process;
    hsd_live_result taken = {0};
    hsd_error err;
    int result;
    hsd_error_init(&err);
    if (!is_usable_capture_view(cli)) return CLI_USAGE;
    if (!find_process(cli, &process, &result)) return result;
    const bool is_named = cli->options.output != NULL;
    if (!is_named)
        snprintf(name, sizeof name, "%s (pid %ld)", process.name, process.pid);
    else if (!cli_capture_name(name, cli, &process, 1, CLI_CAPTURE_ALONE))
        return CLI_USAGE;
    cli_input input = {.path = name};
    const hsd_status status = is_named ? take_named(cli, &process, options, &input, &taken, &err)
                                       : take_unnamed(cli, &process, options, &input, &taken, &err);
    cli_progress_clear();
    const cli_taken told = {.process = &process, .path = is_named ? name : NULL, .result = &taken};
    if (status != HSD_OK)
        result = cli_report_error(cli, &err);
    else
        result = cli_tell_taken(cli, &told) ? cli_viewer_run(cli, &input) : CLI_SYSTEM;
    cli_inputs_close(&input, 1);
    return result == CLI_DONE && !taken.is_complete ? CLI_DAMAGED : result;
}
