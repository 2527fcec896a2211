/*
 * The codec of runs (sort/codec.h) by the instruction that moves sixteen bytes at once, each to where a table says:
 * two words in one go.
 *
 *      two words       low a | high a | low b | high b      16 bytes, many of them 0
 *      four bits each  how many bytes of a, of b            one byte of the front: the row of the table
 *      in the run      high a, low a, high b, low b         as many bytes as that byte says
 *
 * A row says of each byte where it comes from. There are tables for two words that are halves, two that are not, and
 * one of each, either way. What a word is when it is encoded (its four bits) is looked up by which of its bytes are 0.
 */
#include "sort/codec.h"

#include <string.h>

#include "base/assert.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <pthread.h>

#define SSSE3 __attribute__((target("ssse3")))
/* All loops over words are written once and compiled for each number of words. */
#define FOR_WORDS SSSE3 static inline __attribute__((always_inline))

#define MOST_WORDS   8u /* more than eight are sorted seldom */
#define PAIRS(words) (((words) + 1) / 2)

/* ---- tables, filled when first asked for ---- */

enum { NONE = 0x80 }; /* a byte that is 0 */

typedef struct order {
    uint8_t read[16], written[16];
} order;

/* By what two words are: bit 0 is set if the first is halves, bit 1 if the second is. */
static order orders[4][256];
static uint8_t sizes[4][256];
static uint8_t fours[2][256]; /* of a word by which of its bytes are not 0: whole, halves */

/* Of the four bits of a word: bytes of a half that has these two, of its high half, of all. */
static unsigned of_half(unsigned two) { return two + (two >> 1); } /* 0, 1, 3, 4 */
static unsigned of_high(unsigned four) { return of_half(four >> 2); }
static unsigned of_low(unsigned four) { return of_half(four & 3); }
static unsigned of_word(unsigned four, bool is_halves) { return is_halves ? of_high(four) + of_low(four) : four; }

/* Where byte `i` of a word comes from, whose bytes in the run begin with byte `base`. */
static unsigned read_from(unsigned four, bool is_halves, unsigned i, unsigned base)
{
    if (!is_halves) return four <= 8 && i < four ? base + i : NONE;
    if (i >= 4) return i - 4 < of_high(four) ? base + i - 4 : NONE;
    return i < of_low(four) ? base + of_high(four) + i : NONE;
}

/* Which byte of a word is byte `i` of those in the run; whatever behind the last. */
static unsigned written_from(unsigned four, bool is_halves, unsigned i)
{
    if (!is_halves) return i & 7;
    return i < of_high(four) ? 4 + i : (i - of_high(four)) & 3;
}

static void fill_order(unsigned kind, unsigned row)
{
    const bool low_halves = kind & 1, high_halves = kind & 2;
    const unsigned low = row & 15, high = row >> 4, low_size = of_word(low, low_halves);
    order *to = &orders[kind][row];
    for (unsigned i = 0; i < 16; i++) {
        to->read[i] =
            (uint8_t)(i < 8 ? read_from(low, low_halves, i, 0) : read_from(high, high_halves, i - 8, low_size));
        to->written[i] = (uint8_t)(i < low_size ? written_from(low, low_halves, i)
                                                : 8 + written_from(high, high_halves, i - low_size));
    }
    sizes[kind][row] = (uint8_t)(low_size + of_word(high, high_halves));
}

static unsigned last_byte(unsigned bits)
{
    unsigned bytes = 0;
    for (; bits != 0; bits >>= 1)
        bytes++;
    return bytes;
}

static unsigned two_of(unsigned bits) /* of a half: 0, 1, 3, or all of its bytes */
{
    return bits < 2 ? bits : bits < 8 ? 2 : 3;
}

static void fill_tables(void)
{
    for (unsigned row = 0; row < 256; row++) {
        for (unsigned kind = 0; kind < 4; kind++)
            fill_order(kind, row);
        fours[0][row] = (uint8_t)last_byte(row);
        fours[1][row] = (uint8_t)(two_of(row >> 4) << 2 | two_of(row & 15));
    }
}

/* ---- two words ---- */

typedef struct form { /* of two words */
    const order *orders;
    const uint8_t *sizes, *low_fours, *high_fours;
    __m128i halves, wholes; /* all bits of a half, of a word, that is a difference */
    bool has_wholes;
} form;

static uint64_t bits_of_halves(uint8_t coding)
{
    if (!(coding & HSD_WORD_HALVES)) return 0;
    return (coding & HSD_WORD_HALVES_HIGH_DELTA ? ~(uint64_t)UINT32_MAX : 0) |
           (coding & HSD_WORD_HALVES_LOW_DELTA ? (uint64_t)UINT32_MAX : 0);
}

static uint64_t bits_of_whole(uint8_t coding) { return coding == HSD_WORD_DELTA ? UINT64_MAX : 0; }

SSSE3 static form form_of(const uint8_t coding[2], bool is_one)
{
    const uint8_t low = coding[0], high = is_one ? HSD_WORD_PLAIN : coding[1];
    const bool low_halves = low & HSD_WORD_HALVES, high_halves = high & HSD_WORD_HALVES;
    const unsigned kind = (unsigned)low_halves | (unsigned)high_halves << 1;
    return (form){
        .orders = orders[kind],
        .sizes = sizes[kind],
        .low_fours = fours[low_halves],
        .high_fours = fours[high_halves],
        .halves = _mm_set_epi64x((int64_t)bits_of_halves(high), (int64_t)bits_of_halves(low)),
        .wholes = _mm_set_epi64x((int64_t)bits_of_whole(high), (int64_t)bits_of_whole(low)),
        .has_wholes = low == HSD_WORD_DELTA || high == HSD_WORD_DELTA,
    };
}

FOR_WORDS __m128i load(const void *at) { return _mm_loadu_si128((const __m128i *)at); }

FOR_WORDS __m128i load_words(const uint64_t *words, bool is_one)
{
    return is_one ? _mm_loadl_epi64((const __m128i *)(const void *)words) : load(words);
}

FOR_WORDS void store_words(uint64_t *words, __m128i both, bool is_one)
{
    if (is_one)
        _mm_storel_epi64((__m128i *)(void *)words, both);
    else
        _mm_storeu_si128((__m128i *)(void *)words, both);
}

/* Where `mask` is set `a`, else `b`. */
FOR_WORDS __m128i choose(__m128i mask, __m128i a, __m128i b)
{
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}

FOR_WORDS __m128i to_differences(__m128i both, __m128i before, const form *f)
{
    const __m128i halves = _mm_sub_epi32(both, before);
    const __m128i folded = _mm_xor_si128(_mm_slli_epi32(halves, 1), _mm_srai_epi32(halves, 31));
    const __m128i out = choose(f->halves, folded, both);
    if (!f->has_wholes) return out;
    const __m128i wholes = _mm_sub_epi64(both, before);
    const __m128i signs = _mm_shuffle_epi32(_mm_srai_epi32(wholes, 31), _MM_SHUFFLE(3, 3, 1, 1));
    return choose(f->wholes, _mm_xor_si128(_mm_slli_epi64(wholes, 1), signs), out);
}

FOR_WORDS __m128i from_differences(__m128i both, __m128i before, const form *f)
{
    const __m128i half_signs = _mm_sub_epi32(_mm_setzero_si128(), _mm_and_si128(both, _mm_set1_epi32(1)));
    const __m128i halves = _mm_add_epi32(_mm_xor_si128(_mm_srli_epi32(both, 1), half_signs), before);
    const __m128i out = choose(f->halves, halves, both);
    if (!f->has_wholes) return out;
    const __m128i signs = _mm_sub_epi64(_mm_setzero_si128(), _mm_and_si128(both, _mm_set1_epi64x(1)));
    const __m128i wholes = _mm_add_epi64(_mm_xor_si128(_mm_srli_epi64(both, 1), signs), before);
    return choose(f->wholes, wholes, out);
}

/* ---- the codec, for each number of words ---- */

FOR_WORDS uint8_t *encode(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,
                          const uint64_t *previous, const uint8_t *coding, const unsigned words)
{
    form forms[PAIRS(MOST_WORDS)];
    __m128i before[PAIRS(MOST_WORDS)];
    size_t done = 0;
#pragma GCC unroll 4
    for (unsigned p = 0; p < PAIRS(words); p++) {
        forms[p] = form_of(coding + 2 * p, 2 * p + 1 == words);
        before[p] = load_words(previous + 2 * p, 2 * p + 1 == words);
    }
    for (; done < *count && out <= full; done++, records += words) {
        uint8_t *front = out;
        out += PAIRS(words);
#pragma GCC unroll 4
        for (unsigned p = 0; p < PAIRS(words); p++) {
            const form *f = &forms[p];
            const __m128i both = load_words(records + 2 * p, 2 * p + 1 == words);
            const __m128i coded = to_differences(both, before[p], f);
            const unsigned bytes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(coded, _mm_setzero_si128())) ^ 0xffffu;
            const unsigned row = f->low_fours[bytes & 0xff] | (unsigned)f->high_fours[bytes >> 8] << 4;
            before[p] = both;
            front[p] = (uint8_t)row;
            _mm_storeu_si128((__m128i *)(void *)out, _mm_shuffle_epi8(coded, load(f->orders[row].written)));
            out += f->sizes[row];
        }
    }
    *count = done;
    return out;
}

FOR_WORDS size_t decode(const uint8_t **from, const uint8_t *end, uint64_t *records, size_t count, uint64_t *previous,
                        const uint8_t *coding, const unsigned words)
{
    form forms[PAIRS(MOST_WORDS)];
    __m128i before[PAIRS(MOST_WORDS)];
    const uint8_t *at = *from;
    size_t done = 0;
#pragma GCC unroll 4
    for (unsigned p = 0; p < PAIRS(words); p++) {
        forms[p] = form_of(coding + 2 * p, 2 * p + 1 == words);
        before[p] = load_words(previous + 2 * p, 2 * p + 1 == words);
    }
    for (; done < count && at < end; done++, records += words) {
        const uint8_t *front = at;
        at += PAIRS(words);
#pragma GCC unroll 4
        for (unsigned p = 0; p < PAIRS(words); p++) {
            const form *f = &forms[p];
            const unsigned row = front[p];
            const __m128i coded = _mm_shuffle_epi8(load(at), load(f->orders[row].read));
            at += f->sizes[row];
            before[p] = from_differences(coded, before[p], f);
            store_words(records + 2 * p, before[p], 2 * p + 1 == words);
        }
    }
#pragma GCC unroll 4
    for (unsigned p = 0; p < PAIRS(words); p++)
        store_words(previous + 2 * p, before[p], 2 * p + 1 == words);
    *from = at;
    return done;
}

#define DEFINE_CODER(words)                                                                                            \
    SSSE3 static uint8_t *encode_##words(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,    \
                                         const uint64_t *previous, const uint8_t *coding)                              \
    {                                                                                                                  \
        return encode(out, full, records, count, previous, coding, words);                                             \
    }                                                                                                                  \
    SSSE3 static size_t decode_##words(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count,        \
                                       uint64_t *previous, const uint8_t *coding)                                      \
    {                                                                                                                  \
        return decode(at, end, records, count, previous, coding, words);                                               \
    }

DEFINE_CODER(1)
DEFINE_CODER(2)
DEFINE_CODER(3)
DEFINE_CODER(4)
DEFINE_CODER(5)
DEFINE_CODER(6)
DEFINE_CODER(7)
DEFINE_CODER(8)

hsd_run_coder hsd_run_coder_shuffled(unsigned words)
{
    static const hsd_run_coder coders[MOST_WORDS] = {{encode_1, decode_1}, {encode_2, decode_2}, {encode_3, decode_3},
                                                     {encode_4, decode_4}, {encode_5, decode_5}, {encode_6, decode_6},
                                                     {encode_7, decode_7}, {encode_8, decode_8}};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    if (words > MOST_WORDS || !__builtin_cpu_supports("ssse3")) return (hsd_run_coder){NULL, NULL};
    pthread_once(&once, fill_tables);
    return coders[words - 1];
}

#else

hsd_run_coder hsd_run_coder_shuffled(unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    (void)words;
    return (hsd_run_coder){NULL, NULL};
}

#endif
