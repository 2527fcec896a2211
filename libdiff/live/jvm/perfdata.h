/*
 * What a HotSpot JVM tells everybody: its counters in /tmp/hsperfdata_<user>/<pid>, a file that it maps. Reading it
 * asks nothing of the JVM. Not there with -XX:-UsePerfData; the figures of the heap are those of the last collection.
 */
#ifndef HSD_LIVE_PERFDATA_H
#define HSD_LIVE_PERFDATA_H

#include "live/way.h"

typedef struct hsd_perfdata {
    char version[48];                                /* "17.0.15"; "" = not known */
    uint64_t young_bytes, old_bytes, metadata_bytes; /* used */
    uint64_t capacity_bytes;                         /* of the heap */
    uint64_t gc_count, gc_pause_ns;
    bool lets_nobody_in; /* -XX:+DisableAttachMechanism, wherever that stood */
} hsd_perfdata;

/* False, and zeroed, if there is none. */
bool hsd_perfdata_read(hsd_perfdata *out, const hsd_process_facts *facts);

/* The content of such a file, which nobody vouches for. False if it is none. */
bool hsd_perfdata_parse(hsd_perfdata *out, const uint8_t *data, size_t size);

/* heap.young, heap.old, heap.metadata (once there was a collection), gc.count, gc.pause. How many; 0 if nothing is
 * known. */
size_t hsd_perfdata_metrics(const hsd_perfdata *data, hsd_origin_metric *out, size_t most);

#endif
