/*
 * A script and its map as files: the script by the path that a snapshot names, the map by what the last line of the
 * script says (//# sourceMappingURL=app.js.map, or the map itself in a data: URL), else app.js.map beside it. Files of
 * this machine alone; what the caller does not let be opened is not there.
 */
#ifndef HSD_IMPORT_SOURCEMAP_FILES_H
#define HSD_IMPORT_SOURCEMAP_FILES_H

#include "base/buffer.h"
#include "io/source.h"
#include <hsdiff/import.h>

#define HSD_SOURCEMAP_PATH_BYTES   ((size_t)4096)
#define HSD_SOURCEMAP_SCRIPT_BYTES (UINT64_C(32) << 20) /* larger scripts are not read */
#define HSD_SOURCEMAP_MAP_BYTES    (UINT64_C(256) << 20)

typedef struct hsd_sourcemap_file {
    hsd_source source;
    hsd_buffer text;                     /* of a data: URL */
    int fd;                              /* -1 = none */
    char path[HSD_SOURCEMAP_PATH_BYTES]; /* of the map, or of the script that it stands in */
} hsd_sourcemap_file;

/* The text of a script. HSD_END: there is no such file; HSD_E_UNSUPPORTED: it is larger than `limit`; HSD_E_IO,
 * HSD_E_NOMEM. */
hsd_status hsd_sourcemap_read_script(hsd_buffer *out, const char *path, uint64_t limit,
                                     const hsd_import_options *options, hsd_error *err);

/* The map of a script. HSD_END: it has none; HSD_E_UNSUPPORTED: the map is too large; HSD_E_NOMEM. */
hsd_status hsd_sourcemap_open(hsd_sourcemap_file *out, hsd_bytes script, const char *path,
                              const hsd_import_options *options, hsd_error *err);

void hsd_sourcemap_close(hsd_sourcemap_file *file);

/* What `name` is, as a path, where `base` says it: "../src/a.ts" in /srv/dist/a.js.map is /srv/src/a.ts. Of a URL that
 * is no file's the path in it. False where that is too long. */
bool hsd_sourcemap_resolve(char out[HSD_SOURCEMAP_PATH_BYTES], const char *base, hsd_bytes name);

/* What the comment of a script says; empty = there is none. */
hsd_bytes hsd_sourcemap_url(hsd_bytes script);

#endif
