/*
 * Where objects were allocated: snapshots that were taken while allocations were tracked (.heaptimeline, "Allocation
 * instrumentation on timeline" with stacks) have for each node the number of a stack. The stacks stand behind the
 * edges, as a tree of calls; their functions before it.
 *
 *      nodes                 …, trace_node_id                     15
 *      trace_function_infos  function_id,name,script_name,script_id,line,column
 *      trace_tree            [1,0,0,0,[…,15,19,509,20920,[…]]]    id, number of its function, objects, bytes, what it calls
 *
 * A number of the tree is a site of the capture as it is. Node 1 is the root, which is no place.
 */
#ifndef HSD_IMPORT_V8_TRACES_H
#define HSD_IMPORT_V8_TRACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "import/v8/spool.h"

#define HSD_V8_MOST_TRACES (UINT32_C(1) << 22)
#define HSD_V8_TRACE_DEPTH 1024

typedef struct hsd_v8_trace_function {
    uint32_t name, script; /* entries of names.h, or HSD_V8_NO_ENTRY */
    uint32_t line, column; /* from 1; 0 = not known */
    uint32_t file;         /* of the script */
    /* where there is a map: the file that it was made of, else HSD_V8_NO_FILE, and what it is called there */
    uint32_t source;
    hsd_bytes original;
    uint32_t original_string, source_string; /* of the capture; 0 = none, or not yet defined */
} hsd_v8_trace_function;

typedef struct hsd_v8_trace_site {
    uint32_t parent;
    uint32_t function; /* + 1; 0: the tree does not have it */
    bool is_used;
} hsd_v8_trace_site;

typedef struct hsd_v8_traces {
    bool is_used;       /* the snapshot has them, and they are wanted */
    uint32_t limit;     /* of sites and of functions */
    hsd_v8_spool nodes; /* the number of each node, in the nodes' order */
    hsd_v8_trace_site *sites;
    hsd_v8_trace_function *functions;
    uint32_t site_count, site_room, function_count, function_room; /* sites by number */
    uint64_t refused;                                              /* objects whose site is beyond the limit */
} hsd_v8_traces;

struct hsd_v8;

/* `memory_bytes` bounds sites and functions. */
void hsd_v8_traces_init(hsd_v8_traces *traces, hsd_temp_space *space, uint64_t memory_bytes);

/* The number of the next node goes to where it waits for the node's edges, and comes back. */
hsd_status hsd_v8_traces_put(hsd_v8_traces *traces, uint64_t trace, hsd_error *err);
hsd_status hsd_v8_traces_next(hsd_v8_traces *traces, uint32_t *trace, hsd_error *err);

/* The site of an object with this number: 0 where there is none. HSD_E_NOMEM. */
hsd_status hsd_v8_traces_site(hsd_v8_traces *traces, uint32_t trace, uint32_t *site, hsd_error *err);

/* "trace_function_infos" and "trace_tree". HSD_E_CORRUPT; HSD_E_UNSUPPORTED for a tree that is deeper than
 * HSD_V8_TRACE_DEPTH. */
hsd_status hsd_v8_read_trace_functions(struct hsd_v8 *v8, hsd_error *err);
hsd_status hsd_v8_read_trace_tree(struct hsd_v8 *v8, hsd_error *err);

/* The sites that objects have, and their callers. When all strings came. */
hsd_status hsd_v8_write_traces(struct hsd_v8 *v8, hsd_error *err);

void hsd_v8_traces_release(hsd_v8_traces *traces);

#endif
