/*
 * Starting a program, writing to it, listening to it.
 */
#define _GNU_SOURCE /* pipe2, environ */
#include "fleet/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/note.h"

#define PIECE_BYTES ((size_t)65536)
#define STEP_MS     100

static const char *name_of(const hsd_program *program)
{
    const char *named = getenv(program->variable);
    return named != NULL && named[0] != '\0' ? named : program->name;
}

/* Its whole path: it may run in another folder, where nothing that lies there may be taken for it. */
static bool find_program(const hsd_program *program, char path[PATH_MAX])
{
    const char *name = name_of(program);
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

typedef struct pipes {
    int in[2], out[2], errors[2], report[2];
} pipes;

/* What the child needs, made before there is one: it may neither allocate nor lock. */
typedef struct start_plan {
    char path[PATH_MAX];
    const char **words, **environment;
    const char *folder;
    pid_t parent;
} start_plan;

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words != NULL && words[count] != NULL)
        count++;
    return count;
}

static bool is_same_name(const char *one, const char *other)
{
    const size_t size = strcspn(one, "=") + 1;
    return strncmp(one, other, size) == 0;
}

/* Ours, less what is given anew. */
static hsd_status plan_environment(start_plan *plan, const char *const *given, hsd_error *err)
{
    const size_t count = count_words(given);
    size_t kept = count;
    plan->environment = calloc(count + count_words((const char *const *)environ) + 1, sizeof(char *));
    if (plan->environment == NULL) return hsd_fail_nomem(err, "an environment");
    if (count > 0) memcpy(plan->environment, given, count * sizeof(char *));
    for (char **own = environ; own != NULL && *own != NULL; own++) {
        bool is_given = false;
        for (size_t i = 0; i < count && !is_given; i++)
            is_given = is_same_name(given[i], *own);
        if (!is_given) plan->environment[kept++] = *own;
    }
    return HSD_OK;
}

static hsd_status plan_words(start_plan *plan, const char *const *words, hsd_error *err)
{
    const size_t count = count_words(words);
    plan->words = calloc(count + 2, sizeof(char *));
    if (plan->words == NULL) return hsd_fail_nomem(err, "a command line");
    plan->words[0] = plan->path;
    if (count > 0) memcpy(plan->words + 1, words, count * sizeof(char *));
    return HSD_OK;
}

/* In the child. Never returns. */
static void become(const start_plan *plan, const pipes *all)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &usual, NULL);
    setsid(); /* a Ctrl-C is ours */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int why = 0;
    if (getppid() != plan->parent || chdir(plan->folder) != 0 || dup2(all->in[0], 0) != 0 ||
        dup2(all->out[1], 1) != 1 || dup2(all->errors[1], 2) != 2)
        why = EIO;
    if (why == 0) {
        execve(plan->path, (char *const *)(uintptr_t)plan->words, (char *const *)(uintptr_t)plan->environment);
        why = errno;
    }
    (void)!write(all->report[1], &why, sizeof why);
    for (;;)
        syscall(SYS_exit_group, 127);
}

static void close_end(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

static hsd_status fail_start(const hsd_program *program, int why, hsd_error *err)
{
    if (why == ENOENT || why == EACCES || why == ENOTDIR) {
        hsd_fail(err, HSD_E_NOT_FOUND, "%s, %s, is not to be found: it answers what is asked of a fleet",
                 program->called, name_of(program));
        hsd_error_set_hint(err, "%s", program->hint);
        return HSD_E_NOT_FOUND;
    }
    return hsd_fail_errno(err, why, "cannot start %s (%s)", program->called, name_of(program));
}

static hsd_status fork_child(hsd_child *child, const start_plan *plan, pipes *all, const hsd_program *program,
                             hsd_error *err)
{
    int why = 0;
    child->pid = fork();
    if (child->pid == 0) become(plan, all);
    if (child->pid < 0) {
        child->pid = 0;
        return hsd_fail_errno(err, errno, "cannot start %s", program->called);
    }
    close_end(&all->out[1]);
    close_end(&all->errors[1]);
    close_end(&all->report[1]);
    ssize_t got;
    do {
        got = read(all->report[0], &why, sizeof why);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof why) return HSD_OK;
    waitpid(child->pid, NULL, 0);
    child->pid = 0;
    return fail_start(program, why, err);
}

static hsd_status start_with(hsd_child *child, const start_plan *plan, const hsd_program *program, int input,
                             hsd_error *err)
{
    pipes all = {.in = {input, -1}, .out = {-1, -1}, .errors = {-1, -1}, .report = {-1, -1}};
    hsd_status status = HSD_OK;
    if ((input < 0 && pipe2(all.in, O_CLOEXEC) != 0) || pipe2(all.out, O_CLOEXEC) != 0 ||
        pipe2(all.errors, O_CLOEXEC) != 0 || pipe2(all.report, O_CLOEXEC) != 0)
        status = hsd_fail_errno(err, errno, "cannot start %s", program->called);
    if (status == HSD_OK) status = fork_child(child, plan, &all, program, err);
    if (status == HSD_OK) {
        child->in = all.in[1];
        child->out = all.out[0];
        child->errors = all.errors[0];
        all.in[1] = all.out[0] = all.errors[0] = -1;
    }
    if (input < 0) close_end(&all.in[0]);
    int *const ends[] = {&all.in[1],     &all.out[0],    &all.out[1],   &all.errors[0],
                         &all.errors[1], &all.report[0], &all.report[1]};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        close_end(ends[i]);
    return status;
}

hsd_status hsd_child_start(hsd_child *child, const hsd_child_words *words, int input, hsd_error *err)
{
    start_plan plan = {.folder = words->folder, .parent = getpid()};
    *child = (hsd_child){.in = -1, .out = -1, .errors = -1};
    if (!find_program(words->program, plan.path)) return fail_start(words->program, ENOENT, err);
    hsd_status status = plan_words(&plan, words->words, err);
    if (status == HSD_OK) status = plan_environment(&plan, words->environment, err);
    if (status == HSD_OK) status = start_with(child, &plan, words->program, input, err);
    free(plan.words);
    free(plan.environment);
    return status;
}

/* ---- writing */

static hsd_status write_all(int fd, const char *at, size_t size, hsd_error *err)
{
    while (size > 0) {
        const ssize_t got = write(fd, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return hsd_fail_errno(err, errno, "cannot be written to");
        at += got;
        size -= (size_t)got;
    }
    return HSD_OK;
}

/* One that does not listen is an error, and no signal: that would end us. */
hsd_status hsd_child_write(hsd_child *child, const void *data, size_t size, hsd_error *err)
{
    const struct timespec now = {0};
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const hsd_status status = write_all(child->in, data, size, err);
    if (status != HSD_OK && sigismember(&before, SIGPIPE) == 0) sigtimedwait(&broken, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* ---- listening */

typedef struct listening {
    hsd_child *child;
    size_t said_size;
    char *piece;
    hsd_child_take_fn take;
    void *context;
} listening;

static void hear(listening *l, size_t size)
{
    const size_t room = HSD_CHILD_SAID_BYTES - 1 - l->said_size, taken = size < room ? size : room;
    memcpy(l->child->said + l->said_size, l->piece, taken); /* what was said first is what it is about */
    l->said_size += taken;
}

/* -1 = nothing now, 0 = the end, else bytes. */
static ssize_t read_piece(int fd, char *piece)
{
    const ssize_t got = read(fd, piece, PIECE_BYTES);
    return got < 0 && (errno == EINTR || errno == EAGAIN) ? -1 : got < 0 ? 0 : got;
}

static hsd_status take_ready(listening *l, const struct pollfd fds[2], hsd_error *err)
{
    for (unsigned i = 0; i < 2; i++) {
        if (fds[i].fd < 0 || fds[i].revents == 0) continue;
        const ssize_t got = read_piece(fds[i].fd, l->piece);
        if (got == 0) close_end(i == 0 ? &l->child->out : &l->child->errors);
        if (got > 0 && i == 1) hear(l, (size_t)got);
        if (got > 0 && i == 0) HSD_TRY(l->take(l->context, l->piece, (size_t)got, err));
    }
    return HSD_OK;
}

static hsd_status listen_to(listening *l, hsd_reporter *reporter, const char *progress, hsd_error *err)
{
    hsd_child *child = l->child;
    while (child->out >= 0 || child->errors >= 0) {
        struct pollfd fds[2] = {{.fd = child->out, .events = POLLIN}, {.fd = child->errors, .events = POLLIN}};
        const int ready = poll(fds, 2, STEP_MS);
        if (ready < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot wait for an answer");
        HSD_TRY(hsd_progress(reporter, progress, 0, 0, err));
        if (ready > 0) HSD_TRY(take_ready(l, fds, err));
    }
    return HSD_OK;
}

/* ---- the end */

static void wait_for(hsd_child *child)
{
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR) {
    }
    child->pid = 0;
}

void hsd_child_kill(hsd_child *child)
{
    if (child->pid == 0) return;
    kill(child->pid, SIGKILL);
    wait_for(child);
    close_end(&child->in);
    close_end(&child->out);
    close_end(&child->errors);
}

hsd_status hsd_child_listen(hsd_child *child, const hsd_run *run, const char *progress, hsd_child_take_fn take,
                            void *context, hsd_error *err)
{
    hsd_reporter reporter;
    listening l = {.child = child, .piece = malloc(PIECE_BYTES), .take = take, .context = context};
    hsd_reporter_init(&reporter, run);
    close_end(&child->in);
    const hsd_status status =
        l.piece != NULL ? listen_to(&l, &reporter, progress, err) : hsd_fail_nomem(err, "an answer");
    hsd_reporter_release(&reporter);
    free(l.piece);
    child->said[l.said_size] = '\0';
    for (char *c = child->said; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    for (size_t size = strlen(child->said); size > 0 && child->said[size - 1] == ' ';)
        child->said[--size] = '\0';
    if (status == HSD_OK) wait_for(child);
    hsd_child_kill(child);
    return status;
}

void hsd_child_hide(hsd_child *child, const char *secret)
{
    const size_t size = secret == NULL ? 0 : strlen(secret);
    if (size < 4) return;
    for (char *at = child->said; (at = strstr(at, secret)) != NULL; at += size)
        memset(at, '*', size);
}
