/*
 * A row of numbers as a picture one line high: ▁▂▄▅▇█, or _.:-=+*# where a terminal can show no more than ASCII.
 */
#ifndef HSD_REPORT_SPARKLINE_H
#define HSD_REPORT_SPARKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_SPARKLINE_COLUMNS_MAX 24
#define HSD_SPARKLINE_CHARS       (3 * HSD_SPARKLINE_COLUMNS_MAX + 1)

/*
 * Draws `count` values in min(count, columns, HSD_SPARKLINE_COLUMNS_MAX) characters. Each stands for a run of
 * neighbours, of lengths that differ by at most one, by their mean. The least of the means is the lowest mark, the
 * largest the highest; values that are all the same, and such as differ by no more than `noise`, lie at the bottom.
 * No values or columns: "". Returns out.
 */
char *hsd_sparkline(char out[HSD_SPARKLINE_CHARS], const uint64_t *values, size_t count, size_t columns, uint64_t noise,
                    bool use_utf8);

#endif
