/*
 * Bytes out of a process that must not notice: sockets without SIGPIPE, and a reader that does not read is waited for
 * so long and no longer. Descriptors of our own get high numbers, since programs close and count low ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

enum { READER_MS = 30000, TEXT_MS = 5000, HIGH_NUMBER = 512 };

uint64_t hsa_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool hsa_wait(int fd, short events, int timeout_ms)
{
    const uint64_t end = hsa_now_ns() + (uint64_t)timeout_ms * 1000000u;
    for (;;) {
        struct pollfd one = {.fd = fd, .events = events};
        const int ready = poll(&one, 1, timeout_ms);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        const uint64_t now = hsa_now_ns();
        if (now >= end) break;
        timeout_ms = (int)((end - now) / 1000000u) + 1;
    }
    errno = ETIMEDOUT;
    return false;
}

static ssize_t put_sink(int fd, const void *data, size_t size)
{
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(fd, data, size) : sent;
}

bool hsa_send_text(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t sent = put_sink(fd, text, size);
        if (sent > 0) {
            text += sent;
            size -= (size_t)sent;
        } else if (errno == EAGAIN) {
            if (!hsa_wait(fd, POLLOUT, TEXT_MS)) return false;
        } else if (sent == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* ---- for the writer of a capture ---- */

static ptrdiff_t sink_write(void *context, const void *data, size_t size)
{
    return put_sink(((const hsa_request *)context)->fd, data, size);
}

static int sink_wait(void *context)
{
    return hsa_wait(((const hsa_request *)context)->fd, POLLOUT, READER_MS) ? 0 : -1;
}

hsc_sink hsa_sink(const hsa_request *request)
{
    return (hsc_sink){.write = sink_write, .wait = sink_wait, .context = (void *)(uintptr_t)request};
}

/* ---- descriptors ---- */

int hsa_move_up(int fd)
{
    if (fd < 0) return fd;
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_NUMBER);
    if (high < 0) return fd;
    close(fd);
    return high;
}

void hsa_hang_up(int fd)
{
    shutdown(fd, SHUT_RDWR);
    close(fd);
}
