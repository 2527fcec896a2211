/*
 * XXH3 of bytes: the 64-bit checksums of the capture format, seeded with what the bytes belong to, and 128-bit digests
 * by which the same file is known again. Accidental damage is found; nothing here withstands someone who wants to
 * deceive (FORMAT.md says so too).
 *
 * checksum.c is the one includer of xxhash.h in libdiff.
 */
#ifndef HSD_IO_CHECKSUM_H
#define HSD_IO_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t hsd_checksum(const void *data, size_t size, uint64_t seed);

/*
 * True if what was stored is what was computed. In a build for fuzzing
 * (FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) always true, so that mutations reach what lies behind.
 */
bool hsd_checksum_matches(uint64_t stored, uint64_t computed);

/* ---- XXH32, the checksums of LZ4 frames ---- */

uint32_t hsd_xxh32(const void *data, size_t size);

/* Of bytes that come piece by piece. */
typedef struct hsd_xxh32_state {
    uint32_t room[16];
} hsd_xxh32_state;

void hsd_xxh32_begin(hsd_xxh32_state *state);
void hsd_xxh32_add(hsd_xxh32_state *state, const void *data, size_t size);
uint32_t hsd_xxh32_get(const hsd_xxh32_state *state);

/* ---- digests ---- */

#define HSD_DIGEST_BYTES 16

/* A digest of bytes that come piece by piece. Stays where it was begun: it must not be copied. */
typedef struct hsd_digest {
    uint8_t room[704];
} hsd_digest;

void hsd_digest_begin(hsd_digest *digest);
void hsd_digest_add(hsd_digest *digest, const void *data, size_t size);

/* Of all that was added so far: the bytes whose hexadecimal digits xxh128sum prints. */
void hsd_digest_get(hsd_digest *digest, uint8_t out[HSD_DIGEST_BYTES]);

#endif
