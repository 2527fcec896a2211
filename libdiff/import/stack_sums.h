/*
 * Profiles of allocations whose frames have names: what massif, DHAT and heaptrack say. Frames, stacks as sites, sums
 * by site; then all of it as a capture without objects (FORMAT.md 6.20), with a type for the place that allocated.
 *
 *      frame   function, file, line ──► number                    each once
 *      site    site of the caller, frame ──► number               from 1; 0 = no stack
 *      add     objects and bytes to a site
 *      write   sites that have sums or lie above such, types, totals
 *
 * A type is "allocated at make_order": the innermost function that does not allocate for others. A zeroed one is valid
 * and empty, once it has its import.
 */
#ifndef HSD_IMPORT_STACK_SUMS_H
#define HSD_IMPORT_STACK_SUMS_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/pair_table.h"
#include "import/texts.h"

#define HSD_FRAME_TEXT_BYTES 4096 /* kept of any name */

typedef struct hsd_frame_row {
    uint32_t function, file; /* of the texts, + 1; file 0 = none */
    uint32_t line;
    uint32_t type;  /* of what it allocated, in the capture; 0 = none yet */
    bool allocates; /* for others */
} hsd_frame_row;

typedef struct hsd_stack_site {
    uint32_t parent, frame; /* the site of its caller, 0 = none */
} hsd_stack_site;

typedef struct hsd_stack_sum {
    uint64_t objects, bytes;
} hsd_stack_sum;

typedef struct hsd_stack_sums {
    hsd_import *import;
    hsd_names texts, frame_keys; /* names and paths; frames as bytes */
    hsd_frame_row *frames;
    hsd_pair_table site_rows;
    hsd_stack_site *sites;  /* by site - 1 */
    hsd_stack_sum *sums;    /* by site */
    uint32_t *text_strings; /* by text: its string in the capture, 0 = not yet */
    uint32_t frame_room, site_room, sum_room, text_room;
    hsd_import_texts strings;
    hsd_names types;
    uint64_t other_bytes; /* that the importer's own tables take */
} hsd_stack_sums;

/*
 * The number of a frame. An empty function is "(unknown function)"; `path` may be empty. HSD_E_NOMEM,
 * HSD_E_OVER_BUDGET.
 */
hsd_status hsd_stack_sums_frame(hsd_stack_sums *sums, hsd_bytes function, hsd_bytes path, uint32_t line,
                                uint32_t *frame, hsd_error *err);

/* The same of a function that nobody knows, in a file of the program: "(unknown function of libz.so.1)". */
hsd_status hsd_stack_sums_module_frame(hsd_stack_sums *sums, hsd_bytes module_path, uint32_t *frame, hsd_error *err);

/* *site, a caller's or 0, becomes that of a frame it called. HSD_E_NOMEM, HSD_E_OVER_BUDGET; HSD_E_UNSUPPORTED past
 * 2,147,483,647 of them. */
hsd_status hsd_stack_sums_site(hsd_stack_sums *sums, uint32_t frame, uint32_t *site, hsd_error *err);

/* HSD_E_NOMEM, HSD_E_OVER_BUDGET. */
hsd_status hsd_stack_sums_add(hsd_stack_sums *sums, uint32_t site, uint64_t objects, uint64_t bytes, hsd_error *err);

/* Sites and sums are forgotten; frames are kept. */
void hsd_stack_sums_clear(hsd_stack_sums *sums);

/* Bytes taken from the system, and other_bytes. */
uint64_t hsd_stack_sums_memory(const hsd_stack_sums *sums);

/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_stack_sums_check_memory(const hsd_stack_sums *sums, hsd_error *err);

/* Opens a writer for a capture of such sums and of nothing else: `command` is the program's command line (its first
 * word's name is kept), `pid` 0 = not known. */
hsd_status hsd_stack_sums_begin(hsd_stack_sums *sums, hsd_bytes command, uint64_t pid, hsd_error *err);

/* Writes sites, types and sums into the writer that is open, and adds the sums to the result of the import. */
hsd_status hsd_stack_sums_write(hsd_stack_sums *sums, hsd_error *err);

void hsd_stack_sums_release(hsd_stack_sums *sums);

#endif
