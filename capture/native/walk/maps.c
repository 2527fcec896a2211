/*
 * /proc/self/maps, in pieces through a buffer on the stack; a line that does not fit loses its path's end. Paths go
 * into the arena, one copy for mappings of one file that follow each other.
 */
#include "native/walk/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, READ_BYTES = 16384 };

/* ---- lines ---- */

typedef struct lines {
    int fd;
    size_t used, at;
    char bytes[READ_BYTES];
} lines;

/* The next line without its end, cut to LINE_BYTES - 1 and NUL-terminated. False behind the last. */
static bool next_line(lines *l, char line[LINE_BYTES])
{
    size_t size = 0;
    for (;;) {
        if (l->at == l->used) {
            const ssize_t got = read(l->fd, l->bytes, sizeof l->bytes);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            l->used = (size_t)got;
            l->at = 0;
        }
        const char c = l->bytes[l->at++];
        if (c == '\n') break;
        if (size < LINE_BYTES - 1) line[size++] = c;
    }
    line[size] = '\0';
    return true;
}

static uint64_t take_hex(const char **at)
{
    uint64_t number = 0;
    for (;; (*at)++) {
        const char c = **at;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uint64_t)(c - 'a' + 10);
        else
            return number;
    }
}

static const char *skip_field(const char *at)
{
    while (*at != ' ' && *at != '\0')
        at++;
    while (*at == ' ')
        at++;
    return at;
}

static hsn_mapping_kind kind_of(const char *path)
{
    if (path[0] == '\0' || strncmp(path, "[anon", 5) == 0) return HSN_MAPPING_ANONYMOUS;
    if (strcmp(path, "[heap]") == 0) return HSN_MAPPING_HEAP;
    return strcmp(path, "[stack]") == 0 ? HSN_MAPPING_STACK : HSN_MAPPING_FILE;
}

/* "7f6a12ea5000-7f6a12ecb000 r--p 00026000 fe:00 326269      /usr/lib/libc.so.6" */
static const char *parse(const char *line, hsn_mapping *m)
{
    const char *at = line;
    *m = (hsn_mapping){.low = take_hex(&at)};
    if (*at == '-') at++;
    m->high = take_hex(&at);
    at = skip_field(at);
    const char *rights = at;
    if (strlen(rights) < 4) return NULL;
    m->can_read = rights[0] == 'r';
    m->can_write = rights[1] == 'w';
    m->can_run = rights[2] == 'x';
    m->is_shared = rights[3] == 's';
    at = skip_field(at);
    m->offset = take_hex(&at);
    for (int field = 0; field < 3; field++)
        at = skip_field(at);
    m->kind = kind_of(at);
    return m->low < m->high ? at : NULL;
}

static bool keep_path(hsn_mapping *m, const hsn_mapping *before, const char *path, hsa_arena *arena)
{
    size_t size = strlen(path);
    static const char deleted[] = " (deleted)";
    if (size > sizeof deleted - 1 && strcmp(path + size - (sizeof deleted - 1), deleted) == 0)
        size -= sizeof deleted - 1;
    m->path_size = (uint32_t)size;
    if (before != NULL && before->path_size == size && memcmp(before->path, path, size) == 0) {
        m->path = before->path;
        return true;
    }
    char *copy = hsa_arena_take(arena, size + 1);
    if (copy == NULL) return false;
    memcpy(copy, path, size);
    m->path = copy;
    return true;
}

static size_t count_lines(int fd)
{
    char line[LINE_BYTES];
    lines l = {.fd = fd};
    size_t count = 0;
    while (next_line(&l, line))
        count++;
    return count;
}

static bool read_all_maps(hsn_maps *maps, hsa_arena *arena, int fd)
{
    enum { MORE = 16 }; /* what appears between counting and reading */
    const size_t capacity = count_lines(fd) + MORE;
    hsn_mapping *all = hsa_arena_take(arena, capacity * sizeof *all);
    if (all == NULL || lseek(fd, 0, SEEK_SET) != 0) return false;
    char line[LINE_BYTES];
    lines l = {.fd = fd};
    size_t count = 0;
    while (count < capacity && next_line(&l, line)) {
        const char *path = parse(line, &all[count]);
        if (path == NULL) continue;
        if (!keep_path(&all[count], count == 0 ? NULL : &all[count - 1], path, arena)) return false;
        count++;
    }
    *maps = (hsn_maps){all, count};
    return count > 0;
}

bool hsn_maps_read(hsn_maps *maps, hsa_arena *arena)
{
    *maps = (hsn_maps){0};
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_read = read_all_maps(maps, arena, fd);
    close(fd);
    return is_read;
}

size_t hsn_maps_from(const hsn_maps *maps, uintptr_t address)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (maps->mappings[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const hsn_mapping *hsn_maps_find(const hsn_maps *maps, uintptr_t address)
{
    const size_t at = hsn_maps_from(maps, address);
    return at < maps->count && maps->mappings[at].low <= address ? &maps->mappings[at] : NULL;
}

/* ---- ranges that are left out ---- */

bool hsn_holes_open(hsn_holes *holes, hsa_arena *arena, size_t capacity)
{
    *holes = (hsn_holes){.ranges = hsa_arena_take(arena, capacity * sizeof(hsn_range)), .capacity = capacity};
    return holes->ranges != NULL;
}

void hsn_holes_add(hsn_holes *holes, hsn_range range)
{
    if (range.low >= range.high) return;
    size_t first = 0;
    while (first < holes->count && holes->ranges[first].high < range.low)
        first++;
    size_t last = first; /* behind those that touch it */
    for (; last < holes->count && holes->ranges[last].low <= range.high; last++) {
        if (holes->ranges[last].low < range.low) range.low = holes->ranges[last].low;
        if (holes->ranges[last].high > range.high) range.high = holes->ranges[last].high;
    }
    if (last == first && holes->count == holes->capacity) return;
    memmove(holes->ranges + first + 1, holes->ranges + last, (holes->count - last) * sizeof range);
    holes->ranges[first] = range;
    holes->count = holes->count - (last - first) + 1;
}

bool hsn_holes_next(const hsn_holes *holes, hsn_range *range, hsn_range *piece)
{
    size_t low = 0, high = holes->count; /* the first hole that ends behind range->low */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (holes->ranges[middle].high <= range->low)
            low = middle + 1;
        else
            high = middle;
    }
    for (; range->low < range->high; low++) {
        const bool is_last = low == holes->count || holes->ranges[low].low >= range->high;
        const uintptr_t end = is_last ? range->high : holes->ranges[low].low;
        const uintptr_t from = range->low;
        range->low = is_last ? range->high : holes->ranges[low].high;
        if (range->low > range->high) range->low = range->high;
        if (from < end) {
            *piece = (hsn_range){from, end};
            return true;
        }
    }
    return false;
}

/* ---- pages ---- */

enum { PAGES_AT_ONCE = 512 };

bool hsn_touched_next(int pagemap, hsn_range *range, hsn_range *piece)
{
    const uint64_t is_there = UINT64_C(3) << 62; /* present, or in swap */
    uint64_t entries[PAGES_AT_ONCE];
    while (range->low < range->high) {
        const uintptr_t first = range->low / HSN_PAGE, end = (range->high + HSN_PAGE - 1) / HSN_PAGE;
        size_t pages = end - first < PAGES_AT_ONCE ? end - first : PAGES_AT_ONCE;
        const ssize_t got = pagemap < 0 ? -1 : pread(pagemap, entries, pages * 8, (off_t)(first * 8));
        if (got < 8) memset(entries, 0xff, pages * 8);
        if (got >= 8) pages = (size_t)got / 8;
        size_t from = 0, to;
        while (from < pages && (entries[from] & is_there) == 0)
            from++;
        for (to = from; to < pages && (entries[to] & is_there) != 0;)
            to++;
        const uintptr_t start = (first + from) * HSN_PAGE, stop = (first + to) * HSN_PAGE;
        *piece = (hsn_range){start > range->low ? start : range->low, stop < range->high ? stop : range->high};
        range->low = stop < range->high ? stop : range->high;
        if (from < to) return true;
    }
    return false;
}

bool hsn_copy(void *out, uintptr_t address, size_t size)
{
    const struct iovec local = {out, size}, remote = {(void *)address, size};
    const long got = syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul);
    if (got >= 0 || errno == EFAULT) return got == (long)size;
    memcpy(out, (const void *)address, size); /* the call is forbidden here */
    return true;
}
