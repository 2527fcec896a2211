/*
 * What people wrote, where a program runs what tools made of it: scripts that have a source map (import/sourcemap) are
 * told by their sources.
 *
 *      Function t (bundle.js:1:20311)        Function onChange (src/cache.ts:35)
 *      class r                               ResponseCache
 *      bundle.js.x                           server.ts.responses     a variable of a bundle, by the file that declares it
 *      cache.js                              cache.ts                a script of one source is that source
 *      allocated in t, bundle.js:1           in onChange, /srv/shop/src/cache.ts:35
 *
 * Of a class only its name is known where nodes pass. The list of locations says where the constructors of objects
 * stand, so each of those gives one object, whose class is the one asked for. Definitions of such classes wait, and so
 * do the names of variables and of functions that allocate.
 *
 * A map is used if it fits: functions stand in the script where the snapshot says, under the names it says, and
 * mappings begin words. One that does not, that is older or that is missing changes nothing.
 */
#ifndef HSD_IMPORT_V8_ORIGINALS_H
#define HSD_IMPORT_V8_ORIGINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id_map.h"
#include "import/v8/names.h"
#include "import/v8/wishes.h"

#define HSD_V8_MOST_ORIGINALS    (UINT32_C(1) << 18) /* names that come from maps */
#define HSD_V8_MOST_CONSTRUCTORS (UINT32_C(1) << 15)
#define HSD_V8_CONSTRUCTOR_SLOTS (HSD_V8_MOST_CONSTRUCTORS * 2)

typedef struct hsd_v8_constructor { /* a place that constructs objects */
    uint32_t script, line, column;  /* as the snapshot has them, from 0 */
    uint32_t node;                  /* one of the objects */
    uint32_t entry;                 /* of its class's name */
    uint32_t type;                  /* entry of its class, or HSD_V8_NO_ENTRY */
    hsd_bytes name;                 /* what it is called in the source; empty = not known */
} hsd_v8_constructor;

typedef struct hsd_v8_variable { /* of a module or a script */
    uint32_t entry, scope;
    hsd_bytes text; /* what the snapshot calls it */
    /* from find on */
    bool is_found;
    hsd_bytes name;  /* what the source calls it */
    uint32_t file;   /* which declares it; NO_FILE = that of the scope */
    uint32_t string; /* of the capture; from define on */
} hsd_v8_variable;

typedef struct hsd_v8_kept_text {
    uint32_t entry;
    hsd_bytes text;
} hsd_v8_kept_text;

typedef struct hsd_v8_originals {
    hsd_v8_constructor *constructors;
    uint32_t constructor_count, constructor_room;
    uint32_t *slots;        /* number of a constructor + 1, by its place */
    hsd_id_map scripts;     /* number that locations have -> a function of it */
    hsd_v8_kept_text *kept; /* texts of classes that wait, and of functions that allocate */
    uint32_t kept_count, kept_room;
    hsd_id_map kept_of; /* entry -> text */
    hsd_v8_variable *variables;
    uint32_t variable_count, variable_room;
    hsd_id_map variable_of; /* entry -> variable */
    uint32_t text_count;    /* strings of the capture that were defined */
    hsd_arena arena;
} hsd_v8_originals;

struct hsd_v8;

/* A script has this number in the list of locations, as one of this function has. */
hsd_status hsd_v8_originals_script(hsd_v8_originals *originals, uint32_t script, uint32_t function, hsd_error *err);

/* A location of an object: where what constructed it stands. */
hsd_status hsd_v8_originals_constructor(hsd_v8_originals *originals, uint32_t node, uint32_t script, uint32_t line,
                                        uint32_t column, hsd_error *err);

/* All locations passed; before wishes are granted, and behind that: which classes wait. */
hsd_status hsd_v8_originals_wish(hsd_v8_originals *originals, hsd_v8_names *names, hsd_v8_wishes *wishes,
                                 hsd_error *err);
void hsd_v8_originals_await(hsd_v8_originals *originals, hsd_v8_names *names);

/* The string of a class that waits came, or of a function that allocates; that of a variable. */
hsd_status hsd_v8_originals_keep(hsd_v8_originals *originals, uint32_t entry, hsd_bytes text, hsd_error *err);
hsd_status hsd_v8_originals_keep_variable(hsd_v8_originals *originals, uint32_t entry, uint32_t scope, hsd_bytes text,
                                          hsd_error *err);

/* All strings came, and scopes have their files: reads the maps. Before files have their names. */
hsd_status hsd_v8_originals_find(struct hsd_v8 *v8, hsd_error *err);

/* Files have their names: defines the strings and classes that waited. */
hsd_status hsd_v8_originals_define(struct hsd_v8 *v8, hsd_error *err);

/* The string of the capture that names this variable, 0 = its own; *is_whole: a file stands before it there. */
uint32_t hsd_v8_originals_variable(const hsd_v8_originals *originals, uint32_t entry, bool *is_whole);

void hsd_v8_originals_release(hsd_v8_originals *originals);

#endif
