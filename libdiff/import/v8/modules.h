/*
 * Modules by their files, so that what they export is laid at their door and not at that of the cache of require or of
 * who loaded them first.
 *
 *   CommonJS   an object whose first property leads to the same string as a later one (its id is its filename), and
 * whose class turns
 *              out to be "Module" when the names come:
 *
 *                  Module ─id, filename─► "/srv/shop/bus.js"
 *                         ─exports─► Object                          bus.js.exports
 *
 *   ES         a node of V8's own that turns out to be called "system / SourceTextModule": its first hidden reference
 * leads to the table
 *              of what it exports, its fifth to the call that runs it, whose function knows the script
 *
 *                  SourceTextModule ─0─► table ─► "sessions"
 *                                              ─► Cell ─► Map         sessions.mjs.sessions
 *                                   ─4─► Generator ─function─► closure ─shared─► function ─script─► script
 *                                   ─5, 6─► lists of the same cells, its own and those that it imports: they hold nothing
 *
 * What a program's modules hold begins with them: each module that is there once is a root (module_roots.c). One that
 * was loaded several times is none: something holds on to the copies, and that is what is wanted.
 *
 * All of this was checked on node 18 to 24.
 */
#ifndef HSD_IMPORT_V8_MODULES_H
#define HSD_IMPORT_V8_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "import/v8/files.h"
#include "import/v8/functions.h"
#include "import/v8/names.h"
#include "import/v8/wishes.h"

#define HSD_V8_NO_MODULE    UINT32_MAX
#define HSD_V8_MOST_MODULES (UINT32_C(1) << 16)

typedef struct hsd_v8_module {
    uint32_t ordinal;
    /* CommonJS: entry that must prove MODULE; ES: entry of its WAIT_SOURCE, which must be of a module */
    uint32_t proof;
    uint32_t name;    /* CommonJS: entry of the string that is its filename */
    uint32_t closure; /* ES: node of its function; UINT32_MAX until that is known */
    uint32_t file;    /* or HSD_V8_NO_FILE; from settle on what is proven, before what may be */
    bool is_es;
} hsd_v8_module;

typedef struct hsd_v8_modules {
    hsd_v8_module *items;
    uint32_t count, capacity, es_count;
    hsd_id_map tables;     /* table of exports -> module */
    hsd_id_map lists;      /* list of its own cells, list of those that it imports -> module */
    hsd_id_map generators; /* call -> module */
    hsd_id_map cells;      /* cell that comes later -> entry of what is exported by it */
    uint32_t exports_text; /* string of the capture: "exports"; 0 until that came */
} hsd_v8_modules;

/* What may be a CommonJS module: `filename` is the node of a string. *out is its number, or HSD_V8_NO_MODULE past the
 * limit. */
hsd_status hsd_v8_modules_object(hsd_v8_modules *modules, hsd_v8_names *names, hsd_v8_wishes *wishes, uint32_t ordinal,
                                 uint32_t class_name, uint32_t filename, uint32_t *out, hsd_error *err);

/* What the hidden references of an ES module lead to, by their numbers; UINT32_MAX where there is none. */
#define HSD_V8_MODULE_TABLE   0u
#define HSD_V8_MODULE_CALL    4u
#define HSD_V8_MODULE_EXPORTS 5u
#define HSD_V8_MODULE_IMPORTS 6u
#define HSD_V8_MODULE_PARTS   7u

/* What may be an ES module; `source` is the entry of its WAIT_SOURCE. It has a table and a call. */
hsd_status hsd_v8_modules_source(hsd_v8_modules *modules, uint32_t ordinal, uint32_t source,
                                 const uint32_t parts[HSD_V8_MODULE_PARTS], uint32_t *out, hsd_error *err);

/* The module whose table of exports, whose list of cells or whose call this node is; or HSD_V8_NO_MODULE. */
static inline uint32_t hsd_v8_modules_of_table(const hsd_v8_modules *modules, uint32_t node)
{
    return modules->es_count == 0 ? HSD_V8_NO_MODULE : hsd_id_map_get(&modules->tables, node);
}

static inline uint32_t hsd_v8_modules_of_list(const hsd_v8_modules *modules, uint32_t node)
{
    return modules->es_count == 0 ? HSD_V8_NO_MODULE : hsd_id_map_get(&modules->lists, node);
}

/* The entry of what is exported by this cell, or HSD_V8_NO_ENTRY. */
static inline uint32_t hsd_v8_modules_export(const hsd_v8_modules *modules, uint32_t node)
{
    return modules->es_count == 0 ? HSD_V8_NO_ENTRY : hsd_id_map_get(&modules->cells, node);
}

static inline uint32_t hsd_v8_modules_of_call(const hsd_v8_modules *modules, uint32_t node)
{
    return modules->es_count == 0 ? HSD_V8_NO_MODULE : hsd_id_map_get(&modules->generators, node);
}

/* All nodes were seen, functions have their files and wishes are granted: finds the files. */
hsd_status hsd_v8_modules_resolve(hsd_v8_modules *modules, hsd_v8_names *names, const hsd_v8_functions *functions,
                                  hsd_v8_files *files, hsd_error *err);

/* All strings were seen: what is not proven has no file. */
void hsd_v8_modules_settle(hsd_v8_modules *modules, const hsd_v8_names *names, const hsd_v8_functions *functions);

void hsd_v8_modules_release(hsd_v8_modules *modules);

#endif
