/*
 * The loops of column.c for differences of 4 bytes. Measuring is or and shift over whole registers; the groups of four
 * are put together by one shuffle each where the processor has that: which of 81 it is say the values' sizes.
 *
 *      coded     00000004 00000131 00000007 00020000
 *      sizes            1        2        1        4       control byte 10 00 01 00
 *      shuffled  04 31 01 07 00 00 02 00                   8 bytes of data
 */
#include "narrow.h"

#include <string.h>

#include "bytes.h"
#include "layout.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TILE = 128, SPREAD = 8, LEAST_SHUFFLED = 2048, KEPT_BACK = 16 };

typedef struct narrow_walk {
    hsc_values values;
    unsigned transform;
    const hsc_sources *sources;
    size_t record; /* SOURCE: the record at the next value … */
    size_t left;   /* … and how many of its references are still to come */
    union {
        uint32_t narrow[TILE + SPREAD];
        uint64_t wide[TILE + SPREAD];
    } spread;
} narrow_walk;

static narrow_walk begin_narrow_walk(hsc_values values, unsigned transform, const hsc_sources *sources)
{
    narrow_walk w = {.values = values, .transform = transform, .sources = sources};
    if (transform == HSC_TRANSFORM_SOURCE) w.left = sources->counts != NULL ? sources->counts[0] : 1;
    return w;
}

static inline uint32_t narrow_zigzag(uint32_t difference) { return (difference << 1) ^ (0 - (difference >> 31)); }

/* ---- sources ---- */

static inline uint64_t narrow_source(const hsc_sources *sources, size_t record)
{
    if (sources->ids.data == NULL) return sources->first + record;
    return sources->ids.width_bytes == 8 ? ((const uint64_t *)sources->ids.data)[record]
                                         : ((const uint32_t *)sources->ids.data)[record];
}

/* The next record's references. */
static inline void step_record(narrow_walk *walk)
{
    walk->record++;
    walk->left = walk->sources->counts != NULL ? walk->sources->counts[walk->record] : 1;
}

/* The source of each of the next `n` references, in numbers of a type. A source is written to several places at once,
 * and the next one over what was too much: how many references an object has no branch predictor can guess. */
#define DEFINE_SPREAD(name, number)                                                                                    \
    static void name(narrow_walk *walk, size_t n, number *spread)                                                      \
    {                                                                                                                  \
        for (size_t i = 0; i < n;) {                                                                                   \
            const number source = (number)narrow_source(walk->sources, walk->record);                                  \
            const size_t run = walk->left < n - i ? walk->left : n - i;                                                \
            for (size_t j = 0; j < SPREAD; j++)                                                                        \
                spread[i + j] = source;                                                                                \
            for (size_t j = SPREAD; j < run; j++)                                                                      \
                spread[i + j] = source;                                                                                \
            i += run;                                                                                                  \
            walk->left -= run;                                                                                         \
            if (walk->left > 0 || i == n) return;                                                                      \
            step_record(walk);                                                                                         \
        }                                                                                                              \
    }

DEFINE_SPREAD(spread_narrow, uint32_t)
DEFINE_SPREAD(spread_wide, uint64_t)

/* ---- differences ---- */

/* The highest bit: `difference`, of 4 bytes, is not a - b; that is, its sign does not say whether a borrow was needed.
 */
static inline uint32_t does_not_fit(uint32_t a, uint32_t b, uint32_t difference)
{
    return ((~a & b) | (~(a ^ b) & difference)) ^ difference;
}

/* Of `n` values less `others`, which may be the values from one before on: a loop that the compiler widens. */
static inline uint32_t subtract_narrow(const uint32_t *values, const uint32_t *others, size_t n, uint32_t *tile)
{
    uint32_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        tile[i] = values[i] - others[i];
        beyond |= does_not_fit(values[i], others[i], tile[i]);
    }
    return beyond;
}

/* Of `n` values of 4 bytes from `at` on. Returns what has the highest bit where a difference does not fit. */
static uint32_t differences_of_4(narrow_walk *walk, size_t at, size_t n, uint32_t *tile)
{
    const uint32_t *values = (const uint32_t *)walk->values.data + at, none = 0;
    if (walk->transform == HSC_TRANSFORM_SOURCE) {
        spread_narrow(walk, n, walk->spread.narrow);
        return subtract_narrow(values, walk->spread.narrow, n, tile);
    }
    const uint32_t first = subtract_narrow(values, at > 0 ? values - 1 : &none, 1, tile);
    return first | subtract_narrow(values + 1, values, n - 1, tile + 1);
}

static inline uint64_t subtract_wide(const uint64_t *values, const uint64_t *others, size_t n, uint32_t *tile)
{
    const uint64_t half = UINT64_C(1) << 31;
    uint64_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t difference = values[i] - others[i];
        tile[i] = (uint32_t)difference;
        beyond |= difference + half;
    }
    return beyond;
}

/* Of `n` values of 8 bytes. The same. */
static uint32_t differences_of_8(narrow_walk *walk, size_t at, size_t n, uint32_t *tile)
{
    const uint64_t *values = (const uint64_t *)walk->values.data + at, none = 0;
    uint64_t beyond;
    if (walk->transform == HSC_TRANSFORM_SOURCE) {
        spread_wide(walk, n, walk->spread.wide);
        beyond = subtract_wide(values, walk->spread.wide, n, tile);
    } else {
        beyond = subtract_wide(values, at > 0 ? values - 1 : &none, 1, tile);
        beyond |= subtract_wide(values + 1, values, n - 1, tile + 1);
    }
    return beyond >> 32 != 0 ? UINT32_MAX : 0;
}

/* `n` differences from `at` on: in `tile`, or, without a transform, the values where they stand. *beyond gets the
 * highest bit where one does not fit. */
static inline const uint32_t *take_differences(narrow_walk *walk, size_t at, size_t n, uint32_t *tile, uint32_t *beyond)
{
    if (walk->transform == HSC_TRANSFORM_NONE) return (const uint32_t *)walk->values.data + at;
    *beyond |=
        walk->values.width_bytes == 8 ? differences_of_8(walk, at, n, tile) : differences_of_4(walk, at, n, tile);
    return tile;
}

/* ---- measuring ---- */

static bool may_be_narrow(hsc_values values, unsigned transform, const hsc_sources *sources)
{
    if (values.width_bytes == 8) return transform != HSC_TRANSFORM_NONE;
    return transform != HSC_TRANSFORM_SOURCE || sources->ids.data == NULL || sources->ids.width_bytes == 4;
}

bool hsc_narrow_measure(hsc_values values, size_t count, unsigned transform, const hsc_sources *sources,
                        hsc_traits *out)
{
    if (!may_be_narrow(values, transform, sources)) return false;
    const bool is_plain = transform == HSC_TRANSFORM_NONE;
    narrow_walk w = begin_narrow_walk(values, transform, sources);
    uint32_t tile[TILE];
    uint32_t any = 0, any_coded = 0, unlike = 0, first = 0, beyond = 0;
    for (size_t at = 0; at < count; at += TILE) {
        const size_t n = count - at < TILE ? count - at : TILE;
        const uint32_t *differences = take_differences(&w, at, n, tile, &beyond);
        if (beyond > INT32_MAX) return false;
        if (at == 0) first = differences[0];
        for (size_t i = 0; i < n; i++) {
            any |= differences[i];
            any_coded |= is_plain ? differences[i] : narrow_zigzag(differences[i]);
            unlike |= differences[i] ^ first;
        }
        if ((any & 1) != 0 && any_coded > UINT8_MAX && unlike != 0) break; /* the rest would change nothing */
    }
    *out = (hsc_traits){.any = any,
                        .any_coded = any_coded,
                        .first = is_plain ? first : (uint64_t)(int64_t)(int32_t)first,
                        .is_constant = unlike == 0};
    return true;
}

/* ---- packing ---- */

typedef struct narrow_pen {
    unsigned char *control, *data;
} narrow_pen;

/* 1 to 4 values under one control byte. */
static inline void pack_narrow_group(narrow_pen *pen, const uint32_t *coded, size_t n)
{
    unsigned sizes = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = coded[i];
        const unsigned size = (unsigned)(v > 0xFF) + (v > 0xFFFF);
        hsc_put_u32(pen->data, v);
        pen->data += (size_t)1 << size;
        sizes |= size << (2 * i);
    }
    *pen->control++ = (unsigned char)sizes;
}

static void pack_narrow(narrow_pen *pen, const uint32_t *coded, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        pack_narrow_group(pen, coded + i, 4);
    if (i < n) pack_narrow_group(pen, coded + i, n - i);
}

static void pack_narrow_bytes(narrow_pen *pen, const uint32_t *coded, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pen->data[i] = (unsigned char)coded[i];
    pen->data += n;
    memset(pen->control, 0, (n + 3) / 4);
    pen->control += (n + 3) / 4;
}

#if defined(__x86_64__)
/* By which of four values fit one byte (bits 0-3) and which fit two (4-7); a row where these agree is filled. */
typedef struct shuffles {
    unsigned char order[256][16];
    unsigned char bytes[256], control[256];
    bool is_filled;
} shuffles;

static void fill_shuffle(shuffles *s, const unsigned size[4])
{
    unsigned row = 0, control = 0, bytes = 0;
    unsigned char order[16];
    for (unsigned i = 0; i < 4; i++) {
        row |= (unsigned)(size[i] == 0) << i | (unsigned)(size[i] <= 1) << (4 + i);
        control |= size[i] << (2 * i);
        for (unsigned b = 0; b < 1u << size[i]; b++)
            order[bytes++] = (unsigned char)(4 * i + b);
    }
    memset(order + bytes, 0, sizeof order - bytes);
    memcpy(s->order[row], order, sizeof order);
    s->bytes[row] = (unsigned char)bytes;
    s->control[row] = (unsigned char)control;
}

static void fill_shuffles(shuffles *s)
{
    for (unsigned i = 0; i < 81; i++) {
        const unsigned size[4] = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
        fill_shuffle(s, size);
    }
}

/* Whole groups; writes up to 12 bytes past the end. */
__attribute__((target("ssse3"))) static void pack_shuffled(narrow_pen *pen, const shuffles *s, const uint32_t *coded,
                                                           size_t n)
{
    const __m128i above_one = _mm_set1_epi32((int)0xffffff00), above_two = _mm_set1_epi32((int)0xffff0000);
    unsigned char *control = pen->control, *data = pen->data;
    for (size_t i = 0; i < n; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(coded + i));
        const __m128i one = _mm_cmpeq_epi32(_mm_and_si128(v, above_one), _mm_setzero_si128());
        const __m128i two = _mm_cmpeq_epi32(_mm_and_si128(v, above_two), _mm_setzero_si128());
        const unsigned row = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(one, two), one)) & 0xff;
        const __m128i order = _mm_loadu_si128((const __m128i *)(const void *)s->order[row]);
        _mm_storeu_si128((__m128i *)(void *)data, _mm_shuffle_epi8(v, order));
        data += s->bytes[row];
        *control++ = s->control[row];
    }
    pen->control = control;
    pen->data = data;
}

static bool can_shuffle(void) { return __builtin_cpu_supports("ssse3"); }
#else
typedef struct shuffles {
    bool is_filled;
} shuffles;

static void fill_shuffles(shuffles *s) { (void)s; }

static void pack_shuffled(narrow_pen *pen, const shuffles *s, const uint32_t *coded, size_t n)
{
    (void)s;
    pack_narrow(pen, coded, n);
}

static bool can_shuffle(void) { return false; }
#endif

/* What is packed for `n` differences: coded and shifted, in `tile`, unless they are so already. */
static inline const uint32_t *code_tile(const uint32_t *differences, size_t n, unsigned transform, unsigned shift,
                                        uint32_t *tile)
{
    if (transform == HSC_TRANSFORM_NONE) {
        if (shift == 0) return differences;
        for (size_t i = 0; i < n; i++)
            tile[i] = differences[i] >> shift;
        return tile;
    }
    for (size_t i = 0; i < n; i++)
        tile[i] = narrow_zigzag(differences[i]) >> shift;
    return tile;
}

unsigned char *hsc_narrow_pack(unsigned char *out, hsc_values values, size_t count, unsigned transform,
                               const hsc_sources *sources, unsigned shift, unsigned bits)
{
    narrow_walk w = begin_narrow_walk(values, transform, sources);
    narrow_pen pen = {out, out + (count + 3) / 4};
    uint32_t tile[TILE], beyond = 0;
    shuffles s;
    s.is_filled = bits > 8 && count >= LEAST_SHUFFLED && can_shuffle();
    if (s.is_filled) fill_shuffles(&s);
    for (size_t at = 0; at < count; at += TILE) {
        const size_t n = count - at < TILE ? count - at : TILE;
        const uint32_t *coded = code_tile(take_differences(&w, at, n, tile, &beyond), n, transform, shift, tile);
        if (bits <= 8)
            pack_narrow_bytes(&pen, coded, n);
        else if (s.is_filled && at + TILE + KEPT_BACK <= count)
            pack_shuffled(&pen, &s, coded, n);
        else
            pack_narrow(&pen, coded, n);
    }
    return beyond > INT32_MAX ? NULL : pen.data;
}
