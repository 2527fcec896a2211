/* Bech32, read. See bech32.h. */
#include "crypt/bech32.h"

#include <string.h>

#include "crypt/primitives.h"

enum { LETTER_BITS = 5, CHECKSUM_LETTERS = 6, TEXT_MAX = 256 };

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* The value of a letter, or -1. */
static int value_of(char c)
{
    static const char letters[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const char *found = c == '\0' ? NULL : strchr(letters, small(c));
    return found == NULL ? -1 : (int)(found - letters);
}

/* One step of the checksum, a BCH code over GF(32). */
static uint32_t step(uint32_t sum, unsigned value)
{
    static const uint32_t generator[LETTER_BITS] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    const uint32_t top = sum >> 25;
    sum = (sum & 0x1ffffff) << 5 ^ value;
    for (unsigned i = 0; i < LETTER_BITS; i++)
        if ((top >> i & 1) != 0) sum ^= generator[i];
    return sum;
}

static uint32_t sum_of_prefix(const char *prefix)
{
    uint32_t sum = 1;
    for (const char *at = prefix; *at != '\0'; at++)
        sum = step(sum, (unsigned char)*at >> 5);
    sum = step(sum, 0);
    for (const char *at = prefix; *at != '\0'; at++)
        sum = step(sum, *at & 31);
    return sum;
}

static bool is_of_one_case(const char *text, size_t size)
{
    bool has_small = false, has_capital = false;
    for (size_t i = 0; i < size; i++) {
        has_small = has_small || (text[i] >= 'a' && text[i] <= 'z');
        has_capital = has_capital || (text[i] >= 'A' && text[i] <= 'Z');
    }
    return !has_small || !has_capital;
}

static bool begins_with(const char *text, size_t size, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (size <= length || text[length] != '1') return false;
    for (size_t i = 0; i < length; i++)
        if (small(text[i]) != prefix[i]) return false;
    return true;
}

/* Five bits a letter into eight a byte; what is left over is padding, and zero. */
static bool unpack_letters(uint8_t *out, size_t out_size, const char *letters, size_t count)
{
    uint32_t bits = 0;
    unsigned have = 0;
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        bits = (bits << LETTER_BITS | (uint32_t)value_of(letters[i])) & 0xfff;
        have += LETTER_BITS;
        if (have < 8) continue;
        have -= 8;
        if (written == out_size) return false;
        out[written++] = (uint8_t)(bits >> have);
    }
    return written == out_size && have < LETTER_BITS && (bits & ((1u << have) - 1)) == 0;
}

const char *hsd_bech32_decode(uint8_t *out, size_t out_size, const char *prefix, const char *text, size_t size)
{
    if (size > TEXT_MAX) return "it is too long";
    if (!begins_with(text, size, prefix)) return "it does not begin as one";
    if (!is_of_one_case(text, size)) return "it has small and capital letters";
    const char *letters = text + strlen(prefix) + 1;
    const size_t count = size - strlen(prefix) - 1;
    if (count < CHECKSUM_LETTERS) return "it is too short";
    uint32_t sum = sum_of_prefix(prefix);
    for (size_t i = 0; i < count; i++) {
        const int value = value_of(letters[i]);
        if (value < 0) return "there is a letter in it that keys do not have";
        sum = step(sum, (unsigned)value);
    }
    if (sum != 1) return "its checksum does not fit: it was mistyped or cut";
    if (unpack_letters(out, out_size, letters, count - CHECKSUM_LETTERS)) return NULL;
    hsd_forget_secret(out, out_size);
    return "it has another length";
}
