/*
 * Making a store, and the names of its folders.
 */
#include "fleet/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/checksum.h"
#include "io/output.h"

static char *join_path(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);
    if (path != NULL) snprintf(path, room, "%s/%s", folder, name);
    return path;
}

static hsd_status fail_store(hsd_error *err, hsd_status status, const char *path, const char *what)
{
    hsd_fail(err, status, "%s", what);
    hsd_error_set_file(err, path);
    return status;
}

static hsd_status fail_system(hsd_error *err, const char *path, const char *what)
{
    const int error = errno;
    hsd_fail_errno(err, error, "%s", what);
    hsd_error_set_file(err, path);
    return HSD_E_IO;
}

/* ---- the mark */

hsd_status hsd_fleet_judge_mark(hsd_text text, hsd_error *err)
{
    static const char words[] = HSD_FLEET_MARK_TEXT;
    const size_t size = sizeof words - 1;
    if (text.size <= size || memcmp(text.data, words, size) != 0)
        return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no fleet store: what marks one says something else");
    uint64_t version = 0;
    for (size_t i = size; i < text.size && text.data[i] >= '0' && text.data[i] <= '9' && version < 1000000; i++)
        version = version * 10 + (uint64_t)(text.data[i] - '0');
    if (version == HSD_FLEET_VERSION) return HSD_OK;
    hsd_fail(err, HSD_E_TOO_NEW, "is a fleet store of a version that this hsdiff does not know");
    hsd_error_set_hint(err, "get a newer hsdiff");
    return HSD_E_TOO_NEW;
}

static hsd_status read_mark(const char *path, const char *mark, hsd_error *err)
{
    char text[64] = "";
    const int fd = open(mark, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return fail_system(err, path, "cannot be read as a fleet store");
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    const hsd_status status = hsd_fleet_judge_mark((hsd_text){text, got > 0 ? (size_t)got : 0}, err);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

hsd_status hsd_fleet_check(const char *path, hsd_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0 && errno == ENOENT) {
        fail_store(err, HSD_E_NOT_FOUND, path, "there is no such fleet store");
        hsd_error_set_hint(err, "hsdiff fleet add makes one");
        return HSD_E_NOT_FOUND;
    }
    char *mark = join_path(path, HSD_FLEET_MARK);
    if (mark == NULL) return hsd_fail_nomem(err, "the name of a file");
    hsd_status status;
    if (stat(mark, &info) != 0) {
        status =
            fail_store(err, HSD_E_NOT_THIS_FORMAT, path, "is no fleet store: the file " HSD_FLEET_MARK " is missing");
        hsd_error_set_hint(err, "hsdiff fleet add makes one, in a folder of its own");
    } else {
        status = read_mark(path, mark, err);
    }
    free(mark);
    return status;
}

static bool is_empty(const char *path)
{
    DIR *list = opendir(path);
    bool found = false;
    if (list == NULL) return false;
    for (const struct dirent *entry; !found && (entry = readdir(list)) != NULL;)
        found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                strcmp(entry->d_name, "lost+found") != 0 && strncmp(entry->d_name, ".hsdiff-", 8) != 0 &&
                strncmp(entry->d_name, HSD_FLEET_MARK ".", sizeof HSD_FLEET_MARK) != 0;
    closedir(list);
    return !found;
}

/* Somebody else may make it at the same time: then theirs counts. */
static hsd_status write_mark(const char *path, const char *mark, hsd_error *err)
{
    char text[64];
    hsd_output output;
    hsd_error own;
    hsd_error_init(&own);
    snprintf(text, sizeof text, HSD_FLEET_MARK_TEXT "%d\n", HSD_FLEET_VERSION);
    hsd_status status = hsd_output_open(&output, mark, false, &own);
    if (status == HSD_OK) status = hsd_output_write(&output, text, strlen(text), &own);
    if (status == HSD_OK) status = hsd_output_finish(&output, &own);
    hsd_output_close(&output);
    if (status == HSD_E_IO && own.sys_errno == EEXIST) return read_mark(path, mark, err);
    if (status != HSD_OK && err != NULL) *err = own;
    return status;
}

static hsd_status make_folder(const char *path, hsd_error *err)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return HSD_OK;
    return fail_system(err, path, "cannot be made");
}

hsd_status hsd_fleet_make(const char *path, hsd_error *err)
{
    struct stat info;
    HSD_TRY(make_folder(path, err));
    char *mark = join_path(path, HSD_FLEET_MARK);
    if (mark == NULL) return hsd_fail_nomem(err, "the name of a file");
    hsd_status status;
    if (stat(mark, &info) == 0) {
        status = read_mark(path, mark, err);
    } else if (is_empty(path)) {
        status = write_mark(path, mark, err);
    } else if (stat(mark, &info) == 0) { /* made this instant */
        status = read_mark(path, mark, err);
    } else {
        status = fail_store(err, HSD_E_NOT_THIS_FORMAT, path, "is no fleet store, and holds other things");
        hsd_error_set_hint(err, "name a folder of its own: one that is empty, or not there");
    }
    free(mark);
    return status;
}

/* ---- names */

static bool is_plain_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

void hsd_fleet_service_part(char out[HSD_FLEET_PART_CHARS], const char *service)
{
    static const char digits[] = "0123456789ABCDEF", prefix[] = "service=";
    const size_t most = HSD_FLEET_PART_CHARS - 24;
    size_t at = sizeof prefix - 1;
    memcpy(out, prefix, at);
    const char *c = service;
    for (; *c != '\0' && at < most; c++) {
        if (is_plain_byte(*c)) {
            out[at++] = *c;
            continue;
        }
        out[at++] = '%';
        out[at++] = digits[(uint8_t)*c >> 4];
        out[at++] = digits[(uint8_t)*c & 15];
    }
    out[at] = '\0';
    if (*c != '\0')
        snprintf(out + at, HSD_FLEET_PART_CHARS - at, "-%016llx",
                 (unsigned long long)hsd_checksum(service, strlen(service), 0));
}

void hsd_fleet_date_part(char out[HSD_FLEET_PART_CHARS], uint64_t time_ms)
{
    const time_t seconds = (time_t)(time_ms / 1000);
    struct tm day;
    if (gmtime_r(&seconds, &day) == NULL || day.tm_year < 0 || day.tm_year > 8099)
        day = (struct tm){.tm_mday = 1, .tm_year = 70};
    snprintf(out, HSD_FLEET_PART_CHARS, "date=%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

static void sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd); /* a file system that cannot sync folders keeps their names all the same */
    close(fd);
}

hsd_status hsd_fleet_partition(const char *path, const char *service_part, const char *date_part, char **out,
                               hsd_error *err)
{
    char *service = join_path(path, service_part), *date = service == NULL ? NULL : join_path(service, date_part);
    hsd_status status = date != NULL ? HSD_OK : hsd_fail_nomem(err, "the name of a folder");
    if (status == HSD_OK) status = make_folder(service, err);
    if (status == HSD_OK) status = make_folder(date, err);
    if (status == HSD_OK) {
        sync_folder(path);
        sync_folder(service);
    }
    free(service);
    *out = date;
    if (status != HSD_OK) {
        free(date);
        *out = NULL;
    }
    return status;
}
