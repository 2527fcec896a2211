/*
 * Secret keys of minisign, and signatures by them, over bytes. A file of a key is a comment and, in base64, 158 bytes:
 *
 *      "Ed"  "Sc" or 0 0  "B2"   how it signs, how its password becomes a key (0 0: it has none), how it is checked
 *      salt (32)  operations (8)  memory (8)                                      of scrypt
 *      number (8)  secret key (64)  BLAKE2b of "Ed" and of these two (32)         with a password these are turned by it
 */
#ifndef HSD_CRYPT_SIGNING_H
#define HSD_CRYPT_SIGNING_H

#include "crypt/minisign.h"
#include <hsdiff/signing.h>

#define HSD_SIGNING_SECRET_BYTES 64
#define HSD_SIGNING_SALT_BYTES   32
#define HSD_SIGNING_CHECK_BYTES  32
#define HSD_COMMENT_MAX          1024

typedef struct hsd_signing_text {
    uint8_t signs[2], derives[2], checks[2];
    uint8_t salt[HSD_SIGNING_SALT_BYTES], operations[8], memory[8];
    uint8_t number[HSD_KEY_NUMBER_BYTES], secret[HSD_SIGNING_SECRET_BYTES], check[HSD_SIGNING_CHECK_BYTES];
} hsd_signing_text;

_Static_assert(sizeof(hsd_signing_text) == 158, "a secret key of minisign has 158 bytes");

struct hsd_signing_key {
    uint8_t number[HSD_KEY_NUMBER_BYTES], secret[HSD_SIGNING_SECRET_BYTES];
};

/* The text of a key's file. HSD_E_NOT_THIS_FORMAT with the offset. */
hsd_status hsd_signing_text_parse(hsd_signing_text *out, const char *text, size_t size, hsd_error *err);

/* Whether it needs a password. */
bool hsd_signing_text_is_locked(const hsd_signing_text *text);

/* The key; `password` is asked for where it is locked. HSD_E_CORRUPT: the password is wrong, or the file was changed.
 * HSD_E_UNSUPPORTED: it asks for more than 1 GiB. */
hsd_status hsd_signing_text_open(hsd_signing_key *out, hsd_signing_text *text, const char *password, size_t size,
                                 hsd_error *err);

/* A new key without a password, and its two files. */
void hsd_signing_make(hsd_signing_text *out, hsd_public_key *public);

/* The text of a signature of a file with this hash, 0 behind it; `comment` is one line of at most HSD_COMMENT_MAX
 * bytes. */
void hsd_signing_write(char out[HSD_SIGNATURE_TEXT_MAX], const hsd_signing_key *key,
                       const uint8_t hash[HSD_BLAKE2B_BYTES], const char *comment);

#endif
