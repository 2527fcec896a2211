/*
 * The memory cgroup of the program, or one around it, that has the least left: its limit, and the file that says what
 * is used of it.
 */
#include "native/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/cgroup.h"

enum { EVERY_US = 2000 };

#define MOST_SHORT (UINT64_C(16) << 20)

static int usage_fd = -1;
static uint64_t limit_bytes, left_bytes, short_bytes;
static volatile sig_atomic_t is_short;

static uint64_t left_of(uint64_t limit, uint64_t used) { return used < limit ? limit - used : 0; }

/* Keeps the group with the least left. */
static void take_group(void *context, uint64_t limit, const char *usage_path)
{
    uint64_t used = 0;
    const int fd = open(usage_path, O_RDONLY | O_CLOEXEC);
    (void)context;
    if (fd < 0 || !hsa_read_number(fd, &used) || (usage_fd >= 0 && left_of(limit, used) >= left_bytes)) {
        if (fd >= 0) close(fd);
        return;
    }
    if (usage_fd >= 0) close(usage_fd);
    usage_fd = fd;
    limit_bytes = limit;
    left_bytes = left_of(limit, used);
}

static void look_cgroup_room(int signal)
{
    const int kept = errno;
    uint64_t used;
    (void)signal;
    if (hsa_read_number(usage_fd, &used) && left_of(limit_bytes, used) < short_bytes) is_short = 1;
    errno = kept;
}

const volatile sig_atomic_t *hsn_room_watch(void)
{
    const struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}};
    struct sigaction action = {.sa_handler = look_cgroup_room, .sa_flags = SA_RESTART};
    sigset_t alarm_only;
    hsa_visit_groups(take_group, NULL);
    if (usage_fd < 0 || left_bytes == 0) return NULL;
    short_bytes = left_bytes / 4 < MOST_SHORT ? left_bytes / 4 : MOST_SHORT;
    sigfillset(&action.sa_mask);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0) return NULL;
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    return &is_short;
}
