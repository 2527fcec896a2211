#define _GNU_SOURCE /* tee */
/*
 * Each input is opened once: what it is, is told by its first bytes, and it is then read through the same descriptor. A
 * file that can be read again is simply looked at; a pipe must keep its bytes for whoever reads it next, so they are
 * copied out of it with tee(2), which takes nothing away:
 *
 *      regular file    pread                     is it a capture?  yes: hsd_capture_open_fd
 *      pipe            tee, read the copy                          no:  hsd_import_temp_fd, then open that
 *
 * What is encrypted (age) is looked at through its key. A pipe would have to hold a chunk of 64 KiB for that, and more
 * than it can: it is copied as it is, encrypted, into a file without a name, which takes the pipe's place.
 *
 * (A pipe with a name that is opened again waits for another writer, who never comes.)
 */
#include <hsdiff/open.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/options.h"
#include "io/fd.h"
#include "io/sealed.h"

#define PREFIX_BYTES 8 /* enough to know a capture */
#define STEP_MS      100

static const hsd_import_options no_import;
static const hsd_run no_run;

hsd_status hsd_open_path(int *fd, const char *path, hsd_error *err)
{
    struct stat what;
    *fd = STDIN_FILENO;
    if (strcmp(path, "-") == 0) return HSD_OK;
    const bool is_pipe = stat(path, &what) == 0 && S_ISFIFO(what.st_mode);
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_pipe ? O_NONBLOCK : 0));
    if (*fd < 0) return hsd_fail_errno(err, errno, "cannot be opened");
    if (is_pipe) fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK);
    return HSD_OK;
}

/* ---- looking without taking ---- */

/* Copies what is in the pipe, which is not empty or has ended. 0 or an errno. */
static int copy_prefix(int fd, char *prefix, size_t *size)
{
    int copy[2];
    *size = 0;
    if (pipe2(copy, O_CLOEXEC) != 0) return errno;
    const ssize_t seen = tee(fd, copy[1], PREFIX_BYTES, SPLICE_F_NONBLOCK);
    const int error = seen < 0 ? errno : 0;
    const ssize_t taken = seen > 0 ? read(copy[0], prefix, PREFIX_BYTES) : 0;
    close(copy[0]);
    close(copy[1]);
    if (taken > 0) *size = (size_t)taken;
    return error == EINTR || error == EAGAIN ? 0 : error;
}

static hsd_status say_waiting(const char *name, const hsd_run *run, hsd_error *err)
{
    char stage[128];
    snprintf(stage, sizeof stage, "waiting for %s", name);
    if (run->progress == NULL || run->progress(run->progress_context, stage, 0, 0)) return HSD_OK;
    return hsd_fail(err, HSD_E_CANCELLED, "cancelled while waiting for what is written to it");
}

/* Waits until there is enough in the pipe, or no more to come. */
static hsd_status peek_pipe(int fd, const char *name, const hsd_run *run, char *prefix, size_t *size, hsd_error *err)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    for (*size = 0;;) {
        const int ready = poll(&end, 1, STEP_MS);
        if (ready > 0) {
            const int error = copy_prefix(fd, prefix, size);
            if (error != 0) return hsd_fail_errno(err, error, "cannot be read");
            /* it had ended before it was copied */
            if (*size >= PREFIX_BYTES || (end.revents & ~POLLIN)) return HSD_OK;
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
        HSD_TRY(say_waiting(name, run, err));
    }
}

/* The first bytes of a regular file. */
static hsd_status read_prefix(int fd, char *prefix, size_t *size, hsd_error *err)
{
    *size = 0;
    while (*size < PREFIX_BYTES) {
        const ssize_t got = pread(fd, prefix + *size, PREFIX_BYTES - *size, (off_t)*size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "cannot be read");
        if (got == 0) break;
        *size += (size_t)got;
    }
    if (*size > 0) return HSD_OK;
    (void)hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is empty (0 bytes)");
    hsd_error_set_hint(err, "what should have written it failed, or the disk was full: take it again");
    return HSD_E_NOT_THIS_FORMAT;
}

/* ---- what is encrypted ---- */

static hsd_status copy_pipe(int fd, hsd_temp *temp, hsd_error *err)
{
    char piece[16384];
    for (;;) {
        size_t got = 0;
        const int error = hsd_fd_read(fd, piece, sizeof piece, HSD_FD_HERE, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot be read");
        if (got == 0) return HSD_OK;
        HSD_TRY(hsd_temp_write(temp, temp->size_bytes, piece, got, err));
    }
}

/* The rest of a pipe becomes a file, under the same number. */
static hsd_status replace_pipe(int fd, const hsd_run *run, hsd_error *err)
{
    hsd_temp_space space;
    hsd_temp temp;
    hsd_temp_space_init(&space, run->temp_dir);
    HSD_TRY(hsd_temp_open(&temp, &space, err));
    hsd_status status = copy_pipe(fd, &temp, err);
    if (status == HSD_OK && dup3(temp.fd, fd, fd > STDERR_FILENO ? O_CLOEXEC : 0) < 0)
        status = hsd_fail_errno(err, errno, "cannot be read");
    hsd_temp_close(&temp);
    return status;
}

/* The first bytes of what is encrypted in a regular file. */
static hsd_status unseal_prefix(int fd, const hsd_run *run, char *prefix, size_t *size, hsd_error *err)
{
    hsd_unsealed *file = NULL;
    HSD_TRY(hsd_unsealed_open_fd(&file, fd, run->crypt, err));
    *size = (size_t)hsd_min_u64(PREFIX_BYTES, hsd_unsealed_size(file));
    const hsd_status status = hsd_unsealed_read(file, 0, prefix, *size, err);
    hsd_unsealed_close(file);
    return status;
}

hsd_status hsd_look(hsd_content *out, int fd, const char *name, const hsd_run *run, hsd_error *err)
{
    char prefix[PREFIX_BYTES];
    size_t size = 0;
    struct stat what;
    *out = HSD_CONTENT_UNKNOWN;
    if (fstat(fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot be opened");
    if (S_ISDIR(what.st_mode)) return hsd_fail_errno(err, EISDIR, "cannot be read");
    if (run == NULL) run = &no_run;
    if (S_ISFIFO(what.st_mode)) HSD_TRY(peek_pipe(fd, name, run, prefix, &size, err));
    if (S_ISREG(what.st_mode)) HSD_TRY(read_prefix(fd, prefix, &size, err));
    if (hsd_age_probe(prefix, size)) {
        if (!S_ISREG(what.st_mode)) HSD_TRY(replace_pipe(fd, run, err));
        HSD_TRY(unseal_prefix(fd, run, prefix, &size, err));
    }
    *out = hsd_capture_probe(prefix, size) ? HSD_CONTENT_CAPTURE : HSD_CONTENT_FOREIGN;
    return HSD_OK;
}

/* ---- opening what it is ---- */

static hsd_status import(int fd, const char *name, const hsd_open_options *options, const hsd_run *run, int *written,
                         hsd_import_result *imported, hsd_error *err)
{
    const hsd_run *own = options->import_run == NULL ? run : options->import_run;
    return hsd_import_temp_fd(fd, strcmp(name, "-") == 0 ? "standard input" : name,
                              options->import == NULL ? &no_import : options->import, own, written, imported, err);
}

static hsd_status open_capture(hsd_capture **out, int fd, const char *name, hsd_damage damage, const hsd_run *run,
                               hsd_error *err)
{
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* it becomes the capture's */
    if (own < 0) return hsd_fail_errno(err, errno, "cannot be opened");
    return hsd_capture_open_fd(out, own, name, damage, run, err);
}

hsd_status hsd_open_fd(hsd_capture **out, int fd, const char *name, const hsd_open_options *options, const hsd_run *run,
                       hsd_import_result *imported, hsd_error *err)
{
    hsd_import_result ignored;
    hsd_open_options own;
    if (run == NULL) run = &no_run;
    if (imported == NULL) imported = &ignored;
    *out = NULL;
    *imported = (hsd_import_result){0};
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_open_options, import_run, &own, options, err));
    hsd_content content = own.content;
    int written = -1;
    if (content == HSD_CONTENT_UNKNOWN) HSD_TRY(hsd_look(&content, fd, name, run, err));
    if (content == HSD_CONTENT_CAPTURE) return open_capture(out, fd, name, own.damage, run, err);
    HSD_TRY(import(fd, name, &own, run, &written, imported, err));
    /* An import that was cut short gives a capture that says so, and is counted block by block. What was written whole
     * a moment ago is checked by whoever reads it. */
    const hsd_damage damage = imported->is_complete ? HSD_DAMAGE_REFUSE : HSD_DAMAGE_SKIP;
    HSD_TRY(hsd_capture_open_fd(out, written, name, damage, run, err));
    hsd_capture_set_digest(*out, imported->has_digest ? imported->digest : NULL);
    hsd_capture_set_dump_number(*out, own.import == NULL ? 0 : own.import->dump_number);
    return HSD_OK;
}

hsd_status hsd_open(hsd_capture **out, const char *path, const hsd_open_options *options, const hsd_run *run,
                    hsd_import_result *imported, hsd_error *err)
{
    int fd = -1;
    *out = NULL;
    hsd_status status = hsd_open_path(&fd, path, err);
    if (status == HSD_OK) status = hsd_open_fd(out, fd, path, options, run, imported, err);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    if (fd > STDERR_FILENO) close(fd);
    return status;
}
