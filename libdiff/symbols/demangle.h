/* Names of C++, Rust and D as people write them. */
#ifndef HSD_SYMBOLS_DEMANGLE_H
#define HSD_SYMBOLS_DEMANGLE_H

#include <hsdiff/status.h>

/* *out is the name of a linkage name, without parameters; a copy of it where it is none of a mangled kind, is damaged,
 * or the build has no demangler. To be freed. HSD_E_NOMEM. */
hsd_status hsd_demangle(const char *linkage_name, char **out, hsd_error *err);

#endif
