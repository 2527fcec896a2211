/*
 * The files that names may come from. See files.h.
 *
 *      /proc/PID/maps        7f12…-7f13… r-xp 0002… 08:01 1234  /usr/lib/libshop.so
 *      /proc/PID/root/usr/lib/libshop.so          the same file from outside, in a container too
 *      /proc/PID/root/usr/lib/libshop.so.debug    and its debug information, where that lies beside it, or in .debug/
 *      /proc/PID/map_files/7f12…-7f13…            where it was deleted or replaced, if the system lets us
 */
#include "symbols/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "symbols/image.h"

static const char system_folder[] = "/usr/lib/debug";

/* A regular file and nothing else: opening one never waits. */
static int open_regular(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return -1;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
    close(fd);
    return -1;
}

static bool has_path(const hsd_elf_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].path, path) == 0) return true;
    }
    return false;
}

static hsd_status add_file(hsd_elf_files *files, const char *path, const char *name, const char *build_id,
                           hsd_error *err)
{
    if (files->count == HSD_ELF_FILES_MAX || has_path(files, path)) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(files->files, files->capacity, files->count + 1, 64, "a list of files", err));
    const hsd_elf_file added = {
        .path = hsd_arena_copy(&files->arena, path, strlen(path)),
        .name = hsd_arena_copy(&files->arena, name, strlen(name)),
        .build_id = hsd_arena_copy(&files->arena, build_id, strlen(build_id)),
    };
    if (added.path == NULL || added.name == NULL || added.build_id == NULL)
        return hsd_fail_nomem(err, "a list of files");
    files->files[files->count++] = added;
    return HSD_OK;
}

/* *is_elf tells whether it was one. */
static hsd_status consider(hsd_elf_files *files, const char *path, const char *name, bool *is_elf, hsd_error *err)
{
    char build_id[HSD_BUILD_ID_DIGITS + 1];
    const int fd = open_regular(path);
    *is_elf = false;
    if (fd < 0) return HSD_OK;
    *is_elf = hsd_image_build_id(fd, build_id);
    close(fd);
    return *is_elf ? add_file(files, path, name, build_id, err) : HSD_OK;
}

/* ---- a process ---- */

typedef struct mapping {
    uint64_t low, high;
    char *path;
    bool is_deleted;
} mapping;

/* A line of maps, in place. False when no file is mapped there. */
static bool parse_mapping(char *line, mapping *out)
{
    static const char deleted[] = " (deleted)";
    size_t size = strlen(line);
    if (size > 0 && line[size - 1] == '\n') line[--size] = '\0';
    char *path = strchr(line, '/');
    char *space = strchr(line, ' ');
    if (path == NULL || space == NULL || space > path) return false;
    out->low = strtoull(line, &line, 16);
    out->high = *line == '-' ? strtoull(line + 1, NULL, 16) : 0;
    out->path = path;
    const size_t length = strlen(path);
    out->is_deleted = length > sizeof deleted && strcmp(path + length - (sizeof deleted - 1), deleted) == 0;
    if (out->is_deleted) path[length - (sizeof deleted - 1)] = '\0';
    return true;
}

/* Where objcopy's users and gdb have debug information that was taken out: beside the file, or in a folder there. Its
 * build id decides. */
static hsd_status consider_debug_beside(hsd_elf_files *files, const char *file, const char *name, hsd_error *err)
{
    char path[PATH_MAX], debug[NAME_MAX + 1];
    bool is_elf;
    const int folder = (int)(strlen(file) - strlen(name));
    if (snprintf(debug, sizeof debug, "%s.debug", name) >= (int)sizeof debug) return HSD_OK;
    for (int i = 0; i < 2; i++) {
        const int size = snprintf(path, sizeof path, "%.*s%s%s", folder, file, i == 0 ? "" : ".debug/", debug);
        if (size > 0 && (size_t)size < sizeof path) HSD_TRY(consider(files, path, debug, &is_elf, err));
    }
    return HSD_OK;
}

static hsd_status consider_mapping(hsd_elf_files *files, const mapping *m, hsd_error *err)
{
    char path[PATH_MAX];
    bool is_elf = false;
    const char *name = strrchr(m->path, '/') + 1;
    if (!m->is_deleted) {
        const int size = snprintf(path, sizeof path, "/proc/%ld/root%s", files->options->pid, m->path);
        if (size > 0 && (size_t)size < sizeof path) HSD_TRY(consider(files, path, name, &is_elf, err));
    }
    if (is_elf) return consider_debug_beside(files, path, name, err);
    snprintf(path, sizeof path, "/proc/%ld/map_files/%llx-%llx", files->options->pid, (unsigned long long)m->low,
             (unsigned long long)m->high); /* without the zeros that maps puts in front */
    return consider(files, path, name, &is_elf, err);
}

static hsd_status list_process(hsd_elf_files *files, hsd_error *err)
{
    char path[64], *line = NULL, *last = NULL;
    size_t room = 0;
    hsd_status status = HSD_OK;
    snprintf(path, sizeof path, "/proc/%ld/maps", files->options->pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return HSD_OK;
    while (status == HSD_OK && getline(&line, &room, maps) > 0) {
        mapping m;
        /* The mappings of a file lie one behind the other. */
        if (!parse_mapping(line, &m) || (last != NULL && strcmp(last, m.path) == 0)) continue;
        free(last);
        last = strdup(m.path);
        status = last != NULL ? consider_mapping(files, &m, err) : hsd_fail_nomem(err, "a list of files");
    }
    free(last);
    free(line);
    fclose(maps);
    return status;
}

/* ---- a folder ---- */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static hsd_status list_folder(hsd_elf_files *files, const char *folder, hsd_error *err)
{
    struct dirent **entries = NULL;
    hsd_status status = HSD_OK;
    const int count = scandir(folder, &entries, NULL, compare_names);
    if (count < 0) {
        const int error = errno;
        hsd_fail_errno(err, error, "cannot be searched for symbols");
        hsd_error_set_file(err, folder);
        return HSD_E_IO;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        bool is_elf;
        const int size = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == HSD_OK && size > 0 && (size_t)size < sizeof path)
            status = consider(files, path, entries[i]->d_name, &is_elf, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

hsd_status hsd_elf_files_list(hsd_elf_files *files, const hsd_symbol_options *options, hsd_error *err)
{
    *files = (hsd_elf_files){.options = options};
    if (options->pid > 0) HSD_TRY(list_process(files, err));
    files->process_count = files->count;
    for (size_t i = 0; i < options->directory_count; i++)
        HSD_TRY(list_folder(files, options->directories[i], err));
    return HSD_OK;
}

/* ---- opening ---- */

static bool equals(hsd_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(word, text.data, text.size) == 0;
}

/* Opens what stands at the path now, if it is the file of this build id; for none, if it is such a file at all. */
static int open_checked(const char *path, hsd_text build_id)
{
    char found[HSD_BUILD_ID_DIGITS + 1];
    const int fd = open_regular(path);
    if (fd < 0) return -1;
    if (hsd_image_build_id(fd, found) && (build_id.size == 0 || equals(build_id, found))) return fd;
    close(fd);
    return -1;
}

static int open_debug(const char *folder, hsd_text build_id)
{
    char path[PATH_MAX];
    const int size = snprintf(path, sizeof path, "%s/.build-id/%.2s/%.*s.debug", folder, build_id.data,
                              (int)build_id.size - 2, build_id.data + 2);
    return size > 0 && (size_t)size < sizeof path ? open_checked(path, build_id) : -1;
}

/* The `*skip`-th file of the list with this build id; for none, by its name, and with `has_id` as given. */
static int open_listed(const hsd_elf_files *files, hsd_text module, hsd_text build_id, bool has_id, size_t *skip)
{
    for (size_t i = 0; i < files->count; i++) {
        const hsd_elf_file *file = &files->files[i];
        const bool is_meant = build_id.size > 0 ? equals(build_id, file->build_id)
                                                : equals(module, file->name) && (file->build_id[0] != '\0') == has_id;
        const int fd = is_meant ? open_checked(file->path, build_id) : -1;
        if (fd >= 0 && (*skip)-- == 0) return fd;
        if (fd >= 0) close(fd);
    }
    return -1;
}

/* With the slash at its end. */
static int folder_size(const hsd_elf_file *file)
{
    const char *slash = strrchr(file->path, '/');
    return slash == NULL ? 0 : (int)(slash + 1 - file->path);
}

static bool is_folder_before(const hsd_elf_files *files, size_t end, int folder)
{
    for (size_t i = 0; i < end; i++)
        if (folder_size(&files->files[i]) == folder &&
            memcmp(files->files[i].path, files->files[end].path, (size_t)folder) == 0)
            return true;
    return false;
}

/* A library that was unloaded, as of a plugin: where another file of the process lies. */
static int open_beside(const hsd_elf_files *files, hsd_text module, hsd_text build_id, size_t *skip)
{
    if (memchr(module.data, '/', module.size) != NULL) return -1;
    for (size_t i = 0; i < files->process_count; i++) {
        char path[PATH_MAX];
        const int folder = folder_size(&files->files[i]);
        if (is_folder_before(files, i, folder)) continue;
        const int size =
            snprintf(path, sizeof path, "%.*s%.*s", folder, files->files[i].path, (int)module.size, module.data);
        const int fd = size > 0 && (size_t)size < sizeof path ? open_checked(path, build_id) : -1;
        if (fd >= 0 && (*skip)-- == 0) return fd;
        if (fd >= 0) close(fd);
    }
    return -1;
}

int hsd_elf_files_open(const hsd_elf_files *files, hsd_text module, hsd_text build_id, size_t skip)
{
    const size_t first = skip;
    int fd = open_listed(files, module, build_id, false, &skip);
    if (fd < 0 && build_id.size == 0) fd = open_listed(files, module, build_id, true, &skip);
    if (fd >= 0 || build_id.size <= 2) return fd;
    const bool is_listed = skip < first; /* what is mapped is not to be found once more */
    fd = is_listed ? -1 : open_beside(files, module, build_id, &skip);
    if (fd >= 0) return fd;
    for (size_t i = 0; i <= files->options->directory_count; i++) {
        const bool is_last = i == files->options->directory_count;
        fd = open_debug(is_last ? system_folder : files->options->directories[i], build_id);
        if (fd >= 0 && skip-- == 0) return fd;
        if (fd >= 0) close(fd);
    }
    return -1;
}

void hsd_elf_files_release(hsd_elf_files *files)
{
    free(files->files);
    hsd_arena_release(&files->arena);
    *files = (hsd_elf_files){.count = 0};
}
