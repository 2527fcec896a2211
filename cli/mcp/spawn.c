#define _GNU_SOURCE /* pipe2 */
/*
 * hsdiff as a process of its own.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS    100
#define STOP_STEPS 30 /* from TERM to KILL */
#define PROGRAM    "/proc/self/exe"
#define SAID_MOST  ((size_t)64 << 10)

/* Between fork and exec: calls that a signal handler might make, and no others. */
static void become_hsdiff(const char *const *words, int folder, int out)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int in = open("/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) return;
    if (folder >= 0 && fchdir(folder) != 0) return;
    execv(PROGRAM, (char *const *)words);
}

static int start_process(const char *const *words, int folder, int out, pid_t *pid)
{
    *pid = fork();
    if (*pid < 0) return errno;
    if (*pid > 0) return 0;
    become_hsdiff(words, folder, out);
    _exit(127);
}

/* What it prints until it closes its output. False when the call was cancelled. */
static bool follow_output(mcp_call *call, int from, const char *stage, mcp_text *said)
{
    const hsd_run *run = &call->state->run;
    char piece[4096];
    while (run->progress(run->progress_context, stage, 0, 0)) {
        struct pollfd in = {.fd = from, .events = POLLIN};
        if (poll(&in, 1, STEP_MS) != 1) continue;
        const ssize_t got = read(from, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        mcp_put_bytes(said, piece, (size_t)got);
    }
    return false;
}

static void wait_a_little(void)
{
    const struct timespec step = {.tv_nsec = (long)STEP_MS * 1000000};
    nanosleep(&step, NULL);
}

/* Asks it to end, which removes what is half written; then ends it. */
static void stop_process(pid_t pid)
{
    kill(pid, SIGTERM);
    for (int i = 0; i < STOP_STEPS; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) return;
        wait_a_little();
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static int end_of_process(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

hsd_status mcp_spawn(mcp_call *call, const char *const *words, int folder, const char *stage, mcp_text *said,
                     int *exit_status, hsd_error *err)
{
    int ends[2];
    pid_t pid;
    said->most = SAID_MOST;
    if (pipe2(ends, O_CLOEXEC) != 0) return hsd_fail_errno(err, errno, "no pipe can be made");
    const int error = start_process(words, folder, ends[1], &pid);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return hsd_fail_errno(err, error, "hsdiff cannot be started for it");
    }
    const bool is_done = follow_output(call, ends[0], stage, said);
    close(ends[0]);
    if (is_done) {
        *exit_status = end_of_process(pid);
        return HSD_OK;
    }
    stop_process(pid);
    return hsd_fail(err, HSD_E_CANCELLED, "it was cancelled");
}
