/*
 * Sources over what the system gives: files, pipes, standard input, memory. A regular file is read with
 * pread from its own position, so that seeking costs nothing and the descriptor's position, which may
 * be shared with other processes, stays where it was. Everything else is read in order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/fd.h"
#include "io/source.h"

typedef struct file_input {
    int fd;
    bool is_owned;   /* close it */
    bool is_regular; /* has positions */
    uint64_t start;  /* byte 0 of the input; a shell may hand over a file that was partly read */
    uint64_t position;
} file_input;

static hsd_status file_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    file_input *file = context;
    const off_t offset = file->is_regular ? (off_t)(file->start + file->position) : HSD_FD_HERE;
    const int error = hsd_fd_read(file->fd, data, size, offset, got);
    if (error != 0) {
        hsd_fail_errno(err, error, "cannot read");
        if (err != NULL) err->offset_bytes = file->position;
        return HSD_E_IO;
    }
    file->position += *got;
    return HSD_OK;
}

static hsd_status file_seek(void *context, uint64_t offset, hsd_error *err)
{
    file_input *file = context;
    if (offset > (uint64_t)INT64_MAX - file->start)
        return hsd_fail_at(err, HSD_E_TRUNCATED, offset, "no file is that long");
    file->position = offset;
    return HSD_OK;
}

static hsd_status file_rewind(void *context, hsd_error *err) { return file_seek(context, 0, err); }

static void file_close(void *context)
{
    file_input *file = context;
    if (file->is_owned) close(file->fd);
    free(file);
}

static const hsd_source_ops regular_ops = {
    .read = file_read, .rewind = file_rewind, .close = file_close, .seek = file_seek};
static const hsd_source_ops stream_ops = {.read = file_read, .close = file_close};

static hsd_status fail_open(int error, const char *name, hsd_error *err)
{
    hsd_fail_errno(err, error, "cannot open");
    hsd_error_set_file(err, name);
    return HSD_E_IO;
}

/* Finds out what the descriptor is. 0 or an errno. */
static int look_at_source_file(file_input *file, uint64_t *total_bytes)
{
    struct stat info;
    if (fstat(file->fd, &info) != 0) return errno;
    if (S_ISDIR(info.st_mode)) return EISDIR;
    const off_t start = S_ISREG(info.st_mode) ? lseek(file->fd, 0, SEEK_CUR) : -1;
    file->is_regular = start >= 0;
    *total_bytes = 0;
    if (!file->is_regular) return 0;
    file->start = (uint64_t)start;
    if (info.st_size > start) *total_bytes = (uint64_t)(info.st_size - start);
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return 0;
}

static hsd_status open_descriptor(hsd_source *source, int fd, bool is_owned, const char *name, size_t window_bytes,
                                  hsd_error *err)
{
    *source = (hsd_source){0};
    file_input *file = calloc(1, sizeof *file);
    uint64_t total_bytes = 0;
    if (file == NULL) {
        if (is_owned) close(fd);
        return hsd_fail_nomem(err, "an open file");
    }
    *file = (file_input){.fd = fd, .is_owned = is_owned};
    const int error = look_at_source_file(file, &total_bytes);
    if (error != 0) {
        file_close(file);
        return fail_open(error, name, err);
    }
    const hsd_source_ops *ops = file->is_regular ? &regular_ops : &stream_ops;
    HSD_TRY(hsd_source_open_custom(source, ops, file, name, window_bytes, file->is_regular, err));
    source->total_bytes = total_bytes;
    return HSD_OK;
}

hsd_status hsd_source_open_fd(hsd_source *source, int fd, const char *name, size_t window_bytes, hsd_error *err)
{
    return open_descriptor(source, fd, false, name, window_bytes, err);
}

hsd_status hsd_source_open_file(hsd_source *source, const char *path, size_t window_bytes, hsd_error *err)
{
    *source = (hsd_source){0};
    if (strcmp(path, "-") == 0)
        return open_descriptor(source, STDIN_FILENO, false, "standard input", window_bytes, err);
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return fail_open(errno, path, err);
    return open_descriptor(source, fd, true, path, window_bytes, err);
}

hsd_status hsd_source_open_memory(hsd_source *source, hsd_bytes bytes, const char *name, hsd_error *err)
{
    static const uint8_t nothing[1];
    (void)err;
    *source = (hsd_source){.is_at_end = true, .is_borrowed = true, .can_rewind = true};
    const size_t length = strnlen(name, sizeof source->name - 1);
    memcpy(source->name, name, length);
    const uint8_t *data = bytes.size == 0 ? nothing : bytes.data;
    source->window = (uint8_t *)(uintptr_t)data; /* never written: there is nothing to fill */
    source->window_bytes = bytes.size;
    source->at = data;
    source->end = data + bytes.size;
    source->total_bytes = bytes.size;
    return HSD_OK;
}
