/*
 * Signatures of files as minisign writes them, over bytes. A key is 42 bytes in base64, a signature four lines:
 *
 *      untrusted comment: …
 *      "ED", the number of the key (8 bytes), Ed25519 of the BLAKE2b of the file (64 bytes)
 *      trusted comment: …
 *      Ed25519 of the signature above and of this comment
 */
#ifndef HSD_CRYPT_MINISIGN_H
#define HSD_CRYPT_MINISIGN_H

#include "base/buffer.h"
#include "crypt/primitives.h"
#include <hsdiff/status.h>

#define HSD_SIGNATURE_FILE_MAX 16384
#define HSD_KEY_NUMBER_BYTES   8

typedef struct hsd_public_key {
    uint8_t number[HSD_KEY_NUMBER_BYTES], key[HSD_KEY_BYTES];
} hsd_public_key;

typedef struct hsd_signature {
    uint8_t number[HSD_KEY_NUMBER_BYTES], of_file[HSD_SIGNATURE_BYTES], of_comment[HSD_SIGNATURE_BYTES];
    hsd_bytes comment; /* the trusted one, in the text */
} hsd_signature;

/* A key alone ("RW…"), or the text of its file. HSD_E_NOT_THIS_FORMAT with the offset. */
hsd_status hsd_public_key_parse(hsd_public_key *out, const char *text, size_t size, hsd_error *err);

/* The text of a signature, which outlives *out. HSD_E_NOT_THIS_FORMAT; HSD_E_UNSUPPORTED for the old form, which needs
 * the whole file in memory. */
hsd_status hsd_signature_parse(hsd_signature *out, const char *text, size_t size, hsd_error *err);

/* Whether it is one of this key over a file of this BLAKE2b. HSD_E_CORRUPT: it is not, and how. */
hsd_status hsd_signature_judge(const hsd_signature *signature, const hsd_public_key *key,
                               const uint8_t hash[HSD_BLAKE2B_BYTES], hsd_error *err);

/* At most HSD_SIGNATURE_FILE_MAX - 1 bytes of a file into `text`, which has room for HSD_SIGNATURE_FILE_MAX. */
hsd_status hsd_signature_read_text(const char *path, char *text, size_t *size, hsd_error *err);

/* The BLAKE2b of a file's bytes. */
hsd_status hsd_signature_hash_file(const char *path, uint8_t hash[HSD_BLAKE2B_BYTES], hsd_error *err);

#endif
