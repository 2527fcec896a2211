/*
 * Reads number arrays, the hot path of the V8 importer. Two thirds of the time of an import would go
 * into a loop over digits; this one needs about two nanoseconds a number.
 *
 * The idea: look at 64 bytes at once. Compares give one bit a byte, "digit" or not; a shift of that
 * mask against itself gives the places where numbers start and end. Walking the set bits yields
 * (start, end) pairs that do not depend on each other, so the processor converts several at a time,
 * where a digit loop has to wait for each comparison.
 *
 *      bytes    9 , 1 2 , 3 \n , 4 5 6
 *      digits   1 0 1 1 0 1 0  0 1 1 1
 *      starts   1 0 1 0 0 1 0  0 1 0 0      digits & ~(digits << 1)
 *      ends     0 1 0 0 1 0 1  0 0 0 0      ~digits & (digits << 1)
 *
 * A number is converted by the eight bytes that end with it: shifting out what stands before it and
 * three multiplications. Whatever is not plain (a sign, the closing bracket, the first and last bytes
 * of the window) goes through read_one, which looks at everything.
 */
#include "import/v8_numbers.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Longest text of a number that is told apart from nonsense: sign, 20 digits, what ends it. */
#define NUMBER_PEEK_BYTES ((size_t)32)
/* What stands before a number that the fast path converts must be readable. */
#define BEFORE_BYTES 16
#define BLOCK_BYTES  64
/* At most every second byte of a block ends a number. */
#define BLOCK_NUMBERS (BLOCK_BYTES / 2)

/* ---- 64 bytes at once ---- */

static uint64_t load_word(const uint8_t *at)
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

/* The high bit of each byte of `word` that equals `byte`. */
static uint64_t bytes_equal(uint64_t word, uint8_t byte)
{
    const uint64_t other = word ^ ONES * byte;
    return ~((((other & ~HIGH) + ~HIGH) | other) | ~HIGH);
}

/* The high bits of eight bytes, side by side. */
static uint64_t gather_high(uint64_t word)
{
    return ((word >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

hsd_v8_masks hsd_v8_classify_words(const uint8_t *bytes)
{
    hsd_v8_masks masks = {0, 0};
    for (unsigned i = 0; i < BLOCK_BYTES / 8; i++) {
        const uint64_t word = load_word(bytes + i * 8);
        const uint64_t value = word ^ ONES * '0';
        const uint64_t digits = ~(((value & ~HIGH) + ONES * (0x80 - 10)) | value) & HIGH;
        const uint64_t separators = bytes_equal(word, ',') | bytes_equal(word, '\n') |
                                    bytes_equal(word, ' ') | bytes_equal(word, '\r') |
                                    bytes_equal(word, '\t');
        masks.digits |= gather_high(digits) << i * 8;
        masks.plain |= gather_high(digits | separators) << i * 8;
    }
    return masks;
}

#if defined(__SSE2__)
static inline uint64_t move_mask(__m128i v) { return (uint64_t)(unsigned)_mm_movemask_epi8(v); }

static inline hsd_v8_masks classify(const uint8_t *bytes)
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
#else
static inline hsd_v8_masks classify(const uint8_t *bytes) { return hsd_v8_classify_words(bytes); }
#endif

hsd_v8_masks hsd_v8_classify(const uint8_t *bytes) { return classify(bytes); }

/* ---- text to number ---- */

/* The 1 to 8 digits that end before `end`; the eight bytes before it are read. */
static inline uint64_t convert_short(const uint8_t *end, size_t length)
{
    uint64_t v = load_word(end - 8) & ONES * 0x0f;
    v &= ~UINT64_C(0) << (64 - length * 8);
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
}

static inline uint64_t convert(const uint8_t *start, const uint8_t *end)
{
    const size_t length = (size_t)(end - start);
    if (__builtin_expect(length <= 8, 1)) return convert_short(end, length);
    return convert_short(end - 8, length - 8) * 100000000 + convert_short(end, 8);
}

/*
 * Whole numbers from [at, end), as long as all is plain and `out` has room for a block's worth. *at is
 * moved behind the last number taken. BEFORE_BYTES before *at can be read.
 */
static size_t read_plain(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity)
{
    const uint8_t *p = *at, *start = p;
    uint64_t carry = 0; /* 1: the byte before p is a digit, of the number at `start` */
    size_t count = 0;
    while (end - p >= BLOCK_BYTES && capacity - count >= BLOCK_NUMBERS) {
        const hsd_v8_masks masks = classify(p);
        if (masks.plain != UINT64_MAX) break;
        const uint64_t shifted = masks.digits << 1 | carry;
        uint64_t ends = ~masks.digits & shifted, starts = masks.digits & ~shifted;
        if (carry == 0) {
            start = p + __builtin_ctzll(starts | UINT64_C(1) << 63);
            starts &= starts - 1;
        }
        while (ends != 0) {
            const uint8_t *stop = p + __builtin_ctzll(ends);
            if (__builtin_expect(stop - start > BEFORE_BYTES, 0)) goto out;
            out[count++] = convert(start, stop);
            *at = stop;
            ends &= ends - 1;
            start = p + __builtin_ctzll(starts | UINT64_C(1) << 63);
            starts &= starts - 1;
        }
        carry = masks.digits >> 63;
        p += BLOCK_BYTES;
        if (carry == 0) *at = p;
    }
out:
    return count;
}

/* ---- the careful way ---- */

static hsd_status fail_truncated(const hsd_v8_numbers *n, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(n->source) + hsd_source_ahead(n->source);
    hsd_fail_at(err, HSD_E_TRUNCATED, offset,
                "the snapshot ends inside its list of %s, after %llu numbers", n->what,
                (unsigned long long)n->count);
    return HSD_E_TRUNCATED;
}

static hsd_status fail_corrupt(const hsd_v8_numbers *n, const char *found, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(n->source), "%s in the list of %s",
                       found, n->what);
}

static bool is_separator(uint8_t c)
{
    return c == ',' || c == '\n' || c == ' ' || c == '\r' || c == '\t';
}
static bool is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* Moves to the first byte that is no separator. HSD_END at the end of the input. */
static hsd_status skip_separators(hsd_source *source, hsd_error *err)
{
    for (;;) {
        while (source->at < source->end && is_separator(*source->at))
            source->at++;
        if (source->at < source->end) return HSD_OK;
        const hsd_status status = hsd_source_fill(source, 1, err);
        if (status != HSD_OK) return status;
    }
}

/* One number, of which NUMBER_PEEK_BYTES or all that is left can be seen. HSD_END: cut off by the
 * end of the input. */
static hsd_status parse_one(hsd_v8_numbers *n, uint64_t *out, hsd_error *err)
{
    hsd_source *source = n->source;
    const uint8_t *p = source->at;
    const bool is_negative = *p == '-';
    if (is_negative) p++;
    const uint8_t *first = p;
    uint64_t value = 0;
    for (; p < source->end && is_digit(*p); p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return fail_corrupt(n, "a number past 2^64", err);
    if (p - first >= (ptrdiff_t)NUMBER_PEEK_BYTES - 2)
        return fail_corrupt(n, "a number of too many digits", err);
    if (p == source->end) return HSD_END;
    if (p == first || !(is_separator(*p) || *p == ']'))
        return fail_corrupt(n, "something that is no whole number", err);
    *out = is_negative ? UINT64_C(0) - value : value;
    source->at = p;
    return HSD_OK;
}

/* The next number the careful way; HSD_END at the closing bracket, which is taken. */
static hsd_status read_one(hsd_v8_numbers *n, uint64_t *out, hsd_error *err)
{
    hsd_source *source = n->source;
    hsd_status status = skip_separators(source, err);
    if (status == HSD_END) return fail_truncated(n, err);
    HSD_TRY(status);
    if (*source->at == ']') {
        hsd_source_take(source, 1);
        n->is_at_end = true;
        return HSD_END;
    }
    status = hsd_source_peek(source, NUMBER_PEEK_BYTES, err);
    if (status < 0) return status;
    status = parse_one(n, out, err);
    return status == HSD_END ? fail_truncated(n, err) : status;
}

/* ---- the list ---- */

hsd_status hsd_v8_numbers_begin(hsd_v8_numbers *numbers, hsd_source *source, const char *what,
                                hsd_error *err)
{
    *numbers = (hsd_v8_numbers){.source = source, .what = what};
    const hsd_status status = hsd_source_peek(source, 1, err);
    if (status == HSD_END) return fail_truncated(numbers, err);
    HSD_TRY(status);
    if (*source->at != '[') return fail_corrupt(numbers, "no opening bracket", err);
    hsd_source_take(source, 1);
    return HSD_OK;
}

hsd_status hsd_v8_numbers_read(hsd_v8_numbers *numbers, uint64_t *out, size_t capacity,
                               size_t *count, hsd_error *err)
{
    hsd_source *source = numbers->source;
    size_t got = 0;
    *count = 0;
    while (got < capacity && !numbers->is_at_end) {
        const hsd_status filled = hsd_source_peek(source, BLOCK_BYTES, err);
        if (filled < 0) return filled;
        if (source->at - source->window >= BEFORE_BYTES) {
            const size_t step = read_plain(&source->at, source->end, out + got, capacity - got);
            got += step;
            numbers->count += step;
            *count = got;
            if (step > 0) continue;
        }
        const hsd_status status = read_one(numbers, &out[got], err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        numbers->count++;
        *count = ++got;
    }
    return HSD_OK;
}

hsd_status hsd_v8_numbers_skip(hsd_v8_numbers *numbers, hsd_error *err)
{
    hsd_source *source = numbers->source;
    while (!numbers->is_at_end) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status == HSD_END) return fail_truncated(numbers, err);
        HSD_TRY(status);
        const uint8_t *found = memchr(source->at, ']', hsd_source_ahead(source));
        numbers->is_at_end = found != NULL;
        source->at = found == NULL ? source->end : found + 1;
    }
    return HSD_OK;
}
