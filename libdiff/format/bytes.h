/*
 * Numbers of the format in memory: little-endian, at any address (FORMAT.md 1.1). Callers have checked
 * that the bytes are there.
 */
#ifndef HSD_FORMAT_BYTES_H
#define HSD_FORMAT_BYTES_H

#include <stdint.h>

static inline uint16_t hsd_get_u16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }

static inline uint32_t hsd_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t hsd_get_u64(const uint8_t *at)
{
    return (uint64_t)hsd_get_u32(at) | (uint64_t)hsd_get_u32(at + 4) << 32;
}

static inline void hsd_put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void hsd_put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline void hsd_put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

#endif
