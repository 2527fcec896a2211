/*
 * What a file that no importer wants looks like: a phrase for the error message.
 */
#ifndef HSD_IMPORT_IDENTIFY_H
#define HSD_IMPORT_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes a phrase such as "a PNG image", "JSON, but no heap snapshot", "an empty file", or
 * "unknown bytes (de ad be ef …)" for the first bytes of a file. Always NUL-terminated; plain ASCII,
 * whatever the bytes are.
 */
void hsd_identify(const uint8_t *prefix, size_t size, char *phrase, size_t capacity);

#endif
