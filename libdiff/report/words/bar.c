/*
 * Bars: integers alone, so the same values look the same everywhere.
 */
#include "report/words/bar.h"

#include <string.h>

#include "base/check.h"
#include "report/words/number.h"

__extension__ typedef unsigned __int128 u128;

#define EIGHTHS 8

/* Of `parts` in all as many as `value` is of `most`, the nearest, and at least one. */
static size_t parts_of(uint64_t value, uint64_t most, size_t parts)
{
    const u128 drawn = ((u128)hsd_min_u64(value, most) * parts + most / 2) / most;
    return drawn > 0 ? (size_t)drawn : 1;
}

/* U+2588 is a full block, U+2589 to U+258F are seven eighths to one; U+2592 is a shade. */
static char *put_block(char *out, unsigned last)
{
    const char block[3] = {(char)0xe2, (char)0x96, (char)last};
    memcpy(out, block, sizeof block);
    return out + sizeof block;
}

static char *put_growth(char *out, size_t eighths)
{
    for (size_t i = 0; i < eighths / EIGHTHS; i++)
        out = put_block(out, 0x88);
    return eighths % EIGHTHS == 0 ? out : put_block(out, 0x90 - (unsigned)(eighths % EIGHTHS));
}

static char *put_shade(char *out, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        out = put_block(out, 0x92);
    return out;
}

char *hsd_bar(char out[HSD_BAR_CHARS], int64_t value, uint64_t most, size_t columns, bool use_utf8)
{
    char *end = out;
    if (columns > HSD_BAR_COLUMNS_MAX) columns = HSD_BAR_COLUMNS_MAX;
    if (value != 0 && most > 0 && columns > 0) {
        const uint64_t magnitude = hsd_magnitude(value);
        const size_t whole = parts_of(magnitude, most, columns);
        if (use_utf8) {
            end = value > 0 ? put_growth(out, parts_of(magnitude, most, columns * EIGHTHS)) : put_shade(out, whole);
        } else {
            memset(out, value > 0 ? '#' : ':', whole);
            end += whole;
        }
    }
    *end = 0;
    return out;
}
