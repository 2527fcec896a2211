/*
 * Numbers as people read them, the same in every locale. The public ones are in hsdiff/report.h; here
 * are those that only reports need.
 */
#ifndef HSD_REPORT_NUMBER_H
#define HSD_REPORT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/report.h>

/*
 * Growth as a share of `before`: "+63%", "-7%", "+0.4%"; above +999 % the ratio, "x281". [NEW] when
 * there was nothing, [DEL] when nothing is left, [ = ] when nothing changed.
 */
char *hsd_format_percent(char out[HSD_NUMBER_CHARS], uint64_t before, uint64_t after);

/* `part` of `whole`, which is no less: "38%", "2.1%", "<0.1%"; "0%" when either is 0. */
char *hsd_format_share(char out[HSD_NUMBER_CHARS], uint64_t part, uint64_t whole);

/* `part` of a growth, which is above 0, in whole percent: "91%", "-7%", "<1%" whatever its sign; "0%" for 0. */
char *hsd_format_growth_share(char out[HSD_NUMBER_CHARS], int64_t part, int64_t growth);

/* The same in a sentence, "under 1%": pages and Markdown have other uses for <. */
char *hsd_format_said_share(char out[HSD_NUMBER_CHARS], int64_t part, int64_t growth);

/* |part| of |whole| in whole percent, rounded; 0 when whole is 0. */
unsigned hsd_percent_of(int64_t part, int64_t whole);

/* "131,909,632 B": exact, and always in bytes. */
char *hsd_format_exact(char out[HSD_NUMBER_CHARS], uint64_t bytes);
char *hsd_format_exact_signed(char out[HSD_NUMBER_CHARS], int64_t bytes);

/* "p" as people read it: "0.004", "<0.001", "1.000". */
char *hsd_format_p(char out[HSD_NUMBER_CHARS], uint32_t p_millionths);

/* |value| without the overflow of INT64_MIN. */
static inline uint64_t hsd_magnitude(int64_t value)
{
    return value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
}

#endif
