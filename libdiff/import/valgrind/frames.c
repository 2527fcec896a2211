/*
 * Frames of valgrind. See frames.h. A name has blanks, colons and parentheses of its own, so a frame is taken apart
 * from its ends.
 */
#include "import/valgrind/frames.h"

#include <string.h>

#include "base/check.h"

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static bool is_hex(uint8_t c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

/* What stands behind "0x109236: ". */
static hsd_bytes without_address(hsd_bytes text)
{
    size_t at = 2;
    if (text.size < 4 || text.data[0] != '0' || text.data[1] != 'x') return text;
    while (at < text.size && is_hex(text.data[at]))
        at++;
    if (at == 2 || at + 2 > text.size || text.data[at] != ':' || text.data[at + 1] != ' ') return text;
    return (hsd_bytes){text.data + at + 2, text.size - at - 2};
}

/* Takes " (…)" off the end; false where there is none. A path may have parentheses, which are in pairs. */
static bool take_place(hsd_bytes *text, hsd_bytes *place)
{
    size_t depth = 0;
    if (text->size == 0 || text->data[text->size - 1] != ')') return false;
    for (size_t at = text->size; at-- > 0;) {
        if (text->data[at] == ')') depth++;
        if (text->data[at] == '(' && --depth == 0) {
            if (at == 0 || text->data[at - 1] != ' ') return false;
            *place = (hsd_bytes){text->data + at + 1, text->size - at - 2};
            text->size = at - 1;
            return true;
        }
    }
    return false;
}

/* Takes ":12" off the end of a place. */
static bool take_line(hsd_bytes *place, uint32_t *line)
{
    size_t from = place->size;
    uint64_t number = 0, factor = 1;
    while (from > 0 && is_digit(place->data[from - 1]) && place->size - from < 10) {
        number += factor * (uint64_t)(place->data[--from] - '0');
        factor *= 10;
    }
    if (from == place->size || from == 0 || place->data[from - 1] != ':') return false;
    *line = (uint32_t)hsd_min_u64(number, INT32_MAX);
    place->size = from - 1;
    return true;
}

static bool is_unknown(hsd_bytes function) { return function.size == 3 && memcmp(function.data, "???", 3) == 0; }

hsd_status hsd_valgrind_frame(hsd_stack_sums *sums, hsd_bytes text, uint32_t *frame, hsd_error *err)
{
    hsd_bytes function = without_address(text), place = {0};
    uint32_t line = 0;
    const bool has_place = take_place(&function, &place);
    if (has_place && place.size > 3 && memcmp(place.data, "in ", 3) == 0) {
        place = (hsd_bytes){place.data + 3, place.size - 3};
        if (is_unknown(function)) return hsd_stack_sums_module_frame(sums, place, frame, err);
        return hsd_stack_sums_frame(sums, function, (hsd_bytes){0}, 0, frame, err);
    }
    if (has_place && !take_line(&place, &line)) { /* "foo(int) (.cold)" is a name */
        function = without_address(text);
        place = (hsd_bytes){0};
    } else if (has_place) {
        take_line(&place, &line); /* what was taken is a column */
    }
    if (is_unknown(function)) function = (hsd_bytes){0};
    return hsd_stack_sums_frame(sums, function, place, line, frame, err);
}
