/*
 * A result file for callers of the library: whole or not there, private from birth. What the command
 * line writes reports and lists through.
 */
#ifndef HSDIFF_OUTPUT_H
#define HSDIFF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/crypt.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_result_file hsd_result_file;

/*
 * Opens `path` for writing. A file is made without a name, or under another one in the same folder, with mode 0600
 * whatever the umask, and gets its name when it is finished.
 *
 *   out    closed by the caller with hsd_result_file_close; NULL on failure
 *   path   "-" = standard output
 *   force  replace a file of that name
 *
 * Returns HSD_OK; HSD_E_IO with EEXIST when there is a file of that name and not `force`, else with the system's
 * reason; HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_result_file_open(hsd_result_file **out, const char *path, bool force, hsd_error *err);

/*
 * Encrypts all that is written to the recipients of `crypt`: to be called before the first write. Nothing happens where
 * there are none, or it is NULL. Returns HSD_OK; HSD_E_IO with the system's reason; HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_result_file_encrypt(hsd_result_file *file, hsd_crypt *crypt, hsd_error *err);

/*
 * Takes the next `size` bytes; buffered. The signature is that of hsd_write_fn.
 *
 *   file  the hsd_result_file
 *   data  borrowed for the call
 *
 * Returns HSD_OK; HSD_E_IO with the system's reason (the disk is full, the reader of a pipe is gone).
 */
HSD_API hsd_status hsd_result_file_write(void *file, const void *data, size_t size, hsd_error *err);

/* True as long as nothing was written to it. */
HSD_API bool hsd_result_file_is_empty(const hsd_result_file *file);

/*
 * Writes what is buffered, syncs, and gives the file its name. Closing is still the caller's. Returns HSD_OK; HSD_E_IO
 * with the system's reason, and then nothing is left behind.
 */
HSD_API hsd_status hsd_result_file_finish(hsd_result_file *file, hsd_error *err);

/* Releases it; what was not finished is gone. NULL is accepted. */
HSD_API void hsd_result_file_close(hsd_result_file *file);

#ifdef __cplusplus
}
#endif
#endif
