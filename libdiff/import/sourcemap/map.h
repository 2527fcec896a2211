/*
 * Source maps (revision 3, ECMA-426): where a place of a script that tools wrote stands in what people wrote.
 *
 *      {"version":3,"sources":["../src/cache.ts"],"names":["ResponseCache"],"mappings":"AAAA,aAAaA,…"}
 *      {"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{…}}, …]}
 *
 * A map is gone through twice and never held: first its mappings, against the places that are asked for, which ascend
 * as mappings do; then its sources and names, for those that were met. What it has beside that, the sources' texts
 * above all, is passed over.
 */
#ifndef HSD_IMPORT_SOURCEMAP_MAP_H
#define HSD_IMPORT_SOURCEMAP_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "io/source.h"

#define HSD_SOURCEMAP_NONE       UINT32_MAX
#define HSD_SOURCEMAP_TEXT_BYTES ((size_t)4096) /* of a source or a name, at most */

/* Lines and columns from 0, columns in units of UTF-16. */
typedef struct hsd_sourcemap_place {
    uint32_t line, column; /* asked, in the script */
    uint32_t source, name; /* answered: by number, or NONE */
    uint32_t source_line, source_column;
    bool is_exact; /* something of its own begins there; `name` is told of that alone */
} hsd_sourcemap_place;

typedef struct hsd_sourcemap_text {
    uint32_t number;
    hsd_bytes text; /* empty until it was met */
} hsd_sourcemap_text;

typedef struct hsd_sourcemap {
    hsd_sourcemap_place *places; /* the caller's, ascending */
    size_t place_count;
    /* Whether a mapping is none of this script: it points into a word, or behind a line. NULL = not asked */
    bool (*is_misfit)(const void *context, uint32_t line, uint32_t column);
    const void *context;

    uint64_t mappings, misfits;
    uint32_t source_count;
    hsd_sourcemap_text *sources, *names; /* of the places, ascending */
    size_t source_text_count, name_text_count;
    hsd_arena arena;
} hsd_sourcemap;

/*
 * Answers all places. `source` stands at its begin and can be rewound. HSD_E_CORRUPT, HSD_E_TRUNCATED: it is no map;
 * HSD_E_UNSUPPORTED: its mappings do not ascend; HSD_E_NOMEM.
 */
hsd_status hsd_sourcemap_read(hsd_sourcemap *map, hsd_source *source, hsd_error *err);

/* Empty for NONE, and for a number that the map does not have. A source has its sourceRoot before it. */
hsd_bytes hsd_sourcemap_source(const hsd_sourcemap *map, uint32_t number);
hsd_bytes hsd_sourcemap_name(const hsd_sourcemap *map, uint32_t number);

void hsd_sourcemap_release(hsd_sourcemap *map);

#endif
