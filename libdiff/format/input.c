/* Reading a capture's file at any place. See input.h. */
#include "format/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/fd.h"

#define COPY_BYTES ((size_t)256 << 10)

/* The whole of a pipe into the temporary file. */
static hsd_status copy_all(hsd_input *input, uint8_t *buffer, hsd_error *err)
{
    size_t got = 0;
    for (;;) {
        const int error = hsd_fd_read(input->fd, buffer, COPY_BYTES, HSD_FD_HERE, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot read");
        if (got == 0) return HSD_OK;
        HSD_TRY(hsd_temp_write(&input->spool, input->size_bytes, buffer, got, err));
        input->size_bytes += got;
    }
}

static hsd_status spool(hsd_input *input, const hsd_run *run, hsd_error *err)
{
    hsd_temp_space_init(&input->space, run != NULL ? run->temp_dir : NULL);
    HSD_TRY(hsd_temp_open(&input->spool, &input->space, err));
    uint8_t *buffer = malloc(COPY_BYTES);
    if (buffer == NULL) return hsd_fail_nomem(err, "copying the input");
    const hsd_status status = copy_all(input, buffer, err);
    free(buffer);
    if (status != HSD_OK) return status;
    close(input->fd);
    input->fd = input->spool.fd;
    input->is_spooled = true;
    return HSD_OK;
}

static hsd_status set_up(hsd_input *input, const char *name, const hsd_run *run, hsd_error *err)
{
    struct stat what;
    input->name = strdup(name);
    if (input->name == NULL) return hsd_fail_nomem(err, "opening a capture");
    if (fstat(input->fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot be examined");
    if (S_ISDIR(what.st_mode)) return hsd_fail_errno(err, EISDIR, "cannot be read");
    if (!S_ISREG(what.st_mode)) return spool(input, run, err);
    input->size_bytes = (uint64_t)what.st_size;
    return HSD_OK;
}

/* A file that begins as one of age is read through its key. */
static hsd_status set_up_key(hsd_input *input, const hsd_run *run, hsd_error *err)
{
    uint8_t prefix[8];
    if (input->size_bytes < sizeof prefix) return HSD_OK;
    HSD_TRY(hsd_input_read(input, 0, prefix, sizeof prefix, err));
    if (!hsd_age_probe(prefix, sizeof prefix)) return HSD_OK;
    HSD_TRY(hsd_unsealed_open_fd(&input->unsealed, input->fd, run == NULL ? NULL : run->crypt, err));
    input->size_bytes = hsd_unsealed_size(input->unsealed);
    return HSD_OK;
}

hsd_status hsd_input_open_fd(hsd_input *input, int fd, const char *name, const hsd_run *run, hsd_error *err)
{
    *input = (hsd_input){.fd = fd};
    hsd_status status = set_up(input, name, run, err);
    if (status == HSD_OK) status = set_up_key(input, run, err);
    if (status != HSD_OK) {
        hsd_error_set_file(err, name);
        hsd_input_close(input);
    }
    return status;
}

hsd_status hsd_input_open(hsd_input *input, const char *path, const hsd_run *run, hsd_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        *input = (hsd_input){.fd = -1};
        const int error = errno;
        hsd_fail_errno(err, error, "cannot be opened");
        hsd_error_set_file(err, path);
        return HSD_E_IO;
    }
    return hsd_input_open_fd(input, fd, path, run, err);
}

hsd_status hsd_input_read(const hsd_input *input, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    uint8_t *at = data;
    if (input->unsealed != NULL) return hsd_unsealed_read(input->unsealed, offset, data, size, err);
    while (size > 0) {
        size_t got = 0;
        const int error = hsd_fd_read(input->fd, at, size, (off_t)offset, &got);
        if (error != 0) {
            hsd_fail_errno(err, error, "cannot read");
            if (err != NULL) err->offset_bytes = offset;
            return HSD_E_IO;
        }
        if (got == 0) {
            return hsd_fail_at(err, HSD_E_TRUNCATED, offset, "became shorter while it was read");
        }
        at += got;
        size -= got;
        offset += got;
    }
    return HSD_OK;
}

void hsd_input_close(hsd_input *input)
{
    hsd_unsealed_close(input->unsealed);
    hsd_temp_close(&input->spool);
    if (!input->is_spooled && input->fd >= 0) close(input->fd);
    free(input->name);
    *input = (hsd_input){.fd = -1};
}
