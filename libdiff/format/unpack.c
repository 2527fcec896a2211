/*
 * The loops of unpack.h. Each public function is one instance of unpack_group(), with what varies
 * (width of the output, delta or not) known at compile time. Groups of values that are no differences, none of them of
 * eight bytes, are put into their places by one shuffle each where the processor has that:
 *
 *      value bytes   aa bb bb cc dd dd dd dd                            control byte 10 00 01 00
 *      shuffled      aa 00 00 00 bb bb 00 00 cc 00 00 00 dd dd dd dd
 */
#include <stdbool.h>
#include <string.h>

#include "format/unpack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/* ---- whole groups by shuffles ---- */

#if defined(__x86_64__)

/* Byte k of value i: where it stands in the group; 0x80 makes a zero. */
#define BYTE(c, i, k) (uint8_t)((k) < LEN(c, i) ? BEFORE##i(c) + (k) : 0x80)
#define BEFORE0(c)    0u
#define BEFORE1(c)    LEN(c, 0)
#define BEFORE2(c)    (LEN(c, 0) + LEN(c, 1))
#define BEFORE3(c)    (LEN(c, 0) + LEN(c, 1) + LEN(c, 2))
#define VALUE(c, i)   BYTE(c, i, 0), BYTE(c, i, 1), BYTE(c, i, 2), BYTE(c, i, 3)
#define ORDER(c)                                                                                                       \
    {                                                                                                                  \
        VALUE(c, 0), VALUE(c, 1), VALUE(c, 2), VALUE(c, 3)                                                             \
    }
#define ORDER4(c)  ORDER(c), ORDER((c) + 1), ORDER((c) + 2), ORDER((c) + 3)
#define ORDER16(c) ORDER4(c), ORDER4((c) + 4), ORDER4((c) + 8), ORDER4((c) + 12)
#define ORDER64(c) ORDER16(c), ORDER16((c) + 16), ORDER16((c) + 32), ORDER16((c) + 48)

/* Of a control byte without a value of eight bytes. */
static const uint8_t group_orders[256][16] = {ORDER64(0), ORDER64(64), ORDER64(128), ORDER64(192)};

static bool has_eight(unsigned code) { return (code & code >> 1 & 0x55) != 0; }

/* One instance for each width of output. */
#define DEFINE_SHUFFLED(name, type, store)                                                                             \
    __attribute__((target("ssse3"))) static void name(unpacker *u, uint32_t groups, type *out)                         \
    {                                                                                                                  \
        const uint8_t *control = u->control, *values = u->values;                                                      \
        const __m128i zero = _mm_setzero_si128();                                                                      \
        __m128i all = zero;                                                                                            \
        for (; groups > 0; groups--, out += 4, control++) {                                                            \
            const unsigned code = *control;                                                                            \
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)values);                              \
            const __m128i order = _mm_loadu_si128((const __m128i *)(const void *)group_orders[code]);                  \
            const __m128i group = _mm_shuffle_epi8(bytes, order);                                                      \
            if (__builtin_expect(has_eight(code), 0)) {                                                                \
                uint64_t slow[4];                                                                                      \
                unpack_group(&(unpacker){control, values, 0, 0}, false, slow);                                         \
                for (unsigned i = 0; i < 4; i++) {                                                                     \
                    out[i] = (type)slow[i];                                                                            \
                    u->all_bits |= slow[i];                                                                            \
                }                                                                                                      \
            } else {                                                                                                   \
                all = _mm_or_si128(all, group);                                                                        \
                store;                                                                                                 \
            }                                                                                                          \
            values += group_starts[code] >> 24;                                                                        \
        }                                                                                                              \
        uint32_t bits[4];                                                                                              \
        _mm_storeu_si128((__m128i *)(void *)bits, all);                                                                \
        u->all_bits |= bits[0] | bits[1] | bits[2] | bits[3];                                                          \
        u->control = control;                                                                                          \
        u->values = values;                                                                                            \
    }

DEFINE_SHUFFLED(shuffle_u32, uint32_t, _mm_storeu_si128((__m128i *)(void *)out, group))
DEFINE_SHUFFLED(shuffle_u64, uint64_t, {
    _mm_storeu_si128((__m128i *)(void *)out, _mm_unpacklo_epi32(group, zero));
    _mm_storeu_si128((__m128i *)(void *)(out + 2), _mm_unpackhi_epi32(group, zero));
})

/* Values of whole groups that are done: all of them, or none. */
#define SHUFFLE(name) (__builtin_cpu_supports("ssse3") ? (name(&u, count / 4, out), count & ~UINT32_C(3)) : 0)
#else
#define SHUFFLE(name) 0
#endif

/* The loop from the value `first` on, for both widths of output. Written out: an inner loop over the four costs half of
 * the rate. */
#define UNPACK_ALL(is_delta, type, first)                                                                              \
    do {                                                                                                               \
        uint64_t group[4];                                                                                             \
        uint32_t i = first;                                                                                            \
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
    if (is_delta) UNPACK_ALL(true, uint64_t, 0);
    UNPACK_ALL(false, uint64_t, SHUFFLE(shuffle_u64));
}

uint64_t hsd_unpack_u32(const uint8_t *control, const uint8_t *values, uint32_t count, int is_delta, uint32_t *out)
{
    unpacker u = {.control = control, .values = values};
    if (is_delta) UNPACK_ALL(true, uint32_t, 0);
    UNPACK_ALL(false, uint32_t, SHUFFLE(shuffle_u32));
}
