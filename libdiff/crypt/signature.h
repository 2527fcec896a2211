/*
 * What signing takes of cryptography, beside primitives.h: Ed25519 (RFC 8032), scrypt (RFC 7914), a short BLAKE2b
 * (RFC 7693), base64 with its padding. Of libsodium, in primitives.c.
 */
#ifndef HSD_CRYPT_SIGNATURE_H
#define HSD_CRYPT_SIGNATURE_H

#include "crypt/primitives.h"

/* A new pair; the secret half is 64 bytes, the second 32 of which are the public one. */
void hsd_ed25519_make(uint8_t public[HSD_KEY_BYTES], uint8_t secret[HSD_SIGNATURE_BYTES]);
void hsd_ed25519_sign(uint8_t signature[HSD_SIGNATURE_BYTES], const void *data, size_t size,
                      const uint8_t secret[HSD_SIGNATURE_BYTES]);

/* The key of a password by scrypt, as libsodium counts its costs. False: there is not that much memory. */
bool hsd_scrypt(uint8_t *out, size_t out_size, const char *password, size_t size, const uint8_t salt[32],
                uint64_t operations, uint64_t memory_bytes);

/* BLAKE2b of 32 bytes, at once. */
void hsd_blake2b_short(uint8_t out[32], const void *data, size_t size);

/* As hsd_base64_encode, with `=` behind it. */
void hsd_base64_encode_padded(char *text, size_t capacity, const void *data, size_t size);

#endif
