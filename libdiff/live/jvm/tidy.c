#define _GNU_SOURCE /* syscall, mkfifoat */
/*
 * See tidy.h. The child is forked out of a program that may have threads, so it only makes system calls. It holds no descriptor of
 * ours but its pipe: whoever waits for our end elsewhere is not kept waiting. It ignores the signals that end us.
 */
#include "live/jvm/tidy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/rights.h"

/* ---- the child ---- */

typedef struct task {
    int folder_fd;       /* where `name` is */
    const char *name;    /* a file, or a folder with files */
    bool is_folder;
} task;

typedef struct entry { /* linux_dirent64 */
    uint64_t inode, offset;
    unsigned short size;
    unsigned char type;
    char name[];
} entry;

static void empty_folder(int fd)
{
    _Alignas(8) char piece[2048];
    for (int round = 0; round < 64; round++) {
        lseek(fd, 0, SEEK_SET);
        const long got = syscall(SYS_getdents64, fd, piece, sizeof piece);
        bool removed = false;
        for (long at = 0; at < got;) {
            const entry *one = (const void *)(piece + at);
            at += one->size;
            if (one->name[0] == '.' && (one->name[1] == '\0' || (one->name[1] == '.' && one->name[2] == '\0'))) continue;
            /* Who waits for a reader of a pipe would wait for ever: it gets one, until this process ends. */
            (void)openat(fd, one->name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
            removed |= unlinkat(fd, one->name, 0) == 0;
        }
        if (!removed) return;
    }
}

static void do_task(const task *work)
{
    if (!work->is_folder) {
        unlinkat(work->folder_fd, work->name, 0);
        return;
    }
    const int fd = openat(work->folder_fd, work->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) empty_folder(fd);
    unlinkat(work->folder_fd, work->name, AT_REMOVEDIR);
}

static void close_others(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    if (low > 0) syscall(SYS_close_range, 0u, (unsigned)low - 1, 0u);
    if (high > low + 1) syscall(SYS_close_range, (unsigned)low + 1, (unsigned)high - 1, 0u);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0u);
}

static void wait_and_do(int pipe_fd, const task *work)
{
    const struct timespec moment = {.tv_nsec = 200000000};
    char word = 0;
    close_others(pipe_fd, work->folder_fd);
    while (read(pipe_fd, &word, 1) < 0 && errno == EINTR)
        ;
    do_task(work);
    if (word == 0) nanosleep(&moment, NULL); /* killed: the target may be on its way into the pipe */
    syscall(SYS_exit_group, 0); /* nothing of the program that was forked runs */
}

/* All signals are blocked around the fork, and stay so in the child. */
static hsd_status start_child(hsd_tidy *tidy, const task *work, hsd_error *err)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return hsd_fail_errno(err, errno, "cannot make a socket pair");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    if (child == 0) wait_and_do(ends[0], work);
    const int failed = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return hsd_fail_errno(err, failed, "cannot start a process that tidies up");
    }
    *tidy = (hsd_tidy){.child = child, .pipe_fd = ends[1]};
    return HSD_OK;
}

void hsd_tidy_end(hsd_tidy *tidy)
{
    if (tidy->child <= 0) return;
    while (send(tidy->pipe_fd, "x", 1, MSG_NOSIGNAL) < 0 && errno == EINTR) /* others may have the socket by a fork */
        ;
    close(tidy->pipe_fd);
    while (waitpid(tidy->child, NULL, 0) < 0 && errno == EINTR)
        ;
    tidy->child = 0;
}

/* ---- what is made ---- */

/* The child comes first: what it is to remove may not be there yet. `make` returns 0 or an errno. */
static hsd_status make(hsd_tidy *tidy, const task *work, int (*make_it)(const task *, const void *), const void *context, const char *what,
                       hsd_error *err)
{
    HSD_TRY(start_child(tidy, work, err));
    const int failed = make_it(work, context);
    if (failed == 0) return HSD_OK;
    hsd_tidy_end(tidy);
    hsd_fail_errno(err, failed, "cannot make %s in a folder of the program", what);
    hsd_error_set_hint(err, "its /tmp must exist and be writable for its user");
    return HSD_E_IO;
}

static int make_file(const task *work, const void *context)
{
    (void)context;
    const int fd = openat(work->folder_fd, work->name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return errno;
    close(fd);
    return 0;
}

static int make_folder(const task *work, const void *pipe_name)
{
    if (mkdirat(work->folder_fd, work->name, 0700) != 0) return errno;
    if (pipe_name == NULL) return 0;
    const int fd = openat(work->folder_fd, work->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    const int failed = mkfifoat(fd, pipe_name, 0600) == 0 ? 0 : errno;
    close(fd);
    return failed;
}

static hsd_status make_in(hsd_tidy *tidy, const hsd_process_facts *facts, const char *folder, task *work,
                          int (*make_it)(const task *, const void *), const void *context, hsd_error *err)
{
    *tidy = (hsd_tidy){.pipe_fd = -1};
    work->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->folder_fd < 0) return hsd_fail_errno(err, errno, "cannot open %s", folder);
    const hsd_rights before = hsd_rights_take((hsd_rights){facts->uid, facts->gid});
    const hsd_status status = make(tidy, work, make_it, context, work->name, err);
    hsd_rights_return(before);
    close(work->folder_fd);
    return status;
}

hsd_status hsd_tidy_file(hsd_tidy *tidy, const hsd_process_facts *facts, const char *folder, const char *name, hsd_error *err)
{
    task work = {.name = name};
    return make_in(tidy, facts, folder, &work, make_file, NULL, err);
}

hsd_status hsd_tidy_folder(hsd_tidy *tidy, const hsd_process_facts *facts, char *path, size_t size, const char *pipe, hsd_error *err)
{
    char folder[64], name[64];
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return hsd_fail_errno(err, errno, "no random numbers");
    snprintf(folder, sizeof folder, "%s/tmp", facts->root);
    snprintf(name, sizeof name, ".hsdiff-dump-%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    task work = {.name = name, .is_folder = true};
    snprintf(path, size, "%s/%s", folder, name);
    return make_in(tidy, facts, folder, &work, make_folder, pipe, err);
}
