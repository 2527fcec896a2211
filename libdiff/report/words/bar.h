/*
 * A quantity as a bar: ██████▍ for growth and ▒▒▒▒▒▒ for a decrease, or ###### and :::::: where a terminal can show no
 * more than ASCII. The fill tells the two apart where there is no colour.
 */
#ifndef HSD_REPORT_BAR_H
#define HSD_REPORT_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_BAR_COLUMNS_MAX 24
#define HSD_BAR_CHARS       (3 * HSD_BAR_COLUMNS_MAX + 1)

/*
 * Draws `value` so that `most` is min(columns, HSD_BAR_COLUMNS_MAX) long; what is larger is drawn as long as that.
 * Growth is rounded to an eighth of a column in UTF-8, all else to whole ones; what is not 0 is never drawn as nothing.
 * 0, or no columns:
 * "". Returns out.
 */
char *hsd_bar(char out[HSD_BAR_CHARS], int64_t value, uint64_t most, size_t columns, bool use_utf8);

#endif
