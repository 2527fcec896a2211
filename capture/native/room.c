/*
 * Limit and usage of the memory cgroup: memory.max and memory.current of version 2, memory.limit_in_bytes and
 * memory.usage_in_bytes of version 1; of the group itself, whose path /proc/self/cgroup tells, or where a container
 * sees its own as the root, of that.
 */
#include "native/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/agent.h"

enum { TEXT_BYTES = 4096, PATH_BYTES = 1024, EVERY_US = 2000 };

/* What no limit looks like in version 1: a page below 2^63. */
#define NO_LIMIT   (UINT64_C(1) << 60)
#define MOST_SHORT (UINT64_C(16) << 20)

static int usage_fd = -1;
static uint64_t limit_bytes, short_bytes;
static volatile sig_atomic_t is_short;

/* The decimal number in a file; false if there is none ("max" is none). */
static bool read_number(int fd, uint64_t *number)
{
    char text[32];
    const ssize_t size = pread(fd, text, sizeof text, 0);
    uint64_t value = 0;
    ssize_t at = 0;
    for (; at < size && text[at] >= '0' && text[at] <= '9' && value < NO_LIMIT; at++)
        value = value * 10 + (uint64_t)(text[at] - '0');
    *number = value;
    return at > 0;
}

static bool join_cgroup_room(char path[PATH_BYTES], const char *root, const char *group, size_t size, const char *file)
{
    const size_t before = strlen(root), behind = strlen(file);
    if (before + size + behind + 1 > PATH_BYTES) return false;
    memcpy(path, root, before);
    memcpy(path + before, group, size);
    memcpy(path + before + size, file, behind + 1);
    return true;
}

static int open_in(const char *root, const char *group, size_t size, const char *file)
{
    char path[PATH_BYTES];
    return join_cgroup_room(path, root, group, size, file) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static bool take_limit(const char *root, const char *group, size_t size, const char *limit, const char *usage)
{
    const int fd = open_in(root, group, size, limit);
    const bool is_limited = fd >= 0 && read_number(fd, &limit_bytes) && limit_bytes > 0 && limit_bytes < NO_LIMIT;
    if (fd >= 0) close(fd);
    if (is_limited) usage_fd = open_in(root, group, size, usage);
    return usage_fd >= 0;
}

static bool take_version(const char *root, const char *group, size_t size, const char *limit, const char *usage)
{
    if (size == 1) size = 0; /* "/" */
    return take_limit(root, group, size, limit, usage) || (size > 0 && take_limit(root, "", 0, limit, usage));
}

/* One line of /proc/self/cgroup: "0::/PATH" or "4:memory:/PATH". */
static bool take_line(const char *line, const char *end)
{
    static const char memory[] = ":memory:";
    const char *first = memchr(line, ':', (size_t)(end - line));
    if (first == NULL || end - first < 2) return false;
    if (first[1] == ':')
        return take_version("/sys/fs/cgroup", first + 2, (size_t)(end - first) - 2, "/memory.max", "/memory.current");
    if ((size_t)(end - first) < sizeof memory || memcmp(first, memory, sizeof memory - 1) != 0) return false;
    first += sizeof memory - 1;
    return take_version("/sys/fs/cgroup/memory", first, (size_t)(end - first), "/memory.limit_in_bytes",
                        "/memory.usage_in_bytes");
}

static bool find_cgroup(void)
{
    char text[TEXT_BYTES];
    const size_t size = hsa_read_text("/proc/self/cgroup", text, sizeof text);
    for (const char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL) break;
        if (take_line(line, end)) return true;
    }
    return false;
}

static void look_cgroup_room(int signal)
{
    const int kept = errno;
    uint64_t used;
    (void)signal;
    if (read_number(usage_fd, &used)) {
        const uint64_t left = used < limit_bytes ? limit_bytes - used : 0;
        if (left < short_bytes) is_short = 1;
    }
    errno = kept;
}

static bool set_thresholds(void)
{
    uint64_t used;
    if (!read_number(usage_fd, &used) || used >= limit_bytes) return false;
    const uint64_t left = limit_bytes - used;
    short_bytes = left / 4 < MOST_SHORT ? left / 4 : MOST_SHORT;
    return true;
}

const volatile sig_atomic_t *hsn_room_watch(void)
{
    const struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}};
    struct sigaction action = {.sa_handler = look_cgroup_room, .sa_flags = SA_RESTART};
    sigset_t alarm_only;
    if (!find_cgroup() || !set_thresholds()) return NULL;
    sigfillset(&action.sa_mask);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0) return NULL;
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    return &is_short;
}
