/*
 * The importer of CPython's cores on any interpreter and any core of it, both hostile: no crash, no stall, no memory
 * past its budget, and a writer that is never used wrongly. The code that is interpreted is hostile, too. The first
 * four bytes say how long the interpreter is, the last chooses the options.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    hsd_source source;
    if (size < 8) return 0;
    const size_t wanted = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16,
                 program = wanted < size - 4 ? wanted : size - 4;
    const unsigned choice = data[size - 1];
    const int fd = memfd_create("program", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data + 4, program) != (ssize_t)program) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const hsd_import_options options = {
        .executable = path, .salvage = (choice & 1) != 0, .summary_only = (choice & 6) == 6};
    const hsd_bytes rest = {data + 4 + program, size - 4 - program};
    if (hsd_source_open_memory(&source, rest, "fuzz", NULL) == HSD_OK) {
        fuzz_import(&hsd_import_pycore, &source, &options, 8 << 20);
        hsd_source_close(&source);
    }
    close(fd);
    return 0;
}
