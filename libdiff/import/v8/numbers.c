/*
 * Reads number arrays, the hot path of the V8 importer: stretches that are plain by digits.c, some gigabytes a second.
 * Whatever is not plain (a sign, the closing bracket, the first and last bytes of the window) goes through read_one,
 * which looks at everything.
 */
#include "import/v8/digits.h"
#include "import/v8/pump.h"

#include <string.h>

/* Longest text of a number that is told apart from nonsense: sign, 20 digits, what ends it. */
#define NUMBER_PEEK_BYTES ((size_t)32)

/* ---- the careful way ---- */

static hsd_status fail_truncated(const hsd_v8_numbers *n, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(n->source) + hsd_source_ahead(n->source);
    hsd_fail_at(err, HSD_E_TRUNCATED, offset, "the snapshot ends inside its list of %s, after %llu numbers", n->what,
                (unsigned long long)n->count);
    return HSD_E_TRUNCATED;
}

static hsd_status fail_corrupt(const hsd_v8_numbers *n, const char *found, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(n->source), "%s in the list of %s", found, n->what);
}

static bool is_separator(uint8_t c) { return c == ',' || c == '\n' || c == ' ' || c == '\r' || c == '\t'; }
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
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return fail_corrupt(n, "a number past 2^64", err);
    if (p - first >= (ptrdiff_t)NUMBER_PEEK_BYTES - 2) return fail_corrupt(n, "a number of too many digits", err);
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

hsd_status hsd_v8_numbers_begin(hsd_v8_numbers *numbers, hsd_source *source, const char *what, hsd_error *err)
{
    *numbers = (hsd_v8_numbers){.source = source, .what = what};
    const hsd_status status = hsd_source_peek(source, 1, err);
    if (status == HSD_END) return fail_truncated(numbers, err);
    HSD_TRY(status);
    if (*source->at != '[') return fail_corrupt(numbers, "no opening bracket", err);
    hsd_source_take(source, 1);
    numbers->start = hsd_source_offset(source);
    return HSD_OK;
}

hsd_status hsd_v8_numbers_read(hsd_v8_numbers *numbers, uint64_t *out, size_t capacity, size_t *count, hsd_error *err)
{
    hsd_source *source = numbers->source;
    const hsd_v8_digits read_plain = hsd_v8_digits_best();
    size_t got = 0;
    if (numbers->pump != NULL) return hsd_v8_pump_read(numbers, out, capacity, count, err);
    *count = 0;
    while (got < capacity && !numbers->is_at_end) {
        const hsd_status filled = hsd_source_peek(source, HSD_V8_DIGITS_BLOCK, err);
        if (filled < 0) return filled;
        if (source->at - source->window >= HSD_V8_DIGITS_BEFORE) {
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
