/* The name of what stands at an address of code. */
#ifndef HSD_SYMBOLS_CODE_H
#define HSD_SYMBOLS_CODE_H

#include "base/buffer.h"
#include "symbols/modules.h"

/* A linkage name as it is shown: demangled, as people write it (spelling.h), without versions and numbers of clones, at
 * most HSD_SHOWN_NAME_BYTES. Appended. */
#define HSD_SHOWN_NAME_BYTES 2000u
hsd_status hsd_append_name(hsd_buffer *out, const char *linkage_name, hsd_error *err);

typedef struct hsd_code {
    hsd_buffer text; /* the innermost function, its line, and what it was inlined in; those that allocate for others are
                      * passed over where one of those that they were inlined in does not */
    hsd_buffer around; /* the function that the address lies in */
    hsd_buffer wanted; /* the innermost function there that does not allocate for others */
} hsd_code;            /* zeroed: empty */

/* Appends what is known of the address; nothing where nothing is. No NUL is added. */
hsd_status hsd_append_code(hsd_code *code, const hsd_module *module, uint64_t address, hsd_error *err);
void hsd_code_release(hsd_code *code);

#endif
