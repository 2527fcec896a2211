/*
 * Display width of characters by binary search in the generated table of wide and empty ones.
 */
#include "report/words/width.h"

#include <stdbool.h>

#include "report/words/utf8.h"
#include "report/words/width_table.h"

static bool contains(const hsd_width_range *ranges, size_t count, uint32_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

unsigned hsd_width_of_character(uint32_t code)
{
    if (code < 0x80) return 1;
    if (contains(empty_characters, sizeof empty_characters / sizeof empty_characters[0], code)) return 0;
    return contains(wide_characters, sizeof wide_characters / sizeof wide_characters[0], code) ? 2 : 1;
}

size_t hsd_width_of_text(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t at = 0; at < size;) {
        uint32_t code;
        at += hsd_utf8_next(text + at, size - at, &code);
        width += hsd_width_of_character(code);
    }
    return width;
}
