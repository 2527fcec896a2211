/*
 * Scripts by the names that people call them. A script is known by the number of a string until the strings come; then
 * it has a path, and once all have theirs each is called by as little of it as tells it apart:
 *
 *      file:///srv/shop/routes/users.js           routes/users.js     there is a models/users.js too
 *      /srv/shop/server.js                        server.js
 *      /srv/shop/billing/index.js                 billing/index.js    such a name alone says nothing
 *      /srv/shop/node_modules/express/lib/app.js  express/lib/app.js  as in its package
 *      https://shop.example/app.js?v=3            app.js
 *      node:internal/timers, internal/timers.js   as it is: the runtime's own
 */
#ifndef HSD_IMPORT_V8_FILES_H
#define HSD_IMPORT_V8_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id_map.h"
#include "import/v8/names.h"

#define HSD_V8_NO_FILE    UINT32_MAX
#define HSD_V8_MOST_FILES (UINT32_C(1) << 16)

typedef struct hsd_v8_file {
    hsd_bytes path;  /* whole, without scheme and query; empty until its string came */
    hsd_bytes name;  /* what it is called; from settle on */
    uint32_t same;   /* the first file of this path: a program may load one twice */
    uint8_t parts;   /* of the path in the name */
    bool is_runtime; /* none of the program's */
} hsd_v8_file;

typedef struct hsd_v8_files {
    hsd_v8_file *files;
    uint32_t count, capacity;
    hsd_id_map numbers; /* string of the snapshot -> file */
    hsd_arena arena;
} hsd_v8_files;

/* The file of a script whose name is this string, which a WAIT_SCRIPT entry then waits for. *out is HSD_V8_NO_FILE past
 * the limits. */
hsd_status hsd_v8_files_put(hsd_v8_files *files, hsd_v8_names *names, uint32_t string, uint32_t *out, hsd_error *err);

/* A file that no string names: a source. Its path is the caller's; *out is HSD_V8_NO_FILE past the limits. */
hsd_status hsd_v8_files_add(hsd_v8_files *files, hsd_bytes path, uint32_t *out, hsd_error *err);

/* The string came. */
hsd_status hsd_v8_files_text(hsd_v8_files *files, uint32_t file, hsd_bytes text, hsd_error *err);

/* All strings came: gives names. */
hsd_status hsd_v8_files_settle(hsd_v8_files *files, hsd_error *err);

/* The name of a file, empty for HSD_V8_NO_FILE. */
static inline hsd_bytes hsd_v8_files_name(const hsd_v8_files *files, uint32_t file)
{
    return file < files->count ? files->files[file].name : (hsd_bytes){NULL, 0};
}

void hsd_v8_files_release(hsd_v8_files *files);

#endif
