/*
 * Parts of a capture (FORMAT.md 7.3): objects of types that count as their owner's, such as the backing array of a
 * list. Reports fold them into their owners, so they show fewer objects than a file has records; info says how many of
 * those are parts.
 */
#ifndef HSD_CLI_INFO_PARTS_H
#define HSD_CLI_INFO_PARTS_H

#include <hsdiff/capture.h>

/* Sums the type totals of types that are parts, 0 where the capture has no totals. Reads the tables of types and of
 * totals. */
hsd_status cli_count_parts(hsd_capture *capture, uint64_t *out, hsd_error *err);

#endif
