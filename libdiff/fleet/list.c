/*
 * What is in a store. Every name and every file is looked at: one that is none of ours, or torn, would make answers
 * wrong without a word.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "fleet/bucket.h"
#include "fleet/layout.h"

#define PARQUET_LEAST 12 /* magic, length of the footer, magic */
#define REPLACES_MOST ((off_t)64 << 20)
#define PATH_MOST     ((size_t)4096)

typedef struct walk {
    hsd_fleet_list *list;
    const char *store;
    char path[PATH_MOST]; /* of where the walk is, from the store */
} walk;

/* ---- errors */

static hsd_status fail_name(const walk *w, const char *name, const char *what, hsd_error *err)
{
    char file[2 * PATH_MOST];
    snprintf(file, sizeof file, "%s/%s%s%s", w->store, w->path, w->path[0] != '\0' ? "/" : "", name);
    hsd_fail(err, HSD_E_CORRUPT, "%s", what);
    hsd_error_set_file(err, file);
    hsd_error_set_hint(err, "move it out of the store, and ask again");
    return HSD_E_CORRUPT;
}

static hsd_status fail_read(const walk *w, const char *name, hsd_error *err)
{
    char file[2 * PATH_MOST];
    const int error = errno;
    snprintf(file, sizeof file, "%s/%s/%s", w->store, w->path, name);
    hsd_fail_errno(err, error, "cannot be read");
    hsd_error_set_file(err, file);
    return HSD_E_IO;
}

static hsd_status fail_foreign(const walk *w, const char *name, hsd_error *err)
{
    return fail_name(w, name, "is no part of a fleet store", err);
}

/* ---- names */

static bool is_left_over(const char *name)
{
    return name[0] == '.' || strcmp(name, "lost+found") == 0 ||
           strncmp(name, HSD_FLEET_MARK ".", sizeof HSD_FLEET_MARK) == 0;
}

/* Such names go into SQL as they are. */
static bool is_part(const char *name, const char *prefix)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%-";
    const size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 && name[size + strspn(name + size, allowed)] == '\0';
}

/* ---- one batch */

static hsd_status check_parquet(const walk *w, int folder, const char *name, uint64_t *bytes, hsd_error *err)
{
    uint8_t head[4], tail[8];
    struct stat info;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return fail_name(w, name, "is missing", err);
    if (fd < 0) return errno == ELOOP ? fail_foreign(w, name, err) : fail_read(w, name, err);
    const bool is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    bool is_whole = is_file && info.st_size >= PARQUET_LEAST && pread(fd, head, 4, 0) == 4 &&
                    pread(fd, tail, 8, info.st_size - 8) == 8 && memcmp(head, "PAR1", 4) == 0 &&
                    memcmp(tail + 4, "PAR1", 4) == 0;
    close(fd);
    if (is_whole) {
        const uint32_t footer =
            (uint32_t)tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
        is_whole = footer <= (uint64_t)info.st_size - PARQUET_LEAST;
    }
    if (!is_whole) return fail_name(w, name, "is torn, or no Parquet file", err);
    *bytes += (uint64_t)info.st_size;
    return HSD_OK;
}

hsd_status hsd_fleet_list_replaced(hsd_fleet_list *list, const char *path, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(list->replaced, list->replaced_capacity, list->replaced_count + 1, 16, "a list of batches",
                           err));
    char *own = strdup(path);
    if (own == NULL) return hsd_fail_nomem(err, "a list of batches");
    list->replaced[list->replaced_count++] = own;
    return HSD_OK;
}

static hsd_status add_replaced(walk *w, const char *name, hsd_error *err)
{
    char path[2 * PATH_MOST];
    const char *slash = strrchr(w->path, '/'); /* a batch stands for batches beside it */
    if (!is_part(name, HSD_FLEET_BATCH_PREFIX)) return fail_name(w, HSD_FLEET_REPLACES, "is damaged", err);
    const int needed = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - w->path), w->path, name);
    if (needed < 0 || (size_t)needed >= sizeof path) return fail_name(w, HSD_FLEET_REPLACES, "is damaged", err);
    return hsd_fleet_list_replaced(w->list, path, err);
}

static hsd_status read_replaces(walk *w, int folder, hsd_error *err)
{
    struct stat info;
    const int fd = openat(folder, HSD_FLEET_REPLACES, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return fail_read(w, HSD_FLEET_REPLACES, err);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > REPLACES_MOST) {
        close(fd);
        return fail_name(w, HSD_FLEET_REPLACES, "is damaged", err);
    }
    char *text = malloc((size_t)info.st_size + 1);
    const bool is_read = text != NULL && pread(fd, text, (size_t)info.st_size, 0) == info.st_size;
    close(fd);
    hsd_status status = text == NULL ? hsd_fail_nomem(err, "a list of batches") : HSD_OK;
    if (status == HSD_OK && !is_read) status = fail_name(w, HSD_FLEET_REPLACES, "is damaged", err);
    if (status == HSD_OK) {
        text[info.st_size] = '\0';
        char *rest = NULL;
        for (char *line = strtok_r(text, "\n", &rest); line != NULL && status == HSD_OK;
             line = strtok_r(NULL, "\n", &rest))
            status = add_replaced(w, line, err);
    }
    free(text);
    return status;
}

static hsd_status take_file(walk *w, int folder, const char *name, hsd_fleet_found *found, unsigned *seen,
                            hsd_error *err)
{
    static const char *const names[] = {"captures", "rows", "names", "states"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t size = strlen(names[i]);
        if (strncmp(name, names[i], size) != 0 || strcmp(name + size, HSD_FLEET_SUFFIX) != 0) continue;
        *seen |= 1u << i;
        return check_parquet(w, folder, name, &found->bytes, err);
    }
    if (strcmp(name, HSD_FLEET_REPLACES) == 0) return read_replaces(w, folder, err);
    return fail_foreign(w, name, err);
}

static hsd_status take_batch(walk *w, DIR *entries, hsd_error *err)
{
    hsd_fleet_list *list = w->list;
    hsd_fleet_found found = {.bytes = 0};
    unsigned seen = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (!is_left_over(entry->d_name)) HSD_TRY(take_file(w, dirfd(entries), entry->d_name, &found, &seen, err));
    if ((seen & 7) != 7)
        return fail_name(w, seen & 1 ? seen & 2 ? "names.parquet" : "rows.parquet" : "captures.parquet", "is missing",
                         err);
    found.has_states = (seen & 8) != 0;
    HSD_TRY(HSD_ARRAY_GROW(list->batches, list->capacity, list->count + 1, 64, "a list of batches", err));
    found.path = strdup(w->path);
    if (found.path == NULL) return hsd_fail_nomem(err, "a list of batches");
    list->batches[list->count++] = found;
    return HSD_OK;
}

/* ---- folders */

static const char *const prefixes[] = {"service=", "date=", HSD_FLEET_BATCH_PREFIX};
#define LEVELS 3u

static hsd_status walk_folder(walk *w, int fd, unsigned level, const char *const wanted[LEVELS], hsd_error *err);

static bool is_wanted(unsigned level, const char *name, const char *const wanted[LEVELS])
{
    if (wanted[level] == NULL) return true;
    return level == 0 ? strcmp(name, wanted[level]) == 0 : strcmp(name, wanted[level]) >= 0;
}

/* At most three deep. A batch that goes meanwhile was replaced, or never was: compacting, a writer that failed. */
static hsd_status enter_part(walk *w, int fd, const char *name, unsigned level, const char *const wanted[LEVELS],
                             hsd_error *err)
{
    const size_t size = strlen(w->path);
    const int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (below < 0 && errno == ENOENT) return HSD_OK;
    if (below < 0) return errno == ENOTDIR || errno == ELOOP ? fail_foreign(w, name, err) : fail_read(w, name, err);
    snprintf(w->path + size, sizeof w->path - size, "%s%s", size > 0 ? "/" : "", name);
    const hsd_status status = walk_folder(w, below, level + 1, wanted, err);
    w->path[size] = '\0';
    return status;
}

static hsd_status walk_folder(walk *w, int fd, unsigned level, const char *const wanted[LEVELS], hsd_error *err)
{
    DIR *entries = fdopendir(fd);
    hsd_status status = HSD_OK;
    if (entries == NULL) {
        close(fd);
        return hsd_fail_nomem(err, "a list of files");
    }
    if (level == LEVELS) status = take_batch(w, entries, err);
    for (const struct dirent *entry; level < LEVELS && status == HSD_OK && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (is_left_over(name) || (level == 0 && strcmp(name, HSD_FLEET_MARK) == 0)) continue;
        if (!is_part(name, prefixes[level]))
            status = fail_foreign(w, name, err);
        else if (is_wanted(level, name, wanted))
            status = enter_part(w, dirfd(entries), name, level, wanted, err);
    }
    closedir(entries);
    return status;
}

/* ---- the list */

static int compare_found(const void *left, const void *right)
{
    return strcmp(((const hsd_fleet_found *)left)->path, ((const hsd_fleet_found *)right)->path);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void hsd_fleet_list_settle(hsd_fleet_list *list)
{
    size_t kept = 0, there = 0, at = 0;
    if (list->count > 1) qsort(list->batches, list->count, sizeof *list->batches, compare_found);
    if (list->replaced_count > 1) qsort(list->replaced, list->replaced_count, sizeof(char *), compare_texts);
    for (size_t i = 0; i < list->count; i++) {
        int order = -1;
        while (at < list->replaced_count && (order = strcmp(list->replaced[at], list->batches[i].path)) < 0)
            free(list->replaced[at++]);
        if (at == list->replaced_count || order != 0) {
            list->batches[kept++] = list->batches[i];
            continue;
        }
        free(list->batches[i].path);
        list->replaced[there++] = list->replaced[at++];
    }
    for (; at < list->replaced_count; at++)
        free(list->replaced[at]);
    list->count = kept;
    list->replaced_count = there;
}

static hsd_status list_once(hsd_fleet_list *list, const char *path, const char *service_part, const char *date_part,
                            hsd_error *err)
{
    walk w = {.list = list, .store = path};
    const char *const wanted[LEVELS] = {service_part, date_part, NULL};
    *list = (hsd_fleet_list){.batches = NULL};
    HSD_TRY(hsd_fleet_check(path, err));
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return fail_read(&w, "", err);
    HSD_TRY(walk_folder(&w, fd, 0, wanted, err));
    hsd_fleet_list_settle(list);
    return HSD_OK;
}

/* What is missing because it is replaced this instant is not missing the next time. */
hsd_status hsd_fleet_list_batches(hsd_fleet_list *list, const char *path, const hsd_run *run, const char *service_part,
                                  const char *date_part, hsd_error *err)
{
    if (hsd_fleet_where_is(path) == HSD_FLEET_BUCKET)
        return hsd_bucket_list(list, path, run, service_part, date_part, err);
    hsd_error first;
    hsd_error_init(&first);
    const hsd_status status = list_once(list, path, service_part, date_part, &first);
    if (status == HSD_E_CORRUPT) {
        hsd_fleet_list_release(list);
        return list_once(list, path, service_part, date_part, err);
    }
    if (status != HSD_OK && err != NULL) *err = first;
    return status;
}

void hsd_fleet_list_release(hsd_fleet_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->batches[i].path);
    for (size_t i = 0; i < list->replaced_count; i++)
        free(list->replaced[i]);
    free(list->base);
    free(list->batches);
    free(list->replaced);
    *list = (hsd_fleet_list){.batches = NULL};
}
