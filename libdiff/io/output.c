#define _GNU_SOURCE /* O_TMPFILE, renameat2, mkostemp, sync_file_range */
/*
 * The result file, which is whole or not there. Two ways to be unfinished, one way to be done:
 *
 *      open      O_TMPFILE in the target's folder: no name     else  "target.XXXXXX", O_EXCL, 0600
 *      finish    flush, fsync, then
 *                linkat to the target (never replaces)         renameat2(RENAME_NOREPLACE)
 *                forced, and it is there: linkat to a name     forced: rename
 *                beside it, rename
 *                fsync the folder
 *
 * A file that came into being under the target's name meanwhile is not replaced either.
 */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/fail.h"
#include "io/fd.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define BEGIN_BYTES  ((uint64_t)8 << 20)

static hsd_status fail_output(const hsd_output *output, int error, const char *what, hsd_error *err)
{
    hsd_fail_errno(err, error, "cannot %s", what);
    hsd_error_set_file(err, output->is_stdout ? "standard output" : output->path);
    if (error == EFBIG) hsd_error_set_hint(err, "%s", HSD_FILE_LIMIT_HINT);
    return HSD_E_IO;
}

static hsd_status fail_exists(const hsd_output *output, hsd_error *err)
{
    fail_output(output, EEXIST, "write the result", err);
    hsd_error_set_hint(err, "use --force to replace it");
    return HSD_E_IO;
}

/* ---- open */

static int open_unnamed(const char *path)
{
    if (access("/proc/self/fd", X_OK) != 0) return -1; /* linkat needs it */
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (length >= sizeof folder) return -1;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return open(length == 0 ? "." : folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_NOCTTY, 0600);
}

static char *name_beside(const char *path)
{
    const size_t size = strlen(path) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (name != NULL) snprintf(name, size, "%s.XXXXXX", path);
    return name;
}

static hsd_status open_file(hsd_output *output, hsd_error *err)
{
    output->fd = open_unnamed(output->path);
    if (output->fd >= 0) return HSD_OK;
    output->temp_path = name_beside(output->path);
    if (output->temp_path == NULL) return hsd_fail_nomem(err, "a file name");
    output->fd = mkostemp(output->temp_path, O_CLOEXEC); /* O_EXCL, 0600, follows no link */
    if (output->fd >= 0) return HSD_OK;
    const int error = errno;
    free(output->temp_path);
    output->temp_path = NULL;
    return fail_output(output, error, "create a file in this folder", err);
}

static hsd_status open_in_place(hsd_output *output, hsd_error *err)
{
    output->is_in_place = true;
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->fd >= 0 ? HSD_OK : fail_output(output, errno, "open", err);
}

static hsd_status open_path(hsd_output *output, hsd_error *err)
{
    struct stat info;
    const size_t length = strlen(output->path);
    if (length == 0) return fail_output(output, ENOENT, "write the result", err);
    if (output->path[length - 1] == '/') return fail_output(output, EISDIR, "write the result", err);
    const bool is_there = stat(output->path, &info) == 0;
    if (is_there && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode))) return open_in_place(output, err);
    if (is_there && S_ISDIR(info.st_mode)) return fail_output(output, EISDIR, "write the result", err);
    if (!output->is_forced && lstat(output->path, &info) == 0) return fail_exists(output, err);
    return open_file(output, err);
}

hsd_status hsd_output_open(hsd_output *output, const char *path, bool force, hsd_error *err)
{
    HSD_ASSERT(path != NULL);
    *output = (hsd_output){.fd = -1, .is_forced = force};
    output->buffer = malloc(BUFFER_BYTES);
    output->path = strdup(path);
    hsd_status status = HSD_OK;
    if (output->buffer == NULL || output->path == NULL) {
        status = hsd_fail_nomem(err, "an output buffer");
    } else if (strcmp(path, "-") == 0) {
        output->is_stdout = output->is_in_place = true;
        output->fd = STDOUT_FILENO;
    } else {
        status = open_path(output, err);
    }
    if (status != HSD_OK) hsd_output_close(output);
    return status;
}

hsd_status hsd_output_open_fd(hsd_output *output, int fd, const char *name, hsd_error *err)
{
    *output = (hsd_output){.fd = fd, .is_in_place = true, .buffer = malloc(BUFFER_BYTES), .path = strdup(name)};
    if (output->buffer != NULL && output->path != NULL) return HSD_OK;
    output->fd = -1;
    hsd_output_close(output);
    close(fd);
    return hsd_fail_nomem(err, "an output buffer");
}

hsd_status hsd_output_set_path(hsd_output *output, const char *path, hsd_error *err)
{
    char *copy = strdup(path);
    if (copy == NULL) return hsd_fail_nomem(err, "the name of a result");
    free(output->path);
    output->path = copy;
    return HSD_OK;
}

/* ---- write */

/* The disk begins with what it has of a long file, so that little is left to sync; where it cannot nothing is lost. */
static void begin_sync(hsd_output *output)
{
    if (output->is_in_place || output->written - output->begun < BEGIN_BYTES) return;
    (void)sync_file_range(output->fd, (off64_t)output->begun, (off64_t)(output->written - output->begun),
                          SYNC_FILE_RANGE_WRITE);
    output->begun = output->written;
}

static hsd_status write_now(hsd_output *output, const void *data, size_t size, hsd_error *err)
{
    const int error = hsd_fd_write(output->fd, data, size, HSD_FD_HERE);
    output->written += size;
    begin_sync(output);
    if (error == 0) return HSD_OK;
    output->has_failed = true;
    return fail_output(output, error, "write", err);
}

static hsd_status flush_output(hsd_output *output, hsd_error *err)
{
    const size_t size = output->buffered;
    output->buffered = 0;
    return size == 0 ? HSD_OK : write_now(output, output->buffer, size, err);
}

/* What stands in the file, of which the buffer holds the end. */
static hsd_status put_stored(void *context, const void *data, size_t size, hsd_error *err)
{
    hsd_output *output = context;
    if (size > BUFFER_BYTES - output->buffered) HSD_TRY(flush_output(output, err));
    if (size >= BUFFER_BYTES) return write_now(output, data, size, err);
    memcpy(output->buffer + output->buffered, data, size);
    output->buffered += size;
    return HSD_OK;
}

hsd_status hsd_output_encrypt(hsd_output *output, hsd_crypt *crypt, hsd_error *err)
{
    HSD_ASSERT(output->size_bytes == 0 && !output->is_sealed);
    if (!hsd_crypt_has_recipients(crypt)) return HSD_OK;
    HSD_TRY(hsd_sealing_begin(&output->sealing, crypt, false, put_stored, output, err));
    output->is_sealed = true;
    return HSD_OK;
}

hsd_status hsd_output_write(hsd_output *output, const void *data, size_t size, hsd_error *err)
{
    HSD_ASSERT(size == 0 || data != NULL);
    if (output->path == NULL) return hsd_fail(err, HSD_E_MISUSE, "write to an output that is not open");
    if (output->has_failed) return fail_output(output, EIO, "go on writing after an error", err);
    if (size == 0) return HSD_OK;
    output->size_bytes += size;
    return output->is_sealed ? hsd_sealing_add(&output->sealing, data, size, err) : put_stored(output, data, size, err);
}

/* All that was taken is in the file, its last chunk, too. */
static hsd_status end_writing(hsd_output *output, hsd_error *err)
{
    if (output->is_sealed && !output->is_settled) HSD_TRY(hsd_sealing_finish(&output->sealing, err));
    return flush_output(output, err);
}

/* ---- finish. The helpers return 0 or an errno. */

static int link_unnamed(int fd, const char *path)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* A nameless file gets a name beside the target, from which it can be renamed over it. */
static int give_name(hsd_output *output)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        char *name = name_beside(output->path);
        if (name == NULL) return ENOMEM;
        unsigned long mix = (unsigned long)getpid() * 1009 + attempt * 7919;
        for (char *at = name + strlen(name) - 6; *at != '\0'; at++, mix /= sizeof digits - 1)
            *at = digits[mix % (sizeof digits - 1)];
        const int error = link_unnamed(output->fd, name);
        if (error == 0) {
            output->temp_path = name;
            return 0;
        }
        free(name);
        if (error != EEXIST) return error;
    }
    return EEXIST;
}

static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    struct stat info; /* a file system that cannot promise it: look, then rename */
    if (lstat(to, &info) == 0) return EEXIST;
    return rename(from, to) == 0 ? 0 : errno;
}

static int put_into_place(hsd_output *output)
{
    if (output->temp_path == NULL) {
        int error = link_unnamed(output->fd, output->path);
        if (error != EEXIST || !output->is_forced) return error;
        error = give_name(output);
        if (error != 0) return error;
    }
    if (!output->is_forced) return rename_new(output->temp_path, output->path);
    return rename(output->temp_path, output->path) == 0 ? 0 : errno;
}

/* The name itself must reach the disk too; a file system that cannot sync folders keeps it anyway. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (length >= sizeof folder) return;
    memcpy(folder, path, length);
    folder[length] = '\0';
    const int fd = open(length == 0 ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static hsd_status sync_file(const hsd_output *output, hsd_error *err)
{
    if (output->is_settled || fsync(output->fd) == 0 || errno == EINVAL) return HSD_OK;
    return fail_output(output, errno, "write", err);
}

hsd_status hsd_output_settle(hsd_output *output, hsd_error *err)
{
    HSD_TRY(end_writing(output, err));
    HSD_TRY(sync_file(output, err));
    output->is_settled = true;
    return HSD_OK;
}

static hsd_status finish_file(hsd_output *output, hsd_error *err)
{
    HSD_TRY(sync_file(output, err));
    const int error = put_into_place(output);
    if (error == EEXIST) return fail_exists(output, err);
    if (error != 0) return fail_output(output, error, "put the result in its place", err);
    free(output->temp_path);
    output->temp_path = NULL; /* the name is the target's now: close must not remove it */
    if (!output->is_settled) sync_folder(output->path);
    return HSD_OK;
}

hsd_status hsd_output_finish(hsd_output *output, hsd_error *err)
{
    if (output->path == NULL) return hsd_fail(err, HSD_E_MISUSE, "finish of an output that is not open");
    hsd_status status = HSD_OK;
    if (output->has_failed) status = fail_output(output, EIO, "finish after an error", err);
    if (status == HSD_OK) status = end_writing(output, err);
    if (status == HSD_OK && !output->is_in_place) status = finish_file(output, err);
    if (status == HSD_OK && output->is_in_place && !output->is_stdout) {
        const int fd = output->fd; /* a device may tell only now that it did not take it */
        output->fd = -1;
        if (close(fd) != 0 && errno != EINTR) status = fail_output(output, errno, "write", err);
    }
    hsd_output_close(output);
    return status;
}

void hsd_output_close(hsd_output *output)
{
    if (output->path != NULL && output->fd >= 0 && !output->is_stdout) close(output->fd);
    if (output->temp_path != NULL) unlink(output->temp_path);
    free(output->temp_path);
    free(output->path);
    free(output->buffer);
    hsd_sealing_release(&output->sealing);
    *output = (hsd_output){.fd = -1};
}
