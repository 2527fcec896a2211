/*
 * The text of a key file: 64 hexadecimal digits, which are 32 random bytes, and space around them. `openssl rand -hex
 * 32` makes one, too. A passphrase is refused: names are few enough to be guessed, and then so is what keys them.
 */
#ifndef HSD_REDACT_KEY_H
#define HSD_REDACT_KEY_H

#include <hsdiff/redact.h>

#define HSD_KEY_FILE_BYTES 4096 /* no key file is longer */

/* HSD_E_NOT_THIS_FORMAT with the place and the command that makes one. Nothing of the text stands in the error. */
hsd_status hsd_redact_key_parse(hsd_redact_key *out, const char *text, size_t size, hsd_error *err);

#endif
