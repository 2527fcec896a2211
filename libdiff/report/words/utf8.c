/*
 * UTF-8 decoding by the table of well-formed sequences (Unicode 15, table 3-7): the second byte's
 * range depends on the first, which rules out overlong forms, surrogates and what is past U+10FFFF.
 */
#include "report/words/utf8.h"

/* The bytes that must follow a lead byte, and the range of the first of them. */
typedef struct lead {
    unsigned follow;
    unsigned char low, high;
    uint32_t bits;
} lead;

static lead lead_of(unsigned char byte)
{
    if (byte >= 0xC2 && byte <= 0xDF) return (lead){1, 0x80, 0xBF, byte & 0x1Fu};
    if (byte >= 0xE0 && byte <= 0xEF) {
        const unsigned char low = byte == 0xE0 ? 0xA0 : 0x80, high = byte == 0xED ? 0x9F : 0xBF;
        return (lead){2, low, high, byte & 0x0Fu};
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        const unsigned char low = byte == 0xF0 ? 0x90 : 0x80, high = byte == 0xF4 ? 0x8F : 0xBF;
        return (lead){3, low, high, byte & 0x07u};
    }
    return (lead){0, 0, 0, 0};
}

size_t hsd_utf8_next(const char *bytes, size_t size, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)bytes;
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    const lead first = lead_of(p[0]);
    uint32_t value = first.bits;
    *code = HSD_UTF8_BAD;
    if (first.follow == 0) return 1;
    for (unsigned i = 1; i <= first.follow; i++) {
        const unsigned char low = i == 1 ? first.low : 0x80, high = i == 1 ? first.high : 0xBF;
        if (i >= size || p[i] < low || p[i] > high) return i;
        value = value << 6 | (p[i] & 0x3Fu);
    }
    *code = value;
    return first.follow + 1;
}

size_t hsd_utf8_put(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80u | (code & 0x3Fu));
        code >>= 6;
    }
    const unsigned marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(marks[length] | code);
    return length;
}
