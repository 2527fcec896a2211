/*
 * Where ELF files may lie: what a process has mapped and what lies beside it, as NAME.debug or by the name of a library
 * that it has unloaded; folders that the user named, /usr/lib/debug. Only these are opened, and a file counts by its
 * build id, or, where a capture has none, by its name; a path out of a capture is never opened.
 */
#ifndef HSD_SYMBOLS_FILES_H
#define HSD_SYMBOLS_FILES_H

#include <hsdiff/symbols.h>

#include "base/arena.h"
#include "symbols/text.h"

typedef struct hsd_elf_file {
    const char *path;     /* to open it by */
    const char *name;     /* without its folder */
    const char *build_id; /* "" = has none */
} hsd_elf_file;

typedef struct hsd_elf_files {
    hsd_elf_file *files; /* in the order in which they are looked at */
    size_t count, capacity;
    size_t process_count;              /* of the process: the first */
    const hsd_symbol_options *options; /* borrowed */
    hsd_arena arena;
} hsd_elf_files;

#define HSD_ELF_FILES_MAX 16384u /* of more the first count */

/* Lists the ELF files of the process and the folders. What cannot be read is left out; a process that is gone has none.
 * HSD_E_NOMEM; HSD_E_IO for a folder that cannot be read: somebody named it. */
hsd_status hsd_elf_files_list(hsd_elf_files *files, const hsd_symbol_options *options, hsd_error *err);

/*
 * Opens the `skip`-th file with this build id; for a module without one, that of its name, one
 * without a build id before others. First
 * those of the process, then those in folders, then FOLDER/.build-id/xx/….debug of each folder and of /usr/lib/debug.
 * -1 if there is no such (or it is no regular file, or has become another one since).
 */
int hsd_elf_files_open(const hsd_elf_files *files, hsd_text module, hsd_text build_id, size_t skip);

void hsd_elf_files_release(hsd_elf_files *files);

#endif
