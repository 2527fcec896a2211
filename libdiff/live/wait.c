/*
 * Waiting for what another process sends: never longer than the timeout without a byte, and never deaf to who wants to
 * stop.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "io/fd.h"
#include "live/wait.h"

enum { SLICE_MS = 100, DEFAULT_SECONDS = 60 };

hsd_status hsd_wait_fd(const hsd_waiting *waiting, int fd, short events, int hung_up_fd, hsd_error *err)
{
    const unsigned seconds = waiting->timeout_seconds == 0 ? DEFAULT_SECONDS : waiting->timeout_seconds;
    const uint64_t end = hsd_now_ns() + (uint64_t)seconds * UINT64_C(1000000000);
    struct pollfd fds[2] = {{.fd = fd, .events = events}, {.fd = hung_up_fd}};
    for (;;) {
        const int ready = poll(fds, 2, SLICE_MS);
        HSD_TRY(hsd_progress(waiting->reporter, waiting->stage, waiting->done == NULL ? 0 : *waiting->done, 0, err));
        if (ready > 0) return fds[1].revents != 0 ? HSD_END : HSD_OK;
        if (ready < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot wait for process %ld", waiting->pid);
        if (hsd_now_ns() >= end) break;
    }
    hsd_fail_errno(err, ETIMEDOUT, "nothing came from process %ld for %u second%s", waiting->pid, seconds,
                   seconds == 1 ? "" : "s");
    hsd_error_set_hint(err, "a program that is busy or stopped may need longer: --timeout %us", seconds * 5);
    return HSD_E_IO;
}

void hsd_live_waiting(hsd_waiting *waiting, hsd_live *live)
{
    *waiting = (hsd_waiting){.reporter = live->reporter,
                             .done = &live->received_bytes,
                             .pid = live->facts->pid,
                             .timeout_seconds = live->options->timeout_seconds};
    snprintf(waiting->stage, sizeof waiting->stage, "capturing %s (%ld)", live->process->name, live->facts->pid);
}

hsd_status hsd_live_wait(hsd_live *live, int fd, short events, hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, live);
    return hsd_wait_fd(&waiting, fd, events, -1, err);
}

hsd_status hsd_live_read(hsd_live *live, int fd, void *data, size_t size, size_t *got, hsd_error *err)
{
    HSD_TRY(hsd_live_wait(live, fd, POLLIN, err));
    const int error = hsd_fd_read(fd, data, size, HSD_FD_HERE, got);
    if (error == ECONNRESET) {
        *got = 0; /* went away without a word: an end like any other */
        return HSD_OK;
    }
    if (error != 0) return hsd_fail_errno(err, error, "cannot read from process %ld", live->facts->pid);
    live->received_bytes += *got;
    return HSD_OK;
}
