/*
 * Checksums of the capture format: XXH3-64, seeded with what the bytes belong to. Accidental damage
 * is found; nothing here withstands someone who wants to deceive (FORMAT.md says so too).
 *
 * checksum.c is the one includer of xxhash.h in libdiff.
 */
#ifndef HSD_FORMAT_CHECKSUM_H
#define HSD_FORMAT_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t hsd_checksum(const void *data, size_t size, uint64_t seed);

/*
 * True if what was stored is what was computed. In a build for fuzzing
 * (FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) always true, so that mutations reach what lies behind.
 */
bool hsd_checksum_matches(uint64_t stored, uint64_t computed);

#endif
