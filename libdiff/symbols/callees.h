/* Which function a call calls, by the instruction, and how that ends. Only in builds that have libdw. */
#ifndef HSD_SYMBOLS_CALLEES_H
#define HSD_SYMBOLS_CALLEES_H

#include "symbols/modules.h"
#include "symbols/types.h"
#include "symbols/x86.h"

#ifdef HSD_HAVE_DW

/* The linkage name of what a call or a jump leads to; NULL where it does not say it. Borrowed. */
const char *hsd_callee_name(const hsd_module *module, const hsd_x86 *call);

/* The same of the call in front of the return address. *target: the address that it says, 0 = none. */
const char *hsd_callee_before(const hsd_module *module, uint64_t after, uint64_t *target);

/* The size that is handed to the function called there, where it is a number in the code before the call: of `new T`
 * that of T. 0 = it is none. */
uint64_t hsd_callee_wanted_bytes(const hsd_module *module, uint64_t after);

/*
 * Whether the function that begins there can end with a jump to one that allocates, or to a function that does so: then
 * it is on no stack, and what it returns is the block. *scope is that function. HSD_E_NOMEM.
 */
hsd_status hsd_callee_ends_in_allocator(const hsd_module *module, uint64_t target, hsd_scope *scope, bool *does,
                                        hsd_error *err);

#endif
#endif
