/*
 * Lines of Go's code, by the table that the runtime itself prints its stacks from (.gopclntab): it is there in programs
 * whose DWARF was left out, too. Layouts of Go 1.18 and later; of others nothing is known.
 */
#ifndef HSD_GO_DWARF_GO_LINES_H
#define HSD_GO_DWARF_GO_LINES_H

#include "elf/elf.h"

typedef struct hsd_go_lines {
    hsd_buffer bytes; /* of the section */
    uint64_t text;    /* where code begins: the symbol runtime.text */
    uint64_t functions, function_count, files, units, values, entry_bytes;
} hsd_go_lines;

/* Empty, and no error, for a file without the table or one of another layout. HSD_E_OVER_BUDGET, HSD_E_NOMEM, HSD_E_IO.
 */
hsd_status hsd_go_lines_read(hsd_go_lines *lines, const hsd_elf *elf, uint64_t text, uint64_t most_bytes,
                             hsd_error *err);

/* The file with its folders, borrowed; NULL if it is not known. */
const char *hsd_go_lines_path(const hsd_go_lines *lines, uint64_t address);

/* The file without its folders, borrowed, and the line of the code at this address; false if they are not known. */
bool hsd_go_lines_find(const hsd_go_lines *lines, uint64_t address, const char **file, uint32_t *line);

void hsd_go_lines_release(hsd_go_lines *lines);

#endif
