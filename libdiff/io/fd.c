/*
 * Whole reads and writes over descriptors of every kind. A call that a signal interrupts is repeated;
 * one that would block on a non-blocking descriptor (a shell may hand one over) waits in poll.
 */
#include "io/fd.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/assert.h"

/* More in one call is cut by the kernel anyway. */
#define CALL_MAX_BYTES ((size_t)1 << 30)

/* True when the failed call is worth repeating; waits if it has to. */
static bool should_repeat(int fd, short event)
{
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    struct pollfd wait = {.fd = fd, .events = event};
    return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

int hsd_fd_read(int fd, void *data, size_t size, off_t offset, size_t *got)
{
    HSD_ASSERT(fd >= 0 && size > 0);
    const size_t wanted = size < CALL_MAX_BYTES ? size : CALL_MAX_BYTES;
    for (;;) {
        const ssize_t count = offset == HSD_FD_HERE ? read(fd, data, wanted) : pread(fd, data, wanted, offset);
        if (count >= 0) {
            *got = (size_t)count;
            return 0;
        }
        if (!should_repeat(fd, POLLIN)) return errno;
    }
}

int hsd_fd_write(int fd, const void *data, size_t size, off_t offset)
{
    HSD_ASSERT(fd >= 0);
    const unsigned char *at = data;
    while (size > 0) {
        const size_t wanted = size < CALL_MAX_BYTES ? size : CALL_MAX_BYTES;
        const ssize_t count = offset == HSD_FD_HERE ? write(fd, at, wanted) : pwrite(fd, at, wanted, offset);
        if (count < 0 && !should_repeat(fd, POLLOUT)) return errno;
        if (count == 0) return EIO; /* a device that takes nothing and says nothing */
        if (count < 0) continue;
        at += count;
        size -= (size_t)count;
        if (offset != HSD_FD_HERE) offset += count;
    }
    return 0;
}
