/*
 * Reads the memory limits that hold for this process:
 *
 *      /proc/meminfo                  MemTotal, in KiB
 *      /proc/self/cgroup              "0::/a/b" (version 2)  "7:memory:/a/b" (version 1)
 *      …/a/b, …/a, …                  memory.max, memory.limit_in_bytes: a group is bound by those
 *                                     around it, so each is asked, up to the mount
 *
 * In a container the path may name groups outside of what is mounted: those files do not exist, and
 * the mount itself, asked last, is the container's own group.
 */
#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsdiff/run.h>

#include "base/check.h"

#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)
#define DEFAULT_MIN_BYTES (UINT64_C(32) << 20)
#define PATH_BYTES        ((size_t)4096)

/* A decimal number at the start of `text`; false for "max" and anything else. */
static bool parse_number(const char *text, uint64_t *out)
{
    while (*text == ' ' || *text == '\t')
        text++;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

static uint64_t machine_memory(const char *root)
{
    char line[256];
    if (snprintf(line, sizeof line, "%s/proc/meminfo", root) >= (int)sizeof line) return UINT64_MAX;
    FILE *file = fopen(line, "re");
    if (file == NULL) return UINT64_MAX;
    uint64_t kibibytes = 0, bytes = 0;
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found = strncmp(line, "MemTotal:", 9) == 0 && parse_number(line + 9, &kibibytes);
    fclose(file);
    return is_found && hsd_mul_u64(kibibytes, 1024, &bytes) && bytes > 0 ? bytes : UINT64_MAX;
}

static uint64_t read_limit(const char *path)
{
    char line[64];
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen(path, "re");
    if (file == NULL) return UINT64_MAX;
    if (fgets(line, sizeof line, file) == NULL || !parse_number(line, &limit)) limit = UINT64_MAX;
    fclose(file);
    return limit > 0 ? limit : UINT64_MAX;
}

/* The smallest limit of `group` and all groups around it, below one mount. */
static uint64_t group_limit(const char *root, const char *mount, const char *group,
                            const char *name)
{
    uint64_t limit = UINT64_MAX;
    size_t length = strlen(group);
    for (;;) {
        while (length > 0 && group[length - 1] == '/')
            length--;
        char path[PATH_BYTES];
        const int size =
            snprintf(path, sizeof path, "%s%s%.*s/%s", root, mount, (int)length, group, name);
        if (size > 0 && (size_t)size < sizeof path) limit = hsd_min_u64(limit, read_limit(path));
        if (length == 0) return limit;
        while (length > 0 && group[length - 1] != '/')
            length--;
    }
}

static bool lists_memory(const char *controllers, size_t size)
{
    for (size_t at = 0; at + 6 <= size; at++) {
        const bool begins = at == 0 || controllers[at - 1] == ',';
        const bool ends = at + 6 == size || controllers[at + 6] == ',';
        if (begins && ends && memcmp(controllers + at, "memory", 6) == 0) return true;
    }
    return false;
}

/* One line of /proc/self/cgroup: number ":" controllers ":" path. */
static uint64_t line_limit(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) return UINT64_MAX;
    controllers++;
    const size_t size = (size_t)(group - controllers);
    group++;
    group[strcspn(group, "\n")] = '\0';
    if (size == 0)
        return hsd_min_u64(group_limit(root, "/sys/fs/cgroup", group, "memory.max"),
                           group_limit(root, "/sys/fs/cgroup/unified", group, "memory.max"));
    if (!lists_memory(controllers, size)) return UINT64_MAX;
    return group_limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
}

static uint64_t cgroup_limit(const char *root)
{
    char line[PATH_BYTES];
    if (snprintf(line, sizeof line, "%s/proc/self/cgroup", root) >= (int)sizeof line)
        return UINT64_MAX;
    FILE *file = fopen(line, "re");
    if (file == NULL) return UINT64_MAX;
    uint64_t limit = UINT64_MAX;
    while (fgets(line, sizeof line, file) != NULL)
        limit = hsd_min_u64(limit, line_limit(root, line));
    fclose(file);
    return limit;
}

uint64_t hsd_memory_limit(const char *root)
{
    return hsd_min_u64(machine_memory(root), cgroup_limit(root));
}

uint64_t hsd_memory_default(uint64_t limit_bytes)
{
    const uint64_t quarter = limit_bytes / 4;
    return hsd_max_u64(DEFAULT_MIN_BYTES, hsd_min_u64(DEFAULT_MAX_BYTES, quarter));
}

uint64_t hsd_run_default_memory(void) { return hsd_memory_default(hsd_memory_limit("")); }
