/*
 * Running DuckDB's command.
 */
#define _GNU_SOURCE /* memfd_create, pipe2 */
#include "fleet/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/note.h"

#define SAID_BYTES  4096u
#define PIECE_BYTES ((size_t)65536)
#define STEP_MS     100

typedef struct process {
    pid_t pid;
    int out, errors; /* -1 = closed */
    char said[SAID_BYTES];
    size_t said_size;
} process;

static const char *program(void)
{
    const char *named = getenv("HSDIFF_DUCKDB");
    return named != NULL && named[0] != '\0' ? named : "duckdb";
}

/* Its whole path: it runs in the folder of the store, where nothing that lies there may be taken for it. */
static bool find_program(char path[PATH_MAX])
{
    const char *name = program();
    if (strchr(name, '/') != NULL) return realpath(name, path) != NULL && access(path, X_OK) == 0;
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, ":");
        const int needed = snprintf(path, PATH_MAX, "%.*s/%s", (int)size, at, name);
        if (at[0] == '/' && needed < PATH_MAX && access(path, X_OK) == 0) return true;
        at += size + (at[size] == ':');
    }
    return false;
}

/* ---- starting */

static hsd_status write_question(int *fd, const hsd_buffer *sql, hsd_error *err)
{
    *fd = memfd_create("hsdiff-sql", MFD_CLOEXEC);
    if (*fd < 0) return hsd_fail_errno(err, errno, "cannot ask DuckDB");
    for (size_t at = 0; at < sql->size;) {
        const ssize_t got = write(*fd, sql->data + at, sql->size - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return hsd_fail_errno(err, errno, "cannot ask DuckDB");
        at += (size_t)got;
    }
    return lseek(*fd, 0, SEEK_SET) == 0 ? HSD_OK : hsd_fail_errno(err, errno, "cannot ask DuckDB");
}

typedef struct pipes {
    int in, out[2], errors[2], report[2];
} pipes;

/* In the child. Never returns. */
static void become(const hsd_engine *engine, const char *path, const pipes *all, pid_t parent)
{
    const char *const words[] = {path,
                                 "-init",
                                 "/dev/null",
                                 "-batch",
                                 "-bail",
                                 engine->mode,
                                 engine->has_header ? "-header" : "-noheader",
                                 "-nullvalue",
                                 engine->has_header && strcmp(engine->mode, "-csv") != 0 ? "NULL" : "",
                                 NULL};
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &usual, NULL);
    setsid(); /* a Ctrl-C is ours */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int why = 0;
    if (getppid() != parent || chdir(engine->store) != 0 || dup2(all->in, 0) != 0 || dup2(all->out[1], 1) != 1 ||
        dup2(all->errors[1], 2) != 2)
        why = EIO;
    if (why == 0) {
        execv(path, (char *const *)(uintptr_t)words);
        why = errno;
    }
    (void)!write(all->report[1], &why, sizeof why);
    for (;;)
        syscall(SYS_exit_group, 127);
}

static void close_pipe(int ends[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
}

static hsd_status fail_start(int why, hsd_error *err)
{
    if (why == ENOENT || why == EACCES || why == ENOTDIR) {
        hsd_fail(err, HSD_E_NOT_FOUND, "DuckDB's command, %s, is not to be found: it answers what is asked of a fleet",
                 program());
        hsd_error_set_hint(err,
                           "get it with pip install duckdb-cli, or say where it is with HSDIFF_DUCKDB=/path/to/duckdb");
        return HSD_E_NOT_FOUND;
    }
    return hsd_fail_errno(err, why, "cannot start DuckDB (%s)", program());
}

static hsd_status start(const hsd_engine *engine, process *p, pipes *all, hsd_error *err)
{
    char path[PATH_MAX];
    if (!find_program(path)) return fail_start(ENOENT, err);
    if (pipe2(all->out, O_CLOEXEC) != 0 || pipe2(all->errors, O_CLOEXEC) != 0 || pipe2(all->report, O_CLOEXEC) != 0)
        return hsd_fail_errno(err, errno, "cannot start DuckDB");
    const pid_t parent = getpid();
    int why = 0;
    p->pid = fork();
    if (p->pid == 0) become(engine, path, all, parent);
    if (p->pid < 0) return hsd_fail_errno(err, errno, "cannot start DuckDB");
    int *const ours[] = {&all->out[1], &all->errors[1], &all->report[1]};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        close(*ours[i]);
        *ours[i] = -1;
    }
    ssize_t got;
    do {
        got = read(all->report[0], &why, sizeof why);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof why) return HSD_OK;
    waitpid(p->pid, NULL, 0);
    p->pid = 0;
    return fail_start(why, err);
}

/* ---- listening */

static void hear(process *p, const char *piece, size_t size)
{
    const size_t room = sizeof p->said - 1 - p->said_size, taken = size < room ? size : room;
    memcpy(p->said + p->said_size, piece, taken); /* what was said first is what it is about */
    p->said_size += taken;
}

/* -1 = nothing now, 0 = the end, else bytes. */
static ssize_t read_piece(int fd, char *piece)
{
    const ssize_t got = read(fd, piece, PIECE_BYTES);
    return got < 0 && (errno == EINTR || errno == EAGAIN) ? -1 : got < 0 ? 0 : got;
}

static hsd_status listen_to(const hsd_engine *engine, process *p, const pipes *all, hsd_error *err)
{
    hsd_reporter reporter;
    hsd_status status = HSD_OK;
    char *piece = malloc(PIECE_BYTES);
    if (piece == NULL) return hsd_fail_nomem(err, "an answer");
    hsd_reporter_init(&reporter, engine->run);
    p->out = all->out[0];
    p->errors = all->errors[0];
    while (status == HSD_OK && (p->out >= 0 || p->errors >= 0)) {
        struct pollfd fds[2] = {{.fd = p->out, .events = POLLIN}, {.fd = p->errors, .events = POLLIN}};
        const int ready = poll(fds, 2, STEP_MS);
        if (ready < 0 && errno != EINTR) status = hsd_fail_errno(err, errno, "cannot wait for DuckDB");
        status = status == HSD_OK ? hsd_progress(&reporter, "asking the fleet", 0, 0, err) : status;
        if (ready <= 0 || status != HSD_OK) continue;
        for (unsigned i = 0; i < 2 && status == HSD_OK; i++) {
            if (fds[i].fd < 0 || fds[i].revents == 0) continue;
            const ssize_t got = read_piece(fds[i].fd, piece);
            if (got == 0) *(i == 0 ? &p->out : &p->errors) = -1;
            if (got > 0 && i == 1) hear(p, piece, (size_t)got);
            if (got > 0 && i == 0) status = engine->take(engine->context, piece, (size_t)got, err);
        }
    }
    hsd_reporter_release(&reporter);
    free(piece);
    return status;
}

/* ---- the end */

/* The first lines of what it said, in one. */
static hsd_status fail_answer(const hsd_engine *engine, process *p, hsd_error *err)
{
    char *said = p->said;
    said[p->said_size] = '\0';
    while (*said == '\n' || *said == ' ')
        said++;
    for (char *c = said; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    if (strlen(said) > 400) said[400] = '\0';
    if (said[0] == '\0') snprintf(p->said, sizeof p->said, "it ended without a word"), said = p->said;
    if (engine->is_of_user) return hsd_fail(err, HSD_E_UNSUPPORTED, "DuckDB refuses the statement: %s", said);
    hsd_fail(err, HSD_E_CORRUPT, "DuckDB cannot read the store: %s", said);
    hsd_error_set_file(err, engine->store);
    hsd_error_set_hint(err, "if it names a file, move that out of the store; DuckDB 1.0 and later read it");
    return HSD_E_CORRUPT;
}

static hsd_status end(const hsd_engine *engine, process *p, hsd_status status, hsd_error *err)
{
    int ended = 0;
    if (status != HSD_OK) kill(p->pid, SIGKILL);
    while (waitpid(p->pid, &ended, 0) < 0 && errno == EINTR) {
    }
    if (status != HSD_OK) return status;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? HSD_OK : fail_answer(engine, p, err);
}

hsd_status hsd_engine_run(const hsd_engine *engine, const hsd_buffer *sql, hsd_error *err)
{
    pipes all = {.in = -1, .out = {-1, -1}, .errors = {-1, -1}, .report = {-1, -1}};
    process p = {.out = -1, .errors = -1};
    hsd_status status = write_question(&all.in, sql, err);
    if (status == HSD_OK) status = start(engine, &p, &all, err);
    if (status == HSD_OK) status = listen_to(engine, &p, &all, err);
    if (p.pid > 0) status = end(engine, &p, status, err);
    if (all.in >= 0) close(all.in);
    close_pipe(all.out);
    close_pipe(all.errors);
    close_pipe(all.report);
    return status;
}
