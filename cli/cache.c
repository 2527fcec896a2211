/*
 * How much an import may write of its temporary capture as it is. See cache.h.
 */
#include "cache.h"

#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <hsdiff/import.h>

#define MOST_BYTES  ((uint64_t)8 << 30)
#define TMPFS_MAGIC 0x01021994
#define RAMFS_MAGIC 0x858458f6u
#define DISK_PART   2u /* of what is free: the rest of the run needs room there, too */
#define MEMORY_PART 8u /* of a folder in memory: what lies there is taken from everybody */
#define PACKED      8u /* times: what a dump that is packed has at least once it is unpacked */

static bool lies_in_memory(const char *folder)
{
    struct statfs what;
    return statfs(folder, &what) == 0 && ((uint64_t)what.f_type == TMPFS_MAGIC || (uint64_t)what.f_type == RAMFS_MAGIC);
}

/* UINT64_MAX where nobody knows. */
static uint64_t free_part(const char *folder, bool is_memory)
{
    struct statvfs space;
    uint64_t bytes;
    if (statvfs(folder, &space) != 0 || __builtin_mul_overflow(space.f_bavail, space.f_frsize, &bytes))
        return UINT64_MAX;
    return bytes / (is_memory ? MEMORY_PART : DISK_PART);
}

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

void cli_cache_find(cli_cache *out, const cli_app *cli)
{
    const uint64_t memory = smaller_of(hsd_run_system_memory() / 8 * 5, MOST_BYTES);
    out->folder = hsd_run_temp_dir(&cli->run);
    out->is_memory = lies_in_memory(out->folder);
    out->bytes = smaller_of(memory > cli->run.memory_bytes ? memory : cli->run.memory_bytes,
                            free_part(out->folder, out->is_memory)) /
                 (cli->input_count > 1 ? 2 : 1);
}

static bool is_packed(int fd)
{
    unsigned char head[HSD_IMPORT_PACKED_BYTES];
    const ssize_t size = pread(fd, head, sizeof head, 0);
    return size > 0 && hsd_import_is_packed(head, (size_t)size);
}

bool cli_cache_has_room(const cli_cache *cache, int fd, uint64_t size)
{
    return size <= cache->bytes / (is_packed(fd) ? PACKED : 1);
}
