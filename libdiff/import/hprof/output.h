/*
 * The tables of the capture that an HPROF import writes: strings, types and labels, each defined once,
 * when it is first asked for. Grows with the number of different names.
 */
#ifndef HSD_IMPORT_HPROF_OUTPUT_H
#define HSD_IMPORT_HPROF_OUTPUT_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

typedef struct hprof_output {
    hsd_import *import;
    hsc_writer *writer;
    hsd_import_texts strings;
    hsd_names types;     /* name -> number - 1 */
    hsd_id_table labels; /* kind, flags, string -> number */
} hprof_output;

/* The number of a string of the capture; 0 for empty text. */
hsd_status hsd_hprof_put_string(hprof_output *output, hsd_bytes text, uint32_t *number, hsd_error *err);

/* The number of the type with this name ("java.util.HashMap"), its flags as known.h has them. */
hsd_status hsd_hprof_put_type(hprof_output *output, hsd_bytes name, uint32_t *number, hsd_error *err);

/* The number of a label. `flags`: HSC_STRENGTH_*, HSC_LABEL_*. */
hsd_status hsd_hprof_put_label(hprof_output *output, hsc_label_kind kind, uint32_t flags, uint32_t name_string,
                               uint32_t *number, hsd_error *err);

/* The same with the name as text. */
hsd_status hsd_hprof_put_named_label(hprof_output *output, hsc_label_kind kind, uint32_t flags, const char *name,
                                     uint32_t *number, hsd_error *err);

uint64_t hsd_hprof_output_memory(const hprof_output *output);
void hsd_hprof_output_release(hprof_output *output);

#endif
