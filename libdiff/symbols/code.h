/* The name of what stands at an address of code. */
#ifndef HSD_SYMBOLS_CODE_H
#define HSD_SYMBOLS_CODE_H

#include "base/buffer.h"
#include "symbols/modules.h"

/* A linkage name as it is shown: demangled, without versions and numbers of clones, at most HSD_SHOWN_NAME_BYTES. Appended. */
#define HSD_SHOWN_NAME_BYTES 2000u
hsd_status hsd_append_name(hsd_buffer *out, const char *linkage_name, hsd_error *err);

/*
 * Appends to `text` the function at the name, its line, and what it was inlined in, and to `wanted` the innermost function there that
 * does not allocate for others; nothing to either where it is not known. No NUL is added.
 */
hsd_status hsd_append_code(hsd_buffer *text, hsd_buffer *wanted, const hsd_module *module, uint64_t address, hsd_error *err);

#endif
