/*
 * Digits to numbers. A loop over digits runs at 0.4 GB/s on the heaps of real programs, where the length of the next
 * number cannot be foreseen (9 ns a number, node 26 and Chromium); this runs at 1.7 GB/s on the same with SSE2,
 * whatever the lengths are.
 *
 * The idea: look at 64 bytes at once. Compares give one bit a byte, "digit" or not; that mask against itself
 * shifted by one has a bit wherever a number starts or ends. Walking the set bits yields the places of
 * all numbers before any of them is converted, so no conversion waits for a comparison.
 *
 *      bytes       9 , 1 2 , 3 \n , 4 5 6
 *      digits      1 0 1 1 0 1 0  0 1 1 1
 *      boundaries  1 1 1 0 1 1 1  0 1 0 0      digits ^ (digits << 1)
 *
 * A number is converted from the eight bytes that end with it, what stands before it masked out: pairs of
 * digits, then pairs of pairs, four numbers in one go. It is written once, and compiled for plain C, for SSE2, which
 * every x86-64 has, and for AVX2 and AVX-512, which are asked for when it runs. With AVX-512 places are not walked:
 * the offsets of the set bits are pressed together, and the text of eight numbers is picked out of the block by one
 * permutation.
 */
#include "import/v8/digits.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Written once, compiled for each way: what it calls is known there. */
#define ALWAYS static inline __attribute__((always_inline))

#define BEFORE_BYTES HSD_V8_DIGITS_BEFORE
#define BLOCK_BYTES  HSD_V8_DIGITS_BLOCK
/* At most every second byte of a block ends a number. */
#define BLOCK_NUMBERS (BLOCK_BYTES / 2)
/* So many more may be written behind the last: numbers are converted four or eight in one go. */
#define SPILLED_NUMBERS 7

typedef hsd_v8_masks (*classify_fn)(const uint8_t *bytes);

/* ---- 64 bytes at once ---- */

ALWAYS uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#define ONES UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

/* Of eight bytes, the last 0 to 8. */
static const uint64_t length_masks[9] = {
    UINT64_C(0),
    UINT64_C(0xff00000000000000),
    UINT64_C(0xffff000000000000),
    UINT64_C(0xffffff0000000000),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0xffffffffff000000),
    UINT64_C(0xffffffffffff0000),
    UINT64_C(0xffffffffffffff00),
    UINT64_C(0xffffffffffffffff),
};

/* The high bit of each byte of `word` that equals `byte`. */
ALWAYS uint64_t bytes_equal(uint64_t word, uint8_t byte)
{
    const uint64_t other = word ^ ONES * byte;
    return ~((((other & ~HIGH) + ~HIGH) | other) | ~HIGH);
}

/* The high bits of eight bytes, side by side. */
ALWAYS uint64_t gather_high(uint64_t word) { return ((word >> 7) * UINT64_C(0x0102040810204080)) >> 56; }

ALWAYS hsd_v8_masks classify_words(const uint8_t *bytes)
{
    hsd_v8_masks masks = {0, 0};
    for (unsigned i = 0; i < BLOCK_BYTES / 8; i++) {
        const uint64_t word = load_word(bytes + i * 8);
        const uint64_t value = word ^ ONES * '0';
        const uint64_t digits = ~(((value & ~HIGH) + ONES * (0x80 - 10)) | value) & HIGH;
        const uint64_t separators = bytes_equal(word, ',') | bytes_equal(word, '\n') | bytes_equal(word, ' ') |
                                    bytes_equal(word, '\r') | bytes_equal(word, '\t');
        masks.digits |= gather_high(digits) << i * 8;
        masks.plain |= gather_high(digits | separators) << i * 8;
    }
    return masks;
}

/* ---- text to number ---- */

/* The 0 to 8 digits that end before `end`; the eight bytes before it are read. */
ALWAYS uint64_t convert_short(const uint8_t *end, size_t length)
{
    uint64_t v = load_word(end - 8) & ONES * 0x0f & length_masks[length];
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
}

/* Up to 16 digits. */
ALWAYS uint64_t convert(const uint8_t *end, size_t length)
{
    if (length <= 8) return convert_short(end, length);
    return convert_short(end - 8, length - 8) * 100000000 + convert_short(end, 8);
}

/* Where the numbers of a block are. Behind the last are three of length 0, where they are converted by four. */
typedef struct places {
    uint8_t stop[BLOCK_NUMBERS + SPILLED_NUMBERS];   /* offset in the block of the byte behind it */
    uint8_t length[BLOCK_NUMBERS + SPILLED_NUMBERS]; /* 8 for longer ones, which are done again */
    unsigned count;
    bool has_long;
} places;

/* ---- a block ---- */

ALWAYS void add_place(places *p, unsigned stop, ptrdiff_t length)
{
    p->stop[p->count] = (uint8_t)stop;
    p->length[p->count] = (uint8_t)(length > 8 ? 8 : length);
    p->has_long |= length > 8;
    p->count++;
}

/*
 * Finds the numbers that end in a block. *start is where the number that begins last begins, counted from
 * this block on; `is_inside`: it began before this block and goes on.
 */
ALWAYS void find_places_anywhere(uint64_t digits, bool is_inside, ptrdiff_t *start, places *p)
{
    uint64_t boundaries = digits ^ (digits << 1 | (uint64_t)is_inside);
    p->count = 0;
    p->has_long = false;
    if (is_inside && boundaries != 0) {
        const unsigned stop = (unsigned)__builtin_ctzll(boundaries);
        boundaries &= boundaries - 1;
        add_place(p, stop, (ptrdiff_t)stop - *start);
    }
    while (boundaries != 0) {
        *start = __builtin_ctzll(boundaries);
        boundaries &= boundaries - 1;
        if (boundaries == 0) break;
        const unsigned stop = (unsigned)__builtin_ctzll(boundaries);
        boundaries &= boundaries - 1;
        add_place(p, stop, (ptrdiff_t)stop - *start);
    }
    for (unsigned i = 0; i < 3; i++) {
        p->stop[p->count + i] = 0;
        p->length[p->count + i] = 0;
    }
}

/* Converts the numbers that end in a block to `out`, of long ones the last eight digits, and tells where they stop. */
typedef void (*convert_block_fn)(const uint8_t *block, uint64_t digits, bool is_inside, ptrdiff_t *start, places *p,
                                 uint64_t *out);

/* Converts the numbers of a block again of which some have more than eight digits. How many could be: the
 * next one is too long for this. `before` tells where the first begins if that is not in the block. */
static unsigned convert_long(const uint8_t *block, const places *p, ptrdiff_t before, uint64_t *out)
{
    for (unsigned i = 0; i < p->count; i++) {
        ptrdiff_t start = i == 0 && before < 0 ? before : p->stop[i];
        if (start >= 0)
            while (start > 0 && (uint8_t)(block[start - 1] - '0') < 10)
                start--;
        const ptrdiff_t length = p->stop[i] - start;
        if (length > BEFORE_BYTES) return i;
        out[i] = convert(block + p->stop[i], (size_t)length);
    }
    return p->count;
}

/*
 * Whole numbers from [at, end), as long as all is plain and `out` has room for a block's worth. *at is
 * moved behind the last number taken. BEFORE_BYTES before *at can be read.
 */
ALWAYS size_t read_plain(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity, classify_fn classify,
                         convert_block_fn convert_block)
{
    const uint8_t *block = *at;
    ptrdiff_t start = 0;
    bool is_inside = false;
    size_t count = 0;
    places p;
    while (end - block >= BLOCK_BYTES && capacity - count >= BLOCK_NUMBERS + SPILLED_NUMBERS) {
        const hsd_v8_masks masks = classify(block);
        if (masks.plain != UINT64_MAX) break;
        const ptrdiff_t before = is_inside ? start : 0;
        convert_block(block, masks.digits, is_inside, &start, &p, out + count);
        const unsigned good = __builtin_expect(p.has_long, 0) ? convert_long(block, &p, before, out + count) : p.count;
        count += good;
        if (good > 0) *at = block + p.stop[good - 1];
        if (good < p.count) break;
        is_inside = masks.digits >> 63;
        block += BLOCK_BYTES;
        start -= BLOCK_BYTES;
        if (!is_inside) *at = block;
    }
    return count;
}

/* ---- plain C ---- */

ALWAYS void convert_four_words(const uint8_t *block, const uint8_t *stop, const uint8_t *length, uint64_t *out)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = convert_short(block + stop[i], length[i]);
}

ALWAYS void convert_block_words(const uint8_t *block, uint64_t digits, bool is_inside, ptrdiff_t *start, places *p,
                                uint64_t *out)
{
    find_places_anywhere(digits, is_inside, start, p);
    for (unsigned i = 0; i < p->count; i += 4)
        convert_four_words(block, p->stop + i, p->length + i, out + i);
}

hsd_v8_masks hsd_v8_classify_words(const uint8_t *bytes) { return classify_words(bytes); }

size_t hsd_v8_digits_words(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    return read_plain(at, end, out, capacity, classify_words, convert_block_words);
}

#if defined(__SSE2__)

/* ---- SSE2 ---- */

ALWAYS uint64_t move_mask(__m128i v) { return (uint64_t)(unsigned)_mm_movemask_epi8(v); }

ALWAYS hsd_v8_masks classify_sse2(const uint8_t *bytes)
{
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9), comma = _mm_set1_epi8(',');
    const __m128i line = _mm_set1_epi8('\n');
    hsd_v8_masks masks = {0, 0};
    for (unsigned i = 0; i < BLOCK_BYTES / 16; i++) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i * 16));
        const __m128i value = _mm_sub_epi8(v, zero);
        const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(value, nine), value);
        const __m128i separators = _mm_or_si128(_mm_cmpeq_epi8(v, comma), _mm_cmpeq_epi8(v, line));
        masks.digits |= move_mask(digits) << i * 16;
        masks.plain |= move_mask(_mm_or_si128(digits, separators)) << i * 16;
    }
    return masks;
}
/* Two numbers, as groups of four digits: in each half of the register the upper and the lower group. */
ALWAYS __m128i convert_two(const uint8_t *block, const uint8_t *stop, const uint8_t *length)
{
    const __m128i tens = _mm_set1_epi16(10), low = _mm_set1_epi16(0xff);
    const __m128i hundreds = _mm_set_epi16(1, 100, 1, 100, 1, 100, 1, 100);
    const __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)(block + stop[0] - 8));
    const __m128i b = _mm_loadl_epi64((const __m128i *)(const void *)(block + stop[1] - 8));
    const __m128i mask_a = _mm_loadl_epi64((const __m128i *)(const void *)&length_masks[length[0]]);
    const __m128i mask_b = _mm_loadl_epi64((const __m128i *)(const void *)&length_masks[length[1]]);
    const __m128i text = _mm_sub_epi8(_mm_unpacklo_epi64(a, b), _mm_set1_epi8('0'));
    const __m128i digits = _mm_and_si128(text, _mm_unpacklo_epi64(mask_a, mask_b));
    const __m128i pairs = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(digits, low), tens), _mm_srli_epi16(digits, 8));
    return _mm_madd_epi16(pairs, hundreds);
}

ALWAYS void convert_four_sse2(const uint8_t *block, const uint8_t *stop, const uint8_t *length, uint64_t *out)
{
    const __m128i thousands = _mm_set_epi16(1, 10000, 1, 10000, 1, 10000, 1, 10000);
    const __m128i groups = _mm_packs_epi32(convert_two(block, stop, length), convert_two(block, stop + 2, length + 2));
    const __m128i values = _mm_madd_epi16(groups, thousands), zero = _mm_setzero_si128();
    _mm_storeu_si128((__m128i *)(void *)out, _mm_unpacklo_epi32(values, zero));
    _mm_storeu_si128((__m128i *)(void *)(out + 2), _mm_unpackhi_epi32(values, zero));
}

ALWAYS void convert_block_sse2(const uint8_t *block, uint64_t digits, bool is_inside, ptrdiff_t *start, places *p,
                               uint64_t *out)
{
    find_places_anywhere(digits, is_inside, start, p);
    for (unsigned i = 0; i < p->count; i += 4)
        convert_four_sse2(block, p->stop + i, p->length + i, out + i);
}

hsd_v8_masks hsd_v8_classify(const uint8_t *bytes) { return classify_sse2(bytes); }

size_t hsd_v8_digits_sse2(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    return read_plain(at, end, out, capacity, classify_sse2, convert_block_sse2);
}

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

AVX2 static inline hsd_v8_masks classify_avx2(const uint8_t *bytes)
{
    const __m256i zero = _mm256_set1_epi8('0'), nine = _mm256_set1_epi8(9), comma = _mm256_set1_epi8(',');
    const __m256i line = _mm256_set1_epi8('\n');
    hsd_v8_masks masks = {0, 0};
    for (unsigned i = 0; i < BLOCK_BYTES / 32; i++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i * 32));
        const __m256i value = _mm256_sub_epi8(v, zero);
        const __m256i digits = _mm256_cmpeq_epi8(_mm256_min_epu8(value, nine), value);
        const __m256i separators = _mm256_or_si256(_mm256_cmpeq_epi8(v, comma), _mm256_cmpeq_epi8(v, line));
        masks.digits |= (uint64_t)(unsigned)_mm256_movemask_epi8(digits) << i * 32;
        masks.plain |= (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_or_si256(digits, separators)) << i * 32;
    }
    return masks;
}

/* Two numbers a half, in a word each: pairs of digits, groups of four, then all eight, each step one multiplication. */
AVX2 static inline void convert_four_avx2(__m128i low, __m128i high, uint64_t *out)
{
    const __m256i tens = _mm256_set1_epi16(0x010a), hundreds = _mm256_set1_epi32(0x00010064);
    const __m256i thousands = _mm256_set1_epi32(0x00012710);
    const __m256i digits = _mm256_and_si256(_mm256_set_m128i(high, low), _mm256_set1_epi8(0x0f));
    const __m256i groups = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, tens), hundreds);
    const __m256i values = _mm256_madd_epi16(_mm256_packus_epi32(groups, groups), thousands);
    const __m256i all = _mm256_permute4x64_epi64(values, 0x08);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(all)));
}

/* Where the number that begins last begins, of a block that ends inside of it. */
ALWAYS void note_open_number(uint64_t digits, bool is_inside, ptrdiff_t *start)
{
    if (digits >> 63 == 0) return;
    if (digits != UINT64_MAX)
        *start = 64 - (ptrdiff_t)__builtin_clzll(~digits);
    else if (!is_inside)
        *start = 0;
}

/* Eight digits in a row and one more. */
ALWAYS bool has_nine(uint64_t digits)
{
    uint64_t runs = digits & digits >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;
    return (runs & digits >> 8) != 0;
}

typedef struct boundaries {
    uint64_t starts, stops; /* of numbers whose text was not taken, but for the next one's start */
    uint64_t from;          /* which is here */
} boundaries;

/* The text of the next number in the last of eight bytes, zeros before it: what stands there is shifted out. */
AVX2 ALWAYS __m128i next_text(const uint8_t *block, boundaries *b)
{
    const uint64_t stop = _tzcnt_u64(b->stops);
    const unsigned others = (unsigned)(b->from - stop) * 8 & 63; /* bits: eight bytes less the number's */
    const uint64_t text = load_word(block + stop - 8) >> others << others;
    b->stops = _blsr_u64(b->stops);
    b->from = _tzcnt_u64(b->starts);
    b->starts = _blsr_u64(b->starts);
    return _mm_cvtsi64_si128((int64_t)text);
}

/* Some number is longer than eight digits: places alone, which convert_long goes by. */
AVX2 static __attribute__((noinline)) void find_long_places_avx2(uint64_t digits, bool is_inside, ptrdiff_t *start,
                                                                 places *p)
{
    find_places_anywhere(digits, is_inside, start, p);
    p->has_long = true;
}

/*
 * Beginnings and ends by themselves, four numbers in one go; what comes behind the last is thrown away. Nothing is
 * stored between finding a number and converting it.
 */
AVX2 static inline void convert_block_avx2(const uint8_t *block, uint64_t digits, bool is_inside, ptrdiff_t *start,
                                           places *p, uint64_t *out)
{
    const uint64_t before = digits << 1 | (uint64_t)is_inside;
    const uint64_t starts = digits & ~before, stops = ~digits & before;
    const bool ends_first = is_inside && stops != 0;
    if (__builtin_expect(has_nine(digits) || (ends_first && (ptrdiff_t)_tzcnt_u64(stops) - *start > 8), 0)) {
        find_long_places_avx2(digits, is_inside, start, p);
        return;
    }
    p->has_long = false;
    p->count = (unsigned)_mm_popcnt_u64(stops);
    if (p->count > 0) p->stop[p->count - 1] = (uint8_t)(63 - __builtin_clzll(stops));
    boundaries b = {.starts = starts, .stops = stops, .from = (uint64_t)*start};
    if (!is_inside) {
        b.from = _tzcnt_u64(starts);
        b.starts = _blsr_u64(starts);
    }
    for (unsigned i = 0; i < p->count; i += 4) {
        const __m128i first = next_text(block, &b), second = next_text(block, &b);
        const __m128i third = next_text(block, &b), fourth = next_text(block, &b);
        convert_four_avx2(_mm_unpacklo_epi64(first, second), _mm_unpacklo_epi64(third, fourth), out + i);
    }
    note_open_number(digits, is_inside, start);
}

AVX2 static size_t digits_avx2(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    return read_plain(at, end, out, capacity, classify_avx2, convert_block_avx2);
}

hsd_v8_digits hsd_v8_digits_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                   __builtin_cpu_supports("popcnt")
               ? digits_avx2
               : NULL;
}

/* ---- AVX-512, with what permutes bytes ---- */

#define AVX512 __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")))
/* A number that began long before its block is too long however many digits it has. */
#define FARTHEST_START (-100)

AVX512 static inline hsd_v8_masks classify_avx512(const uint8_t *bytes)
{
    const __m512i v = _mm512_loadu_si512(bytes);
    const uint64_t digits = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    const uint64_t separators =
        _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(',')) | _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n'));
    return (hsd_v8_masks){digits, digits | separators};
}

/* The text of eight numbers: which of the bytes from eight before the block on are theirs, and no others. */
AVX512 static inline __m512i pick_text(__m512i early, __m512i late, __m512i stops, __m512i lengths, __m512i eight_times)
{
    const __m512i steps = _mm512_set1_epi64(0x0706050403020100);
    const __m512i stop = _mm512_permutexvar_epi8(eight_times, stops);
    const __m512i length = _mm512_permutexvar_epi8(eight_times, lengths);
    const __mmask64 is_digit = _mm512_cmpgt_epu8_mask(_mm512_add_epi8(steps, length), _mm512_set1_epi8(7));
    return _mm512_maskz_permutex2var_epi8(is_digit, early, _mm512_add_epi8(steps, stop), late);
}

/* Eight numbers from their digits: pairs, groups of four, then all. */
AVX512 static inline __m512i convert_eight(__m512i digits)
{
    const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));
    const __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
    return _mm512_add_epi64(_mm512_mul_epu32(groups, _mm512_set1_epi64(10000)), _mm512_srli_epi64(groups, 32));
}

AVX512 static inline void convert_block_avx512(const uint8_t *block, uint64_t digits, bool is_inside, ptrdiff_t *start,
                                               places *p, uint64_t *out)
{
    const __m512i offsets =
        _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                         0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    const __m512i zero = _mm512_set1_epi8('0');
    const uint64_t before = digits << 1 | (uint64_t)is_inside;
    const uint64_t starts = digits & ~before, stops = ~digits & before;
    const __m512i stop = _mm512_maskz_compress_epi8(stops, offsets);
    __m512i length = _mm512_maskz_compress_epi8(starts, offsets);
    if (is_inside) { /* the first began before the block */
        const int first = *start < FARTHEST_START ? FARTHEST_START : (int)*start;
        length = _mm512_permutexvar_epi8(_mm512_sub_epi8(offsets, _mm512_set1_epi8(1)), length);
        length = _mm512_mask_set1_epi8(length, 1, (char)first);
    }
    length = _mm512_min_epu8(_mm512_sub_epi8(stop, length), _mm512_set1_epi8(8));
    p->count = (unsigned)_mm_popcnt_u64(stops);
    p->has_long = has_nine(digits) || (is_inside && stops != 0 && (ptrdiff_t)_tzcnt_u64(stops) - *start > 8);
    const __m512i early = _mm512_sub_epi8(_mm512_loadu_si512(block - 8), zero);
    const __m512i late = _mm512_sub_epi8(_mm512_zextsi128_si512(_mm_loadl_epi64((const void *)(block + 56))), zero);
    __m512i eight_times =
        _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                         0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    for (unsigned i = 0; i < p->count; i += 8) {
        _mm512_storeu_si512(out + i, convert_eight(pick_text(early, late, stop, length, eight_times)));
        eight_times = _mm512_add_epi8(eight_times, _mm512_set1_epi8(8));
    }
    _mm256_storeu_si256((__m256i *)(void *)p->stop, _mm512_castsi512_si256(stop));
    note_open_number(digits, is_inside, start);
}

AVX512 static size_t digits_avx512(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    return read_plain(at, end, out, capacity, classify_avx512, convert_block_avx512);
}

hsd_v8_digits hsd_v8_digits_avx512(void)
{
    return hsd_v8_digits_avx2() != NULL && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                   __builtin_cpu_supports("avx512vbmi2")
               ? digits_avx512
               : NULL;
}

#else

hsd_v8_masks hsd_v8_classify(const uint8_t *bytes) { return classify_words(bytes); }

size_t hsd_v8_digits_sse2(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    return hsd_v8_digits_words(at, end, out, capacity);
}

hsd_v8_digits hsd_v8_digits_avx2(void) { return NULL; }

hsd_v8_digits hsd_v8_digits_avx512(void) { return NULL; }

#endif

hsd_v8_digits hsd_v8_digits_best(void)
{
    const hsd_v8_digits widest = hsd_v8_digits_avx512(), wide = hsd_v8_digits_avx2();
    return widest != NULL ? widest : wide != NULL ? wide : hsd_v8_digits_sse2;
}
