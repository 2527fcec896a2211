/*
 * A type of a program by its name, where no instruction leads to it: "shop::Session", as hsd_type_describe says it.
 */
#ifndef HSD_SYMBOLS_NAMED_TYPES_H
#define HSD_SYMBOLS_NAMED_TYPES_H

#include "symbols/text.h"
#include "symbols/types.h"

#ifdef HSD_HAVE_DW

/*
 * The first structure, class or union of this name that is defined in the image. The first call reads all entries that
 * types stand between: some 50 ns each. 16 bytes a type, 2^20 types at most. HSD_E_NOMEM.
 */
hsd_status hsd_named_type_find(hsd_lines *lines, hsd_text name, Dwarf_Die *out, bool *is_found, hsd_error *err);

/* The same of a type that is shown under another name than it has: "node of std::list<Order>" is a "_List_node". */
hsd_status hsd_named_type_find_as(hsd_lines *lines, hsd_text bare, hsd_text name, Dwarf_Die *out, bool *is_found,
                                  hsd_error *err);

#endif
#endif
