/*
 * Long names for narrow places: keep the outermost name and the tail, drop the middle, and never make
 * two different names look the same.
 */
#ifndef HSD_REPORT_SHORTEN_H
#define HSD_REPORT_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include <hsdiff/status.h>

typedef struct hsd_short_name {
    const char *full; /* borrowed */
    size_t full_size;
    const char *text; /* in the arena, or `full` itself */
    size_t size;
    size_t room;   /* columns for this one; 0 = as many as for all */
    unsigned bare; /* shown whole, but for 1 calls and build ids, 2 build ids (address_names.h) */
} hsd_short_name;

/*
 * Fills text and size of each name: at most `width` columns where that leaves different names
 * different, else as much more as it takes. Names are already escaped. O(n log n) a round, and a round
 * lengthens what still looks equal by half.
 */
hsd_status hsd_shorten_names(hsd_short_name *names, size_t count, size_t width, bool use_utf8, hsd_arena *arena,
                             hsd_error *err);

#endif
