#define _GNU_SOURCE /* syscall, mkfifoat */
/*
 * See tidy.h. The child is forked out of a program that may have threads, so it only makes system calls. It holds no
 * descriptor of ours but its pipe: whoever waits for our end elsewhere is not kept waiting. It ignores the signals that
 * end us, and has a session of its own: who kills our process group does not kill it.
 *
 * A JVM that was asked before we died opens its file when it comes to it, and makes it where it is not there. So the
 * folder goes out of the way under another name first, then what is in it; a file that came in between keeps the folder
 * from going, and goes in the next round. Where it waits in the pipe already, it is let in, and finds nobody there.
 */
#include "live/jvm/tidy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/rights.h"

#define PREFIX ".hsdiff-dump-"
enum { LINGER_SECONDS = 2 };
enum { ROUNDS = 400, ROUND_NS = 5000000 }; /* of emptying a folder into which somebody goes on writing */
enum { MOST_ENDS = 8, TRIES = 8 };

/* ---- the child ---- */

typedef struct task {
    int folder_fd;    /* where `name` is */
    const char *name; /* a file, or a folder with files */
    const char *gone; /* of a folder: its name on the way out. NULL = a file */
} task;

/* Other ends of pipes, for those who wait for one. What does not fit stays open until the process ends. */
typedef struct other_ends {
    int fds[MOST_ENDS];
    size_t count;
} other_ends;

typedef struct entry { /* linux_dirent64 */
    uint64_t inode, offset;
    unsigned short size;
    unsigned char type;
    char name[];
} entry;

static void open_other_end(other_ends *ends, int folder_fd, const char *name)
{
    const int fd = openat(folder_fd, name, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && ends->count < MOST_ENDS) ends->fds[ends->count++] = fd;
}

static void empty_folder(int fd, other_ends *ends)
{
    _Alignas(8) char piece[2048];
    for (int round = 0; round < 64; round++) {
        lseek(fd, 0, SEEK_SET);
        const long got = syscall(SYS_getdents64, fd, piece, sizeof piece);
        bool removed = false;
        for (long at = 0; at < got;) {
            const entry *one = (const void *)(piece + at);
            at += one->size;
            if (one->name[0] == '.' && (one->name[1] == '\0' || (one->name[1] == '.' && one->name[2] == '\0')))
                continue;
            open_other_end(ends, fd, one->name); /* who waits for one would wait for ever */
            removed |= unlinkat(fd, one->name, 0) == 0;
        }
        if (!removed) return;
    }
}

static int open_folder(int in_fd, const char *name)
{
    return openat(in_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A folder that is empty goes in one step, and nothing can be made in it then. */
static void remove_folder(int in_fd, const char *name, other_ends *ends)
{
    const struct timespec moment = {.tv_nsec = ROUND_NS};
    const int fd = open_folder(in_fd, name);
    for (int round = 0; round < ROUNDS && fd >= 0; round++) {
        empty_folder(fd, ends);
        if (unlinkat(in_fd, name, AT_REMOVEDIR) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) break;
        nanosleep(&moment, NULL);
    }
    if (fd >= 0) close(fd);
}

/* The target may be on its way into a pipe, and would wait in it. Once it writes it is in, and would wait for a reader:
 * that end goes at once, which the target is told. */
static void linger(other_ends *ends)
{
    const struct timespec moment = {.tv_nsec = ROUND_NS};
    for (long round = 0; round < LINGER_SECONDS * 1000000000L / ROUND_NS; round++) {
        for (size_t i = 0; i < ends->count; i++) {
            struct pollfd one = {.fd = ends->fds[i], .events = POLLIN};
            if (one.fd < 0 || poll(&one, 1, 0) <= 0) continue;
            close(one.fd);
            ends->fds[i] = -1;
        }
        nanosleep(&moment, NULL);
    }
}

static void do_task(const task *work, other_ends *ends)
{
    if (work->gone == NULL)
        unlinkat(work->folder_fd, work->name, 0);
    else
        remove_folder(work->folder_fd,
                      renameat(work->folder_fd, work->name, work->folder_fd, work->gone) == 0 ? work->gone : work->name,
                      ends);
}

static void close_others_of_tidying(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    if (low > 0) syscall(SYS_close_range, 0u, (unsigned)low - 1, 0u);
    if (high > low + 1) syscall(SYS_close_range, (unsigned)low + 1, (unsigned)high - 1, 0u);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0u);
}

/* The word of the parent, 0 = it ended without. It may have forked others, which have the socket too: its end is what
 * counts. */
static char wait_for_word(int pipe_fd, pid_t parent)
{
    char word = 0;
    const int parent_fd = (int)syscall(SYS_pidfd_open, parent, 0); /* -1: an old kernel, or it has ended */
    struct pollfd both[2] = {{.fd = pipe_fd, .events = POLLIN}, {.fd = parent_fd, .events = POLLIN}};
    while (getppid() == parent && poll(both, 2, -1) < 0 && errno == EINTR)
        ;
    if (recv(pipe_fd, &word, 1, MSG_DONTWAIT) != 1) return 0;
    return word;
}

static void wait_and_do(int pipe_fd, pid_t parent, const task *work)
{
    other_ends ends = {.count = 0};
    setsid();
    close_others_of_tidying(pipe_fd, work->folder_fd);
    send(pipe_fd, "r", 1, MSG_NOSIGNAL); /* from here on nothing that ends the parent ends us */
    const char word = wait_for_word(pipe_fd, parent);
    do_task(work, &ends);
    if (word == 0) linger(&ends); /* killed */
    syscall(SYS_exit_group, 0);   /* nothing of the program that was forked runs */
}

static bool wait_until_ready(int pipe_fd)
{
    char word = 0;
    ssize_t got;
    while ((got = recv(pipe_fd, &word, 1, 0)) < 0 && errno == EINTR)
        ;
    return got == 1;
}

/* All signals are blocked around the fork, and stay so in the child. */
static pid_t fork_deaf(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    const int failed = errno;
    if (child != 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return child;
}

static void await_child(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static hsd_status start_child(hsd_tidy *tidy, const task *work, hsd_error *err)
{
    int ends[2];
    const pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return hsd_fail_errno(err, errno, "cannot make a socket pair");
    const pid_t child = fork_deaf();
    if (child == 0) wait_and_do(ends[0], parent, work);
    const int failed = errno;
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return hsd_fail_errno(err, failed, "cannot start a process that tidies up");
    }
    *tidy = (hsd_tidy){.child = child, .pipe_fd = ends[1], .lock_fd = -1};
    if (wait_until_ready(ends[1])) return HSD_OK;
    hsd_tidy_end(tidy);
    return hsd_fail(err, HSD_E_IO, "the process that tidies up has ended");
}

void hsd_tidy_end(hsd_tidy *tidy)
{
    if (tidy->lock_fd >= 0) close(tidy->lock_fd);
    tidy->lock_fd = -1;
    if (tidy->child <= 0) return;
    while (send(tidy->pipe_fd, "x", 1, MSG_NOSIGNAL) < 0 && errno == EINTR) /* others may have the socket by a fork */
        ;
    close(tidy->pipe_fd);
    await_child(tidy->child);
    tidy->child = 0;
}

/* ---- what is made ---- */

typedef int (*make_fn)(hsd_tidy *tidy, const task *work, const void *context); /* 0 or an errno */

/* The child comes first: what it is to remove may not be there yet. */
static hsd_status make_tidying(hsd_tidy *tidy, const task *work, make_fn make_it, const void *context, const char *what,
                               hsd_error *err)
{
    HSD_TRY(start_child(tidy, work, err));
    const int failed = make_it(tidy, work, context);
    if (failed == 0) return HSD_OK;
    hsd_tidy_end(tidy);
    hsd_fail_errno(err, failed, "cannot make %s in a folder of the program", what);
    hsd_error_set_hint(err, "its /tmp must exist and be writable for its user");
    return HSD_E_IO;
}

static int make_file(hsd_tidy *tidy, const task *work, const void *context)
{
    (void)tidy, (void)context;
    const int fd = openat(work->folder_fd, work->name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return errno;
    close(fd);
    return 0;
}

/* ENOENT, EWOULDBLOCK: somebody swept it before it was held. */
static int make_folder(hsd_tidy *tidy, const task *work, const void *pipes)
{
    const char *const *names = pipes;
    int failed = 0;
    if (mkdirat(work->folder_fd, work->name, 0700) != 0) return errno;
    tidy->lock_fd = open_folder(work->folder_fd, work->name);
    if (tidy->lock_fd < 0) return errno;
    /* where there are no locks, nobody gets one to sweep it either */
    if (flock(tidy->lock_fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) return EWOULDBLOCK;
    for (size_t i = 0; names[i] != NULL && failed == 0; i++)
        failed = mkfifoat(tidy->lock_fd, names[i], 0600) == 0 ? 0 : errno;
    return failed;
}

static hsd_status make_in(hsd_tidy *tidy, const hsd_process_facts *facts, const char *folder, task *work,
                          make_fn make_it, const void *context, hsd_error *err)
{
    *tidy = (hsd_tidy){.pipe_fd = -1, .lock_fd = -1};
    work->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->folder_fd < 0) return hsd_fail_errno(err, errno, "cannot open %s", folder);
    const hsd_rights before = hsd_rights_take((hsd_rights){facts->uid, facts->gid});
    const hsd_status status = make_tidying(tidy, work, make_it, context, work->name, err);
    hsd_rights_return(before);
    close(work->folder_fd);
    return status;
}

/* ---- what was left ---- */

/* The target may be in one of the pipes, or come to it, and must not be held up by us, who are about to wait for it:
 * the other ends are a process's that is not this one's. */
static void sweep_in_child(int in_fd, const char *name)
{
    const pid_t child = fork_deaf();
    if (child == 0) {
        other_ends ends = {.count = 0};
        setsid();
        close_others_of_tidying(in_fd, in_fd);
        remove_folder(in_fd, name, &ends);
        if (ends.count > 0 && fork() == 0) linger(&ends);
        syscall(SYS_exit_group, 0);
    }
    if (child > 0) await_child(child);
}

static void sweep_one(int in_fd, const char *name)
{
    struct stat found;
    const int fd = open_folder(in_fd, name);
    if (fd < 0) return;
    const bool is_ours = fstat(fd, &found) == 0 && found.st_uid == geteuid();
    if (is_ours && flock(fd, LOCK_EX | LOCK_NB) == 0) sweep_in_child(in_fd, name);
    close(fd);
}

void hsd_tidy_left(const hsd_process_facts *facts)
{
    char folder[64];
    snprintf(folder, sizeof folder, "%s/tmp", facts->root);
    DIR *all = opendir(folder);
    if (all == NULL) return;
    const hsd_rights before = hsd_rights_take((hsd_rights){facts->uid, facts->gid});
    for (struct dirent *one; (one = readdir(all)) != NULL;)
        if (strncmp(one->d_name, PREFIX, sizeof PREFIX - 1) == 0) sweep_one(dirfd(all), one->d_name);
    hsd_rights_return(before);
    closedir(all);
}

hsd_status hsd_tidy_file(hsd_tidy *tidy, const hsd_process_facts *facts, const char *folder, const char *name,
                         hsd_error *err)
{
    task work = {.name = name};
    return make_in(tidy, facts, folder, &work, make_file, NULL, err);
}

static hsd_status make_new_folder(hsd_tidy *tidy, const hsd_process_facts *facts, char *path, size_t size,
                                  const char *const *pipes, hsd_error *err)
{
    char folder[64], name[64], gone[72];
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return hsd_fail_errno(err, errno, "no random numbers");
    snprintf(folder, sizeof folder, "%s/tmp", facts->root);
    snprintf(name, sizeof name, PREFIX "%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    snprintf(gone, sizeof gone, "%s-gone", name);
    task work = {.name = name, .gone = gone};
    snprintf(path, size, "%s/%s", folder, name);
    return make_in(tidy, facts, folder, &work, make_folder, pipes, err);
}

hsd_status hsd_tidy_folder(hsd_tidy *tidy, const hsd_process_facts *facts, char *path, size_t size,
                           const char *const *pipes, hsd_error *err)
{
    hsd_error why;
    for (int tries = 1;; tries++) {
        hsd_error_init(&why);
        const hsd_status status = make_new_folder(tidy, facts, path, size, pipes, &why);
        const bool was_swept = status != HSD_OK && (why.sys_errno == ENOENT || why.sys_errno == EWOULDBLOCK);
        if (was_swept && tries < TRIES) continue;
        if (status != HSD_OK && err != NULL) *err = why;
        return status;
    }
}
