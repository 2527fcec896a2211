/* Words of stacks by the variables of the functions that run there. */
#ifndef HSD_SYMBOLS_LOCALS_H
#define HSD_SYMBOLS_LOCALS_H

#include "base/buffer.h"
#include "symbols/modules.h"

/* A word that lies `below` bytes below the end of a frame, which is above its return address, and `above` bytes above
 * its stack pointer; or what the function has in a register, by DWARF's number. */
typedef struct hsd_frame_place {
    bool is_register;
    uint64_t reg, below, above;
} hsd_frame_place;

/*
 * Appends the function and the variable that lies there, and the member of it: "main.shop.sessions". Where that
 * variable was inlined with its function, it is the name of this one. `code` is an address inside the call that the
 * frame waits in, or where it is. Nothing where no variable is known to lie there. HSD_E_NOMEM.
 */
hsd_status hsd_local_append(const hsd_module *module, uint64_t code, const hsd_frame_place *place, hsd_buffer *out,
                            hsd_error *err);

#endif
