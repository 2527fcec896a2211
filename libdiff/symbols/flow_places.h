/*
 * Where the variables are that a block may be stored in: those of a function, while it runs, and those of the program.
 * Only in builds that have libdw.
 */
#ifndef HSD_SYMBOLS_FLOW_PLACES_H
#define HSD_SYMBOLS_FLOW_PLACES_H

#include "symbols/modules.h"
#include "symbols/types.h"

#ifdef HSD_HAVE_DW

typedef enum hsd_flow_place_kind {
    HSD_FLOW_IN_REGISTER,
    HSD_FLOW_FROM_REGISTER, /* a pointer that is nowhere, and so far from what the register holds */
    HSD_FLOW_IN_FRAME,      /* of a function whose frame base is not known */
    HSD_FLOW_AT_REGISTER,
    HSD_FLOW_AT_ADDRESS
} hsd_flow_place_kind;

/* Where a variable is while the next instruction is one of [low, high). */
typedef struct hsd_flow_place {
    uint64_t low, high;
    hsd_flow_place_kind kind;
    unsigned reg;
    int64_t offset;  /* from the frame, from the register; the address */
    uint64_t inside; /* of a variable that lies in several registers: the offset of this part */
    Dwarf_Die type;
} hsd_flow_place;

typedef struct hsd_flow_places {
    hsd_scope *scope; /* borrowed */
    hsd_flow_place *list;
    size_t count;
} hsd_flow_places; /* zeroed: empty */

/* Those of the function of `scope`, which is borrowed until the release, and of what was inlined in it, the outer ones
 * first. `after` is the return address from which on they are asked for. HSD_E_NOMEM. */
hsd_status hsd_flow_places_find(hsd_flow_places *out, const hsd_module *module, hsd_scope *scope, uint64_t after,
                                hsd_error *err);
void hsd_flow_places_release(hsd_flow_places *places);

/* What the pointer leads to that a variable of the function, or of its unit, has at this address. */
bool hsd_flow_pointee_at_address(hsd_flow_places *places, uint64_t address, Dwarf_Die *pointee);

/* The same of a variable that each thread has, by how far behind the first of them it stands. */
bool hsd_flow_pointee_at_thread(hsd_flow_places *places, uint64_t offset, Dwarf_Die *pointee);

/* Whether it is one of these, and how far behind the first. */
bool hsd_flow_variable_of_thread(Dwarf_Die *variable, uint64_t *offset);

/* Where a variable of the program stands, if that is one place for good. */
bool hsd_flow_variable_address(Dwarf_Die *variable, uint64_t *address);

/* Part of a variable that stands at an address. LLVM takes a static structure apart, and leaves out what nobody reads.
 */
typedef struct hsd_flow_piece {
    uint64_t address, bytes;
    uint64_t skipped; /* of the variable, in front of it */
} hsd_flow_piece;

/* The parts of a variable that lie apart, at most so many; 0 where it is one. */
size_t hsd_flow_variable_pieces(Dwarf_Die *variable, hsd_flow_piece *out, size_t most);

/* The register that the parameter is in when the function begins, by what DWARF says of that, or by where the function
 * stores it first; HSD_X86_NO_REGISTER where neither tells. */
unsigned hsd_flow_parameter_register(const hsd_module *module, Dwarf_Die *function, Dwarf_Die *parameter);

/* Whether rbp leads to the frame of the function: it begins by saying so. */
bool hsd_flow_has_frame_pointer(const hsd_module *module, Dwarf_Die *function);

/* Offsets come from the file and from its code, which may be hostile: they wrap. */
static inline int64_t hsd_flow_plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t hsd_flow_minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

#endif
#endif
