/*
 * A result that is a folder of files, and is there whole or not at all. The files are written without names, or under
 * names beside the folder where the file system knows no other way; a new folder gets them all at the end and is
 * renamed into its place. A run that is killed before leaves nothing; one that is killed in the instant between leaves
 * a folder .hsdiff-XXXXXX.
 *
 *      open ──add──► output, written, …  add ──► output, written ──finish──► folder/name1, folder/name2 …
 */
#ifndef HSD_IO_FOLDER_H
#define HSD_IO_FOLDER_H

#include "io/output.h"

#define HSD_FOLDER_FILES_MOST 96u

typedef struct hsd_folder_file {
    hsd_output output;
    char *name;
} hsd_folder_file;

typedef struct hsd_folder {
    char *path;         /* without a slash at its end; owned */
    const char *suffix; /* borrowed: of every file in it */
    bool is_forced;
    hsd_folder_file *files;
    unsigned count;
} hsd_folder;

/*
 * `path` is to become the folder. A folder that is there is replaced by `force`, if it holds nothing else than files
 * whose names end in `suffix`. HSD_E_IO with EEXIST and a hint when something is there and not `force`, with ENOTDIR
 * when it is no folder, with ENOTEMPTY when it holds other things; HSD_E_NOMEM. Close it also when this failed.
 */
hsd_status hsd_folder_open(hsd_folder *folder, const char *path, const char *suffix, bool force, hsd_error *err);

/* A new file of it; `name` with its suffix. *out is owned by the folder, stays where it is, and is not finished by the
 * caller. HSD_E_MISUSE past HSD_FOLDER_FILES_MOST. */
hsd_status hsd_folder_add(hsd_folder *folder, const char *name, hsd_output **out, hsd_error *err);

/* Gives all files and the folder their names. On failure nothing is left. */
hsd_status hsd_folder_finish(hsd_folder *folder, hsd_error *err);

/* Drops what is not finished. Accepts a zeroed one. */
void hsd_folder_close(hsd_folder *folder);

#endif
