/*
 * What both ways to Node know of a process: is it one, what does it run, and what to say where no way is open.
 */
#ifndef HSD_LIVE_NODE_PROCESS_H
#define HSD_LIVE_NODE_PROCESS_H

#include "live/way.h"

#define HSD_NODE_HELPER "hsdiff.cjs"

bool hsd_node_is(const hsd_process_facts *facts);
/* "Node", "Deno": whose inspector is V8's; NULL for any other. */
const char *hsd_node_v8_runtime(const hsd_process_facts *facts);

/* HSD_GATE_CLOSED, with the gate that both ways have in common. */
hsd_gate hsd_node_closed(const hsd_process_facts *facts, hsd_error *err);

/* Word i of its command line, "" past the end. */
const char *hsd_node_argument(const hsd_process_facts *facts, size_t i);

/* How a snapshot of it is imported: files that it names are those of its root, by their paths there. (node_files.c) */
hsd_import_options hsd_node_import_options(const hsd_live *live, const hsd_import_origin *origin);

/* Metrics on their way from a line of JSON into a capture. */
typedef struct hsd_node_metrics {
    uint64_t values[16]; /* by row of the table of names */
    bool has[16];
    /* how long V8 took before the first byte; is_copied: how long the program stood still to be copied */
    uint64_t build_ns;
    bool is_copied; /* V8 builds the snapshot in a copy of the process, which goes on meanwhile */
    /* how long it would have stood still for objects with numbers that last; 0 = they have, or nobody asks */
    uint64_t exact_ns;
    uint64_t stall_ns; /* how long the program will stand still; a line of its own, before V8 begins */
    char failure[160]; /* why there is no snapshot; "" = there is one */
    size_t failure_size;
    uint8_t domain[16]; /* of identities: 32 hexadecimal digits behind "domain"; 0 = not said */
    char hex[32];
    size_t hex_size;
} hsd_node_metrics;

/* Reads "name":number members of one object; what is not known is skipped. HSD_E_CORRUPT if it is no JSON. */
hsd_status hsd_node_metrics_read(hsd_node_metrics *metrics, const char *text, size_t size, hsd_error *err);
size_t hsd_node_metrics_list(const hsd_node_metrics *metrics, hsd_origin_metric *out, size_t most);

/* How long V8 takes inside a process that has this heap, as far as one can say before. */
uint64_t hsd_node_expected_stall_ns(const hsd_node_metrics *metrics);
/* Tells it to the user, unless nobody would notice. */
void hsd_node_warn_of_stall(hsd_live *live, uint64_t stall_ns);

#endif
