/*
 * A result file for callers of the library: whole or not there, private from birth. What the command
 * line writes reports and lists through.
 */
#ifndef HSDIFF_OUTPUT_H
#define HSDIFF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_result_file hsd_result_file;

/*
 * Opens `path` for writing; "-" is standard output. A file is made without a name, or under another one
 * in the same folder, with mode 0600 whatever the umask, and gets its name when it is finished. HSD_E_IO
 * with EEXIST when there is one of that name and not `force`; else with the system's reason.
 */
HSD_API hsd_status hsd_result_file_open(hsd_result_file **out, const char *path, bool force, hsd_error *err);

/* Buffered. The signature is that of hsd_write_fn; `file` is the hsd_result_file. */
HSD_API hsd_status hsd_result_file_write(void *file, const void *data, size_t size, hsd_error *err);

/* True as long as nothing was written to it. */
HSD_API bool hsd_result_file_is_empty(const hsd_result_file *file);

/* Writes what is buffered, syncs, gives the file its name. HSD_E_IO leaves nothing behind. Closing is
 * still the caller's. */
HSD_API hsd_status hsd_result_file_finish(hsd_result_file *file, hsd_error *err);

/* Releases it; what was not finished is gone. NULL is accepted. */
HSD_API void hsd_result_file_close(hsd_result_file *file);

#ifdef __cplusplus
}
#endif
#endif
