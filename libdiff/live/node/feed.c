#define _GNU_SOURCE
/*
 * A thread between a running program and the importer. See feed.h.
 */
#include "live/node/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_MS = 100, DEFAULT_TIMEOUT = 60 };

typedef struct producer {
    hsd_feed feed;
    hsd_feed_fn produce;
    void *context;
    hsd_status status;
    hsd_error error;
} producer;

hsd_status hsd_feed_put(hsd_feed *feed, const void *bytes, size_t size, hsd_error *err)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = write(feed->pipe_fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EPIPE) return hsd_fail(err, HSD_E_CANCELLED, "the import has ended");
        if (n < 0) return hsd_fail_errno(err, errno, "cannot pass the snapshot on");
        at += n;
        size -= (size_t)n;
    }
    return HSD_OK;
}

void hsd_feed_end(hsd_feed *feed)
{
    if (feed->pipe_fd >= 0) close(feed->pipe_fd);
    feed->pipe_fd = -1;
}

hsd_status hsd_feed_wait(hsd_feed *feed, int fd, const char *whom, hsd_error *err)
{
    return hsd_feed_wait_for(feed, fd, whom, feed->timeout_seconds == 0 ? DEFAULT_TIMEOUT : feed->timeout_seconds, err);
}

hsd_status hsd_feed_wait_for(hsd_feed *feed, int fd, const char *whom, unsigned seconds, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)seconds * UINT64_C(1000000000);
    for (;;) {
        struct pollfd one = {.fd = fd, .events = POLLIN};
        const int n = poll(&one, 1, SLICE_MS);
        if (n > 0) return HSD_OK;
        if (n < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot wait for %s", whom);
        if (atomic_load(&feed->is_over)) return hsd_fail(err, HSD_E_CANCELLED, "the import has ended");
        if (hsd_now_ns() >= end) break;
    }
    hsd_fail_errno(err, ETIMEDOUT, "nothing has come from %s for %u second%s", whom, seconds, seconds == 1 ? "" : "s");
    hsd_error_set_hint(err, "a program that is busy or stopped may need longer: --timeout %u", seconds * 5);
    return HSD_E_IO;
}

/* A pidfd can be read when its process has ended, waited for or not. */
static hsd_status wait_both(hsd_live *live, int both, int fd, int process, hsd_error *err)
{
    struct epoll_event of_fd = {.events = EPOLLIN, .data.fd = fd}, of_process = {.events = EPOLLIN, .data.fd = process},
                       ready[2];
    if (epoll_ctl(both, EPOLL_CTL_ADD, fd, &of_fd) != 0 || epoll_ctl(both, EPOLL_CTL_ADD, process, &of_process) != 0)
        return hsd_fail_errno(err, errno, "cannot wait for process %ld", live->facts->pid);
    HSD_TRY(hsd_live_wait(live, both, POLLIN, err));
    const int count = epoll_wait(both, ready, 2, 0);
    for (int i = 0; i < count; i++)
        if (ready[i].data.fd == fd) return HSD_OK;
    return count > 0 ? hsd_fail(err, HSD_E_TRUNCATED, "process %ld has ended", live->facts->pid) : HSD_OK;
}

hsd_status hsd_live_wait_target(hsd_live *live, int fd, hsd_error *err)
{
    const int process = (int)syscall(SYS_pidfd_open, (pid_t)live->facts->pid, 0);
    if (process < 0 && errno == ESRCH) return hsd_fail(err, HSD_E_TRUNCATED, "process %ld has ended", live->facts->pid);
    if (process < 0) return hsd_live_wait(live, fd, POLLIN, err);
    const int both = epoll_create1(EPOLL_CLOEXEC);
    const hsd_status status = both < 0 ? hsd_live_wait(live, fd, POLLIN, err) : wait_both(live, both, fd, process, err);
    if (both >= 0) close(both);
    close(process);
    return status;
}

/* SIGPIPE of a write goes to the thread that wrote: blocked here, it is never delivered. */
static void *run_producer(void *context)
{
    producer *p = context;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    p->status = p->produce(p->context, &p->feed, &p->error);
    hsd_feed_end(&p->feed);
    return NULL;
}

hsd_status hsd_live_feed(hsd_live *live, hsd_feed_fn produce, void *context, const char *format,
                         const hsd_import_options *options, hsd_error *err)
{
    producer p = {.feed = {.timeout_seconds = live->options->timeout_seconds}, .produce = produce, .context = context};
    pthread_t thread;
    int ends[2];
    hsd_error_init(&p.error);
    if (pipe2(ends, O_CLOEXEC) != 0) return hsd_fail_errno(err, errno, "cannot make a pipe");
    p.feed.pipe_fd = ends[1];
    const int refused = pthread_create(&thread, NULL, run_producer, &p);
    if (refused != 0) {
        close(ends[0]);
        close(ends[1]);
        return hsd_fail_errno(err, refused, "cannot start a thread");
    }
    const hsd_status imported = hsd_live_import(live, ends[0], format, options, err);
    atomic_store(&p.feed.is_over, true);
    close(ends[0]);
    pthread_join(thread, NULL);
    const bool is_first = p.status != HSD_OK && p.status != HSD_E_CANCELLED &&
                          (imported == HSD_OK || imported == HSD_E_TRUNCATED || imported == HSD_E_NOT_THIS_FORMAT ||
                           imported == HSD_E_CORRUPT);
    if (!is_first) return imported;
    if (err != NULL) *err = p.error;
    return p.status;
}
