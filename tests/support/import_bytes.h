/*
 * Importing bytes that a test has in memory: into a capture in a file without a name, which can be looked into.
 */
#ifndef HSD_SUPPORT_IMPORT_BYTES_H
#define HSD_SUPPORT_IMPORT_BYTES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hsdiff/import.h>

/* A file without a name; -1 if there can be none. */
static inline int temporary(void)
{
    char path[] = "/tmp/hsdiff-test-XXXXXX";
    const int fd = mkstemp(path);
    if (fd >= 0) unlink(path);
    return fd;
}

/* Errors call the input `name`. `view` (or NULL) is opened where the import succeeds. */
static inline hsd_status import_bytes(const void *data, size_t size, const char *name,
                                      const hsd_import_options *options, const hsd_run *run, hsd_import_result *result,
                                      capture_view *view, hsd_error *err)
{
    const int in = temporary(), out = temporary();
    cr_assert(in >= 0 && out >= 0 && write(in, data, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0);
    hsd_error_init(err);
    const hsd_status status = hsd_import_descriptor(in, name, out, options, run, result, err);
    close(in);
    if (status == HSD_OK && view != NULL)
        cr_assert(view_open_fd(view, out));
    else
        close(out);
    return status;
}

#endif
