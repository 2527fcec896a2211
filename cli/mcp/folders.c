#define _GNU_SOURCE /* O_PATH, syscall */
/*
 * Files beneath the folders that were allowed.
 */
#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* linux/openat2.h, which is younger than some of the kernels' headers that this is built with */
struct mcp_open_how {
    uint64_t flags, mode, resolve;
};
#define NO_MAGIC_LINKS 0x02u
#define BENEATH        0x08u
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* ---- beneath a folder */

/* Part by part; no link is followed, and ".." is none of them. */
static int open_by_steps(int folder, const char *path, int flags)
{
    int at = folder;
    while (true) {
        char part[256];
        while (*path == '/')
            path++;
        const size_t size = strcspn(path, "/");
        const bool is_last = path[size + strspn(path + size, "/")] == 0;
        if (size >= sizeof part) errno = ENAMETOOLONG;
        if (size == 2 && memcmp(path, "..", 2) == 0) errno = EXDEV;
        const bool is_wrong = size >= sizeof part || (size == 2 && memcmp(path, "..", 2) == 0);
        snprintf(part, sizeof part, "%.*s", (int)(is_wrong ? 0 : size), path);
        const int next = is_wrong ? -1
                                  : openat(at, size == 0 ? "." : part,
                                           (is_last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
        const int error = errno;
        if (at != folder) close(at);
        errno = error;
        if (next < 0 || is_last) return next;
        at = next;
        path += size;
    }
}

static int open_beneath(const mcp_folders *folders, int folder, const char *path, int flags)
{
    const struct mcp_open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = NO_MAGIC_LINKS | BENEATH};
    if (folders->steps_alone) return open_by_steps(folder, path, flags);
    for (unsigned tries = 0; tries < 8; tries++) { /* EAGAIN: something was renamed meanwhile */
        const int fd = (int)syscall(SYS_openat2, folder, *path ? path : ".", &how, sizeof how);
        if (fd >= 0) return fd;
        if (errno == ENOSYS || errno == EPERM) return open_by_steps(folder, path, flags);
        if (errno != EAGAIN) return -1;
    }
    return -1;
}

/* ---- which folder */

/* The rest of `path` behind a folder's name; NULL if it is not below it. */
static const char *rest_behind(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    while (size > 0 && folder[size - 1] == '/')
        size--;
    if (strncmp(path, folder, size) != 0 || (path[size] != '/' && path[size] != 0)) return NULL;
    path += size;
    while (*path == '/')
        path++;
    return path;
}

/* The name beneath folder `i`, as which `path` is tried there; NULL = not. */
static const char *name_beneath(const mcp_folder *folder, const char *path)
{
    if (path[0] != '/') return path;
    const char *rest = rest_behind(path, folder->real);
    return rest || folder->given[0] != '/' ? rest : rest_behind(path, folder->given);
}

static void hint_folders(const mcp_folders *folders, hsd_error *err)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < folders->count; i++) {
        const int more = snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", folders->list[i].real);
        if (more < 0 || (size_t)more >= sizeof list - used) break;
        used += (size_t)more;
    }
    list[used] = 0;
    hsd_error_set_hint(err, "list_captures {} lists what there is below %s", list);
}

static hsd_status refuse_path(const mcp_folders *folders, const char *path, int error, hsd_error *err)
{
    if (error == EXDEV || error == ELOOP)
        hsd_fail(err, HSD_E_MISUSE, "leads out of the folders that this server was allowed to read");
    else
        hsd_fail_errno(err, error, "cannot be opened");
    hsd_error_set_file(err, path);
    hint_folders(folders, err);
    return err ? err->status : HSD_E_MISUSE;
}

/* A descriptor beneath the first folder that has it, of which nothing but the place is open (O_PATH). */
static hsd_status find_place(const mcp_folders *folders, const char *path, int flags, size_t *folder, const char **name,
                             int *fd, hsd_error *err)
{
    int error = EXDEV;
    *fd = -1;
    if (strlen(path) >= MCP_PATH_BYTES) return refuse_path(folders, path, ENAMETOOLONG, err);
    for (size_t i = 0; i < folders->count && *fd < 0; i++) {
        const char *beneath = name_beneath(&folders->list[i], path);
        if (!beneath) continue;
        *fd = open_beneath(folders, folders->list[i].fd, beneath, O_PATH | flags);
        *folder = i;
        *name = beneath;
        if (*fd < 0 && error != ENOENT) error = errno;
    }
    return *fd >= 0 ? HSD_OK : refuse_path(folders, path, error, err);
}

/* ---- files */

/* Of the kernel's own making: /proc, /sys, and what is mounted in them (linux/magic.h). */
static bool is_of_kernel(int fd)
{
    static const uint32_t kinds[] = {0x9fa0 /* proc */,           0x62656572 /* sysfs */,
                                     0x64626720 /* debugfs */,    0x74726163 /* tracefs */,
                                     0x1cd1 /* devpts */,         0x27e0eb /* cgroup */,
                                     0x63677270 /* cgroup2 */,    0xcafe4a11 /* bpf */,
                                     0x73636673 /* securityfs */, 0xf97cff8c /* selinux */,
                                     0x6e736673 /* nsfs */,       0x62656570 /* configfs */,
                                     0x42494e4d /* binfmt */,     0xde5e81e4 /* efivars */};
    struct statfs what;
    if (fstatfs(fd, &what) != 0) return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((uint32_t)what.f_type == kinds[i]) return true;
    return false;
}

static hsd_status check_kind(const mcp_folders *folders, const char *path, int fd, struct stat *what, hsd_error *err)
{
    if (fstat(fd, what) != 0) return refuse_path(folders, path, errno, err);
    if (S_ISREG(what->st_mode) && !is_of_kernel(fd)) return HSD_OK;
    hsd_fail(err, HSD_E_MISUSE, "is %s, and no capture",
             S_ISDIR(what->st_mode)    ? "a folder"
             : S_ISREG(what->st_mode)  ? "a file of the kernel"
             : S_ISFIFO(what->st_mode) ? "a pipe"
             : S_ISSOCK(what->st_mode) ? "a socket"
             : S_ISLNK(what->st_mode)  ? "a symbolic link, which is not followed here"
                                       : "a device");
    hsd_error_set_file(err, path);
    hint_folders(folders, err);
    return HSD_E_MISUSE;
}

hsd_status mcp_folders_open_file(const mcp_folders *folders, const char *path, int *fd, struct stat *what,
                                 hsd_error *err)
{
    size_t folder = 0;
    const char *name = path;
    struct stat again;
    int place;
    *fd = -1;
    HSD_TRY(find_place(folders, path, 0, &folder, &name, &place, err));
    hsd_status status = check_kind(folders, path, place, what, err);
    close(place);
    if (status != HSD_OK) return status;
    *fd = open_beneath(folders, folders->list[folder].fd, name, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (*fd < 0) return refuse_path(folders, path, errno, err);
    status = check_kind(folders, path, *fd, &again, err);
    if (status == HSD_OK && (again.st_dev != what->st_dev || again.st_ino != what->st_ino)) {
        status = hsd_fail(err, HSD_E_IO, "was replaced while it was opened");
        hsd_error_set_file(err, path);
        hsd_error_set_hint(err, "ask again");
    }
    if (status == HSD_OK) return HSD_OK;
    close(*fd);
    *fd = -1;
    return status;
}

hsd_status mcp_folders_open_parent(const mcp_folders *folders, const char *path, int *fd, const char **name,
                                   hsd_error *err)
{
    char folder[MCP_PATH_BYTES];
    size_t place = 0;
    const char *beneath;
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    *fd = -1;
    if (**name == 0 || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0 || **name == '-' ||
        strlen(path) >= sizeof folder) {
        hsd_fail(err, HSD_E_MISUSE, "is no name for a new file");
        hsd_error_set_file(err, path);
        hsd_error_set_hint(err, "give it a name such as before.hs");
        return HSD_E_MISUSE;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(slash ? slash - path + 1 : 0), path);
    return find_place(folders, folder, O_DIRECTORY, &place, &beneath, fd, err);
}

int mcp_folders_open_below(const mcp_folders *folders, size_t i, const char *path)
{
    return open_beneath(folders, folders->list[i].fd, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
}

/* ---- the folders themselves */

static hsd_status open_folder(mcp_folder *folder, const char *name, hsd_error *err)
{
    folder->given = strdup(name);
    folder->real = realpath(name, NULL);
    folder->fd = folder->real ? open(folder->real, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder->given && folder->fd >= 0) return HSD_OK;
    if (!folder->given) return hsd_fail(err, HSD_E_NOMEM, "out of memory: the name of a folder");
    hsd_fail_errno(err, errno, "cannot be opened as a folder");
    hsd_error_set_file(err, name);
    return HSD_E_IO;
}

hsd_status mcp_folders_open(mcp_folders *folders, const char *const *names, size_t count, hsd_error *err)
{
    static const char *const here[] = {"."};
    *folders = (mcp_folders){0};
    if (count > MCP_FOLDERS_MOST)
        return hsd_fail(err, HSD_E_MISUSE, "at most %u folders can be allowed", MCP_FOLDERS_MOST);
    for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
        folders->count++;
        HSD_TRY(open_folder(&folders->list[i], count > 0 ? names[i] : here[0], err));
    }
    return HSD_OK;
}

void mcp_folders_close(mcp_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        if (folders->list[i].fd >= 0) close(folders->list[i].fd);
        free(folders->list[i].given);
        free(folders->list[i].real);
    }
    folders->count = 0;
}
