/*
 * The files are outputs of the folder above; the new folder has a name of chance until all of them are in it.
 */
#define _GNU_SOURCE /* renameat2 */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

static hsd_status fail_folder(const char *path, int error, const char *what, hsd_error *err)
{
    hsd_fail_errno(err, error, "%s", what);
    hsd_error_set_file(err, path);
    return HSD_E_IO;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t size = strlen(name), of_suffix = strlen(suffix);
    return size > of_suffix && strcmp(name + size - of_suffix, suffix) == 0;
}

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* Calls for each entry of a folder until one says no; true if none did. `fd` is moved in. */
static bool each_entry(int fd, const char *suffix, bool (*take)(int fd, const char *name, const char *suffix))
{
    DIR *list = fdopendir(fd);
    bool goes_on = list != NULL;
    if (list == NULL) {
        close(fd);
        return false;
    }
    for (const struct dirent *entry; goes_on && (entry = readdir(list)) != NULL;)
        if (!is_dots(entry->d_name)) goes_on = take(dirfd(list), entry->d_name, suffix);
    closedir(list);
    return goes_on;
}

static bool is_ours(int fd, const char *name, const char *suffix)
{
    struct stat info;
    return ends_with(name, suffix) && fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

static bool remove_ours(int fd, const char *name, const char *suffix)
{
    if (is_ours(fd, name, suffix)) unlinkat(fd, name, 0);
    return true;
}

static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

/* A folder of ours, with the files in it. */
static int remove_folder(const char *path, const char *suffix)
{
    const int fd = open_folder(path);
    if (fd < 0) return errno;
    each_entry(fd, suffix, remove_ours);
    return rmdir(path) == 0 ? 0 : errno;
}

static hsd_status check_place(const hsd_folder *folder, hsd_error *err)
{
    struct stat info;
    if (lstat(folder->path, &info) != 0) return HSD_OK;
    if (!folder->is_forced) {
        fail_folder(folder->path, EEXIST, "cannot write the result", err);
        hsd_error_set_hint(err, "use --force to replace it");
        return HSD_E_IO;
    }
    const int fd = open_folder(folder->path);
    if (fd < 0) {
        fail_folder(folder->path, ENOTDIR, "the result is a folder, and this is something else", err);
        hsd_error_set_hint(err, "name another place");
        return HSD_E_IO;
    }
    if (each_entry(fd, folder->suffix, is_ours)) return HSD_OK;
    fail_folder(folder->path, ENOTEMPTY, "will not be replaced: it holds other things than such a result", err);
    hsd_error_set_hint(err, "name another folder, or empty this one");
    return HSD_E_IO;
}

hsd_status hsd_folder_open(hsd_folder *folder, const char *path, const char *suffix, bool force, hsd_error *err)
{
    *folder = (hsd_folder){.suffix = suffix, .is_forced = force, .path = strdup(path)};
    folder->files = calloc(HSD_FOLDER_FILES_MOST, sizeof *folder->files);
    if (folder->path == NULL || folder->files == NULL) return hsd_fail_nomem(err, "a folder of results");
    for (size_t size = strlen(folder->path); size > 1 && folder->path[size - 1] == '/'; size--)
        folder->path[size - 1] = '\0';
    return check_place(folder, err);
}

/* `name` in the folder that PATH is in; for the caller to free. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *text = malloc(size + strlen(name) + 1);
    if (text == NULL) return NULL;
    memcpy(text, path, size);
    memcpy(text + size, name, strlen(name) + 1);
    return text;
}

static char *inside(const char *path, const char *name)
{
    const size_t size = strlen(path);
    char *text = malloc(size + strlen(name) + 2);
    if (text != NULL) snprintf(text, size + strlen(name) + 2, "%s/%s", path, name);
    return text;
}

hsd_status hsd_folder_add(hsd_folder *folder, const char *name, hsd_output **out, hsd_error *err)
{
    if (folder->count == HSD_FOLDER_FILES_MOST) return hsd_fail(err, HSD_E_MISUSE, "too many files in one result");
    hsd_folder_file *file = &folder->files[folder->count];
    char unnamed[300]; /* while it is written, where the file system must have one */
    snprintf(unnamed, sizeof unnamed, ".hsdiff-%s", name);
    char *path = beside(folder->path, unnamed);
    file->name = strdup(name);
    file->output.fd = -1;
    folder->count++;
    hsd_status status = path != NULL && file->name != NULL ? HSD_OK : hsd_fail_nomem(err, "a file of a result");
    /* forced: it gets another name in the end, and what has this one is left alone */
    if (status == HSD_OK) status = hsd_output_open(&file->output, path, true, err);
    free(path);
    *out = &file->output;
    return status;
}

static hsd_status name_file(hsd_folder_file *file, const char *folder, hsd_error *err)
{
    char *path = inside(folder, file->name);
    if (path == NULL) return hsd_fail_nomem(err, "the name of a file");
    hsd_status status = hsd_output_set_path(&file->output, path, err);
    if (status == HSD_OK) status = hsd_output_finish(&file->output, err);
    free(path);
    return status;
}

/* The folder that is there changes places with the new one, and goes. */
static int put_in_place(const hsd_folder *folder, const char *made)
{
    if (renameat2(AT_FDCWD, made, AT_FDCWD, folder->path, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EEXIST || !folder->is_forced) return errno;
    if (renameat2(AT_FDCWD, made, AT_FDCWD, folder->path, RENAME_EXCHANGE) != 0) return errno;
    return remove_folder(made, folder->suffix);
}

static void sync_folder(const char *path)
{
    const int fd = open_folder(path);
    if (fd < 0) return;
    fsync(fd); /* a file system that cannot sync folders keeps their names all the same */
    close(fd);
}

/* What takes its time comes first, so that the new folder is under its name of chance for an instant. */
hsd_status hsd_folder_finish(hsd_folder *folder, hsd_error *err)
{
    for (unsigned i = 0; i < folder->count; i++)
        HSD_TRY(hsd_output_settle(&folder->files[i].output, err));
    char *made = beside(folder->path, ".hsdiff-XXXXXX");
    if (made == NULL) return hsd_fail_nomem(err, "the name of a folder");
    hsd_status status = mkdtemp(made) != NULL ? HSD_OK : fail_folder(folder->path, errno, "cannot be made", err);
    const bool is_made = status == HSD_OK;
    for (unsigned i = 0; i < folder->count && status == HSD_OK; i++)
        status = name_file(&folder->files[i], made, err);
    const int error = status == HSD_OK ? put_in_place(folder, made) : 0;
    if (error != 0) status = fail_folder(folder->path, error, "cannot be put in its place", err);
    if (status == HSD_OK) sync_folder(folder->path);
    if (is_made && status != HSD_OK) remove_folder(made, folder->suffix);
    free(made);
    return status;
}

void hsd_folder_close(hsd_folder *folder)
{
    for (unsigned i = 0; i < folder->count; i++) {
        hsd_output_close(&folder->files[i].output);
        free(folder->files[i].name);
    }
    free(folder->files);
    free(folder->path);
    *folder = (hsd_folder){.path = NULL};
}
