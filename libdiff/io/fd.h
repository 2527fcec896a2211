/*
 * The system's read and write as the rest of io/ wants them: whole, repeated after signals, waiting
 * where a descriptor is non-blocking. Errors come back as errno values, for the caller to tell.
 */
#ifndef HSD_IO_FD_H
#define HSD_IO_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Offset of hsd_fd_read and hsd_fd_write that means: wherever the descriptor stands. */
#define HSD_FD_HERE ((off_t)-1)

/* What to do about EFBIG, which is a limit of the process or of the file system, and seldom a lack of room. */
#define HSD_FILE_LIMIT_HINT "the shell's limit is shown, and can be raised, by ulimit -f"

/* What one read call gives, at most `size` bytes, *got 0 only at the end. 0 or an errno. */
int hsd_fd_read(int fd, void *data, size_t size, off_t offset, size_t *got);

/* All of `size` bytes. 0 or an errno; what was written before the failure is not told. */
int hsd_fd_write(int fd, const void *data, size_t size, off_t offset);

#endif
