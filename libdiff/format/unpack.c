/*
 * The loops of unpack.h. Each public function is one instance of unpack_group(), with what varies
 * (width of the output, delta or not) known at compile time.
 */
#include <stdbool.h>
#include <string.h>

#include "format/unpack.h"

/* For a control byte: offsets of values 1, 2, 3 of its group and of the next group, a byte each. */
#define LEN(c, i) (1u << (((unsigned)(c) >> (2 * (i))) & 3u))
#define STARTS(c)                                                                                                      \
    (LEN(c, 0) | (LEN(c, 0) + LEN(c, 1)) << 8 | (LEN(c, 0) + LEN(c, 1) + LEN(c, 2)) << 16 |                            \
     (LEN(c, 0) + LEN(c, 1) + LEN(c, 2) + LEN(c, 3)) << 24)
#define STARTS4(c)  STARTS(c), STARTS((c) + 1), STARTS((c) + 2), STARTS((c) + 3)
#define STARTS16(c) STARTS4(c), STARTS4((c) + 4), STARTS4((c) + 8), STARTS4((c) + 12)
#define STARTS64(c) STARTS16(c), STARTS16((c) + 16), STARTS16((c) + 32), STARTS16((c) + 48)

static const uint32_t group_starts[256] = {STARTS64(0), STARTS64(64), STARTS64(128), STARTS64(192)};
static const uint64_t value_mask[4] = {0xFF, 0xFFFF, 0xFFFFFFFF, UINT64_MAX};

uint64_t hsd_unpack_value_bytes(const uint8_t *control, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count / 4; i++)
        total += group_starts[control[i]] >> 24;
    for (uint32_t i = 0; i < count % 4; i++)
        total += LEN(control[count / 4], i);
    return total;
}

int hsd_unpack_tail_is_zero(const uint8_t *control, uint32_t count)
{
    return count % 4 == 0 || control[count / 4] >> (2 * (count % 4)) == 0;
}

static inline uint64_t load_u64(const uint8_t *at)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
#else
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
#endif
}

typedef struct unpacker {
    const uint8_t *control, *values;
    uint64_t last;     /* delta: the value before */
    uint64_t all_bits; /* or of all results */
} unpacker;

/* Four values, whatever their lengths. */
static inline void unpack_group(unpacker *u, bool is_delta, uint64_t group[4])
{
    const unsigned code = *u->control++;
    const uint32_t starts = group_starts[code];
    group[0] = load_u64(u->values) & value_mask[code & 3];
    group[1] = load_u64(u->values + (starts & 255)) & value_mask[code >> 2 & 3];
    group[2] = load_u64(u->values + (starts >> 8 & 255)) & value_mask[code >> 4 & 3];
    group[3] = load_u64(u->values + (starts >> 16 & 255)) & value_mask[code >> 6];
    u->values += starts >> 24;
    if (!is_delta) return;
    group[0] = u->last + hsd_unzigzag(group[0]);
    group[1] = group[0] + hsd_unzigzag(group[1]);
    group[2] = group[1] + hsd_unzigzag(group[2]);
    group[3] = group[2] + hsd_unzigzag(group[3]);
    u->last = group[3];
}

/* The loop, for both widths of output. Written out: an inner loop over the four costs half of the rate. */
#define UNPACK_ALL(is_delta, type)                                                                                     \
    do {                                                                                                               \
        uint64_t group[4];                                                                                             \
        uint32_t i = 0;                                                                                                \
        for (; count - i >= 4; i += 4) {                                                                               \
            unpack_group(&u, is_delta, group);                                                                         \
            out[i] = (type)group[0];                                                                                   \
            out[i + 1] = (type)group[1];                                                                               \
            out[i + 2] = (type)group[2];                                                                               \
            out[i + 3] = (type)group[3];                                                                               \
            u.all_bits |= group[0] | group[1] | group[2] | group[3];                                                   \
        }                                                                                                              \
        if (i < count) unpack_group(&u, is_delta, group);                                                              \
        for (unsigned k = 0; i < count; i++, k++) {                                                                    \
            out[i] = (type)group[k];                                                                                   \
            u.all_bits |= group[k];                                                                                    \
        }                                                                                                              \
        return u.all_bits;                                                                                             \
    } while (0)

uint64_t hsd_unpack_u64(const uint8_t *control, const uint8_t *values, uint32_t count, int is_delta, uint64_t *out)
{
    unpacker u = {.control = control, .values = values};
    if (is_delta) UNPACK_ALL(true, uint64_t);
    UNPACK_ALL(false, uint64_t);
}

uint64_t hsd_unpack_u32(const uint8_t *control, const uint8_t *values, uint32_t count, int is_delta, uint32_t *out)
{
    unpacker u = {.control = control, .values = values};
    if (is_delta) UNPACK_ALL(true, uint32_t);
    UNPACK_ALL(false, uint32_t);
}
