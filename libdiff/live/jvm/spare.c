/*
 * Memory to spare: the least of what is available in the machine and of limit - usage of the process' memory cgroup and all above it,
 * version 1 or 2. Pages of files that are not in use count as spare.
 */
#include "live/jvm/spare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "live/procfs.h"

enum { PATH_BYTES = 768 };

bool hsd_spare_cgroup(const char *text, char *out, size_t size, bool *is_v1)
{
    bool is_found = false;
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end == NULL ? strlen(line) : (size_t)(end - line);
        const char *controllers = memchr(line, ':', length);
        const char *path = controllers == NULL ? NULL : memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line));
        if (path != NULL && length - (size_t)(path + 1 - line) < size) {
            const size_t named = (size_t)(path - controllers - 1);
            const bool is_memory = named == 6 && memcmp(controllers + 1, "memory", 6) == 0;
            if (is_memory || (named == 0 && !is_found)) {
                const size_t used = length - (size_t)(path + 1 - line);
                memcpy(out, path + 1, used);
                out[used] = '\0';
                *is_v1 = is_memory;
                is_found = true;
                if (is_memory) return true;
            }
        }
        line = end == NULL ? NULL : end + 1;
    }
    return is_found;
}

static bool read_number(const char *folder, const char *name, uint64_t *out)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = hsd_procfs_read(path, 64, NULL);
    const bool is_good = text != NULL && hsd_procfs_number(text, out);
    free(text);
    return is_good;
}

/* A row "key number" of memory.stat; 0 if there is none. */
static uint64_t read_row(const char *folder, const char *key)
{
    char path[PATH_BYTES + 64];
    uint64_t value = 0;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    char *text = hsd_procfs_read(path, (size_t)64 << 10, NULL);
    const char *at = text == NULL ? NULL : strstr(text, key);
    if (at != NULL) hsd_procfs_number(at + strlen(key), &value);
    free(text);
    return value;
}

static uint64_t spare_of_group(const char *folder, bool is_v1)
{
    uint64_t limit = 0, usage = 0;
    if (!read_number(folder, is_v1 ? "memory.limit_in_bytes" : "memory.max", &limit)) return UINT64_MAX;
    if (!read_number(folder, is_v1 ? "memory.usage_in_bytes" : "memory.current", &usage)) return UINT64_MAX;
    if (limit >= UINT64_C(1) << 60) return UINT64_MAX;
    const uint64_t files = read_row(folder, is_v1 ? "\ntotal_inactive_file " : "\ninactive_file ");
    usage -= hsd_min_u64(usage, files);
    return limit > usage ? limit - usage : 0;
}

static uint64_t spare_of_groups(const hsd_process_facts *facts)
{
    char path[64], group[PATH_BYTES / 2], folder[PATH_BYTES];
    bool is_v1 = false;
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "/proc/%ld/cgroup", facts->pid);
    char *text = hsd_procfs_read(path, (size_t)16 << 10, NULL);
    if (text != NULL && hsd_spare_cgroup(text, group, sizeof group, &is_v1)) {
        for (;;) {
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_v1 ? "/memory" : "", strcmp(group, "/") == 0 ? "" : group);
            least = hsd_min_u64(least, spare_of_group(folder, is_v1));
            char *last = strrchr(group, '/');
            if (last == NULL || group[0] == '\0') break;
            *last = '\0';
        }
    }
    free(text);
    return least;
}

uint64_t hsd_spare_bytes(const hsd_process_facts *facts)
{
    uint64_t kib = 0, available = UINT64_MAX;
    char *text = hsd_procfs_read("/proc/meminfo", (size_t)16 << 10, NULL);
    const char *at = text == NULL ? NULL : hsd_procfs_status_value(text, "MemAvailable");
    if (at != NULL && hsd_procfs_number(at, &kib) && kib < UINT64_MAX >> 10) available = kib << 10;
    free(text);
    return hsd_min_u64(available, spare_of_groups(facts));
}
