/*
 * Opens whatever a path names: a capture, or a foreign heap dump that is imported into an unnamed temporary capture
 * first; a file, a pipe or standard input. What it is, its first bytes say.
 *
 *      hsd_capture *before, *after;
 *      hsd_diff *diff;
 *      if (hsd_open(&before, "before.hprof", NULL, NULL, NULL, &err) == HSD_OK &&
 *          hsd_open(&after, "after.hprof", NULL, NULL, NULL, &err) == HSD_OK &&
 *          hsd_diff_run(&diff, before, after, NULL, NULL, &err) == HSD_OK) …
 *
 * Temporary captures lie in run->temp_dir, have no name there, and go with the capture that is closed. Each call has
 * the whole of run->memory_bytes.
 */
#ifndef HSDIFF_OPEN_H
#define HSDIFF_OPEN_H

#include <hsdiff/capture.h>
#include <hsdiff/import.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsd_content {
    HSD_CONTENT_UNKNOWN, /* not looked at yet */
    HSD_CONTENT_CAPTURE,
    HSD_CONTENT_FOREIGN /* anything else: the importers find out, and say if it is none of theirs */
} hsd_content;

typedef struct hsd_open_options {
    /* of hsd_open_fd: what hsd_look has found; HSD_CONTENT_UNKNOWN = it looks itself */
    hsd_content content;
    hsd_damage damage;         /* of a capture */
    hsd_import_options import; /* of a foreign dump */
    /* the conditions of the import, NULL = `run`: dumps that are imported side by side have a share of the memory each
     */
    const hsd_run *import_run;
} hsd_open_options;

/*
 * `path` may be "-", standard input. `options` and `run` may be NULL, all defaults. `imported` may be NULL; its format
 * is NULL when it was a capture. The capture is owned by the caller (hsd_capture_close), and `run` borrowed until then.
 * Statuses: those of reading (HSD_E_IO, HSD_E_CORRUPT, HSD_E_TRUNCATED, HSD_E_TOO_NEW, HSD_E_OVER_BUDGET,
 * HSD_E_CANCELLED), and HSD_E_NOT_THIS_FORMAT for an empty file and for what nobody knows.
 */
HSD_API hsd_status hsd_open(hsd_capture **out, const char *path, const hsd_open_options *options, const hsd_run *run,
                            hsd_import_result *imported, hsd_error *err);

/* The same in steps, for callers that open several before they read any: one program may write to two pipes, and wait
 * for the reader of the second. */

/* A descriptor to read from, owned by the caller, who closes it unless it is 0. A pipe with a name is opened before
 * anybody writes to it. HSD_E_IO. */
HSD_API hsd_status hsd_open_path(int *fd, const char *path, hsd_error *err);

/*
 * What `fd` leads to, without taking a byte: a pipe's are copied out of it. Waits for a pipe until it has something,
 * and tells `run` so (NULL = nobody), which may cancel. HSD_E_IO (a folder among them), HSD_E_NOT_THIS_FORMAT for an
 * empty file, HSD_E_CANCELLED.
 */
HSD_API hsd_status hsd_look(hsd_content *out, int fd, const char *name, const hsd_run *run, hsd_error *err);

/* Reads from `fd` as hsd_open does; it stays open and is the caller's. `name` stands in errors and reports; "-" is
 * standard input. */
HSD_API hsd_status hsd_open_fd(hsd_capture **out, int fd, const char *name, const hsd_open_options *options,
                               const hsd_run *run, hsd_import_result *imported, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
