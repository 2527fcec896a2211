/*
 * Stacks while they are gathered: texts, frames, nodes and samples, each once, numbered as they come. Grows with what
 * is distinct and says so when that is more than it may take.
 */
#ifndef HSD_EXPORT_STACKS_TABLES_H
#define HSD_EXPORT_STACKS_TABLES_H

#include "base/names.h"
#include "export/stacks.h"

typedef struct hsd_stack_amounts {
    hsd_amount before, after;
} hsd_stack_amounts;

typedef struct hsd_stack_node_key {
    uint32_t parent, frame;
} hsd_stack_node_key;

typedef struct hsd_stack_sample_key {
    uint32_t node, type, root;
} hsd_stack_sample_key;

typedef struct hsd_stack_tables {
    hsd_names texts;
    hsd_names frames, nodes, samples; /* the bytes of hsd_stack_frame and of the keys below */
    hsd_stack_amounts *amounts;       /* by number of a sample */
    uint32_t amount_capacity;
    hsd_buffer marked;
    hsd_stacks_form form;
    uint64_t most_bytes;
} hsd_stack_tables;

typedef enum hsd_stack_side { HSD_STACK_BEFORE, HSD_STACK_AFTER } hsd_stack_side;

#define HSD_STACK_BOTTOM 0u /* the node below all */

hsd_status hsd_stack_tables_init(hsd_stack_tables *tables, const hsd_stacks_form *form, uint64_t most_bytes,
                                 hsd_error *err);
void hsd_stack_tables_release(hsd_stack_tables *tables);

/* The number of a foreign text. */
hsd_status hsd_stack_text(hsd_stack_tables *tables, hsd_bytes text, uint32_t *out, hsd_error *err);

/* The node of a frame that `parent` called; texts of the frame are numbers. */
hsd_status hsd_stack_push(hsd_stack_tables *tables, uint32_t parent, hsd_stack_frame frame, uint32_t *node,
                          hsd_error *err);

/* The same of a frame that is a name alone. */
hsd_status hsd_stack_push_text(hsd_stack_tables *tables, uint32_t parent, hsd_bytes text, uint32_t *node,
                               hsd_error *err);

/* Adds up. */
hsd_status hsd_stack_add(hsd_stack_tables *tables, uint32_t node, uint32_t type, uint32_t root, hsd_stack_side side,
                         const hsd_amount *amount, hsd_error *err);

/* Puts all in order, into the arrays of `stacks`. */
hsd_status hsd_stack_tables_order(hsd_stack_tables *tables, hsd_stacks *stacks, hsd_error *err);

/* ---- where stacks come from ---- */

/* One capture by allocation sites. */
hsd_status hsd_stacks_of_sites(hsd_stack_tables *tables, hsd_export *x, hsd_capture *capture, hsd_stack_side side,
                               hsd_error *err);

/* One capture by places, or two. */
hsd_status hsd_stacks_of_paths(hsd_stack_tables *tables, hsd_export *x, hsd_error *err);
hsd_status hsd_stacks_of_grown_paths(hsd_stack_tables *tables, hsd_export *x, hsd_error *err);

#endif
