/*
 * What both ways to Node know of a process: is it one, what does it run, and what to say where no way is open.
 */
#ifndef HSD_LIVE_NODE_PROCESS_H
#define HSD_LIVE_NODE_PROCESS_H

#include "live/way.h"

#define HSD_NODE_HELPER "hsdiff.cjs"

bool hsd_node_is(const hsd_process_facts *facts);

/* HSD_GATE_CLOSED, with the gate that both ways have in common. */
hsd_gate hsd_node_closed(const hsd_process_facts *facts, hsd_error *err);

/* Word i of its command line, "" past the end. */
const char *hsd_node_argument(const hsd_process_facts *facts, size_t i);

/* Metrics on their way from a line of JSON into a capture. */
typedef struct hsd_node_metrics {
    uint64_t values[16];    /* by row of the table of names */
    bool has[16];
    uint64_t build_ns;      /* how long V8 took before the first byte */
    uint8_t domain[16];     /* of identities: 32 hexadecimal digits behind "domain"; 0 = not said */
    char hex[32];
    size_t hex_size;
} hsd_node_metrics;

/* Reads "name":number members of one object; what is not known is skipped. HSD_E_CORRUPT if it is no JSON. */
hsd_status hsd_node_metrics_read(hsd_node_metrics *metrics, const char *text, size_t size, hsd_error *err);
size_t hsd_node_metrics_list(const hsd_node_metrics *metrics, hsd_origin_metric *out, size_t most);

#endif
