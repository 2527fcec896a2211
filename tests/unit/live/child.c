/* Programs that run for a test: see the header. */
#define _GNU_SOURCE
#include "unit/live/child.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(int in, int out, unsigned uid, bool own_network, const char *mode, const char *more)
{
    const char *const words[] = {LIVE_PROGRAM, mode, more, NULL};
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0) _exit(100);
    if (own_network && unshare(CLONE_NEWNET) != 0) _exit(101);
    if (uid != 0 && (setgid(uid) != 0 || setuid(uid) != 0)) _exit(102);
    execv(LIVE_PROGRAM, (char *const *)(uintptr_t)words);
    _exit(103);
}

bool child_start_as(child *out, unsigned uid, bool own_network, const char *mode, const char *more)
{
    int in[2], from[2];
    char line[64] = "";
    cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    out->pid = fork();
    if (out->pid == 0) become(in[0], from[1], uid, own_network, mode, more);
    close(in[0]);
    close(from[1]);
    out->in = in[1];
    out->out = from[0];
    if (read(from[0], line, sizeof line - 1) > 0 && strncmp(line, "ready", 5) == 0) {
        out->told = strtol(line + 5, NULL, 10);
        return true;
    }
    child_kill(out);
    return false;
}

child child_start(const char *mode, const char *more)
{
    child c;
    cr_assert(child_start_as(&c, 0, false, mode, more), "%s %s does not start", mode, more);
    return c;
}

bool child_is_alive(const child *c) { return waitpid(c->pid, NULL, WNOHANG) == 0; }

void child_end(child *c)
{
    int status = -1;
    close(c->in);
    cr_assert_eq(waitpid(c->pid, &status, 0), c->pid);
    cr_assert_eq(status, 0);
    close(c->out);
}

void child_kill(child *c)
{
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    close(c->in);
    close(c->out);
}

hsd_process child_look(const child *c)
{
    hsd_process process;
    hsd_error why;
    hsd_error_init(&why);
    cr_assert_eq(hsd_process_look(&process, c->pid, "native", &why), HSD_OK, "%s; %s", why.text, why.hint);
    return process;
}
