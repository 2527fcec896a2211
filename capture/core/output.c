/*
 * Sinks. A sink may take less than it is given, be interrupted, or be full for a moment (a pipe or socket
 * that does not block); none of that is a failure. Everything else is, and stays one.
 *
 * A file of our own is created and nothing else: never opened if it exists, never followed as a link,
 * readable by its owner alone from the first moment. It is removed through a descriptor of its folder, so
 * that a program which changes its working directory meanwhile loses nothing of someone else's.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ptrdiff_t fd_write(void *context, const void *data, size_t size)
{
    return write(((hsc_file *)context)->fd, data, size);
}

static int fd_wait(void *context)
{
    struct pollfd one = {.fd = ((hsc_file *)context)->fd, .events = POLLOUT};
    return poll(&one, 1, -1) < 0 && errno != EINTR ? -1 : 0;
}

static int pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}

void hsc_output_to_sink(hsc_output *output, const hsc_sink *sink)
{
    *output = (hsc_output){.sink = *sink, .file = {.fd = -1, .folder_fd = -1}};
}

void hsc_output_to_fd(hsc_output *output, int fd)
{
    *output = (hsc_output){.sink = {fd_write, fd_wait, &output->file}, .file = {.fd = fd, .folder_fd = -1}};
}

static int open_folder(const char *path, size_t size)
{
    if (size == 0) return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *folder = malloc(size + 1);
    if (folder == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(folder, path, size);
    folder[size] = '\0';
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int why = errno;
    free(folder);
    errno = why;
    return fd;
}

hsc_status hsc_output_to_new_file(hsc_output *output, const char *path)
{
    hsc_output_to_fd(output, -1);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    hsc_file *file = &output->file;
    const size_t name_bytes = strlen(name) + 1;
    file->name = malloc(name_bytes);
    if (file->name == NULL) return HSC_E_NOMEM;
    memcpy(file->name, name, name_bytes);
    file->folder_fd = open_folder(path, (size_t)(name - path));
    if (file->folder_fd >= 0)
        file->fd = openat(file->folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) {
        output->system_error = errno;
        return output->system_error == ENOMEM ? HSC_E_NOMEM : HSC_E_IO;
    }
    file->is_ours = true;
    return HSC_OK;
}

/* After a call of the sink that took nothing: true to try again. */
static bool may_go_on(hsc_output *output, int why)
{
    if (why == EINTR) return true;
    if (why == EAGAIN) { /* EWOULDBLOCK is the same number on Linux */
        const hsc_sink *sink = &output->sink;
        if ((sink->wait != NULL ? sink->wait(sink->context) : pause_a_little()) == 0) return true;
        why = errno;
    }
    output->system_error = why != 0 ? why : EIO;
    return false;
}

bool hsc_output_write(hsc_output *output, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        errno = 0;
        const ptrdiff_t took = output->sink.write(output->sink.context, at, size);
        if (took > 0 && (size_t)took <= size) {
            at += took;
            size -= (size_t)took;
            output->written += (uint64_t)took;
        } else if (!may_go_on(output, took < 0 ? errno : EIO)) {
            return false;
        }
    }
    return true;
}

/* Removes our file, unless another one has taken its name. */
static void remove_file(const hsc_file *file, const struct stat *ours)
{
    struct stat named;
    if (fstatat(file->folder_fd, file->name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == ours->st_dev &&
        named.st_ino == ours->st_ino)
        unlinkat(file->folder_fd, file->name, 0);
}

bool hsc_output_finish(hsc_output *output, bool keep)
{
    hsc_file *file = &output->file;
    bool is_good = true;
    if (file->is_ours) {
        struct stat ours;
        const bool is_known = fstat(file->fd, &ours) == 0;
        is_good = close(file->fd) == 0 || errno == EINTR;
        if (!is_good) output->system_error = errno;
        if (!(keep && is_good) && is_known) remove_file(file, &ours);
        file->is_ours = false;
        file->fd = -1;
    }
    if (file->folder_fd >= 0) close(file->folder_fd);
    free(file->name);
    file->folder_fd = -1;
    file->name = NULL;
    return is_good;
}
