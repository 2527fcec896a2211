/*
 * Values that the linker laid among the globals and gave no name, since only a pointer leads to them:
 *
 *      var reg = &Registry{…}      main.reg ──► (a Registry in .data, without a symbol) ──► the heap
 *
 * They are found as objects are, by pointers of a known type into the segments of globals where no variable of the
 * DWARF is. One that leads to the heap, at once or over others, is an object of the capture: of no bytes, since no heap
 * has it, but with its type and its fields, so that what hangs from it has a path: main.reg.subs.
 */
#ifndef HSD_GO_TYPES_STATICS_H
#define HSD_GO_TYPES_STATICS_H

#include "import/id_table.h"

typedef struct gostatic {
    uint64_t address, bytes;
    uint32_t type;
    bool is_items;  /* as many of the type as fit: the array of a slice */
    bool is_walked; /* its pointers were followed */
    bool is_needed; /* something of the heap hangs from it */
    bool has_root;  /* written by the importer, or reached from one that has */
    bool is_spread; /* what it reaches has_root */
} gostatic;

enum { GOSTATIC_SEGMENTS = 2 };

typedef struct gostatics {
    uint64_t begin[GOSTATIC_SEGMENTS], end[GOSTATIC_SEGMENTS]; /* of the segments; the importer's */
    gostatic *at;                                              /* by address when finished */
    uint32_t count, room, first_waiting;
    hsd_id_table numbers; /* by address, until finished */
    uint64_t most_bytes;  /* what is more than that stays without a type */
} gostatics;

void hsd_gostatics_release(gostatics *statics);

#endif
