/*
 * One bit for each of many things, the least significant of a byte first. Who has N of them keeps N / 8 + 1 bytes.
 */
#ifndef HSD_BASE_BITS_H
#define HSD_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool hsd_bit_get(const uint8_t *bits, uint64_t i) { return bits[i >> 3] >> (i & 7) & 1; }
static inline void hsd_bit_set(uint8_t *bits, uint64_t i) { bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7)); }
static inline void hsd_bit_clear(uint8_t *bits, uint64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] & ~(1u << (i & 7)));
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
