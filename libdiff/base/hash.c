/*
 * The project's hash of bytes: eight bytes at a time are mixed by a 64 x 64 -> 128 bit multiplication
 * whose halves are folded together, with the seed in both factors. The same on every machine (words are
 * read little-endian). Not cryptographic: tables that take names from files draw a random seed.
 */
#include <string.h>

#include "base/names.h"

#define PRIME_A UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_B UINT64_C(0xd1b54a32d192ed03)
#define PRIME_C UINT64_C(0x8cb92ba72f3d8dd7)

static uint64_t fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else /* machines of 32 bits */
    const uint64_t low_a = (uint32_t)a, high_a = a >> 32, low_b = (uint32_t)b, high_b = b >> 32;
    const uint64_t first = high_a * low_b + (low_a * low_b >> 32), second = low_a * high_b + (uint32_t)first;
    return (a * b) ^ (high_a * high_b + (first >> 32) + (second >> 32));
#endif
}

static uint64_t rotate(uint64_t value, unsigned bits) { return value << bits | value >> (64 - bits); }

static uint64_t load_word(const uint8_t *at, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, at, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint64_t hsd_hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *at = data;
    size_t left = size;
    uint64_t state = fold(seed ^ PRIME_A, (uint64_t)size ^ PRIME_B);
    while (left >= 8) {
        state = rotate(state, 29) ^ fold(load_word(at, 8) ^ PRIME_C, state ^ PRIME_A);
        at += 8;
        left -= 8;
    }
    if (left > 0) state = rotate(state, 29) ^ fold(load_word(at, left) ^ PRIME_C, state ^ PRIME_A);
    return fold(state ^ PRIME_B, rotate(state, 32) ^ PRIME_C);
}
