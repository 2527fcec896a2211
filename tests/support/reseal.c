/* Checksums of FORMAT.md 3.3, 4.3, 4.4 and 9.3, computed anew. See reseal.h. */
#include "support/reseal.h"

#include <string.h>
#include <xxhash.h>

#include "core/layout.h"

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_u64(const uint8_t *at) { return (uint64_t)get_u32(at) | (uint64_t)get_u32(at + 4) << 32; }

size_t block_bytes(const uint8_t *bytes, size_t offset)
{
    return HSC_BLOCK_HEADER_BYTES + (size_t)get_u32(bytes + offset + 36);
}

static int is_block(const uint8_t *bytes, size_t size, size_t offset)
{
    return offset <= size && size - offset >= HSC_BLOCK_HEADER_BYTES && memcmp(bytes + offset, HSC_BLOCK_MAGIC, 4) == 0;
}

size_t block_offsets(const uint8_t *bytes, size_t size, size_t *offsets, size_t capacity)
{
    size_t count = 0;
    for (size_t at = HSC_FILE_HEADER_BYTES; count < capacity && is_block(bytes, size, at); at += block_bytes(bytes, at))
        offsets[count++] = at;
    return count;
}

void reseal(uint8_t *bytes, size_t size)
{
    if (size < HSC_FILE_HEADER_BYTES) return;
    put_u64(bytes + 56, XXH3_64bits(bytes, 56));
    const uint64_t seed = XXH3_64bits(bytes + 32, 16);
    const uint32_t header_bytes = get_u32(bytes + 12);
    size_t at = header_bytes >= HSC_FILE_HEADER_BYTES && header_bytes < size ? header_bytes : HSC_FILE_HEADER_BYTES;
    while (is_block(bytes, size, at)) {
        const size_t stored = get_u32(bytes + at + 36);
        put_u64(bytes + at + 48, XXH3_64bits_withSeed(bytes + at, 40, seed));
        if (stored > size - at - HSC_BLOCK_HEADER_BYTES) break;
        put_u64(bytes + at + 40,
                XXH3_64bits_withSeed(bytes + at + HSC_BLOCK_HEADER_BYTES, stored, get_u64(bytes + at + 48)));
        at += HSC_BLOCK_HEADER_BYTES + stored;
    }
    uint8_t *trailer = bytes + size - HSC_TRAILER_BYTES;
    if (memcmp(trailer + 16, HSC_TRAILER_MAGIC, 8) == 0) put_u64(trailer + 24, XXH3_64bits_withSeed(trailer, 24, seed));
}
