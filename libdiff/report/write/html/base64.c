/* Base64, a line at a time. */
#include "report/write/html/base64.h"

#define LINE_BYTES 768u /* 1,024 characters */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(char *text, const uint8_t *data, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t rest = (uint32_t)(size - i), word = (uint32_t)data[i] << 16 |
                                                           (rest > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                                                           (rest > 2 ? data[i + 2] : 0u);
        text[used++] = digits[word >> 18];
        text[used++] = digits[word >> 12 & 63];
        text[used++] = rest > 1 ? digits[word >> 6 & 63] : '=';
        text[used++] = rest > 2 ? digits[word & 63] : '=';
    }
    text[used++] = '\n';
    return used;
}

void hsd_base64(hsd_out *out, const uint8_t *data, size_t size)
{
    char line[LINE_BYTES / 3 * 4 + 1];
    for (size_t at = 0; at < size; at += LINE_BYTES) {
        const size_t rest = size - at, step = rest < LINE_BYTES ? rest : LINE_BYTES;
        hsd_out_bytes(out, line, encode(line, data + at, step));
    }
}
