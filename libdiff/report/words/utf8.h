/*
 * UTF-8, one character at a time, over bytes that may be anything. Shared by the escapes and by the
 * measuring of names; both must agree on what a character is.
 */
#ifndef HSD_REPORT_UTF8_H
#define HSD_REPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define HSD_UTF8_BAD UINT32_MAX

/*
 * Decodes the character at `bytes` (size > 0) into *code and returns how many bytes it took. Bytes
 * that are no UTF-8 give HSD_UTF8_BAD and the length of the longest prefix of a valid character, at
 * least 1: what the WHATWG Encoding Standard replaces by one U+FFFD. Surrogates and overlong forms
 * are not valid.
 */
size_t hsd_utf8_next(const char *bytes, size_t size, uint32_t *code);

/* Writes `code` (a Unicode scalar value) and returns its length, 1 to 4. */
size_t hsd_utf8_put(char out[4], uint32_t code);

#endif
