/*
 * Previews of values as contents of arrays. What the importer of dumps wrote of an array of a JVM is text where all of
 * it can be shown, else its first numbers: "1, 2, 3, ...". Which of the two it is, the number of elements says.
 */
#include "export/hprof/hout.h"

/* The next character of UTF-8; what is none counts as a byte by itself. */
static uint32_t next_character(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    const uint32_t first = *p++;
    const unsigned more = first >= 0xf0 && first < 0xf8   ? 3
                          : first >= 0xe0 && first < 0xf0 ? 2
                          : first >= 0xc2 && first < 0xe0 ? 1
                                                          : 0;
    uint32_t value = more == 3 ? first & 7 : more == 2 ? first & 15 : more == 1 ? first & 31 : first;
    if (more > 0 && (size_t)(end - p) >= more) {
        for (unsigned i = 0; i < more; i++) {
            if ((p[i] & 0xc0) != 0x80) goto alone;
            value = value << 6 | (p[i] & 0x3fu);
        }
        *at = p + more;
        return value;
    }
    if (more == 0) {
        *at = p;
        return value;
    }
alone:
    *at = p;
    return first;
}

static hsd_status append_unit(hsd_buffer *out, uint32_t unit, unsigned width, hsd_error *err)
{
    const uint8_t bytes[2] = {(uint8_t)(unit >> 8), (uint8_t)unit};
    return width == 2 ? hsd_buffer_append(out, bytes, 2, err) : hsd_buffer_append(out, bytes + 1, 1, err);
}

hsd_status hsd_hout_to_units(hsd_buffer *out, const void *text, size_t size, unsigned width, hsd_error *err)
{
    const uint8_t *at = text, *end = at + size;
    while (at < end) {
        uint32_t c = next_character(&at, end);
        if (c >= 0x10000 && width == 2) {
            HSD_TRY(append_unit(out, 0xd800 + (((c - 0x10000) >> 10) & 0x3ff), 2, err));
            c = 0xdc00 + (c & 0x3ff);
        }
        HSD_TRY(append_unit(out, width == 1 && c > 0xff ? '?' : c, width, err));
    }
    return HSD_OK;
}

/* ---- numbers ---- */

/* Reads "12, -3, 7"; *count is how many, 0 if it is no list. Appends them unless `out` is NULL. */
static hsd_status read_numbers(hsd_text text, unsigned width, hsd_buffer *out, uint64_t *count, hsd_error *err)
{
    size_t at = 0;
    *count = 0;
    for (;;) {
        const bool is_negative = at < text.size && text.data[at] == '-';
        uint64_t value = 0;
        at += is_negative;
        const size_t begin = at;
        for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++)
            value = value * 10 + (uint64_t)(text.data[at] - '0');
        if (at == begin) break;
        uint8_t bytes[8];
        hsd_hout_u8(bytes, is_negative ? 0 - value : value);
        if (out != NULL) HSD_TRY(hsd_buffer_append(out, bytes + 8 - width, width, err));
        ++*count;
        if (at == text.size) return HSD_OK;
        if (at + 2 > text.size || memcmp(text.data + at, ", ", 2) != 0) break;
        at += 2;
        if (at == text.size) return HSD_OK; /* the mark of more followed */
    }
    *count = 0;
    return HSD_OK;
}

static bool is_cut(hsd_text *text)
{
    const bool is = text->size >= 3 && memcmp(text->data + text->size - 3, "...", 3) == 0;
    if (is) text->size -= 3;
    return is;
}

hsd_status hsd_hout_decode_preview(hout *h, uint8_t element, hsd_text preview, uint64_t elements, hsd_error *err)
{
    const unsigned width = element == HOUT_BYTE                            ? 1
                           : element == HOUT_CHAR || element == HOUT_SHORT ? 2
                           : element == HOUT_INT                           ? 4
                                                                           : 8;
    const bool is_text = element == HOUT_BYTE || element == HOUT_CHAR;
    uint64_t numbers = 0;
    hsd_text head = preview;
    hsd_buffer_clear(&h->text);
    if (element == HOUT_BOOLEAN || element == HOUT_FLOAT || element == HOUT_DOUBLE) return HSD_OK;
    if (is_text) {
        HSD_TRY(hsd_hout_to_units(&h->text, preview.data, preview.size, width, err));
        if (h->text.size == elements * width) return HSD_OK; /* all of it, character by character */
        hsd_buffer_clear(&h->text);
    }
    const bool was_cut = is_cut(&head);
    HSD_TRY(read_numbers(head, width, NULL, &numbers, err));
    if (numbers == elements || (was_cut && numbers > 0)) return read_numbers(head, width, &h->text, &numbers, err);
    return is_text && was_cut ? hsd_hout_to_units(&h->text, head.data, head.size, width, err) : HSD_OK;
}
