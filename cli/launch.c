/*
 * Starting a program. A pipe that closes when exec succeeds tells why it did not.
 */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report_error.h"
#include "signals.h"

enum { NO_SUCH_PROGRAM = 127, CANNOT_RUN = 126, SLICE_MS = 50 };

static void set_variable(void *context, const char *name, const char *value)
{
    *(bool *)context &= setenv(name, value, 1) == 0;
}

/* The native agent leaves the environment of what its program executes, unless it is told to follow. */
static void let_agents_follow(bool *is_set)
{
    char both[1024];
    const char *before = getenv("HSDIFF_NATIVE");
    const int size = snprintf(both, sizeof both, "%s%sfollow=1", before ? before : "", before && *before ? " " : "");
    *is_set &= size > 0 && (size_t)size < sizeof both && setenv("HSDIFF_NATIVE", both, 1) == 0;
}

/* In the child. Never returns. */
static void become(char **words, int tell)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], &action, NULL);
    }
    execvp(words[0], words);
    const int why = errno;
    const ssize_t told = write(tell, &why, sizeof why);
    _exit(told == (ssize_t)sizeof why ? 0 : CANNOT_RUN);
}

static bool start_launch(cli_child *child, char **words, int *why)
{
    int report[2];
    if (pipe(report) != 0) {
        *why = errno;
        return false;
    }
    fcntl(report[0], F_SETFD, FD_CLOEXEC);
    fcntl(report[1], F_SETFD, FD_CLOEXEC);
    child->pid = fork();
    if (child->pid == 0) become(words, report[1]);
    *why = child->pid < 0 ? errno : 0;
    close(report[1]);
    if (child->pid > 0) {
        ssize_t got;
        do {
            got = read(report[0], why, sizeof *why);
        } while (got < 0 && errno == EINTR);
        if (got != (ssize_t)sizeof *why) *why = 0;
        if (*why != 0) waitpid(child->pid, NULL, 0);
    }
    close(report[0]);
    return *why == 0;
}

bool cli_launch(cli_child *child, const cli_app *cli, const char **way, int *result)
{
    bool is_set = true;
    hsd_error err;
    hsd_error_init(&err);
    *child = (cli_child){0};
    *result = CLI_SYSTEM;
    char **words = calloc(cli->input_count + 1, sizeof *words);
    if (!words) {
        cli_complain("out of memory.");
        return false;
    }
    for (size_t i = 0; i < cli->input_count; i++)
        words[i] = (char *)(uintptr_t)cli->inputs[i];
    int why = 0;
    bool runs = false;
    if (cli->options.capture.follow) let_agents_follow(&is_set);
    if (hsd_live_prepare((const char *const *)words, cli->options.way, way, set_variable, &is_set, &err) != HSD_OK) {
        *result = cli_report_error(cli, &err);
    } else if (!is_set) {
        cli_complain("out of memory.");
    } else if (!(runs = start_launch(child, words, &why))) {
        hsd_fail_errno(&err, why, "cannot be started");
        hsd_error_set_file(&err, words[0]);
        if (why == ENOENT && !strchr(words[0], '/') && access(words[0], X_OK) == 0)
            hsd_error_set_hint(&err, "there is one in this folder: ./%s", words[0]);
        cli_report_error(cli, &err);
        *result = why == ENOENT ? NO_SUCH_PROGRAM : CANNOT_RUN;
    }
    free(words);
    return runs;
}

static void take_status(cli_child *child, int status)
{
    child->has_ended = true;
    child->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool cli_child_ended(cli_child *child)
{
    int status;
    if (!child->has_ended && waitpid(child->pid, &status, WNOHANG) == child->pid) take_status(child, status);
    return child->has_ended;
}

bool cli_child_sleep(cli_child *child, uint64_t milliseconds)
{
    for (uint64_t slept = 0; slept < milliseconds; slept += SLICE_MS) {
        if (cli_signal_seen() != 0 || (child && cli_child_ended(child))) return false;
        const uint64_t rest = milliseconds - slept;
        nanosleep(&(struct timespec){.tv_nsec = (long)(rest < SLICE_MS ? rest : SLICE_MS) * 1000000}, NULL);
    }
    return cli_signal_seen() == 0 && !(child && cli_child_ended(child));
}

void cli_child_wait(cli_child *child)
{
    bool is_told = false;
    while (!cli_child_ended(child)) {
        if (cli_signal_seen() != 0 && !is_told) {
            is_told = true;
            kill(child->pid, cli_signal_seen());
            cli_signals_take();
        }
        nanosleep(&(struct timespec){.tv_nsec = SLICE_MS * 1000000L}, NULL);
    }
}
