/*
 * Roots of a heap snapshot. Node 0 leads to the global objects, to what the embedder holds, and by way
 * of "(GC roots)" to V8's own groups: "(Stack roots)", "(Global handles)" …
 *
 *      0 ─shortcut─► global object                          root {GLOBAL, "global"}
 *        ─element──► "(GC roots)" ─► "(Global handles)" ─► x   root {HANDLE, "(Global handles)"} at x
 *        ─element──► "Node / Environment"                   root {HANDLE, "Node / Environment"}
 *
 * A node without size on the way from node 0 is such a group. Its name is known only at the end, so
 * roots wait in a spool.
 *
 * Roots of kind GLOBAL are primary, all others secondary: DevTools leaves out of its dominators what leads
 * into a page's objects (those that the global objects reach) from outside them. A handle scope, the
 * stack or a compile job that happens to point at a container would else share it with the program.
 */
#ifndef HSD_IMPORT_V8_ROOTS_H
#define HSD_IMPORT_V8_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "import/v8/layout.h"
#include "import/v8/marks.h"
#include "import/v8/names.h"
#include "import/v8/spool.h"
#include <hscapture/hscapture.h>

#define HSD_V8_NO_GROUP UINT32_MAX

/* Groups of the importer's own. */
enum {
    HSD_V8_GROUP_GLOBAL,   /* what hangs from node 0 by a shortcut: global objects, native contexts */
    HSD_V8_GROUP_ORPHANS,  /* what nothing refers to: V8 holds it in a way that it does not tell */
    HSD_V8_GROUP_EMBEDDER, /* what has no name of its own */
    HSD_V8_GROUP_FIRST     /* from here on: by name */
};

typedef struct hsd_v8_group {
    uint32_t name; /* string in the snapshot */
    uint32_t text; /* string in the capture, once it is known; 0 = none */
    uint32_t kind; /* hsc_root_kind */
} hsd_v8_group;

typedef struct hsd_v8_roots {
    hsd_v8_spool spool;
    hsd_v8_group *groups;
    uint32_t group_count, group_capacity;
    bool has_global;    /* something hangs from node 0 by a shortcut */
    bool has_user_root; /* DevTools: something hangs from node 0 that is not synthetic */
} hsd_v8_roots;

hsd_status hsd_v8_roots_init(hsd_v8_roots *roots, hsd_temp_space *space, uint64_t memory_bytes, hsd_error *err);

/*
 * A node comes that is awaited: a root, or a group of roots. `name` is its string, or 0 where that is
 * a value of the program. *group is its number if it is a group, whose references must then be given to
 * hsd_v8_roots_reference; otherwise HSD_V8_NO_GROUP.
 */
hsd_status hsd_v8_roots_node(hsd_v8_roots *roots, hsd_v8_names *names, uint32_t ordinal, uint32_t name, bool is_group,
                             uint32_t *group, hsd_error *err);

/* A reference of node 0 or of a group. What it leads to becomes a root, or awaited. */
hsd_status hsd_v8_roots_reference(hsd_v8_roots *roots, hsd_v8_marks *marks, uint32_t source, uint32_t group,
                                  hsd_v8_edge kind, uint32_t target, hsd_error *err);

/* A root of one of the importer's own groups. */
hsd_status hsd_v8_roots_put(hsd_v8_roots *roots, uint32_t group, uint32_t target, hsd_error *err);

/* The name of a group came: `string` is its number in the capture. */
void hsd_v8_roots_name(hsd_v8_roots *roots, uint32_t group, hsd_bytes text, uint32_t string);

/* Reads the roots back: HSD_END after the last. After hsd_v8_spool_rewind(&roots->spool). */
hsd_status hsd_v8_roots_next(hsd_v8_roots *roots, hsc_root_record *out, hsd_error *err);

void hsd_v8_roots_release(hsd_v8_roots *roots);

#endif
