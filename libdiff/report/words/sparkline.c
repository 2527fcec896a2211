/*
 * Sparklines: means of runs, scaled to eight heights. Integers alone, so the same values look the same everywhere.
 */
#include "report/words/sparkline.h"

#include <string.h>

#include "base/check.h"

__extension__ typedef unsigned __int128 u128;

#define HEIGHTS 8

static uint64_t mean_of(const uint64_t *values, size_t count)
{
    u128 sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return (uint64_t)(sum / count);
}

/* 0 for `least`, HEIGHTS - 1 for `most`, the nearest for what lies between. */
static unsigned height_of(uint64_t value, uint64_t least, uint64_t most)
{
    const u128 range = most - least;
    return range == 0 ? 0 : (unsigned)(((u128)(value - least) * (HEIGHTS - 1) + range / 2) / range);
}

static char *put_mark(char *out, unsigned height, bool use_utf8)
{
    static const char marks[HEIGHTS + 1] = "_.:-=+*#";
    if (!use_utf8) {
        *out = marks[height];
        return out + 1;
    }
    const char block[3] = {(char)0xe2, (char)0x96, (char)(0x81 + height)}; /* U+2581 to U+2588 */
    memcpy(out, block, sizeof block);
    return out + sizeof block;
}

char *hsd_sparkline(char out[HSD_SPARKLINE_CHARS], const uint64_t *values, size_t count, size_t columns, uint64_t noise,
                    bool use_utf8)
{
    uint64_t means[HSD_SPARKLINE_COLUMNS_MAX], least = UINT64_MAX, most = 0;
    char *end = out;
    if (columns > count) columns = count;
    if (columns > HSD_SPARKLINE_COLUMNS_MAX) columns = HSD_SPARKLINE_COLUMNS_MAX;
    for (size_t i = 0; i < columns; i++) {
        const size_t from = i * count / columns, to = (i + 1) * count / columns;
        means[i] = mean_of(values + from, to - from);
        least = hsd_min_u64(least, means[i]);
        most = hsd_max_u64(most, means[i]);
    }
    if (columns > 0 && most - least <= noise) most = least;
    for (size_t i = 0; i < columns; i++)
        end = put_mark(end, most == least ? 0 : height_of(means[i], least, most), use_utf8);
    *end = 0;
    return out;
}
