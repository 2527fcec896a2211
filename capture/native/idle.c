/*
 * Calls in which a program waits, in front of libc's. The child of a fork, in which the agent's thread is not, begins
 * to listen where it allocates (start.c); a worker that has nothing to do does not. So it begins before it waits, if
 * the wait may be a long one or it has lived for long: who is about to execute another program waits for nothing here.
 *
 *      accept, epoll_wait, poll, select, sleep … ──► is a child due? ──► the same of libc
 *
 * Anywhere else, one word is looked at. read and its like do not tell whether they wait: a child begins there when it
 * has lived for long.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "native/start.h"

#define HOOK __attribute__((visibility("default")))

enum { NEVER = -1, AT_ONCE = 0 };

static __attribute__((noinline, cold)) void *find_wait(const char *name)
{
    const int error = errno;
    void *found = dlsym(RTLD_NEXT, name);
    errno = error;
    return found;
}

static int64_t milliseconds_of(const struct timespec *time)
{
    return time == NULL || time->tv_sec < 0 || time->tv_sec > INT32_MAX
               ? NEVER
               : (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;
}

static int64_t milliseconds_of_value(const struct timeval *time)
{
    return time == NULL || time->tv_sec < 0 || time->tv_sec > INT32_MAX
               ? NEVER
               : (int64_t)time->tv_sec * 1000 + time->tv_usec / 1000;
}

/* `lasts`: milliseconds, NEVER for a wait without an end. */
#define WAIT(type, name, lasts, parameters, arguments)                                                                 \
    HOOK type name parameters                                                                                          \
    {                                                                                                                  \
        static type(*next) parameters;                                                                                 \
        if (__builtin_expect(next == NULL, 0)) {                                                                       \
            void *found = find_wait(#name);                                                                            \
            memcpy(&next, &found, sizeof next);                                                                        \
        }                                                                                                              \
        if (hsn_may_be_due()) hsn_wait_begins(lasts);                                                                  \
        return next arguments;                                                                                         \
    }

/* Headers declare these only where the program is built with checks. */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t size);
ssize_t msgrcv(int queue, void *message, size_t size, long type, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags);

WAIT(int, accept, NEVER, (int fd, __SOCKADDR_ARG address, socklen_t *size), (fd, address, size))
WAIT(int, accept4, NEVER, (int fd, __SOCKADDR_ARG address, socklen_t *size, int flags), (fd, address, size, flags))
WAIT(int, epoll_wait, timeout, (int fd, struct epoll_event *events, int most, int timeout), (fd, events, most, timeout))
WAIT(int, epoll_pwait, timeout, (int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask),
     (fd, events, most, timeout, mask))
WAIT(int, poll, timeout, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
WAIT(int, __poll_chk, timeout, (struct pollfd * fds, nfds_t count, int timeout, size_t size),
     (fds, count, timeout, size))
WAIT(int, ppoll, milliseconds_of(timeout),
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (fds, count, timeout, mask))
WAIT(int, __ppoll_chk, milliseconds_of(timeout),
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t size),
     (fds, count, timeout, mask, size))
WAIT(int, select, milliseconds_of_value(timeout),
     (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
      struct timeval *restrict timeout),
     (count, reads, writes, others, timeout))
WAIT(int, pselect, milliseconds_of(timeout),
     (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
      const struct timespec *restrict timeout, const sigset_t *restrict mask),
     (count, reads, writes, others, timeout, mask))
WAIT(int, nanosleep, milliseconds_of(time), (const struct timespec *time, struct timespec *left), (time, left))
WAIT(int, clock_nanosleep, (flags & TIMER_ABSTIME) != 0 ? NEVER : milliseconds_of(time),
     (clockid_t clock, int flags, const struct timespec *time, struct timespec *left), (clock, flags, time, left))
WAIT(int, usleep, time / 1000, (useconds_t time), (time))
WAIT(unsigned int, sleep, (int64_t)time * 1000, (unsigned int time), (time))
WAIT(ssize_t, read, AT_ONCE, (int fd, void *buffer, size_t size), (fd, buffer, size))
WAIT(ssize_t, __read_chk, AT_ONCE, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room))
WAIT(ssize_t, recv, AT_ONCE, (int fd, void *buffer, size_t size, int flags), (fd, buffer, size, flags))
WAIT(ssize_t, __recv_chk, AT_ONCE, (int fd, void *buffer, size_t size, size_t room, int flags),
     (fd, buffer, size, room, flags))
WAIT(ssize_t, recvfrom, AT_ONCE,
     (int fd, void *restrict buffer, size_t size, int flags, __SOCKADDR_ARG from, socklen_t *restrict from_size),
     (fd, buffer, size, flags, from, from_size))
WAIT(ssize_t, recvmsg, AT_ONCE, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WAIT(ssize_t, msgrcv, AT_ONCE, (int queue, void *message, size_t size, long type, int flags),
     (queue, message, size, type, flags))
WAIT(int, pause, NEVER, (void), ())
WAIT(int, sigsuspend, NEVER, (const sigset_t *mask), (mask))
