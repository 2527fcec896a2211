/*
 * The secret that tells the user of a viewer from everybody else on the machine: 128 random bits as 32 hexadecimal
 * digits.
 */
#ifndef HSD_VIEW_TOKEN_H
#define HSD_VIEW_TOKEN_H

#include <stdbool.h>

#include <hsdiff/status.h>

#define HSD_VIEW_TOKEN_CHARS 32

/* From the kernel's generator. HSD_E_IO where it has none. */
hsd_status hsd_view_token_make(char token[HSD_VIEW_TOKEN_CHARS + 1], hsd_error *err);

/* True for the same 32 characters. Takes as long wherever they differ. */
bool hsd_view_token_is(const char token[HSD_VIEW_TOKEN_CHARS + 1], const char *said);

#endif
