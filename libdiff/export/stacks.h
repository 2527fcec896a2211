/*
 * A heap as weighted stacks, what profiles and flame graphs are made of: how many objects and bytes there are for each
 * stack of frames.
 *
 *      sites   main < serve < new Session       where objects were allocated; every captured object counts, live or not
 *      paths   global.app < .sessions: Map < [*]: Session     what holds them: a root, then the dominator tree by type; live objects
 *
 * Bytes are those of the heap, as in all tables: what objects own outside of it is left out. A pair of captures has
 * both amounts in one list. All numbers (texts, frames, nodes, samples) are by what they say: the order of the records
 * in a capture, hashes and the budget decide nothing. Texts are marked as for a terminal (hsd_escape): they are
 * foreign.
 */
#ifndef HSD_EXPORT_STACKS_H
#define HSD_EXPORT_STACKS_H

#include "base/buffer.h"
#include "export/exporter.h"
#include <hsdiff/diff.h>

#define HSD_STACK_FRAMES_MOST 512u /* of a stack of sites: FORMAT.md 6.5. The innermost are kept */

typedef struct hsd_stack_frame { /* texts; 0 = none */
    uint32_t function, file, line, column;
} hsd_stack_frame;

typedef struct hsd_stack_node { /* the stacks as a tree from the outermost frame on; parents come before children */
    uint32_t parent, frame, depth;
} hsd_stack_node;

typedef struct hsd_stack_sample {
    uint32_t node;            /* the innermost frame; 0 = no frame */
    uint32_t type, root;      /* texts; root is 0 unless are_paths */
    hsd_amount before, after; /* before is 0 unless is_growth */
} hsd_stack_sample;

typedef struct hsd_stacks {
    bool are_paths, is_growth;
    hsd_bytes *texts;        /* ascending; number 0 is "" */
    hsd_stack_frame *frames; /* by function, file, line, column */
    hsd_stack_node *nodes;   /* number 0 is the bottom of all and has no frame */
    /* by bytes, for a pair by their change, largest first; each (node, type, root) once; none is 0 */
    hsd_stack_sample *samples;
    uint32_t text_count, frame_count, node_count, sample_count;
    struct hsd_stack_tables *tables; /* own it all */
} hsd_stacks;

typedef struct hsd_stacks_form {
    bool functions_only;   /* frames have no file, line and column */
    bool types_are_frames; /* the type is the innermost frame of a site as well */
} hsd_stacks_form;

/*
 * Reads the captures of an export. Notes tell what is not in it. HSD_E_UNSUPPORTED: sites are asked for and there are
 * none. HSD_E_OVER_BUDGET: distinct stacks, names or sites, or the places of a profile, take more than the export's
 * memory allows. *out is NULL on failure; free with hsd_stacks_free.
 */
hsd_status hsd_stacks_make(hsd_stacks **out, hsd_export *x, const hsd_stacks_form *form, hsd_error *err);
void hsd_stacks_free(hsd_stacks *stacks);

/* after - before, at the ends of its range where it does not fit. */
int64_t hsd_stack_growth(uint64_t before, uint64_t after);

/* The frames of a node from the outermost to the innermost; `frames` has room for HSD_STACK_DEPTH_MOST. How many. */
#define HSD_STACK_DEPTH_MOST (HSD_STACK_FRAMES_MOST + 2)
uint32_t hsd_stack_unwind(const hsd_stacks *stacks, uint32_t node, uint32_t *frames);

/* What a frame is called: its function, else its file with the line, else "(unknown)". Appends. */
hsd_status hsd_stack_frame_name(const hsd_stacks *stacks, uint32_t frame, hsd_buffer *out, hsd_error *err);

/* What the formats count in the result of an export: stacks. */
void hsd_stacks_tell(uint64_t rows, hsd_export_result *result);

#endif
