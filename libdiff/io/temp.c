#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
/*
 * Temporary files that nobody can see or find, and that vanish with the process:
 *
 *      open(dir, O_TMPFILE)            a file that never had a name
 *      mkostemp + unlink               where the file system cannot: it has a name for a moment
 *
 * The space counts what exists now, at most and in all, for notes and tests of the disk bound.
 */
#include "io/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/pages.h"
#include "base/work.h"
#include "io/fd.h"

#define SECRET_PIECE_BYTES ((size_t)16 << 10)

static const char *default_directory(void)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen != NULL && chosen[0] != '\0') return chosen;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

const char *hsd_run_temp_dir(const hsd_run *run)
{
    const bool is_given = run->temp_dir != NULL && run->temp_dir[0] != '\0';
    return is_given ? run->temp_dir : default_directory();
}

void hsd_temp_space_init(hsd_temp_space *space, const char *directory)
{
    const hsd_run run = {.temp_dir = directory};
    *space = (hsd_temp_space){.directory = hsd_run_temp_dir(&run)};
}

void hsd_temp_space_of(hsd_temp_space *space, const hsd_run *run)
{
    hsd_temp_space_init(space, run == NULL ? NULL : run->temp_dir);
    space->crypt = run == NULL ? NULL : run->crypt;
}

static bool is_refused_tmpfile(int error)
{
    return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOSYS;
}

/* -1 and errno on failure. */
static int open_named(const char *directory)
{
    char path[PATH_MAX];
    const int size = snprintf(path, sizeof path, "%s/hsdiff-XXXXXX", directory);
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(path, O_CLOEXEC); /* O_EXCL and 0600 by definition */
    if (fd >= 0) unlink(path);
    return fd;
}

hsd_status hsd_temp_open(hsd_temp *temp, hsd_temp_space *space, hsd_error *err)
{
    HSD_ASSERT(space != NULL && space->directory != NULL);
    *temp = (hsd_temp){.fd = -1};
    int fd = -1;
    if (!space->has_no_tmpfile) {
        fd = open(space->directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd < 0 && is_refused_tmpfile(errno)) space->has_no_tmpfile = true;
    }
    if (fd < 0 && space->has_no_tmpfile) fd = open_named(space->directory);
    if (fd < 0) {
        hsd_fail_errno(err, errno, "cannot create a temporary file");
        hsd_error_set_file(err, space->directory);
        hsd_error_set_hint(err, "name a folder that can be written with --temp-dir DIR");
        return HSD_E_IO;
    }
    /* Whoever reads has a buffer of its own. Where memory is short what the system reads ahead is gone before it is
     * asked for. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    temp->fd = fd;
    temp->space = space;
    temp->is_secret = hsd_crypt_is_secret(space->crypt);
    if (temp->is_secret) hsd_random_bytes(temp->key, sizeof temp->key);
    return HSD_OK;
}

static void raise_to(_Atomic uint64_t *value, uint64_t least)
{
    uint64_t seen = *value;
    while (seen < least && !atomic_compare_exchange_weak(value, &seen, least))
        continue;
}

/* Books the growth of the file to `end`. Threads that write distinct ranges may race here. */
static void grow_to(hsd_temp *temp, uint64_t end)
{
    uint64_t size = temp->size_bytes;
    do {
        if (size >= end) return;
    } while (!atomic_compare_exchange_weak(&temp->size_bytes, &size, end));
    const uint64_t now = atomic_fetch_add(&temp->space->bytes_now, end - size) + (end - size);
    raise_to(&temp->space->bytes_peak, now);
}

static hsd_status fail_temp_file(const hsd_temp *temp, hsd_error *err, int error, const char *what)
{
    hsd_fail_errno(err, error, "cannot %s a temporary file", what);
    hsd_error_set_file(err, temp->space->directory);
    if (error == EFBIG) hsd_error_set_hint(err, "%s", HSD_FILE_LIMIT_HINT);
    if (error == ENOSPC || error == EDQUOT)
        hsd_error_set_hint(err, "name a folder with more room with --temp-dir DIR (%.0f MiB are in use)",
                           (double)temp->space->bytes_now / 1048576.0);
    return HSD_E_IO;
}

static bool is_range(uint64_t offset, size_t size)
{
    uint64_t end;
    return !__builtin_add_overflow(offset, size, &end) && end <= (uint64_t)INT64_MAX;
}

/* 0 or an errno. */
static int write_secret(const hsd_temp *temp, const uint8_t *data, size_t size, uint64_t offset)
{
    uint8_t piece[SECRET_PIECE_BYTES];
    int error = 0;
    while (error == 0 && size > 0) {
        const size_t step = size < sizeof piece ? size : sizeof piece;
        hsd_stream_turn(piece, data, step, offset, temp->key);
        error = hsd_fd_write(temp->fd, piece, step, (off_t)offset);
        data += step;
        offset += step;
        size -= step;
    }
    return error;
}

hsd_status hsd_temp_write(hsd_temp *temp, uint64_t offset, const void *data, size_t size, hsd_error *err)
{
    if (temp->space == NULL || !is_range(offset, size))
        return hsd_fail(err, HSD_E_MISUSE, "write to a temporary file that is not open or too large");
    if (size == 0) return HSD_OK;
    const int error =
        temp->is_secret ? write_secret(temp, data, size, offset) : hsd_fd_write(temp->fd, data, size, (off_t)offset);
    if (error != 0) return fail_temp_file(temp, err, error, "write");
    grow_to(temp, offset + size);
    temp->space->bytes_written += size;
    hsd_work_did(HSD_COST_FILE_WRITTEN, size);
    return HSD_OK;
}

hsd_status hsd_temp_read(const hsd_temp *temp, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    if (temp->space == NULL || !is_range(offset, size))
        return hsd_fail(err, HSD_E_MISUSE, "read of a temporary file that is not open or too large");
    unsigned char *at = data;
    temp->space->bytes_read += size;
    hsd_work_did(HSD_COST_FILE_READ, size);
    while (size > 0) {
        size_t got = 0;
        const int error = hsd_fd_read(temp->fd, at, size, (off_t)offset, &got);
        if (error != 0) return fail_temp_file(temp, err, error, "read");
        if (got == 0) {
            hsd_fail_at(err, HSD_E_CORRUPT, offset, "a temporary file ends %zu bytes too early", size);
            hsd_error_set_file(err, temp->space->directory);
            return HSD_E_CORRUPT;
        }
        if (temp->is_secret) hsd_stream_turn(at, at, got, offset, temp->key);
        at += got;
        offset += got;
        size -= got;
    }
    return HSD_OK;
}

size_t hsd_temp_put(const hsd_temp *temp, void *data, size_t size)
{
    if (temp->space == NULL || temp->fd < 0 || temp->is_secret) return 0;
    return hsd_pages_put_file(data, (size_t)hsd_min_u64(size, temp->size_bytes), temp->fd);
}

void hsd_temp_close(hsd_temp *temp)
{
    if (temp->space == NULL || temp->fd < 0) return;
    temp->space->bytes_now -= temp->size_bytes;
    close(temp->fd);
    hsd_forget_secret(temp->key, sizeof temp->key);
    *temp = (hsd_temp){.fd = -1};
}
