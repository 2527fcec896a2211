/*
 * The V8 importer on any bytes: no crash, no stall, no memory past its budget, and a writer that is never used wrongly.
 * Behind the first byte 0, which no snapshot has, stands what its scripts are, behind the next one their source maps.
 * The last byte chooses the options, and how large the pieces are in which the input comes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct some_files {
    hsd_bytes script, map;
} some_files;

static bool is_map(const char *path)
{
    const size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, ".map") == 0;
}

static int open_part(void *context, const char *path)
{
    const some_files *files = context;
    const hsd_bytes *part = is_map(path) ? &files->map : &files->script;
    if (part->size == 0) {
        errno = ENOENT;
        return -1;
    }
    const int fd = memfd_create("part", MFD_CLOEXEC);
    if (fd < 0 || write(fd, part->data, part->size) != (ssize_t)part->size || lseek(fd, 0, SEEK_SET) != 0) abort();
    return fd;
}

/* Up to the first byte 0; what stands behind it is left in `rest`. */
static hsd_bytes take_part(hsd_bytes *rest)
{
    const uint8_t *end = rest->size == 0 ? NULL : memchr(rest->data, 0, rest->size);
    const size_t size = end == NULL ? rest->size : (size_t)(end - rest->data), taken = end == NULL ? size : size + 1;
    const hsd_bytes part = {rest->data, size};
    *rest = (hsd_bytes){rest->data + taken, rest->size - taken};
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned choice = size == 0 ? 0 : data[size - 1];
    hsd_bytes rest = {data, size};
    const hsd_bytes dump = take_part(&rest);
    some_files parts = {.script = take_part(&rest)};
    parts.map = rest;
    const fuzz_files files = {open_part, &parts};
    fuzz_import_pieces_with(&hsd_import_v8, dump, 4 << 20, choice, &files);
    return 0;
}
