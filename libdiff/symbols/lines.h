/*
 * What DWARF says of an address: the functions that were inlined there, innermost first, the one that they stand in,
 * and the line.
 */
#ifndef HSD_SYMBOLS_LINES_H
#define HSD_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#include "symbols/image.h"

/* True in a build that has libdw. */
bool hsd_lines_are_supported(void);

typedef struct hsd_lines hsd_lines;

/* Reads the tables of an image that has DWARF, from a copy. NULL in *out, and no error, where they cannot be read.
 * HSD_E_NOMEM. */
hsd_status hsd_lines_open(hsd_lines **out, const hsd_image *image, hsd_error *err);

#define HSD_INLINED_MAX 24u

typedef struct hsd_place {
    const char *functions[HSD_INLINED_MAX]; /* linkage names where there are such; borrowed until close */
    const char *files[HSD_INLINED_MAX]; /* where each of them stands: the line of the address, then those of the calls
                                         * that were inlined; without folders, NULL = not known */
    uint32_t lines[HSD_INLINED_MAX];
    bool is_of_library[HSD_INLINED_MAX]; /* declared in a header of the standard library of C++ */
    bool is_of_system[HSD_INLINED_MAX];  /* files[] is a header that was installed: of a library, not of the program */
    size_t function_count;
} hsd_place;

/* All that is known of the address; nothing is no error. HSD_E_NOMEM. */
hsd_status hsd_lines_find(hsd_lines *lines, uint64_t address, hsd_place *out, hsd_error *err);

void hsd_lines_close(hsd_lines *lines);

#endif
