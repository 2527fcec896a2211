/*
 * Reading and taking apart /proc (proc(5)).
 */
#include "live/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/fd.h"

char *hsd_procfs_read(const char *path, size_t most, size_t *size)
{
    size_t used = 0, room = 4096, got = 1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *text = malloc(room);
    int error = text == NULL ? ENOMEM : 0;
    while (error == 0 && used < most && got > 0) {
        if (used == room - 1) {
            char *more = realloc(text, room * 2);
            if (more == NULL) {
                error = ENOMEM;
                break;
            }
            text = more;
            room *= 2;
        }
        const size_t wanted = most - used < room - 1 - used ? most - used : room - 1 - used;
        error = hsd_fd_read(fd, text + used, wanted, HSD_FD_HERE, &got);
        if (error == 0) used += got;
    }
    close(fd);
    if (error != 0) {
        free(text);
        errno = error;
        return NULL;
    }
    text[used] = '\0';
    if (size != NULL) *size = used;
    return text;
}

const char *hsd_procfs_last_part(const char *path, size_t *size)
{
    static const char deleted[] = " (deleted)";
    size_t length = strlen(path);
    if (length >= sizeof deleted && strcmp(path + length - (sizeof deleted - 1), deleted) == 0)
        length -= sizeof deleted - 1;
    size_t first = length;
    while (first > 0 && path[first - 1] != '/')
        first--;
    *size = length - first;
    return path + first;
}

/* Behind `count` fields, each ended by blanks; NULL if there are fewer. */
static const char *skip_fields(const char *line, unsigned count)
{
    for (; count > 0; count--) {
        line += strcspn(line, " ");
        if (*line == '\0') return NULL;
        line += strspn(line, " ");
    }
    return line;
}

bool hsd_procfs_maps_line_is(const char *line, const char *name, bool prefix)
{
    const char *path = skip_fields(line, 5); /* addresses, rights, offset, device, inode */
    if (path == NULL || *path != '/') return false;
    size_t size = 0;
    const size_t length = strlen(name);
    const char *last = hsd_procfs_last_part(path, &size);
    return (prefix ? size >= length : size == length) && memcmp(last, name, length) == 0;
}

const char *hsd_procfs_unix_line_name(const char *line)
{
    /* Num RefCount Protocol Flags Type St Inode Path: the flag of a listening socket is 0x10000, a NUL is shown as @ */
    const char *flags = skip_fields(line, 3), *path = skip_fields(line, 7);
    if (flags == NULL || path == NULL || *path != '@') return NULL;
    char *end = NULL;
    const unsigned long bits = strtoul(flags, &end, 16);
    return end != flags && (bits & 0x10000) != 0 ? path + 1 : NULL;
}

bool hsd_procfs_unix_line_is(const char *line, const char *name)
{
    const char *own = hsd_procfs_unix_line_name(line);
    return own != NULL && strcmp(own, name) == 0;
}

const char *hsd_procfs_status_value(const char *status, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = status; line != NULL && *line != '\0';) {
        if (strncmp(line, key, length) == 0 && line[length] == ':') {
            line += length + 1;
            return line + strspn(line, " \t");
        }
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return NULL;
}

bool hsd_procfs_number(const char *text, uint64_t *out)
{
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
            return false;
    if (at == text) return false;
    *out = number;
    return true;
}

uint64_t hsd_procfs_stat_number(const char *stat, unsigned field)
{
    /* Field 2 is the name, in brackets, and may hold any of them itself: the last closing one ends it. */
    const char *at = strrchr(stat, ')');
    uint64_t number = 0;
    if (at == NULL || field < 3 || *++at != ' ') return 0;
    at = skip_fields(at + 1, field - 3);
    return at != NULL && hsd_procfs_number(at, &number) ? number : 0;
}
