/*
 * What cryptography is made of here: HMAC-SHA-256 (RFC 2104), HKDF (RFC 5869), SipHash-2-4, X25519 (RFC 7748),
 * ChaCha20-Poly1305 (RFC 8439), Ed25519 (RFC 8032), BLAKE2b (RFC 7693), base64, random bytes. All of it is libsodium,
 * which is known to this file's implementation alone. Published vectors hold it (tests/unit/crypt/test_primitives.c).
 */
#ifndef HSD_CRYPT_PRIMITIVES_H
#define HSD_CRYPT_PRIMITIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_HMAC_BYTES      32
#define HSD_KEY_BYTES       32 /* of X25519 and of ChaCha20-Poly1305 */
#define HSD_SEAL_TAG_BYTES  16
#define HSD_SEAL_NONCE      12
#define HSD_SIGNATURE_BYTES 64
#define HSD_BLAKE2B_BYTES   64

/* Makes the library ready: to be called once in a process, before anything but HMAC and SipHash, by any thread. False:
 * the system has no random bytes. */
bool hsd_primitives_begin(void);

/* A key that was taken in: what is the same for every text is done once. */
typedef struct hsd_hmac {
    uint64_t state[26];
} hsd_hmac;

void hsd_hmac_init(hsd_hmac *hmac, const void *key, size_t size);
void hsd_hmac_of(const hsd_hmac *hmac, const void *data, size_t size, uint8_t out[HSD_HMAC_BYTES]);

/* HMAC by HKDF's two steps: a key for the purpose `info` from `secret`. */
void hsd_hkdf(const void *secret, size_t secret_size, const void *salt, size_t salt_size, const char *info,
              uint8_t out[HSD_KEY_BYTES]);

/* SipHash-2-4 of the eight bytes of a number, little-endian. */
uint64_t hsd_siphash_u64(const uint8_t key[16], uint64_t value);

/* The public half of a secret key; what two halves have in common. False for a half that gives nothing away (a point of
 * small order, which only somebody who means harm makes). */
bool hsd_x25519_public(uint8_t out[HSD_KEY_BYTES], const uint8_t secret[HSD_KEY_BYTES]);
bool hsd_x25519_shared(uint8_t out[HSD_KEY_BYTES], const uint8_t secret[HSD_KEY_BYTES],
                       const uint8_t other[HSD_KEY_BYTES]);

/* `out` gets size + HSD_SEAL_TAG_BYTES bytes and may be `data`. */
void hsd_seal(uint8_t *out, const uint8_t *data, size_t size, const uint8_t nonce[HSD_SEAL_NONCE],
              const uint8_t key[HSD_KEY_BYTES]);

/* `size` with the tag; `out` gets so much less, and may be `data`. False, and `out` is worth nothing: it was not sealed
 * so. */
bool hsd_unseal(uint8_t *out, const uint8_t *data, size_t size, const uint8_t nonce[HSD_SEAL_NONCE],
                const uint8_t key[HSD_KEY_BYTES]);

/* ChaCha20 as a stream that begins at any place: `out` gets `data` turned by the bytes of the key's stream from
 * `offset` on, and may be `data`. Nothing tells whether that was changed. A stream is for one key and one writing: of
 * two that differ the difference is told to who has both. */
void hsd_stream_turn(uint8_t *out, const uint8_t *data, size_t size, uint64_t offset, const uint8_t key[HSD_KEY_BYTES]);

bool hsd_ed25519_is_signed(const uint8_t signature[HSD_SIGNATURE_BYTES], const void *data, size_t size,
                           const uint8_t key[HSD_KEY_BYTES]);

/* BLAKE2b of 64 bytes, piece by piece. */
typedef struct hsd_blake2b {
    uint64_t room[56];
} hsd_blake2b;

void hsd_blake2b_begin(hsd_blake2b *hash);
void hsd_blake2b_add(hsd_blake2b *hash, const void *data, size_t size);
void hsd_blake2b_finish(hsd_blake2b *hash, uint8_t out[HSD_BLAKE2B_BYTES]);

/* base64 of RFC 4648, with or without padding. Decoding takes exactly `size` characters that give exactly `out_size`
 * bytes, in their one canonical form. `text` gets a 0 behind it: HSD_BASE64_CHARS counts it. */
#define HSD_BASE64_CHARS(bytes) (((bytes) + 2) / 3 * 4 + 1)
bool hsd_base64_decode(void *out, size_t out_size, const char *text, size_t size, bool is_padded);
void hsd_base64_encode(char *text, size_t capacity, const void *data, size_t size);

/* In the same time whatever differs. */
bool hsd_is_same_secret(const void *a, const void *b, size_t size);

void hsd_random_bytes(void *out, size_t size);

/* Overwrites a secret so that no compiler leaves it out. NULL is accepted with size 0. */
void hsd_forget_secret(void *data, size_t size);

#endif
