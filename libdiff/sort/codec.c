/*
 * The codec of runs, for any machine.
 *
 *      record of three words    lengths      bytes of word 0   of word 1   of word 2
 *                               4 bits each  0..8              0..8        0..8
 *
 * The lengths of all words stand in front, four bits each, then the lowest bytes of each word, so a word
 * is read by one load and one mask and no branch depends on the data. A word is stored as it is or as its
 * difference to the record before, whichever is shorter in a sample taken when the run begins: the first
 * key word nearly always shrinks (sorted neighbours are close), payload seldom does.
 *
 * Many words are two numbers of 32 bits, side by side: then each half is stored by itself, the higher one first, in 0,
 * 1, 3 or 4 bytes, and the four bits are two and two. A record of the dominator tree has 12 bytes so, not 21.
 */
#include "sort/codec.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define SAMPLE_PAIRS ((size_t)512)

/* All loops over words are written once and compiled for each number of words. */
#define FOR_WORDS static inline __attribute__((always_inline))

static inline uint64_t fold_sign(uint64_t difference) { return (difference << 1) ^ ((uint64_t)0 - (difference >> 63)); }

static inline uint64_t unfold_sign(uint64_t folded) { return (folded >> 1) ^ ((uint64_t)0 - (folded & 1)); }

static inline unsigned length_of(uint64_t word) { return word == 0 ? 0 : (71 - (unsigned)__builtin_clzll(word)) >> 3; }

static inline uint64_t little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* ---- halves */

static inline uint32_t fold_half(uint32_t difference) { return (difference << 1) ^ ((uint32_t)0 - (difference >> 31)); }

static inline uint32_t unfold_half(uint32_t folded) { return (folded >> 1) ^ ((uint32_t)0 - (folded & 1)); }

static const uint8_t half_lengths[4] = {0, 1, 3, 4}; /* of two bits */

typedef struct half_form { /* of four bits */
    uint32_t high_mask, low_mask;
    uint8_t high_bits, bytes; /* of the high half, and of both */
} half_form;

#define HALF_FORM(high, high_mask, low, low_mask)                                                                      \
    {                                                                                                                  \
        high_mask, low_mask, 8 * (high), (high) + (low)                                                                \
    }
#define HALF_FORMS(high, high_mask)                                                                                    \
    HALF_FORM(high, high_mask, 0, 0), HALF_FORM(high, high_mask, 1, UINT32_C(0xff)),                                   \
        HALF_FORM(high, high_mask, 3, UINT32_C(0xffffff)), HALF_FORM(high, high_mask, 4, UINT32_MAX)

static const half_form half_forms[16] = {HALF_FORMS(0, 0), HALF_FORMS(1, UINT32_C(0xff)),
                                         HALF_FORMS(3, UINT32_C(0xffffff)), HALF_FORMS(4, UINT32_MAX)};

static inline unsigned half_code(uint32_t half)
{
    return (unsigned)(half != 0) + (half >> 8 != 0) + (half >> 24 != 0); /* no branch: nobody can foresee it */
}

static inline uint32_t high_of(uint64_t word, uint64_t before, unsigned coding)
{
    const uint32_t high = (uint32_t)(word >> 32);
    return coding & HSD_WORD_HALVES_HIGH_DELTA ? fold_half(high - (uint32_t)(before >> 32)) : high;
}

static inline uint32_t low_of(uint64_t word, uint64_t before, unsigned coding)
{
    const uint32_t low = (uint32_t)word;
    return coding & HSD_WORD_HALVES_LOW_DELTA ? fold_half(low - (uint32_t)before) : low;
}

/* Both halves one behind the other; their lengths in bits go to *code, in bytes are returned. */
static inline unsigned pack_halves(uint64_t word, uint64_t before, unsigned coding, uint64_t *packed, unsigned *code)
{
    const uint32_t high = high_of(word, before, coding), low = low_of(word, before, coding);
    const unsigned high_code = half_code(high), low_code = half_code(low);
    *code = high_code << 2 | low_code;
    *packed = (uint64_t)high | (uint64_t)low << 8 * half_lengths[high_code];
    return half_lengths[high_code] + half_lengths[low_code];
}

/* ---- choosing the coding */

static const uint8_t codings[] = {
    HSD_WORD_PLAIN,
    HSD_WORD_DELTA,
    HSD_WORD_HALVES,
    HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA,
    HSD_WORD_HALVES | HSD_WORD_HALVES_LOW_DELTA,
    HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA | HSD_WORD_HALVES_LOW_DELTA,
};

static unsigned coded_length(uint64_t word, uint64_t before, unsigned coding)
{
    uint64_t packed;
    unsigned code;
    if (coding & HSD_WORD_HALVES) return pack_halves(word, before, coding, &packed, &code);
    return length_of(coding == HSD_WORD_DELTA ? fold_sign(word - before) : word);
}

void hsd_run_choose_coding(uint8_t coding[HSD_SORT_MAX_WORDS], const uint64_t *sample, size_t count, unsigned words)
{
    uint64_t bytes[HSD_SORT_MAX_WORDS][HSD_ARRAY_LEN(codings)] = {{0}};
    const size_t step = count / SAMPLE_PAIRS + 1;
    for (size_t i = 1; i < count; i += step) {
        const uint64_t *now = sample + i * words, *before = now - words;
        for (unsigned w = 0; w < words; w++)
            for (size_t c = 0; c < HSD_ARRAY_LEN(codings); c++)
                bytes[w][c] += coded_length(now[w], before[w], codings[c]);
    }
    memset(coding, HSD_WORD_PLAIN, HSD_SORT_MAX_WORDS);
    for (unsigned w = 0; w < words; w++) {
        size_t best = 0;
        for (size_t c = 1; c < HSD_ARRAY_LEN(codings); c++)
            if (bytes[w][c] < bytes[w][best]) best = c;
        coding[w] = codings[best];
    }
}

/* ---- the codec, for each number of words */

FOR_WORDS uint8_t *encode_one(uint8_t *out, const uint64_t *record, const uint64_t *previous, const uint8_t *codes,
                              const unsigned words)
{
    uint8_t *front = out;
    uint64_t lengths = 0;
    out += (words + 1) / 2;
#pragma GCC unroll 8
    for (unsigned w = 0; w < words; w++) {
        uint64_t word;
        unsigned length, code;
        if (codes[w] & HSD_WORD_HALVES) {
            length = pack_halves(record[w], previous[w], codes[w], &word, &code);
        } else {
            word = codes[w] == HSD_WORD_DELTA ? fold_sign(record[w] - previous[w]) : record[w];
            length = code = length_of(word);
        }
        const uint64_t bytes = little_endian(word);
        memcpy(out, &bytes, 8); /* what is behind the length is overwritten by what follows */
        out += length;
        lengths |= (uint64_t)code << 4 * w;
    }
    lengths = little_endian(lengths);
    memcpy(front, &lengths, (words + 1) / 2);
    return out;
}

FOR_WORDS uint8_t *encode(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,
                          const uint64_t *previous, const uint8_t *coding, const unsigned words)
{
    uint8_t codes[HSD_SORT_MAX_WORDS]; /* as in decode */
    size_t done = 0;
    memcpy(codes, coding, sizeof codes);
    for (; done < *count && out <= full; done++, previous = records, records += words)
        out = encode_one(out, records, previous, codes, words);
    *count = done;
    return out;
}

static inline uint64_t unpack_halves(uint64_t packed, uint64_t before, unsigned coding, const half_form *form)
{
    uint32_t high = (uint32_t)packed & form->high_mask;
    uint32_t low = (uint32_t)(packed >> form->high_bits) & form->low_mask;
    if (coding & HSD_WORD_HALVES_HIGH_DELTA) high = (uint32_t)(before >> 32) + unfold_half(high);
    if (coding & HSD_WORD_HALVES_LOW_DELTA) low = (uint32_t)before + unfold_half(low);
    return (uint64_t)high << 32 | low;
}

FOR_WORDS size_t decode(const uint8_t **from, const uint8_t *end, uint64_t *records, size_t count, uint64_t *previous,
                        const uint8_t *coding, const unsigned words)
{
    static const uint64_t masks[16] = {
        0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX, 0, 0,
        0, 0,    0,      0,        0}; /* lengths above 8 are damage: hsd_run_reader_refill finds it */
    const uint8_t *at = *from;
    const uint64_t *last = previous; /* the record before */
    size_t done = 0;
    /* not told apart from what is written through other pointers, the coding would be read each time */
    uint8_t codes[HSD_SORT_MAX_WORDS];
    memcpy(codes, coding, sizeof codes);
    for (; done < count && at < end; done++, last = records, records += words) {
        uint64_t lengths;
        memcpy(&lengths, at, sizeof lengths);
        lengths = little_endian(lengths);
        at += (words + 1) / 2;
#pragma GCC unroll 8
        for (unsigned w = 0; w < words; w++) {
            const unsigned length = (unsigned)(lengths >> 4 * w) & 15u;
            uint64_t word;
            memcpy(&word, at, 8);
            word = little_endian(word);
            if (codes[w] & HSD_WORD_HALVES) {
                const half_form *form = &half_forms[length];
                records[w] = unpack_halves(word, last[w], codes[w], form);
                at += form->bytes;
                continue;
            }
            at += length;
            word &= masks[length];
            if (codes[w] == HSD_WORD_DELTA) word = last[w] + unfold_sign(word);
            records[w] = word;
        }
    }
    if (last != previous) memcpy(previous, last, words * sizeof *previous);
    *from = at;
    return done;
}

/* More than eight are sorted seldom: these share one. */
static __attribute__((noinline)) uint8_t *encode_long(uint8_t *out, const uint8_t *full, const uint64_t *records,
                                                      size_t *count, const uint64_t *previous, const uint8_t *coding,
                                                      unsigned words)
{
    return encode(out, full, records, count, previous, coding, words);
}

static __attribute__((noinline)) size_t decode_long(const uint8_t **at, const uint8_t *end, uint64_t *records,
                                                    size_t count, uint64_t *previous, const uint8_t *coding,
                                                    unsigned words)
{
    return decode(at, end, records, count, previous, coding, words);
}

#define DEFINE_CODEC(encode, decode, words)                                                                            \
    static uint8_t *encode_##words(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,          \
                                   const uint64_t *previous, const uint8_t *coding)                                    \
    {                                                                                                                  \
        return encode(out, full, records, count, previous, coding, words);                                             \
    }                                                                                                                  \
    static size_t decode_##words(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count,              \
                                 uint64_t *previous, const uint8_t *coding)                                            \
    {                                                                                                                  \
        return decode(at, end, records, count, previous, coding, words);                                               \
    }

DEFINE_CODEC(encode, decode, 1)
DEFINE_CODEC(encode, decode, 2)
DEFINE_CODEC(encode, decode, 3)
DEFINE_CODEC(encode, decode, 4)
DEFINE_CODEC(encode, decode, 5)
DEFINE_CODEC(encode, decode, 6)
DEFINE_CODEC(encode, decode, 7)
DEFINE_CODEC(encode, decode, 8)
DEFINE_CODEC(encode_long, decode_long, 9)
DEFINE_CODEC(encode_long, decode_long, 10)
DEFINE_CODEC(encode_long, decode_long, 11)
DEFINE_CODEC(encode_long, decode_long, 12)

static hsd_run_encode *const encoders[] = {encode_1, encode_2, encode_3, encode_4,  encode_5,  encode_6,
                                           encode_7, encode_8, encode_9, encode_10, encode_11, encode_12};
static hsd_run_decode *const decoders[] = {decode_1, decode_2, decode_3, decode_4,  decode_5,  decode_6,
                                           decode_7, decode_8, decode_9, decode_10, decode_11, decode_12};

_Static_assert(HSD_ARRAY_LEN(encoders) == HSD_SORT_MAX_WORDS && HSD_ARRAY_LEN(decoders) == HSD_SORT_MAX_WORDS,
               "each number of words has its codec");

hsd_run_coder hsd_run_coder_plain(unsigned words)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    return (hsd_run_coder){encoders[words - 1], decoders[words - 1]};
}

hsd_run_coder hsd_run_coder_best(unsigned words)
{
    const hsd_run_coder shuffled = hsd_run_coder_shuffled(words);
    return shuffled.encode != NULL ? shuffled : hsd_run_coder_plain(words);
}
