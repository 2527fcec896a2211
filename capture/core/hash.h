/*
 * XXH3-64, the only checksum of the format (FORMAT.md 1.3), in one call or in pieces. hash.c is the only
 * file of the library that knows xxHash.
 */
#ifndef HSC_HASH_H
#define HSC_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hsc_hash(const void *bytes, size_t size, uint64_t seed);

/* The same over pieces: begin, add …, end. Lives wherever the caller puts it; nothing to release. */
typedef struct hsc_hash_stream {
    _Alignas(64) unsigned char opaque[640];
} hsc_hash_stream;

void hsc_hash_begin(hsc_hash_stream *stream, uint64_t seed);
void hsc_hash_add(hsc_hash_stream *stream, const void *bytes, size_t size);
uint64_t hsc_hash_end(const hsc_hash_stream *stream);

#endif
