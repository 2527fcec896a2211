/*
 * Closures of C++, as DWARF has them: a structure without a name inside of a function, with a function operator().
 * Only in builds that have libdw.
 */
#ifndef HSD_SYMBOLS_CLOSURES_H
#define HSD_SYMBOLS_CLOSURES_H

#include "symbols/dies.h"

#ifdef HSD_HAVE_DW
#include "base/buffer.h"

bool hsd_closure_is(Dwarf_Die *type);

/* The name of a member, of a closure that of the variable which it keeps: GCC calls that of `order` __order. */
const char *hsd_closure_member(Dwarf_Die *around, const char *name);

/* "lambda (shop.cpp:13)": where it is written says which one it is. Appended; nothing where that is not known.
 * HSD_E_NOMEM. */
hsd_status hsd_closure_append(hsd_buffer *out, Dwarf_Die *type, hsd_error *err);
#endif

#endif
