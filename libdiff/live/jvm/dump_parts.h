/*
 * Dumps of JDK 22 and later come in two parts: names and stacks in the file that was asked for, objects in a second one
 * beside it, which the JVM then appends to the first and removes. Both are pipes here: it finds nothing to append, the
 * second is empty to it. Put together on this side.
 */
#ifndef HSD_LIVE_DUMP_PARTS_H
#define HSD_LIVE_DUMP_PARTS_H

#include "live/way.h"

enum { HSD_DUMP_PARTS_SINCE = 22 }; /* JDK */

typedef struct hsd_dump_parts {
    int names_fd, objects_fd; /* our ends of the pipes, not blocking */
    const char *objects_path; /* of the second pipe, as seen from here */
    int attach_fd;            /* on which the JVM answers */
} hsd_dump_parts;

/* The whole dump into `out`, which is open. *is_refused: the JVM wrote nothing at all and has answered.
 * HSD_E_TRUNCATED: the dump has no end. */
hsd_status hsd_dump_parts_collect(hsd_live *live, const hsd_dump_parts *parts, hsd_temp *out, bool *is_refused,
                                  hsd_error *err);

#endif
