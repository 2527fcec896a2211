/*
 * Where the variables of functions stand at given places of the code: for values on stacks. Read for the few places
 * that goroutines are at, in one pass over .debug_info and the lists of locations; what is in registers there is left
 * out.
 */
#ifndef HSD_GO_DWARF_GO_LOCALS_H
#define HSD_GO_DWARF_GO_LOCALS_H

#include "base/buffer.h"
#include "go/dwarf/go_types.h"

typedef struct hsd_go_local {
    uint64_t pc;    /* one of those that were asked for */
    int64_t offset; /* of the variable, or of a part of it, from the frame's end (its CFA) */
    uint64_t part;  /* where in the variable that part begins */
    uint32_t type;
    uint32_t name; /* hsd_go_locals_name */
    bool is_copy;  /* while it is read: its type stands with its origin */
    bool is_whole; /* no part: all of it stands there */
} hsd_go_local;

typedef struct hsd_go_locals {
    hsd_go_local *at; /* by pc */
    uint32_t count, room;
    hsd_buffer names; /* each with a NUL; the first is empty */
} hsd_go_locals;

/*
 * `pcs` ascend. HSD_E_OVER_BUDGET when sections or variables take more than `most_bytes`; HSD_E_CORRUPT as
 * hsd_info_next. Lists that are no valid ones tell nothing.
 */
hsd_status hsd_go_locals_read(hsd_go_locals *locals, const hsd_go_types *types, const hsd_elf *elf, const uint64_t *pcs,
                              size_t pc_count, uint64_t most_bytes, hsd_error *err);

/* The first of this pc; locals->count if there is none. */
uint32_t hsd_go_locals_find(const hsd_go_locals *locals, uint64_t pc);

/* What it is called; "" = not known. */
static inline const char *hsd_go_locals_name(const hsd_go_locals *locals, const hsd_go_local *local)
{
    return local->name < locals->names.size ? (const char *)locals->names.data + local->name : "";
}

void hsd_go_locals_release(hsd_go_locals *locals);

#endif
