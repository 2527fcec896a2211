/*
 * Little-endian numbers at any address, whatever the machine: the only way in which the library writes
 * numbers that stand in a capture. Compiles to one store where the machine is little-endian.
 */
#ifndef HSC_BYTES_H
#define HSC_BYTES_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static inline uint16_t hsc_le16(uint16_t v) { return __builtin_bswap16(v); }
static inline uint32_t hsc_le32(uint32_t v) { return __builtin_bswap32(v); }
static inline uint64_t hsc_le64(uint64_t v) { return __builtin_bswap64(v); }
#else
static inline uint16_t hsc_le16(uint16_t v) { return v; }
static inline uint32_t hsc_le32(uint32_t v) { return v; }
static inline uint64_t hsc_le64(uint64_t v) { return v; }
#endif

static inline void hsc_put_u16(unsigned char *at, uint16_t v)
{
    v = hsc_le16(v);
    memcpy(at, &v, sizeof v);
}

static inline void hsc_put_u32(unsigned char *at, uint32_t v)
{
    v = hsc_le32(v);
    memcpy(at, &v, sizeof v);
}

static inline void hsc_put_u64(unsigned char *at, uint64_t v)
{
    v = hsc_le64(v);
    memcpy(at, &v, sizeof v);
}

#define HSC_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HSC_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
