/*
 * What a process is as seen from outside: its size from statm and status, what its control groups allow it, and its
 * identity from what the kernel says of this boot.
 */
#include "live/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/mix.h"
#include "live/procfs.h"

static char *read_file(long pid, const char *name, size_t most)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    return hsd_procfs_read(path, most, NULL);
}

static size_t measure_pages(long pid, hsd_origin_metric out[2])
{
    uint64_t resident = 0, shared = 0;
    char *text = read_file(pid, "statm", 4096);
    char *at = text == NULL ? NULL : strchr(text, ' ');
    const bool is_known = at != NULL && hsd_procfs_number(at + 1, &resident) && (at = strchr(at + 1, ' ')) != NULL &&
                          hsd_procfs_number(at + 1, &shared);
    free(text);
    if (!is_known || resident == 0) return 0;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    out[0] = (hsd_origin_metric){"process.rss", "bytes", resident * page};
    out[1] = (hsd_origin_metric){"process.private", "bytes", (resident > shared ? resident - shared : 0) * page};
    return 2;
}

size_t hsd_measure_process(long pid, hsd_origin_metric *out, size_t most)
{
    if (most < 4) return 0;
    size_t count = measure_pages(pid, out);
    if (count == 0) return 0;
    uint64_t threads = 0;
    char *text = read_file(pid, "status", (size_t)64 << 10);
    const char *at = text == NULL ? NULL : hsd_procfs_status_value(text, "Threads");
    if (at != NULL && hsd_procfs_number(at, &threads) && threads > 0)
        out[count++] = (hsd_origin_metric){"threads", "count", threads};
    free(text);
    const uint64_t limit = hsd_memory_group_limit("", pid);
    if (limit != UINT64_MAX) out[count++] = (hsd_origin_metric){"process.limit", "bytes", limit};
    return count;
}

hsd_status hsd_live_memory_read(hsd_live_memory *out, long pid, hsd_error *err)
{
    hsd_origin_metric pages[2];
    *out = (hsd_live_memory){0};
    if (measure_pages(pid, pages) == 0) return hsd_fail(err, HSD_E_NOT_FOUND, "there is no process %ld", pid);
    const hsd_memory_bound bound = hsd_memory_bound_of("", pid);
    out->rss_bytes = pages[0].value;
    if (bound.limit_bytes == UINT64_MAX) return HSD_OK;
    out->used_bytes = bound.used_bytes;
    out->limit_bytes = bound.limit_bytes;
    out->is_group = bound.is_group;
    return HSD_OK;
}

void hsd_live_domain(uint8_t domain[16], const hsd_process_facts *facts)
{
    uint64_t words[2] = {UINT64_C(0x2f0b4c71a96d83e5), UINT64_C(0x6a1d94f35be0c827)};
    char *boot = hsd_procfs_read("/proc/sys/kernel/random/boot_id", 64, NULL);
    for (unsigned i = 0; i < 2; i++) {
        for (const char *at = boot; at != NULL && *at != '\0'; at++)
            words[i] = hsd_mix(words[i], (uint64_t)(unsigned char)*at);
        words[i] = hsd_mix(hsd_mix(words[i], (uint64_t)facts->pid), facts->start_ticks);
    }
    free(boot);
    if (words[0] == 0) words[0] = 1;
    memcpy(domain, words, sizeof words);
}

hsd_import_origin hsd_live_origin(const hsd_process_facts *facts)
{
    hsd_import_origin origin = {
        .pid = (uint64_t)facts->pid, .started_unix_ns = facts->started_unix_ns, .taken_unix_ns = hsd_unix_now_ns()};
    hsd_live_domain(origin.domain, facts);
    return origin;
}
