/* What a library is called in a capture: by its file and its build id (capture/FORMAT.md 7.12). */
#ifndef HSN_LIBRARY_H
#define HSN_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

enum { HSN_BUILD_ID_BYTES = 32, HSN_LIBRARY_NAME_BYTES = 200 };

/* The name of a file without its folder; `+` and `{` are written as `_`. How many bytes. */
uint32_t hsn_library_name(const char *path, size_t size, char out[HSN_LIBRARY_NAME_BYTES]);

/* The build id among the notes; how many bytes, 0 = none. */
uint32_t hsn_library_build_id(const unsigned char *notes, size_t size, uint8_t out[HSN_BUILD_ID_BYTES]);

#endif
