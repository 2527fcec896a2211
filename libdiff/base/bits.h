/*
 * One bit for each of many things, the least significant of a byte first. Who has N of them keeps N / 8 + 1 bytes.
 */
#ifndef HSD_BASE_BITS_H
#define HSD_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool hsd_bit_get(const uint8_t *bits, uint64_t i) { return bits[i >> 3] >> (i & 7) & 1; }
static inline void hsd_bit_set(uint8_t *bits, uint64_t i) { bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7)); }
static inline void hsd_bit_clear(uint8_t *bits, uint64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] & ~(1u << (i & 7)));
}

#define HSD_BITS_AT_ONCE 64u

/* Bits `first`, a multiple of HSD_BITS_AT_ONCE and less than `count`, to first + 63, the first of them the least; 0
 * from `count` on. */
static inline uint64_t hsd_bits_get_64(const uint8_t *bits, uint64_t first, uint64_t count)
{
    const uint64_t left = count - first;
    uint64_t word = 0;
    memcpy(&word, bits + (first >> 3), left >= HSD_BITS_AT_ONCE ? sizeof word : (size_t)(left >> 3) + 1);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return left >= HSD_BITS_AT_ONCE ? word : word & ((UINT64_C(1) << left) - 1);
}

/* How many of 32 bits are set, without the instruction that not every processor has. */
static inline uint32_t hsd_count_bits_u32(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline uint32_t hsd_count_bits_u64(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

#endif
