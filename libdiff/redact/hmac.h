/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4) and SipHash-2-4 (Aumasson and Bernstein), the two keyed functions that pseudonyms
 * are made by: nobody without the key can tell which text one stands for, or make the one of a text that he guesses.
 * Written here because a hundred lines that published vectors hold (tests/unit/redact/test_hmac.c) cost no start of the
 * command what a library that is loaded for one subcommand does. Neither is used for anything that has to be fast
 * against a stopwatch in the next room: it works on files, by itself.
 */
#ifndef HSD_REDACT_HMAC_H
#define HSD_REDACT_HMAC_H

#include <stddef.h>
#include <stdint.h>

#define HSD_SHA256_BYTES 32
#define HSD_SHA256_BLOCK 64

typedef struct hsd_sha256 {
    uint32_t state[8];
    uint64_t size_bytes;
    uint8_t block[HSD_SHA256_BLOCK];
} hsd_sha256;

void hsd_sha256_begin(hsd_sha256 *hash);
void hsd_sha256_add(hsd_sha256 *hash, const void *data, size_t size);
void hsd_sha256_finish(hsd_sha256 *hash, uint8_t out[HSD_SHA256_BYTES]);

/* A key that was taken in: what is the same for every text is done once. */
typedef struct hsd_hmac {
    hsd_sha256 inner, outer;
} hsd_hmac;

void hsd_hmac_init(hsd_hmac *hmac, const uint8_t *key, size_t size);
void hsd_hmac_of(const hsd_hmac *hmac, const void *data, size_t size, uint8_t out[HSD_SHA256_BYTES]);

/* SipHash-2-4 of the eight bytes of a number, little-endian. */
uint64_t hsd_siphash_u64(const uint8_t key[16], uint64_t value);

#endif
