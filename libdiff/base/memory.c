/*
 * Reads the memory limits that hold for a process:
 *
 *      /proc/meminfo                  MemTotal, in KiB
 *      /proc/self/cgroup              "0::/a/b" (version 2)  "7:memory:/a/b" (version 1)
 *      …/a/b, …/a, …                  memory.max, memory.limit_in_bytes: a group is bound by those
 *                                     around it, so each is asked, up to the mount; and what is used of them
 *      getrlimit                      what the process may map
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
#include <sys/resource.h>

#include <hsdiff/run.h>

#include "base/check.h"

#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)
#define DEFAULT_MIN_BYTES (UINT64_C(32) << 20)
#define PATH_BYTES        ((size_t)4096)
/* version 1 writes "none" as a number about as large as there is */
#define NO_LIMIT (UINT64_C(1) << 60)

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

/* A line "KEY 123" or "KEY:   123 kB" of a file; 0 if there is none. */
static uint64_t read_line(const char *path, const char *key)
{
    char line[256];
    uint64_t number = 0;
    bool is_found = false;
    const size_t size = strlen(key);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found = strncmp(line, key, size) == 0 && parse_number(line + size, &number);
    fclose(file);
    return is_found ? number : 0;
}

/* In bytes; 0 if the machine does not say. */
static uint64_t machine_bytes(const char *root, const char *key)
{
    char path[PATH_BYTES];
    uint64_t bytes = 0;
    if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path) return 0;
    return hsd_mul_u64(read_line(path, key), 1024, &bytes) ? bytes : 0;
}

/* A file of one number; UINT64_MAX for "max" and where there is none. */
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

/* ---- control groups ---- */

/* What a version calls its files. */
typedef struct group_files {
    const char *limit, *used, *inactive;
} group_files;

static const group_files version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
static const group_files version_2 = {"memory.max", "memory.current", "inactive_file "};

/* Is told each group of a process, `folder` of `length` bytes being its place in the mount. */
typedef void (*group_fn)(void *context, const char *folder, size_t length, const group_files *files);

static uint64_t read_of_group(const char *folder, size_t length, const char *name)
{
    char path[PATH_BYTES];
    const int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    return size > 0 && (size_t)size < sizeof path ? read_limit(path) : UINT64_MAX;
}

/* `group` and all groups around it, below one mount. */
static void climb(const char *root, const char *mount, const char *group, const group_files *files, group_fn tell,
                  void *context)
{
    char folder[PATH_BYTES];
    const int size = snprintf(folder, sizeof folder, "%s%s%s", root, mount, group);
    const size_t base = strlen(root) + strlen(mount);
    if (size < 0 || (size_t)size >= sizeof folder) return;
    for (size_t length = (size_t)size;;) {
        while (length > base && folder[length - 1] == '/')
            length--;
        tell(context, folder, length, files);
        if (length == base) return;
        while (length > base && folder[length - 1] != '/')
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

/* One line of cgroup: number ":" controllers ":" path. */
static void visit_line(const char *root, char *line, group_fn tell, void *context)
{
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) return;
    controllers++;
    const size_t size = (size_t)(group - controllers);
    group++;
    group[strcspn(group, "\n")] = '\0';
    if (size == 0) {
        climb(root, "/sys/fs/cgroup", group, &version_2, tell, context);
        climb(root, "/sys/fs/cgroup/unified", group, &version_2, tell, context);
    } else if (lists_memory(controllers, size)) {
        climb(root, "/sys/fs/cgroup/memory", group, &version_1, tell, context);
    }
}

/* `process`: "self" or a pid. */
static void visit_groups(const char *root, const char *process, group_fn tell, void *context)
{
    char line[PATH_BYTES];
    if (snprintf(line, sizeof line, "%s/proc/%s/cgroup", root, process) >= (int)sizeof line) return;
    FILE *file = fopen(line, "re");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL)
        visit_line(root, line, tell, context);
    fclose(file);
}

/* ---- the least of them ---- */

static void take_limit(void *context, const char *folder, size_t length, const group_files *files)
{
    uint64_t *least = context;
    *least = hsd_min_u64(*least, read_of_group(folder, length, files->limit));
}

uint64_t hsd_memory_limit(const char *root)
{
    const uint64_t machine = machine_bytes(root, "MemTotal:");
    uint64_t least = machine > 0 ? machine : UINT64_MAX;
    visit_groups(root, "self", take_limit, &least);
    return least;
}

uint64_t hsd_memory_group_limit(const char *root, long pid)
{
    char process[24];
    uint64_t least = UINT64_MAX;
    snprintf(process, sizeof process, "%ld", pid);
    visit_groups(root, process, take_limit, &least);
    return least < NO_LIMIT ? least : UINT64_MAX;
}

uint64_t hsd_memory_room(const hsd_memory_bound *bound)
{
    if (bound->limit_bytes == UINT64_MAX) return UINT64_MAX;
    return bound->limit_bytes > bound->used_bytes ? bound->limit_bytes - bound->used_bytes : 0;
}

static void take_bound(void *context, const char *folder, size_t length, const group_files *files)
{
    hsd_memory_bound *least = context;
    char path[PATH_BYTES];
    hsd_memory_bound one = {.limit_bytes = read_of_group(folder, length, files->limit), .is_group = true};
    if (one.limit_bytes >= NO_LIMIT) return;
    one.used_bytes = read_of_group(folder, length, files->used);
    if (one.used_bytes == UINT64_MAX) return;
    const int size = snprintf(path, sizeof path, "%.*s/memory.stat", (int)length, folder);
    const uint64_t inactive = size > 0 && (size_t)size < sizeof path ? read_line(path, files->inactive) : 0;
    one.used_bytes -= hsd_min_u64(one.used_bytes, inactive);
    if (hsd_memory_room(&one) < hsd_memory_room(least)) *least = one;
}

hsd_memory_bound hsd_memory_bound_of(const char *root, long pid)
{
    char process[24];
    const uint64_t total = machine_bytes(root, "MemTotal:"), available = machine_bytes(root, "MemAvailable:");
    hsd_memory_bound least = {.limit_bytes = UINT64_MAX};
    if (total > 0 && available > 0)
        least = (hsd_memory_bound){.limit_bytes = total, .used_bytes = total - hsd_min_u64(total, available)};
    snprintf(process, sizeof process, "%ld", pid);
    visit_groups(root, process, take_bound, &least);
    return least;
}

uint64_t hsd_memory_default(uint64_t limit_bytes)
{
    const uint64_t quarter = limit_bytes / 4;
    return hsd_max_u64(DEFAULT_MIN_BYTES, hsd_min_u64(DEFAULT_MAX_BYTES, quarter));
}

uint64_t hsd_run_system_memory(void) { return hsd_memory_limit(""); }

/* The shell's ulimit -v and -d, which batch systems set: what is mapped counts, also what is not touched. */
uint64_t hsd_memory_process_limit(void)
{
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < HSD_ARRAY_LEN(resources); i++) {
        struct rlimit limit;
        if (getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            least = hsd_min_u64(least, (uint64_t)limit.rlim_cur);
    }
    return least;
}

uint64_t hsd_run_default_memory(void)
{
    /* Of what may be mapped stacks and heaps of threads take as much again as they use. */
    return hsd_memory_default(hsd_min_u64(hsd_memory_limit(""), hsd_memory_process_limit() / 2));
}
