/* Words of stacks by the variables of the functions that run there. */
#ifndef HSD_SYMBOLS_LOCALS_H
#define HSD_SYMBOLS_LOCALS_H

#include "base/buffer.h"
#include "symbols/modules.h"

/*
 * Appends the function and the variable that lies there, and the member of it: "main.shop.sessions". Where that
 * variable was inlined with its function, it is the name of this one. `code` is an address inside the call that the
 * frame waits in, or where it is; the word lies `below` bytes below the end of the frame, which is above its return
 * address, and `above` bytes above its stack pointer. Nothing where no variable is known to lie there. HSD_E_NOMEM.
 */
hsd_status hsd_local_append(const hsd_module *module, uint64_t code, uint64_t below, uint64_t above, hsd_buffer *out,
                            hsd_error *err);

#endif
