/*
 * What the reader of a program's entries (go_types.c) shares with that of its functions (go_functions.c).
 */
#ifndef HSD_GO_DWARF_GO_READING_H
#define HSD_GO_DWARF_GO_READING_H

#include "go/dwarf/go_types.h"
#include "go/dwarf/info.h"

/* A function that copies of its code name as their origin. */
typedef struct hsd_go_origin {
    uint64_t die;
    uint32_t name;
} hsd_go_origin;

/* A function whose name, or the name of what it calls, is that of an origin. */
typedef struct hsd_go_copy {
    uint64_t origin;
    uint32_t function;
    bool is_called;
} hsd_go_copy;

typedef struct hsd_go_reading {
    hsd_go_types *types;
    hsd_info info;
    uint64_t runtime_types;
    uint32_t owner;          /* structure or array whose members come */
    unsigned owner_depth;    /* theirs */
    unsigned function_depth; /* of the variables of the function under way; 0 = there is none */
    uint64_t section_bytes;
    hsd_go_origin *origins; /* by entry */
    hsd_go_copy *copies;
    uint32_t origin_count, origin_room, copy_count, copy_room;
} hsd_go_reading;

hsd_status hsd_go_grow(const hsd_go_reading *r, void *items, uint32_t *room, uint32_t count, size_t size,
                       hsd_error *err);
hsd_status hsd_go_put_name(hsd_go_reading *r, const char *text, uint32_t *name, hsd_error *err);
hsd_status hsd_go_add_type(hsd_go_reading *r, const hsd_die *die, int kind, hsd_error *err);
hsd_status hsd_go_add_member(hsd_go_reading *r, const hsd_die *die, hsd_error *err);

/* ---- go_functions.c ---- */

/* An entry that is of a function, or of what one captured; of others nothing happens. */
hsd_status hsd_go_take_function(hsd_go_reading *r, const hsd_die *die, hsd_error *err);

/* Behind all entries, before offsets become numbers: names of copies, closures of method values. */
hsd_status hsd_go_finish_functions(hsd_go_reading *r, hsd_error *err);

/* Behind that: sizes of closures. */
void hsd_go_measure_closures(hsd_go_types *types);

/* ---- go_shapes.c ---- */

/* Behind that: what generic code calls by the shape of its arguments is what the program calls it, where it is one. */
hsd_status hsd_go_find_shapes(hsd_go_types *types, hsd_error *err);

uint64_t hsd_go_reading_memory(const hsd_go_reading *r);
void hsd_go_reading_release(hsd_go_reading *r);

#endif
