/*
 * Lines of /proc/self/cgroup, "0::/a/b" of version 2 and "4:memory:/a/b" of version 1, and of each the folders /a/b,
 * /a and / below the mount. Where a path names groups outside of what is mounted, their files are not there.
 */
#include "agent/cgroup.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"

enum { TEXT_BYTES = 4096, PATH_BYTES = 1024 };

/* What no limit looks like in version 1: a page below 2^63. */
#define NO_LIMIT (UINT64_C(1) << 60)

bool hsa_read_number(int fd, uint64_t *number)
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

static bool join(char path[PATH_BYTES], const char *mount, const char *group, size_t size, const char *file)
{
    const size_t before = strlen(mount), behind = strlen(file);
    if (before + size + behind + 1 > PATH_BYTES) return false;
    memcpy(path, mount, before);
    memcpy(path + before, group, size);
    memcpy(path + before + size, file, behind + 1);
    return true;
}

typedef struct version {
    const char *mount, *limit, *usage;
} version;

static const version version_1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes"};
static const version version_2 = {"/sys/fs/cgroup", "/memory.max", "/memory.current"};

static void tell_group(const version *v, const char *group, size_t size, hsa_group_fn tell, void *context)
{
    char path[PATH_BYTES];
    uint64_t limit = 0;
    const int fd = join(path, v->mount, group, size, v->limit) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const bool is_limited = fd >= 0 && hsa_read_number(fd, &limit) && limit > 0 && limit < NO_LIMIT;
    if (fd >= 0) close(fd);
    if (is_limited && join(path, v->mount, group, size, v->usage)) tell(context, limit, path);
}

static void climb_groups(const version *v, const char *group, size_t size, hsa_group_fn tell, void *context)
{
    for (;;) {
        while (size > 0 && group[size - 1] == '/')
            size--;
        tell_group(v, group, size, tell, context);
        if (size == 0) return;
        while (size > 0 && group[size - 1] != '/')
            size--;
    }
}

static void visit_line(const char *line, const char *end, hsa_group_fn tell, void *context)
{
    static const char memory[] = ":memory:";
    const char *first = memchr(line, ':', (size_t)(end - line));
    if (first == NULL || end - first < 2) return;
    if (first[1] == ':') {
        climb_groups(&version_2, first + 2, (size_t)(end - first) - 2, tell, context);
    } else if ((size_t)(end - first) >= sizeof memory && memcmp(first, memory, sizeof memory - 1) == 0) {
        first += sizeof memory - 1;
        climb_groups(&version_1, first, (size_t)(end - first), tell, context);
    }
}

void hsa_visit_groups(hsa_group_fn tell, void *context)
{
    char text[TEXT_BYTES];
    const size_t size = hsa_read_text("/proc/self/cgroup", text, sizeof text);
    for (const char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL) return;
        visit_line(line, end, tell, context);
    }
}

static void take_least(void *context, uint64_t limit_bytes, const char *usage_path)
{
    uint64_t *least = context;
    (void)usage_path;
    if (*least == 0 || limit_bytes < *least) *least = limit_bytes;
}

uint64_t hsa_group_limit(void)
{
    uint64_t least = 0;
    hsa_visit_groups(take_least, &least);
    return least;
}
