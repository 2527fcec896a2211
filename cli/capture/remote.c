/*
 * Both ends of a capture over ssh, as commands. The near end passes on how the capture is to be taken, and names the
 * file here; the far end finds the process and takes it, as for a user there.
 */
#include "capture/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/remote.h>

#include "capture/names.h"
#include "capture/report.h"
#include "capture/targets.h"
#include "launch.h"
#include "progress.h"
#include "report_error.h"
#include "signals.h"

enum { FIXED_WORDS = 12, SYMBOL_WORDS = 64, NUMBER_CHARS = 32 };

bool cli_is_remote(const cli_app *cli)
{
    for (size_t i = 0; !cli->has_dashes && i < cli->input_count; i++)
        if (hsd_remote_is(cli->inputs[i])) return true;
    return false;
}

static bool parse(const cli_app *cli, hsd_remote *at)
{
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_remote_parse(at, cli->inputs[0], &err) == HSD_OK) return true;
    cli_complain("%s: %s.", err.text, err.hint);
    return false;
}

static void call_capture_remote(const hsd_remote *at, char out[sizeof at->user + sizeof at->host + 1])
{
    snprintf(out, sizeof at->user + sizeof at->host + 1, "%s%s%s", at->user, *at->user ? "@" : "", at->host);
}

/* ---- the near end ---- */

static bool is_usable_capture_remote(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (cli->input_count > 1)
        cli_complain("one program of one machine is captured over ssh, and %zu were named.", cli->input_count);
    else if (options->capture.view)
        cli_complain("--view is for programs of this machine: take the capture with -o FILE, then hsdiff view FILE.");
    else if (options->capture.forget)
        cli_complain("--forget is for programs of this machine: ssh HOST hsdiff capture --forget PID.");
    else if (options->symbol_count * 2 > SYMBOL_WORDS)
        cli_complain("at most %d --symbols are passed on over ssh.", SYMBOL_WORDS / 2);
    else if (options->output && strcmp(options->output, "-") == 0 && options->every_ms > 0)
        cli_complain("one capture fits standard output, and several were asked for.");
    else
        return true;
    return false;
}

/* How it is to be taken, for the hsdiff there. */
typedef struct passed_on {
    const char *words[FIXED_WORDS + SYMBOL_WORDS];
    size_t count;
    char level[NUMBER_CHARS], timeout[NUMBER_CHARS];
} passed_on;

static void add_capture_remote(passed_on *all, const char *word, const char *value)
{
    all->words[all->count++] = word;
    if (value) all->words[all->count++] = value;
}

static void pass_on_capture_remote(passed_on *all, const cli_options *options)
{
    *all = (passed_on){.count = 0};
    snprintf(all->level, sizeof all->level, "%" PRIu64, options->level);
    snprintf(all->timeout, sizeof all->timeout, "%" PRIu64 "ms", options->timeout_ms);
    if (options->way) add_capture_remote(all, "--way", options->way);
    if (options->has_level) add_capture_remote(all, "--level", all->level);
    if (options->timeout_ms > 0) add_capture_remote(all, "--timeout", all->timeout);
    if (options->with_values) add_capture_remote(all, "--with-values", NULL);
    if (options->open_inspector) add_capture_remote(all, "--open-inspector", NULL);
    if (options->partial) add_capture_remote(all, "--partial", NULL);
    for (size_t i = 0; i < options->symbol_count; i++)
        add_capture_remote(all, "--symbols", options->symbols[i]);
}

typedef struct naming {
    const cli_app *cli;
    uint64_t number;
    char path[CLI_PATH_BYTES];
} naming;

static const char *name_it(void *context, const hsd_process *process)
{
    naming *self = context;
    const bool is_alone = self->cli->options.every_ms == 0 && self->cli->options.count <= 1;
    return cli_capture_name(self->path, self->cli, process, self->number,
                            is_alone ? CLI_CAPTURE_ALONE : CLI_CAPTURES_OF_ONE)
               ? self->path
               : NULL;
}

static int tell_capture_remote(const cli_app *cli, const hsd_remote *at, const hsd_remote_answer *answer,
                               const naming *named, const char *previous)
{
    char whom[sizeof at->user + sizeof at->host + 1];
    call_capture_remote(at, whom);
    cli_relay_said(cli, whom, answer->said, answer->exit_status != CLI_DONE);
    const bool is_kept = answer->result.output_bytes > 0;
    if (answer->exit_status != CLI_DONE && !*answer->said)
        cli_note(cli, "%s: the capture there ended with status %d", whom, answer->exit_status);
    if (!is_kept) return answer->exit_status != CLI_DONE ? answer->exit_status : CLI_DAMAGED;
    const cli_taken taken = {.process = &answer->process,
                             .path = named->path,
                             .previous = *previous ? previous : NULL,
                             .result = &answer->result};
    if (!cli_tell_taken(cli, &taken)) return CLI_SYSTEM;
    if (answer->resumed > 0)
        cli_note(cli, "  the connection broke and was made anew %u time%s", answer->resumed,
                 answer->resumed == 1 ? "" : "s");
    return answer->exit_status != CLI_DONE ? answer->exit_status : answer->result.is_complete ? CLI_DONE : CLI_DAMAGED;
}

static int take_one(const cli_app *cli, const hsd_remote *at, const passed_on *words, naming *named,
                    const char *previous)
{
    hsd_remote_answer answer;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_remote_options options = {.command = cli->options.remote,
                                        .words = words->words,
                                        .word_count = words->count,
                                        .force = cli->options.force,
                                        .keep_cut = cli->options.partial,
                                        .timeout_seconds = (unsigned)((cli->options.timeout_ms + 999) / 1000),
                                        .name_it = name_it,
                                        .context = named};
    const hsd_status status = hsd_remote_capture(at, &options, &cli->run, &answer, &err);
    cli_progress_clear();
    if (status == HSD_E_CANCELLED && cli_signal_seen() == 0) return CLI_USAGE; /* name_it has complained */
    return status == HSD_OK ? tell_capture_remote(cli, at, &answer, named, previous) : cli_report_error(cli, &err);
}

int cli_capture_remote(const cli_app *cli)
{
    hsd_remote at;
    passed_on words;
    naming named = {.cli = cli};
    char previous[CLI_PATH_BYTES] = "";
    const cli_options *options = &cli->options;
    const uint64_t count = options->count > 0 ? options->count : options->every_ms > 0 ? UINT64_MAX : 1;
    int result = CLI_DONE;
    if (!is_usable_capture_remote(cli) || !parse(cli, &at)) return CLI_USAGE;
    pass_on_capture_remote(&words, options);
    if (!cli_child_sleep(NULL, options->capture.after_ms)) return CLI_DONE;
    for (named.number = 1; named.number <= count; named.number++) {
        if (named.number > 1 && !cli_child_sleep(NULL, options->every_ms)) return result;
        const int one = take_one(cli, &at, &words, &named, previous);
        if (one != CLI_DONE || cli_signal_seen() != 0) return one;
        memcpy(previous, named.path, sizeof previous);
    }
    return result;
}

/* ---- the far end ---- */

typedef struct serving {
    const cli_app *cli;
    const hsd_live_options *options;
} serving;

/* The one process that is meant. False after a message. */
static bool find_process(const cli_app *cli, hsd_process *process, int *result)
{
    long pids[CLI_MOST_TARGETS];
    size_t count;
    hsd_error err;
    hsd_error_init(&err);
    *result = CLI_USAGE;
    if (!cli_find_targets(cli, pids, &count)) return false;
    if (count != 1)
        cli_complain("%zu processes are called '%s': name one by its pid, which hsdiff ps shows.", count,
                     cli->inputs[0]);
    if (count != 1) return false;
    if (hsd_process_look(process, pids[0], cli->options.way, &err) == HSD_OK) return true;
    *result = cli_report_error(cli, &err);
    return false;
}

static int take_to_output(void *context, int report)
{
    const serving *self = context;
    hsd_process process;
    hsd_live_result taken = {0};
    hsd_error err;
    int result;
    hsd_error_init(&err);
    if (!find_process(self->cli, &process, &result)) return result;
    hsd_remote_tell_process(report, &process);
    const hsd_status status = hsd_live_capture(&process, "-", false, self->options, &self->cli->run, &taken, &err);
    if (status != HSD_OK) return cli_report_error(self->cli, &err);
    hsd_remote_tell_result(report, &taken);
    return taken.is_complete ? CLI_DONE : CLI_DAMAGED;
}

int cli_capture_serve(const cli_app *cli, const hsd_live_options *options)
{
    serving self = {.cli = cli, .options = options};
    hsd_error err;
    hsd_error_init(&err);
    if (!hsd_remote_is_ticket(cli->options.capture.serve) || cli->input_count != 1 || cli->has_dashes) {
        cli_complain("--serve is what hsdiff capture ssh:// says to the hsdiff at the other end.");
        return CLI_USAGE;
    }
    if (hsd_remote_serve(cli->options.capture.serve, take_to_output, &self, &cli->run, &err) == HSD_OK) return CLI_DONE;
    return cli_report_error(cli, &err);
}

/* ---- lists ---- */

static bool put_capture_remote(void *context, const void *data, size_t size)
{
    cli_out *out = context;
    cli_out_format(out, "%.*s", (int)size, (const char *)data);
    return out->status == HSD_OK;
}

int cli_list_remote(const cli_app *cli, cli_out *out)
{
    hsd_remote at;
    hsd_error err;
    int result = CLI_DONE;
    char said[HSD_REMOTE_SAID_BYTES], whom[sizeof at.user + sizeof at.host + 1];
    const char *words[5];
    size_t count = 0;
    hsd_error_init(&err);
    if (!parse(cli, &at)) return CLI_USAGE;
    words[count++] = "ps";
    if (cli->options.ps.all) words[count++] = "--all";
    if (cli->options.format) {
        words[count++] = "--format";
        words[count++] = cli->options.format;
    }
    if (*at.name) words[count++] = at.name;
    call_capture_remote(&at, whom);
    if (hsd_remote_run(&at, cli->options.remote, words, count, put_capture_remote, out, &cli->run, &result, said,
                       &err) != HSD_OK)
        return cli_report_error(cli, &err);
    cli_relay_said(cli, whom, said, result != CLI_DONE);
    return result;
}
