/*
 * How large the objects of a type are, as fields of JSON: "type": "Session", "before": [[7, 2000, 144000], …], "after": […]. A bucket is
 * its number b, objects and bytes: b 0 has objects of size 0, else those of 2^(b-1) to 2^b - 1 bytes. Empty ones are left out.
 */
#ifndef HSD_REPORT_JSON_SIZES_H
#define HSD_REPORT_JSON_SIZES_H

#include "report/out.h"
#include <hsdiff/diff.h>

void hsd_json_size_row(hsd_out *out, const hsd_size_row *row);

/* "sizes": [{…}, …], at most `most` types, one a line. */
void hsd_json_sizes(hsd_out *out, const hsd_diff *diff, size_t most);

#endif
