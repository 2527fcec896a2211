/*
 * Names of .NET types, from what the runtime writes to what people write. No recursion: generic arguments nest by
 * brackets, and a bracket is that of an array if nothing but commas and stars stand in it.
 */
#include "import/nettrace/types.h"

#define REPLACEMENT UINT32_C(0xfffd)

static hsd_status append_character(hsd_buffer *out, uint32_t c, hsd_error *err)
{
    uint8_t bytes[4];
    size_t size = 1;
    if (c < 0x80) {
        bytes[0] = (uint8_t)c;
    } else if (c < 0x800) {
        bytes[0] = (uint8_t)(0xc0 | c >> 6);
        size = 2;
    } else if (c < 0x10000) {
        bytes[0] = (uint8_t)(0xe0 | c >> 12);
        size = 3;
    } else {
        bytes[0] = (uint8_t)(0xf0 | c >> 18);
        size = 4;
    }
    for (size_t i = 1; i < size; i++)
        bytes[i] = (uint8_t)(0x80 | (c >> (6 * (size - 1 - i)) & 0x3f));
    return hsd_buffer_append(out, bytes, size, err);
}

static bool is_lead(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
static bool is_trail(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

hsd_status hsd_nettrace_utf8(hsd_buffer *out, hsd_bytes units, hsd_error *err)
{
    for (size_t i = 0; i + 2 <= units.size; i += 2) {
        uint32_t c = (uint32_t)nettrace_at(units.data + i, 2);
        const uint32_t next = i + 4 <= units.size ? (uint32_t)nettrace_at(units.data + i + 2, 2) : 0;
        if (is_lead(c) && is_trail(next)) {
            c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
            i += 2;
        } else if (is_lead(c) || is_trail(c)) {
            c = REPLACEMENT;
        }
        HSD_TRY(append_character(out, c, err));
    }
    return HSD_OK;
}

/* Where the bracket at `at` closes if it is that of an array; 0 if it holds generic arguments. */
static size_t array_end(hsd_bytes name, size_t at)
{
    for (size_t i = at + 1; i < name.size; i++) {
        if (name.data[i] == ']') return i;
        if (name.data[i] != ',' && name.data[i] != '*') return 0;
    }
    return 0;
}

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Behind the number of parameters at `at`, which is a backtick. */
static size_t arity_end(hsd_bytes name, size_t at)
{
    size_t i = at + 1;
    while (i < name.size && is_digit(name.data[i]))
        i++;
    return i;
}

hsd_status hsd_nettrace_pretty(hsd_buffer *out, hsd_bytes name, hsd_error *err)
{
    size_t depth = 0, i = 0;
    while (i < name.size) {
        const uint8_t byte = name.data[i];
        const size_t closing = byte == '[' ? array_end(name, i) : 0;
        if (closing != 0) {
            HSD_TRY(hsd_buffer_append(out, name.data + i, closing + 1 - i, err));
            i = closing + 1;
        } else if (byte == '`' && arity_end(name, i) > i + 1) {
            i = arity_end(name, i);
        } else {
            const char *text = NULL;
            if (byte == '[') {
                text = "<";
                depth++;
            } else if (byte == ']' && depth > 0) {
                text = ">";
                depth--;
            } else if (byte == '+') {
                text = ".";
            } else if (byte == ',' && depth > 0) {
                text = ", ";
            }
            HSD_TRY(text == NULL ? hsd_buffer_append(out, &byte, 1, err)
                                 : hsd_buffer_append(out, text, text[1] == ' ' ? 2 : 1, err));
            i++;
        }
    }
    return HSD_OK;
}
