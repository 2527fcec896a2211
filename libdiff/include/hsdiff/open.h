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
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    /* of hsd_open_fd: what hsd_look has found; HSD_CONTENT_UNKNOWN = it looks itself */
    hsd_content content;
    hsd_damage damage;                /* of a capture */
    const hsd_import_options *import; /* of a foreign dump; NULL = all 0. Borrowed for the call */
    /* the conditions of the import, NULL = `run`: dumps that are imported side by side have a share of the memory each
     */
    const hsd_run *import_run;
} hsd_open_options;

/*
 * Opens whatever `path` names.
 *
 *   out                     owned by the caller, who closes it with hsd_capture_close; NULL on failure
 *   path                    "-" = standard input
 *   options, run, imported  may be NULL: all defaults; `run` is borrowed until the capture is closed
 *   imported                what hsd_import_file says of an import; its `format` is NULL when it was a capture
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_THIS_FORMAT: an empty file, or content that neither a capture nor an importer knows.
 *   HSD_E_IO, HSD_E_CORRUPT, HSD_E_TRUNCATED, HSD_E_TOO_NEW, HSD_E_OVER_BUDGET, HSD_E_NOMEM: as of hsd_capture_open,
 *     or of hsd_import_file.
 *   HSD_E_UNSUPPORTED: as of hsd_import_file.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *
 * A capture costs what hsd_capture_open costs; a foreign dump is read whole, and takes temporary space.
 */
HSD_API hsd_status hsd_open(hsd_capture **out, const char *path, const hsd_open_options *options, const hsd_run *run,
                            hsd_import_result *imported, hsd_error *err);

/* The same in steps, for callers that open several before they read any: one program may write to two pipes, and wait
 * for the reader of the second. */

/*
 * Opens a descriptor to read from. A pipe with a name is opened before anybody writes to it.
 *
 *   fd    owned by the caller, who closes it unless it is 0
 *   path  "-" = 0, standard input
 *
 * Returns HSD_OK; HSD_E_IO with the system's reason.
 */
HSD_API hsd_status hsd_open_path(int *fd, const char *path, hsd_error *err);

/*
 * Says what `fd` leads to, without taking a byte: a pipe's are copied out of it. Waits for a pipe until it has
 * something, and tells `run` so, which may cancel. What is encrypted is decrypted to be looked at, by run->crypt; an
 * encrypted pipe becomes a file without a name (in run->temp_dir, as encrypted as it was) under the same descriptor.
 *
 *   out   HSD_CONTENT_CAPTURE or HSD_CONTENT_FOREIGN on HSD_OK
 *   name  what errors and progress call it; borrowed for the call
 *   run   NULL = nobody is told, and nothing can be decrypted
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED where no identity fits, HSD_E_CORRUPT and HSD_E_TRUNCATED of what is encrypted;
 * HSD_E_IO when it cannot be read, a folder among that; HSD_E_NOT_THIS_FORMAT for an empty file or
 * pipe; HSD_E_CANCELLED.
 */
HSD_API hsd_status hsd_look(hsd_content *out, int fd, const char *name, const hsd_run *run, hsd_error *err);

/*
 * hsd_open from a descriptor, read from where it stands.
 *
 *   fd    borrowed: it stays open, and is the caller's to close
 *   name  what errors and reports call it; "-" = standard input
 *
 * Fails as hsd_open does.
 */
HSD_API hsd_status hsd_open_fd(hsd_capture **out, int fd, const char *name, const hsd_open_options *options,
                               const hsd_run *run, hsd_import_result *imported, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
