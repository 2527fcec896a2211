/*
 * The counters of a JVM. The file:
 *
 *      u4 0xcafec0c0, big-endian   u1 byte order (1 = little)   u1 major version 2   u1 minor   u1 is ready
 *      u4 used   u4 overflow   u8 time   u4 first entry   u4 number of entries
 *
 *      u4 bytes to the next entry   u4 name   u4 elements (0 = one number)   u1 type ('J', 'B')   u1 flags   u1 unit   u1 kind   u4 value
 *
 * Name and value are offsets in the entry; the name ends in NUL.
 */
#include "live/jvm/perfdata.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

enum { HEAD_BYTES = 32, ENTRY_BYTES = 20, MOST_BYTES = 1 << 20, GENERATIONS = 2, SPACES = 4, COLLECTORS = 4 };

typedef struct content {
    const uint8_t *data;
    size_t size;
    bool is_little;
} content;

static uint64_t number_at(const content *in, size_t at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)in->data[at + i] << 8 * (in->is_little ? i : bytes - 1 - i);
    return value;
}

/* ---- one counter ---- */

typedef struct sums {
    uint64_t capacity[GENERATIONS], used[GENERATIONS], ticks, frequency;
} sums;

/* Number N and M of "sun.gc.generation.N.space.M.used"; false if the name is another. */
static bool is_counter(const char *name, const char *before, unsigned *n, const char *middle, unsigned *m,
                       const char *behind)
{
    const size_t length = strlen(before);
    if (strncmp(name, before, length) != 0 || name[length] < '0' || name[length] > '9') return false;
    *n = (unsigned)(name[length] - '0');
    name += length + 1;
    if (m != NULL) {
        const size_t inner = strlen(middle);
        if (strncmp(name, middle, inner) != 0 || name[inner] < '0' || name[inner] > '9') return false;
        *m = (unsigned)(name[inner] - '0');
        name += inner + 1;
    }
    return strcmp(name, behind) == 0;
}

static void take_number(hsd_perfdata *out, sums *all, const char *name, uint64_t value)
{
    unsigned n = 0, m = 0;
    if (is_counter(name, "sun.gc.generation.", &n, ".space.", &m, ".used") && n < GENERATIONS)
        all->used[n] = hsd_add_saturating(all->used[n], value);
    else if (is_counter(name, "sun.gc.generation.", &n, NULL, NULL, ".capacity") && n < GENERATIONS)
        all->capacity[n] = value;
    else if (is_counter(name, "sun.gc.collector.", &n, NULL, NULL, ".invocations"))
        out->gc_count = hsd_add_saturating(out->gc_count, value);
    else if (is_counter(name, "sun.gc.collector.", &n, NULL, NULL, ".time"))
        all->ticks = hsd_add_saturating(all->ticks, value);
    else if (strcmp(name, "sun.gc.metaspace.used") == 0)
        out->metadata_bytes = value;
    else if (strcmp(name, "sun.os.hrt.frequency") == 0)
        all->frequency = value;
}

static void take_text(hsd_perfdata *out, const char *name, const uint8_t *text, size_t size)
{
    size_t used = 0;
    if (strcmp(name, "sun.rt.jvmCapabilities") == 0) out->lets_nobody_in = size > 0 && text[0] == '0';
    if (strcmp(name, "java.property.java.version") != 0) return;
    while (used < size && used + 1 < sizeof out->version && text[used] > ' ' && text[used] < 127) {
        out->version[used] = (char)text[used];
        used++;
    }
    out->version[used] = '\0';
}

/* The entry at `at`, `size` bytes of which are there. */
static void take_entry(hsd_perfdata *out, sums *all, const content *in, size_t at, size_t size)
{
    const uint64_t name = number_at(in, at + 4, 4), elements = number_at(in, at + 8, 4),
                   value = number_at(in, at + 16, 4);
    const uint8_t type = in->data[at + 12];
    if (name >= size || value > size || memchr(in->data + at + name, '\0', size - name) == NULL) return;
    const char *text = (const char *)in->data + at + name;
    if (type == 'J' && elements == 0 && size - value >= 8)
        take_number(out, all, text, number_at(in, at + value, 8));
    else if (type == 'B' && elements <= size - value)
        take_text(out, text, in->data + at + value, elements);
}

/* No conversion of what a number does not hold: that is undefined. */
static uint64_t nanoseconds_of(uint64_t ticks, uint64_t frequency)
{
    const double ns = (double)ticks * 1e9 / (double)frequency;
    return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

bool hsd_perfdata_parse(hsd_perfdata *out, const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0};
    sums all = {{0}, {0}, 0, 1000000000};
    *out = (hsd_perfdata){.version = ""};
    if (size < HEAD_BYTES || memcmp(data, magic, sizeof magic) != 0 || data[4] > 1 || data[5] != 2) return false;
    const content in = {data, size, data[4] == 1};
    uint64_t at = number_at(&in, 24, 4);
    for (uint64_t left = number_at(&in, 28, 4); left > 0 && at <= size && size - at >= ENTRY_BYTES; left--) {
        const uint64_t length = number_at(&in, at, 4);
        if (length < ENTRY_BYTES || length > size - at) break;
        take_entry(out, &all, &in, at, length);
        at += length;
    }
    out->young_bytes = all.used[0];
    out->old_bytes = all.used[1];
    out->capacity_bytes = hsd_add_saturating(all.capacity[0], all.capacity[1]);
    if (all.frequency > 0) out->gc_pause_ns = nanoseconds_of(all.ticks, all.frequency);
    return true;
}

/* ---- the file ---- */

static int open_in(const char *folder, const char *user, const hsd_process_facts *facts)
{
    char path[512];
    struct stat found;
    const int used = snprintf(path, sizeof path, "%s/%s/%ld", folder, user, facts->inner_pid);
    if (used < 0 || (size_t)used >= sizeof path) return -1;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == facts->uid) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int open_file(const hsd_process_facts *facts)
{
    static const char prefix[] = "hsperfdata_";
    char folder[64];
    int fd = -1;
    snprintf(folder, sizeof folder, "%s/tmp", facts->root);
    DIR *all = opendir(folder);
    for (struct dirent *one; all != NULL && fd < 0 && (one = readdir(all)) != NULL;)
        if (strncmp(one->d_name, prefix, sizeof prefix - 1) == 0) fd = open_in(folder, one->d_name, facts);
    if (all != NULL) closedir(all);
    return fd;
}

bool hsd_perfdata_read(hsd_perfdata *out, const hsd_process_facts *facts)
{
    bool is_good = false;
    *out = (hsd_perfdata){.version = ""};
    const int fd = open_file(facts);
    uint8_t *data = fd < 0 ? NULL : malloc(MOST_BYTES);
    size_t used = 0;
    for (ssize_t got; data != NULL && used < MOST_BYTES && (got = read(fd, data + used, MOST_BYTES - used)) > 0;)
        used += (size_t)got;
    if (data != NULL) is_good = hsd_perfdata_parse(out, data, used);
    free(data);
    if (fd >= 0) close(fd);
    return is_good;
}

size_t hsd_perfdata_metrics(const hsd_perfdata *data, hsd_origin_metric *out, size_t most)
{
    const hsd_origin_metric all[] = {{"heap.young", "bytes", data->young_bytes},
                                     {"heap.old", "bytes", data->old_bytes},
                                     {"heap.metadata", "bytes", data->metadata_bytes},
                                     {"gc.count", "count", data->gc_count},
                                     {"gc.pause", "ns", data->gc_pause_ns}};
    size_t count = 0;
    if (data->capacity_bytes == 0) return 0; /* nothing is known */
    for (size_t i = data->gc_count == 0 ? 3 : 0; i < HSD_ARRAY_LEN(all) && count < most;
         i++) /* spaces are counted by collections */
        out[count++] = all[i];
    return count;
}
