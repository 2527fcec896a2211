#define _GNU_SOURCE /* memfd_create */
/* Files in memory and samples as bytes. See memfile.h. */
#include "support/memfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/make_samples.h"

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

memfile memfile_of(const void *bytes, size_t size)
{
    memfile file = {.fd = memfd_create("capture", MFD_CLOEXEC)};
    if (file.fd < 0) give_up("memfd_create");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    memfile_set(&file, bytes, size);
    return file;
}

void memfile_set(memfile *file, const void *bytes, size_t size)
{
    if (ftruncate(file->fd, 0) != 0) give_up("ftruncate");
    for (size_t at = 0; at < size;) {
        const ssize_t count = pwrite(file->fd, (const uint8_t *)bytes + at, size - at, (off_t)at);
        if (count <= 0) give_up("pwrite");
        at += (size_t)count;
    }
}

void memfile_close(memfile *file)
{
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}

uint8_t *memfile_read_all(const char *path, size_t *size)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    uint8_t *bytes = fstat(fd, &info) == 0 ? malloc((size_t)info.st_size + 1) : NULL;
    *size = 0;
    while (bytes != NULL && *size < (size_t)info.st_size) {
        const ssize_t count = read(fd, bytes + *size, (size_t)info.st_size - *size);
        if (count <= 0) break;
        *size += (size_t)count;
    }
    close(fd);
    return bytes;
}

typedef struct collected {
    uint8_t *bytes;
    size_t size, capacity;
} collected;

static ptrdiff_t collect(void *context, const void *data, size_t size)
{
    collected *all = context;
    if (all->capacity - all->size < size) {
        all->capacity = 2 * (all->size + size);
        all->bytes = realloc(all->bytes, all->capacity);
        if (all->bytes == NULL) give_up("realloc");
    }
    memcpy(all->bytes + all->size, data, size);
    all->size += size;
    return (ptrdiff_t)size;
}

uint8_t *memfile_sample(size_t index, size_t *size)
{
    collected all = {0};
    const hsc_sink sink = {.write = collect, .context = &all};
    if (hsd_sample_write_to(index, &sink) != HSC_OK) {
        fprintf(stderr, "sample %zu cannot be written\n", index);
        exit(2);
    }
    *size = all.size;
    return all.bytes;
}

size_t memfile_sample_index(const char *name)
{
    size_t i = 0;
    while (hsd_sample_name(i) != NULL && strcmp(hsd_sample_name(i), name) != 0)
        i++;
    return i;
}
