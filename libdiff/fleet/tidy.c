/*
 * Removing folders of a store. Links are never followed.
 */
#include "fleet/tidy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

#define OLD_SECONDS 3600

static DIR *open_list(int at, const char *name)
{
    const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && list == NULL) close(fd);
    return list;
}

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* A folder with the files in it, or a file. */
static int remove_entry(int at, const char *name)
{
    DIR *list = open_list(at, name);
    if (list == NULL) return unlinkat(at, name, 0) == 0 || errno == ENOENT ? 0 : errno;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (!is_dots(entry->d_name)) unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

hsd_status hsd_fleet_remove_batch(const char *store, const char *path, hsd_error *err)
{
    char gone[64];
    const int at = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) return hsd_fail_errno(err, errno, "cannot open the store");
    const char *name = strrchr(path, '=');
    snprintf(gone, sizeof gone, ".hsdiff-gone-%.32s", name == NULL ? "batch" : name + 1);
    int error = renameat(at, path, at, gone) == 0 ? 0 : errno;
    if (error == ENOTEMPTY || error == EEXIST) { /* of an earlier run that was ended */
        remove_entry(at, gone);
        error = renameat(at, path, at, gone) == 0 ? 0 : errno;
    }
    if (error == 0) error = remove_entry(at, gone);
    close(at);
    if (error == 0 || error == ENOENT) return HSD_OK;
    hsd_fail_errno(err, error, "cannot be removed, though another batch stands for it");
    hsd_error_set_file(err, path);
    return HSD_E_IO;
}

void hsd_fleet_remove_draft(const char *folder)
{
    DIR *list = open_list(AT_FDCWD, folder);
    if (list == NULL) return;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (!is_dots(entry->d_name)) remove_entry(dirfd(list), entry->d_name);
    closedir(list);
    rmdir(folder);
}

static bool is_old(int at, const char *name)
{
    struct stat info;
    return fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - info.st_mtime > OLD_SECONDS;
}

/* Level 0 = the store, 1 = services, 2 = days. */
static void sweep_folder(int at, const char *path, unsigned level)
{
    DIR *list = open_list(at, path);
    if (list == NULL) return;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, ".hsdiff-", 8) == 0 && (level == 0 || is_old(dirfd(list), name)))
            remove_entry(dirfd(list), name);
        else if (level < 2 && strncmp(name, level == 0 ? "service=" : "date=", level == 0 ? 8 : 5) == 0)
            sweep_folder(dirfd(list), name, level + 1);
    }
    closedir(list);
}

void hsd_fleet_sweep(const char *store) { sweep_folder(AT_FDCWD, store, 0); }
