#define _GNU_SOURCE /* O_TMPFILE */
/*
 * Files that are named last (O_TMPFILE and linkat; where the file system cannot, a name with a dot in front until
 * then).
 */
#include "live/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAST_NUMBER 999999u
enum { NAME_BYTES = 48 };

hsd_status hsd_saved_open(hsd_saved *saved, int folder_fd, hsd_error *err)
{
    *saved = (hsd_saved){.fd = openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    if (saved->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return saved->fd >= 0 ? HSD_OK : hsd_fail_errno(err, errno, "cannot create a file in the folder");
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(saved->temp, sizeof saved->temp, ".hsdiff-%ld-%u.unfinished", (long)getpid(), i);
        saved->fd = openat(folder_fd, saved->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (saved->fd >= 0) return HSD_OK;
        if (errno != EEXIST) break;
    }
    saved->temp[0] = '\0';
    return hsd_fail_errno(err, errno, "cannot create a file in the folder");
}

static bool is_plain_saved_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
}

/* What the process calls itself may hold slashes, line feeds, and dots in front. */
static void make_plain(char out[NAME_BYTES], const char *process)
{
    size_t used = 0;
    for (; used < NAME_BYTES - 1 && process[used] != '\0'; used++)
        out[used] = is_plain_saved_name(process[used]) ? process[used] : '_';
    out[used] = '\0';
    if (out[0] == '.' || out[0] == '-') out[0] = '_';
    if (used == 0) snprintf(out, NAME_BYTES, "process");
}

static int link_as(const hsd_saved *saved, int folder_fd, const char *name)
{
    char self[64];
    if (saved->temp[0] != '\0') return linkat(folder_fd, saved->temp, folder_fd, name, 0) == 0 ? 0 : errno;
    snprintf(self, sizeof self, "/proc/self/fd/%d", saved->fd);
    return linkat(AT_FDCWD, self, folder_fd, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

hsd_status hsd_saved_keep(hsd_saved *saved, int folder_fd, const char *process, uint64_t pid, char *name, size_t size,
                          hsd_error *err)
{
    char plain[NAME_BYTES];
    make_plain(plain, process);
    if (fsync(saved->fd) != 0 && errno != EINVAL) return hsd_fail_errno(err, errno, "cannot write the capture");
    for (unsigned number = 1; number <= LAST_NUMBER; number++) {
        snprintf(name, size, "%s-%llu-%04u.hs", plain, (unsigned long long)pid, number);
        const int error = link_as(saved, folder_fd, name);
        if (error == 0) {
            fsync(folder_fd);
            return HSD_OK;
        }
        if (error != EEXIST) return hsd_fail_errno(err, error, "cannot name the capture %s", name);
    }
    return hsd_fail(err, HSD_E_IO, "there are %u captures of %s in the folder: no more names", LAST_NUMBER, plain);
}

void hsd_saved_close(hsd_saved *saved, int folder_fd)
{
    if (saved->temp[0] != '\0') unlinkat(folder_fd, saved->temp, 0);
    if (saved->fd >= 0) close(saved->fd);
    *saved = (hsd_saved){.fd = -1};
}
