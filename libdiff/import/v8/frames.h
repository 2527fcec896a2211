/*
 * What the stack holds, told by the function whose frame it lies in, and what is held by its compilation alone.
 *
 * V8 lists what all frames refer to as one group of roots, from the innermost frame outwards, and each frame from its
 * last variable to its first, without names. Where a frame ends can be told all the same:
 *
 *      (Stack roots)  … Map  Array  bytecode  closure  context  code  this  arguments …
 *                       └ variables ┘         └ of the function that runs
 *                     … Map  Array  closure  context  constants  code …      of optimised code, from V8 11 on
 *
 * So a variable that no closure uses, whose name is nowhere in a snapshot, is one of "locals of load (server.js:7)", or
 * of "locals of server.js" where that is what runs a file. What a function was called with counts as its caller's.
 * Frames of the runtime's own scripts stay "(Stack roots)".
 *
 * While functions are compiled in the background, a list of V8's ("IdentityMapBase") has what their code will refer to,
 * and there is a handle for each. The code that is made holds none of it.
 */
#ifndef HSD_IMPORT_V8_FRAMES_H
#define HSD_IMPORT_V8_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pages.h"
#include "import/v8/functions.h"
#include "import/v8/marks.h"
#include "import/v8/names.h"

#define HSD_V8_NO_SLOT     UINT32_MAX
#define HSD_V8_MOST_FRAMES 4096u /* functions whose locals are told */

/* A reference of a group of roots, in the order of the snapshot. */
typedef struct hsd_v8_slot {
    uint32_t group, target;
    uint32_t name;       /* string of the reference */
    uint32_t literal;    /* behind a closure and what follows it: entry that may prove LITERAL; HSD_V8_NO_ENTRY */
    uint32_t first;      /* slot with the same target: what follows stands there alone */
    uint32_t proof;      /* entry that may prove COMPILED, of any of them; HSD_V8_NO_ENTRY */
    uint32_t class_name; /* string of its class, HSD_V8_NO_STRING = it says nothing */
    uint32_t class;      /* beside a closure: entry that may prove BYTECODE or VARIABLES */
    uint32_t function;   /* of a closure; HSD_V8_NO_FUNCTION */
} hsd_v8_slot;

typedef struct hsd_v8_frames {
    hsd_v8_slot *slots; /* in the pages, which have room for all */
    hsd_pages pages;
    uint32_t count;
    uint32_t last_group, of_group; /* slots that the last group has */
    hsd_id_map targets;            /* node -> first slot */
    uint32_t *running;             /* settled: of each slot the function of its frame, or HSD_V8_NO_FUNCTION */
} hsd_v8_frames;

/* A reference of `group` to a node that is no group. *out is HSD_V8_NO_SLOT past the limits, of all and of a group. */
hsd_status hsd_v8_frames_put(hsd_v8_frames *frames, uint32_t group, uint32_t name, uint32_t target, uint32_t *out,
                             hsd_error *err);

bool hsd_v8_frames_has(const hsd_v8_frames *frames, uint32_t node);

/* What a node is that has a slot: its class by the number of that string, and its function if it is a closure. */
void hsd_v8_frames_see(hsd_v8_frames *frames, uint32_t node, uint32_t class_name, uint32_t function);

/* All nodes were seen: which names are wanted. Of code it does not matter what refers to it while it is compiled. */
hsd_status hsd_v8_frames_resolve(hsd_v8_frames *frames, const hsd_v8_marks *marks, hsd_v8_names *names, hsd_error *err);

/* All names came, files are settled: finds the frames in `stack`, the group of that name. */
hsd_status hsd_v8_frames_settle(hsd_v8_frames *frames, const hsd_v8_names *names, const hsd_v8_functions *functions,
                                const hsd_v8_files *files, uint32_t stack, hsd_error *err);

/* The function of the program in whose frame a slot lies, or HSD_V8_NO_FUNCTION. */
static inline uint32_t hsd_v8_frames_function(const hsd_v8_frames *frames, uint32_t slot)
{
    return frames->running != NULL && slot < frames->count ? frames->running[slot] : HSD_V8_NO_FUNCTION;
}

/* Code that is being made refers to what the slot leads to. */
bool hsd_v8_frames_is_compiled(const hsd_v8_frames *frames, const hsd_v8_names *names, uint32_t slot);

/* Writes "locals of load (server.js:7)"; returns its length, below HSD_V8_FRAME_BYTES. */
#define HSD_V8_FRAME_BYTES ((size_t)HSD_V8_FUNCTION_TYPE_BYTES + 16)
size_t hsd_v8_frames_text(const hsd_v8_names *names, const hsd_v8_functions *functions, const hsd_v8_files *files,
                          uint32_t function, char out[HSD_V8_FRAME_BYTES]);

void hsd_v8_frames_release(hsd_v8_frames *frames);

#endif
