/*
 * Places in programs that importers know as addresses: the names that stand in a capture until somebody has the files
 * (FORMAT.md 7.12), and which functions allocate for others.
 */
#ifndef HSD_IMPORT_PLACES_H
#define HSD_IMPORT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum { HSD_MODULE_NAME_BYTES = 200, HSD_UNRESOLVED_BYTES = HSD_MODULE_NAME_BYTES + 112 };

/* Of a path what stands behind its last slash. */
hsd_bytes hsd_import_file_name(hsd_bytes path);

/* "libshop.so+0x1af0{3fa4}": the file of `path` without its folder, an address as that file counts them, and the build
 * id in hexadecimal digits, of which anything else makes none. The size, 0 where the path has no name. */
size_t hsd_import_name_address(char out[HSD_UNRESOLVED_BYTES], hsd_bytes path, uint64_t offset, hsd_bytes build_id);

/* Functions that allocate for others: malloc and its like, Go's runtime, the standard libraries of C++ and Rust. */
bool hsd_import_allocates(hsd_bytes function);

#endif
