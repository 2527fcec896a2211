/*
 * Memory outside the heap: what its objects own there, what captures measured of the process, and how much of its
 * growth no capture shows.
 */
#ifndef HSD_REPORT_PROCESS_H
#define HSD_REPORT_PROCESS_H

#include "report/text/text.h"

/* A metric of that name and unit; false where the capture has none. */
bool hsd_process_measured(const hsd_side *side, const char *name, const char *unit, uint64_t *out);

/*
 * By how much more the resident memory of the process grew than its heap and what the agent notes of it
 * (base/unseen.h). 0 where the two are not of one process, or where a collector frees.
 */
uint64_t hsd_process_unseen(const hsd_diff *diff);

/*
 * "6.00 MiB of the growth is external, memory outside the heap: java.nio.DirectByteBuffer +6.00 MiB.": a paragraph
 * where that is a tenth of the growth or more, with the two types that grew most so; else nothing.
 */
void hsd_screen_external(hsd_screen *screen);

/*
 * "100 more threads run in the process (103 -> 203).": a paragraph where those are 16 or more, and a quarter of those
 * before. "The process grew 12.1 MiB (resident memory, 61.2 MiB -> 73.3 MiB), 11.9 MiB more than its heap: …": another,
 * or nothing.
 */
void hsd_screen_process(hsd_screen *screen);

#endif
