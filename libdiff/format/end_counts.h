/*
 * What END says of the content of a capture, held against what was counted (FORMAT.md 8.4 and 8.5). Verify tells every
 * difference; the survey takes an END that differs for damaged, as those who read by the index go by its numbers.
 */
#ifndef HSD_FORMAT_END_COUNTS_H
#define HSD_FORMAT_END_COUNTS_H

#include "format/content.h"
#include "format/fault.h"

/* Numbers of END that are counts, and behind them, as one rule more, the sums of the type totals. */
#define HSD_END_COUNTS 17u
#define HSD_END_RULES  (HSD_END_COUNTS + 1)

/*
 * Holds rule `i` of HSD_END_RULES. `counts` are those of the whole file, of which no block is lost, `blocks` how many
 * stand before END, `end` its numbers by key. HSD_E_CORRUPT with the rule and what is wrong, or HSD_OK.
 */
hsd_status hsd_end_check(unsigned i, const hsd_counts *counts, uint64_t blocks, const uint64_t *end, hsd_fault *fault);

#endif
