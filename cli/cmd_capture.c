/*
 * hsdiff capture: the heap of a running program into a .hs, once or again and again; of a process that runs, of
 * several, or of a program that is started for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "capture/names.h"
#include "capture/remote.h"
#include "capture/report.h"
#include "capture/targets.h"
#include "capture/view.h"
#include "launch.h"
#include "options/common.h"
#include "progress.h"
#include "report_error.h"
#include "signals.h"

enum { STARTED_EVERY_MS = 10000, START_PATIENCE_MS = 30000, START_STEP_MS = 50 };
enum { RESTART_PATIENCE_MS = 60000, RESTART_STEP_MS = 250 };

/* A process that is captured, and the capture of it that was last. */
typedef struct target {
    hsd_process process;
    char last[CLI_PATH_BYTES];
    uint64_t taken;
    bool is_gone;
    bool is_descendant; /* of a program that was started: it may end whenever it likes */
} target;

static hsd_live_options live_options(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    return (hsd_live_options){.way = options->way,
                              .with_values = options->with_values,
                              .open_inspector = options->open_inspector,
                              .keep_cut = options->partial,
                              .timeout_seconds = (unsigned)((options->timeout_ms + 999) / 1000),
                              .compression = options->has_level ? (int)options->level : 1,
                              .symbol_directories = options->symbols,
                              .symbol_directory_count = options->symbol_count};
}

/* ---- one capture ---- */

/* Is it still the process that was looked at? It may have executed another program since, to which another way leads.
 */
static bool is_still_there(const cli_app *cli, target *of)
{
    hsd_process now;
    hsd_status status = hsd_process_look(&now, of->process.pid, of->process.way, NULL);
    if (status != HSD_OK) status = hsd_process_look(&now, of->process.pid, cli->options.way, NULL);
    of->is_gone = status != HSD_OK || now.started_unix_ns != of->process.started_unix_ns;
    if (!of->is_gone) of->process = now;
    return !of->is_gone;
}

static void tell_end_capture(const cli_app *cli, const target *of)
{
    cli_note(cli, "%s (pid %ld) has ended, after %llu capture%s", of->process.name, of->process.pid,
             (unsigned long long)of->taken, of->taken == 1 ? "" : "s");
}

static int take_one(const cli_app *cli, target *of, cli_captures among)
{
    char path[CLI_PATH_BYTES];
    hsd_live_result result = {0};
    hsd_error err;
    hsd_error_init(&err);
    if (!cli_capture_name(path, cli, &of->process, of->taken + 1, among)) return CLI_USAGE;
    const hsd_live_options options = live_options(cli);
    const hsd_status status =
        hsd_live_capture(&of->process, path, cli->options.force, &options, &cli->run, &result, &err);
    cli_progress_clear();
    if (status != HSD_OK && (of->taken > 0 || of->is_descendant) &&
        !is_still_there(cli, of)) { /* it ended meanwhile: no failure */
        if (of->taken > 0) tell_end_capture(cli, of);
        return CLI_DONE;
    }
    if (status != HSD_OK) return cli_report_error(cli, &err);
    const cli_taken taken = {
        .process = &of->process, .path = path, .previous = of->taken > 0 ? of->last : NULL, .result = &result};
    if (!cli_tell_taken(cli, &taken)) return CLI_SYSTEM;
    of->taken++;
    memcpy(of->last, path, sizeof path);
    return result.is_complete ? CLI_DONE : CLI_DAMAGED;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

typedef struct plan {
    uint64_t count, every_ms; /* captures of each, 0 = until it ends */
    uint64_t after_ms;        /* before the first */
    cli_child *child;         /* NULL = processes that ran already */
    bool is_by_name;          /* again and again, and by names alone: whatever is called so then */
    cli_captures among;
} plan;

/* The processes that are captured. With --follow those that a started program has started come in as they are found. */
typedef struct crowd {
    target *targets;
    size_t count;
    bool follows;
} crowd;

/* Descendants of the first to which a way is open. Others are looked at again in the next round: they may be starting.
 */
static void find_more(const cli_app *cli, crowd *all)
{
    long pids[CLI_MOST_TARGETS];
    for (size_t i = 0; i < all->count; i++)
        pids[i] = all->targets[i].process.pid;
    const size_t found = cli_add_descendants(pids, all->count, pids[0]);
    for (size_t i = all->count; i < found; i++) {
        target *of = &all->targets[all->count];
        *of = (target){.is_descendant = true};
        if (hsd_process_look(&of->process, pids[i], cli->options.way, NULL) == HSD_OK) all->count++;
    }
}

/* ---- restarts ---- */

static bool is_captured(const crowd *all, long pid)
{
    for (size_t i = 0; i < all->count; i++)
        if (!all->targets[i].is_gone && all->targets[i].process.pid == pid) return true;
    return false;
}

/* A program that was named may have been started anew: another process of its name takes its place, and its numbers. */
static bool find_again(const cli_app *cli, const crowd *all, target *of)
{
    long pids[CLI_MOST_TARGETS];
    size_t found = 0;
    hsd_process now;
    if (hsd_process_find(pids, CLI_MOST_TARGETS, &found, of->process.name, NULL) != HSD_OK) return false;
    for (size_t i = 0; i < found && i < CLI_MOST_TARGETS; i++) {
        if (is_captured(all, pids[i]) || hsd_process_look(&now, pids[i], cli->options.way, NULL) != HSD_OK) continue;
        of->process = now;
        of->is_gone = false;
        cli_note(cli, "%s runs again (pid %ld)", now.name, now.pid);
        return true;
    }
    return false;
}

static bool find_all_again(const cli_app *cli, const plan *how, const crowd *all)
{
    bool is_found = false;
    for (size_t i = 0; how->is_by_name && i < all->count; i++)
        if (all->targets[i].is_gone) is_found |= find_again(cli, all, &all->targets[i]);
    return is_found;
}

/* All have ended. False when none comes back in time. */
static bool wait_for_restart(const cli_app *cli, const plan *how, const crowd *all)
{
    const uint64_t patience_ms = how->every_ms * 3 > RESTART_PATIENCE_MS ? how->every_ms * 3 : RESTART_PATIENCE_MS;
    const uint64_t end = now_ms() + patience_ms;
    if (!how->is_by_name || find_all_again(cli, how, all)) return how->is_by_name;
    cli_note(cli, "waiting %llu s for it to start again", (unsigned long long)patience_ms / 1000);
    while (now_ms() < end && cli_child_sleep(how->child, RESTART_STEP_MS))
        if (find_all_again(cli, how, all)) return true;
    return false;
}

/* ---- rounds ---- */

/* One round over all targets. How many are left. */
static size_t take_round(const cli_app *cli, const plan *how, crowd *all, int *result)
{
    size_t left = 0;
    if (all->follows) find_more(cli, all);
    find_all_again(cli, how, all);
    for (size_t i = 0; i < all->count && cli_signal_seen() == 0; i++) {
        target *of = &all->targets[i];
        if (of->is_gone) continue;
        if (of->taken > 0 && !is_still_there(cli, of)) {
            tell_end_capture(cli, of);
            continue;
        }
        const int one = take_one(cli, of, how->among);
        if (one != CLI_DONE && *result == CLI_DONE) *result = one;
        if (one != CLI_DONE && of->taken == 0) of->is_gone = true;
        left += !of->is_gone;
    }
    return left;
}

static int take_all_captures(const cli_app *cli, const plan *how, crowd *all)
{
    int result = CLI_DONE;
    uint64_t due = now_ms() + how->after_ms;
    if (!cli_child_sleep(how->child, how->after_ms)) return result;
    for (uint64_t round = 1;; round++) {
        const size_t left = take_round(cli, how, all, &result);
        if (cli_signal_seen() != 0 || (how->count > 0 && round >= how->count)) return result;
        if (left == 0 && !all->follows && !wait_for_restart(cli, how, all)) return result;
        const uint64_t now = now_ms();
        due = due + how->every_ms > now ? due + how->every_ms : now;
        if (!cli_child_sleep(how->child, due - now)) return result;
    }
}

/* ---- processes that run ---- */

static int look_at_capture(const cli_app *cli, target *targets, const long *pids, size_t *count)
{
    int result = CLI_DONE;
    size_t open = 0;
    for (size_t i = 0; i < *count; i++) {
        hsd_error err;
        hsd_error_init(&err);
        targets[open] = (target){0};
        if (hsd_process_look(&targets[open].process, pids[i], cli->options.way, &err) == HSD_OK) {
            open++;
            continue;
        }
        const int one = cli_report_error(cli, &err);
        if (result == CLI_DONE) result = one;
    }
    *count = open;
    return result;
}

static int forget_all(const cli_app *cli, const target *targets, size_t count)
{
    int result = CLI_DONE;
    for (size_t i = 0; i < count; i++) {
        hsd_error err;
        hsd_error_init(&err);
        if (hsd_live_forget(&targets[i].process, &cli->run, &err) != HSD_OK) {
            const int one = cli_report_error(cli, &err);
            if (result == CLI_DONE) result = one;
        } else {
            cli_note(cli,
                     "%s (pid %ld) has given back what captures kept in it; objects of the next one count as new to "
                     "earlier ones",
                     targets[i].process.name, targets[i].process.pid);
        }
    }
    return result;
}

static int capture_running(const cli_app *cli)
{
    long pids[CLI_MOST_TARGETS];
    size_t count;
    if (!cli_find_targets(cli, pids, &count)) return CLI_USAGE;
    if (cli->options.output && strcmp(cli->options.output, "-") == 0 && (count > 1 || cli->options.every_ms > 0)) {
        cli_complain("one capture fits standard output, and several were asked for.");
        return CLI_USAGE;
    }
    target *targets = calloc(count, sizeof *targets);
    if (!targets) {
        cli_complain("out of memory.");
        return CLI_SYSTEM;
    }
    const plan how = {.count = cli->options.count > 0      ? cli->options.count
                               : cli->options.every_ms > 0 ? 0
                                                           : 1,
                      .every_ms = cli->options.every_ms,
                      .after_ms = cli->options.capture.after_ms,
                      .is_by_name = cli->options.every_ms > 0 && cli_are_names(cli),
                      .among = count > 1                                               ? CLI_CAPTURES_OF_SEVERAL
                               : cli->options.every_ms == 0 && cli->options.count <= 1 ? CLI_CAPTURE_ALONE
                                                                                       : CLI_CAPTURES_OF_ONE};
    int result = look_at_capture(cli, targets, pids, &count);
    if (count > 0) {
        crowd all = {.targets = targets, .count = count};
        const int taken =
            cli->options.capture.forget ? forget_all(cli, targets, count) : take_all_captures(cli, &how, &all);
        if (result == CLI_DONE) result = taken;
    }
    free(targets);
    return result;
}

/* ---- a program that is started ---- */

/* Waits until the way to it is open: its runtime needs a moment to start. */
static hsd_status wait_until_open(cli_child *child, target *of, const char *way, hsd_error *err)
{
    hsd_status status = HSD_E_UNSUPPORTED;
    for (unsigned waited = 0; waited < START_PATIENCE_MS; waited += START_STEP_MS) {
        hsd_error_init(err);
        status = hsd_process_look(&of->process, child->pid, way, err);
        if (status == HSD_OK || !cli_child_sleep(child, START_STEP_MS)) break;
    }
    return status;
}

/* Captures it until it ends. `targets` has room for all that it may start. */
static int capture_child(const cli_app *cli, cli_child *child, const char *way, target *targets)
{
    const cli_options *options = &cli->options;
    const uint64_t every_ms = options->every_ms > 0 ? options->every_ms : STARTED_EVERY_MS;
    const plan how = {.count = options->count,
                      .every_ms = every_ms,
                      .after_ms = options->capture.after_ms > 0 ? options->capture.after_ms : every_ms,
                      .child = child,
                      .among = options->capture.follow ? CLI_CAPTURES_OF_SEVERAL : CLI_CAPTURES_OF_ONE};
    crowd all = {.targets = targets, .count = 1, .follows = options->capture.follow};
    int result = CLI_DONE;
    hsd_error err;
    if (wait_until_open(child, &targets[0], way, &err) == HSD_OK)
        result = take_all_captures(cli, &how, &all);
    else if (!cli_child_ended(child))
        result = cli_report_error(cli, &err);
    if (how.count > 0 && targets[0].taken >= how.count && cli_signal_seen() == 0 && !cli_child_ended(child))
        cli_note(cli, "all captures are taken; waiting for %s (pid %ld) to end", cli->inputs[0], (long)child->pid);
    cli_child_wait(child);
    if (targets[0].taken == 0 && all.count == 1 && result == CLI_DONE)
        cli_note(cli, "%s ended before its first capture; --every and --after say when it is taken", cli->inputs[0]);
    return child->exit_status != 0 ? child->exit_status : result;
}

static int capture_started(const cli_app *cli)
{
    cli_child child;
    const char *way = NULL;
    int result;
    if (cli->options.output && strcmp(cli->options.output, "-") == 0) {
        cli_complain("standard output is that of the program that is started: -o takes a file or a folder.");
        return CLI_USAGE;
    }
    target *targets = calloc(CLI_MOST_TARGETS, sizeof *targets);
    if (!targets) {
        cli_complain("out of memory.");
        return CLI_SYSTEM;
    }
    if (cli_launch(&child, cli, &way, &result)) result = capture_child(cli, &child, way, targets);
    free(targets);
    return result;
}

static int run_capture(cli_app *cli)
{
    int made = CLI_DONE;
    if (!cli_knows_capture_format(cli) || !cli_knows_way(cli)) return CLI_USAGE;
    if (cli->options.capture.serve) {
        const hsd_live_options options = live_options(cli);
        return cli_capture_serve(cli, &options);
    }
    if (cli_is_remote(cli)) {
        made = cli_make_folder(cli);
        return made != CLI_DONE ? made : cli_capture_remote(cli);
    }
    if (cli->options.capture.follow && !cli->has_dashes) {
        cli_complain("--follow is for programs that are started: hsdiff capture --follow -- COMMAND.");
        return CLI_USAGE;
    }
    if (!cli->options.capture.view && (cli->options.open || cli->options.ipv6 || cli->options.port > 0 ||
                                       cli->options.idle_ms > 0 || cli->options.never_idle)) {
        cli_complain("--open, --port, --ipv6 and --idle are of the viewer: add --view.");
        return CLI_USAGE;
    }
    if (cli->options.capture.view) {
        const hsd_live_options options = live_options(cli);
        return cli_capture_view(cli, &options);
    }
    if (!cli->options.capture.forget) made = cli_make_folder(cli);
    if (made != CLI_DONE) return made;
    return cli->has_dashes ? capture_started(cli) : capture_running(cli);
}

static const cli_example examples[] = {
    {"hsdiff capture 4121 -o before.hs", "the heap of process 4121"},
    {"hsdiff capture checkout-api --every 60s --count 10 -o run/", "by name, ten times, into a folder"},
    {"hsdiff capture 4121 4122 -o %n-%p.hs", "two processes, each into a file of its own"},
    {"hsdiff capture --every 30s -- ./server --port 8080", "a program that is started for it"},
    {"hsdiff capture --follow -o run/ -- ./start.sh", "and every program that the script starts"},
    {"hsdiff capture 4121 --view --open", "look at it in the browser, and keep nothing"},
    {"hsdiff capture ssh://shop.example.org/checkout-api -o x.hs", "of a program on another machine"},
    {"hsdiff capture --forget 4121", "give back what captures keep in a JVM"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_format_of_captures,
    &(const cli_option){.name = "every",
                        .value = "TIME",
                        .kind = CLI_DURATION,
                        .offset = CLI_FIELD(every_ms),
                        .told = CLI_LEFT_OUT,
                        .help = "take a capture every TIME, such as 60s or 5m, until the program ends or --count is "
                                "reached; a program that was named may start again "
                                "within a minute, or three TIMEs; by default one capture, and every 10s of a program "
                                "that is started with --"},
    &cli_option_count,
    &(const cli_option){.name = "after",
                        .value = "TIME",
                        .kind = CLI_DURATION,
                        .offset = CLI_FIELD(capture.after_ms),
                        .told = CLI_TOLD,
                        .help = "wait that long before the first one; by default not at all, or as long as --every for "
                                "a program that is started with --"},
    &cli_option_way,
    &cli_option_open_inspector,
    &(const cli_option){.name = "follow",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(capture.follow),
                        .told = CLI_LEFT_OUT,
                        .help = "with --: capture what the program starts, too, and what that starts; their names are "
                                "told apart by NAME-PID"},
    &(const cli_option){
        .name = "forget",
        .kind = CLI_FLAG,
        .offset = CLI_FIELD(capture.forget),
        .told = CLI_LEFT_OUT,
        .help = "capture nothing: give back the memory that earlier captures keep in the process (the tags of a JVM)"},
    &cli_option_remote,
    &(const cli_option){
        .name = "serve",
        .value = "TICKET",
        .kind = CLI_TEXT,
        .offset = CLI_FIELD(capture.serve),
        .told = CLI_LEFT_OUT,
        .help = "the other end of ssh://, which is started by it: the capture goes to standard output in parts"},
    &cli_option_timeout,
    &cli_option_symbols,
    &(const cli_option){
        .name = "view",
        .kind = CLI_FLAG,
        .offset = CLI_FIELD(capture.view),
        .told = CLI_TOLD,
        .help = "one capture of one process: show it as hsdiff view does; without -o it is kept nowhere else"},
    &cli_option_open,
    &cli_option_port,
    &cli_option_ipv6,
    &cli_option_idle,
    &cli_option_partial_capture,
    &cli_option_with_values,
    &cli_option_level,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_capture = {
    .name = "capture",
    .synopsis = "PID|NAME... | ssh://HOST/PID|NAME | -- COMMAND...",
    .summary = "take a capture of a running program",
    .description =
        "PID or NAME is a running process; hsdiff ps lists them. A part of a name is enough if it fits only one "
        "process.\n"
        "\n"
        "hsdiff finds out what runs in the process (JVM, .NET, Python, Node, Go, Mono, Lua, Ruby, C or C++) and "
        "captures its heap in the best way that works. The program goes on, and it writes no file. The capture arrives "
        "as a stream, so hsdiff never holds it in memory. If the process cannot be captured, hsdiff says why, and the "
        "smallest change that would allow it.\n"
        "\n"
        "A capture has types, sizes, references and the names that the program declares. It has no strings, keys or "
        "values of the program. hsdiff reports what it stored, how long the program stood still, and what command to "
        "run next.\n"
        "\n"
        "A command after -- is started by hsdiff, with what its runtime needs to be captured. By default hsdiff then "
        "takes a capture every 10 s until the command ends. The exit status is that of the command, if it is not 0. If "
        "the command is a script that starts the program, add --follow.\n"
        "\n"
        "ssh://[USER@]HOST[:PORT]/NAME is a program on another machine. hsdiff must be installed there, and ssh must "
        "be able to log in without asking. The capture is taken there, into a file without a name, and sent while it "
        "grows. If the connection breaks, hsdiff connects again and continues where it stopped. In NAME a space is "
        "written %20.\n"
        "\n"
        "These are the ways. native: an agent in C and C++ programs, which -- or LD_PRELOAD puts there. jvm: an agent "
        "that is loaded into a running JVM, and recognises objects in later captures. hprof: a heap dump of a JVM, "
        "through a pipe. dotnet: the diagnostics socket of .NET. go: the memory of a Go program, which is stopped for "
        "a moment. node: a helper in Node, which -- or node --require puts there. inspector: Node or Deno with "
        "--inspect. "
        "mono, lua and ruby: modules that -- puts there. python: a module that -- puts there. python-inject: the same "
        "agent, put for a moment into a Python that was started as usual. python-remote: a script that Python 3.14 is "
        "asked to run.",
    .examples = examples,
    .options = options,
    .is_of_processes = true,
    .inputs_min = 1,
    .inputs_max = 1000,
    .run = run_capture,
};
