/* Times of sockets (socket_times.h). */
#include "native/socket_times.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

static const uint64_t US_A_SECOND = 1000 * 1000, NS_A_US = 1000, GRAIN_US = 1000;

static bool is_of_socket(const hsn_call *call)
{
    return call->timeout == HSN_TIMEOUT_RECEIVE || call->timeout == HSN_TIMEOUT_SEND;
}
static int option_of(const hsn_call *call) { return call->timeout == HSN_TIMEOUT_RECEIVE ? SO_RCVTIMEO : SO_SNDTIMEO; }

static bool get_us(int fd, int option, uint64_t *us)
{
    struct timeval time = {0};
    socklen_t size = sizeof time;
    if (getsockopt(fd, SOL_SOCKET, option, &time, &size) != 0 || size != sizeof time || time.tv_sec < 0 ||
        time.tv_usec < 0)
        return false;
    if ((uint64_t)time.tv_sec > UINT64_MAX / US_A_SECOND / NS_A_US - 1) return false;
    *us = (uint64_t)time.tv_sec * US_A_SECOND + (uint64_t)time.tv_usec;
    return *us > 0;
}

static bool set_us(int fd, int option, uint64_t us)
{
    const struct timeval time = {.tv_sec = (time_t)(us / US_A_SECOND), .tv_usec = (suseconds_t)(us % US_A_SECOND)};
    return setsockopt(fd, SOL_SOCKET, option, &time, sizeof time) == 0;
}

bool hsn_socket_time(const hsn_call *call, int fd, uint64_t *ns)
{
    const int before = errno;
    uint64_t us = 0;
    const bool has_time = is_of_socket(call) && get_us(fd, option_of(call), &us);
    if (ns != NULL) *ns = us * NS_A_US;
    errno = before;
    return has_time;
}

/* The kernel counts ticks and rounds up: where a tick is no whole number of microseconds, what was read comes back as
 * one tick more. */
bool hsn_socket_time_set(const hsn_call *call, int fd, uint64_t ns)
{
    const int before = errno, option = option_of(call);
    const uint64_t us = ns < NS_A_US ? 1 : ns / NS_A_US; /* 0 would be without end */
    uint64_t now = 0;
    const bool is_set = set_us(fd, option, us);
    if (is_set && us > GRAIN_US && get_us(fd, option, &now) && now > us) set_us(fd, option, us - GRAIN_US);
    errno = before;
    return is_set;
}
