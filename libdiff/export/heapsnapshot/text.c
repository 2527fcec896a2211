/*
 * Strings of JSON. See text.h.
 */
#include "export/heapsnapshot/text.h"

#include <stdbool.h>

const char hsd_snap_digits[200] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

const uint64_t hsd_snap_powers[HSD_SNAP_NUMBER_BYTES] = {
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
    UINT64_MAX,
};

#define REPLACEMENT   UINT32_C(0xfffd)
#define ESCAPED_BYTES ((size_t)12) /* of one character: two halves of \uXXXX */

/* The bytes that follow a first one, and what the first one says; 0 = it is none. */
static unsigned begin_character(uint8_t first, uint32_t *out)
{
    if (first >= 0xc2 && first <= 0xdf) {
        *out = first & 0x1fu;
        return 1;
    }
    if (first >= 0xe0 && first <= 0xef) {
        *out = first & 0x0fu;
        return 2;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        *out = first & 0x07u;
        return 3;
    }
    return 0;
}

/* Not the shortest form, half of a pair, or past the last character. */
static bool is_wrong(uint32_t character, unsigned more)
{
    if (more == 2) return character < 0x800 || (character >= 0xd800 && character <= 0xdfff);
    return more == 3 && (character < 0x10000 || character > 0x10ffff);
}

/* The character beyond ASCII at text[*at], which moves behind it. What is none moves by one byte. */
static uint32_t take_character(hsd_bytes text, size_t *at)
{
    uint32_t character;
    const size_t from = (*at)++;
    const unsigned more = begin_character(text.data[from], &character);
    if (more == 0 || text.size - from <= more) return REPLACEMENT;
    for (unsigned i = 1; i <= more; i++) {
        const uint8_t byte = text.data[from + i];
        if ((byte & 0xc0u) != 0x80u) return REPLACEMENT;
        character = character << 6 | (byte & 0x3fu);
    }
    if (is_wrong(character, more)) return REPLACEMENT;
    *at = from + more + 1;
    return character;
}

static uint8_t *put_unit(uint8_t *at, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    *at++ = '\\';
    *at++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *at++ = (uint8_t)hex[unit >> shift & 15];
    return at;
}

static uint8_t *put_character(uint8_t *at, uint32_t character)
{
    if (character < 0x10000) return put_unit(at, character);
    character -= 0x10000;
    at = put_unit(at, 0xd800 + (character >> 10));
    return put_unit(at, 0xdc00 + (character & 0x3ff));
}

static uint8_t *put_ascii(uint8_t *at, uint8_t byte)
{
    static const char named[] = "\b\f\n\r\t", letters[] = "bfnrt";
    if (byte == '"' || byte == '\\') *at++ = '\\';
    if (byte >= 0x20 && byte < 0x7f) {
        *at++ = byte;
        return at;
    }
    const char *name = byte == 0 ? NULL : strchr(named, byte);
    if (name == NULL) return put_unit(at, byte);
    *at++ = '\\';
    *at++ = (uint8_t)letters[name - named];
    return at;
}

hsd_status hsd_snap_quote(hsd_buffer *out, hsd_bytes text, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(out, "\"", 1, err));
    for (size_t i = 0; i < text.size;) {
        HSD_TRY(hsd_buffer_reserve(out, ESCAPED_BYTES, err));
        uint8_t *at = out->data + out->size;
        if (text.data[i] < 0x80)
            at = put_ascii(at, text.data[i++]);
        else
            at = put_character(at, take_character(text, &i));
        out->size = (size_t)(at - out->data);
    }
    return hsd_buffer_append(out, "\"", 1, err);
}
