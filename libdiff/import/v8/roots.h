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
 * What lies in a frame of a function of the program is a root by that: "locals of load (server.js:7)" (frames.h). What
 * the table of strings leads to, and what is compiled, is no root where objects refer to it as well: neither keeps it.
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
#include "import/v8/frames.h"
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
    uint32_t name;  /* string in the snapshot */
    uint32_t text;  /* string in the capture, once it is known; 0 = none */
    uint32_t kind;  /* hsc_root_kind */
    uint32_t named; /* roots that have its name themselves */
    bool is_stack;  /* "(Stack roots)" */
    bool is_weak;   /* "(Internalized strings)": V8 frees what nothing else leads to */
} hsd_v8_group;

typedef struct hsd_v8_roots {
    hsd_v8_spool spool;
    hsd_v8_group *groups;
    uint32_t group_count, group_capacity;
    hsd_v8_frames frames;
    hsd_id_map direct;  /* objects that hang from node 0 -> 1 */
    bool has_global;    /* something hangs from node 0 by a shortcut */
    bool has_user_root; /* DevTools: something hangs from node 0 that is not synthetic */
    uint32_t workers;   /* threads of Node's that run, each with a heap of its own */
} hsd_v8_roots;

hsd_status hsd_v8_roots_init(hsd_v8_roots *roots, hsd_temp_space *space, uint64_t memory_bytes, hsd_error *err);

/*
 * A node comes that is awaited: a root, or a group of roots. `name` is its string, or 0 where that is
 * a value of the program. *group is its number if it is a group, whose references must then be given to
 * hsd_v8_roots_reference; otherwise HSD_V8_NO_GROUP.
 */
hsd_status hsd_v8_roots_node(hsd_v8_roots *roots, hsd_v8_names *names, uint32_t ordinal, uint32_t name, bool is_group,
                             uint32_t *group, hsd_error *err);

/* A reference of node 0 or of a group. */
typedef struct hsd_v8_root_edge {
    uint32_t source, group;
    hsd_v8_edge kind;
    uint32_t name, target;
} hsd_v8_root_edge;

/* What it leads to becomes a root, or awaited. */
hsd_status hsd_v8_roots_reference(hsd_v8_roots *roots, hsd_v8_marks *marks, const hsd_v8_root_edge *e, hsd_error *err);

/* A node that is awaited is a root or a group of roots; else it has a slot in `frames`. */
static inline bool hsd_v8_roots_has(const hsd_v8_roots *roots, const hsd_v8_marks *marks, uint32_t node)
{
    return hsd_v8_marks_get(marks, node) == HSD_V8_MARK_SYNTHETIC ||
           hsd_id_map_get(&roots->direct, node) != HSD_ID_NONE;
}

/* A root of one of the importer's own groups. */
hsd_status hsd_v8_roots_put(hsd_v8_roots *roots, uint32_t group, uint32_t target, hsd_error *err);

/* The name of a group came: `string` is its number in the capture. */
void hsd_v8_roots_name(hsd_v8_roots *roots, uint32_t group, hsd_bytes text, uint32_t string);

/* The group of this kind, or HSD_V8_NO_GROUP. When all names came. */
uint32_t hsd_v8_roots_stack(const hsd_v8_roots *roots);

/* A root as it is read back. */
typedef struct hsd_v8_root {
    hsc_root_record record;
    uint32_t function; /* in whose frame it lies, or HSD_V8_NO_FUNCTION */
} hsd_v8_root;

/* Reads the roots back: HSD_END after the last. After hsd_v8_spool_rewind(&roots->spool), frames being settled. */
hsd_status hsd_v8_roots_next(hsd_v8_roots *roots, const hsd_v8_names *names, const hsd_v8_marks *marks,
                             hsd_v8_root *out, hsd_error *err);

void hsd_v8_roots_release(hsd_v8_roots *roots);

#endif
