/*
 * The heap in a stream of runtime events. What a blocking collection that was asked for tells, between its GCStart and
 * its GCStop:
 *
 *      static fields, roots        anywhere
 *      objects    n0 n1 n2 n3 …    2,008 an event, each with the number of its references
 *      references r0 r1 r2 …       5,354 an event; the first of n0's come first, then n1's …
 *
 * The two streams run at different speeds. An object without references is written as it arrives; one with references
 * waits until all of them are there. Of those that wait there are only as many as references lie in one event that is
 * not full yet, so memory is bounded by the events of the runtime, not by its heap. Objects with very many references
 * are written with those that are there, and the rest follows as edges.
 *
 * Events of a kind are numbered: a gap means that the runtime dropped some, and then nobody can tell whose the
 * references behind it are. The objects behind it are written without, counted, and the capture is incomplete.
 */
#ifndef HSD_IMPORT_NETTRACE_HEAP_H
#define HSD_IMPORT_NETTRACE_HEAP_H

#include "import/importer.h"
#include "import/nettrace/block.h"
#include "import/nettrace/queue.h"
#include "import/nettrace/types.h"

/* Numbers of events of Microsoft-Windows-DotNETRuntime. */
enum {
    NETTRACE_GC_START = 1,
    NETTRACE_GC_STOP = 2,
    NETTRACE_RESTART_END = 3,
    NETTRACE_HEAP_STATS = 4,
    NETTRACE_SUSPEND_BEGIN = 9,
    NETTRACE_TYPES = 15,
    NETTRACE_ROOTS = 16,
    NETTRACE_WEAK_TABLE = 17,
    NETTRACE_NODES = 18,
    NETTRACE_EDGES = 19,
    NETTRACE_COM_ROOTS = 36,
    NETTRACE_STATICS = 38
};

/* Strings and labels of the capture. */
enum {
    NETTRACE_STRING_NONE,
    NETTRACE_STRING_STACK,
    NETTRACE_STRING_FINALIZER,
    NETTRACE_STRING_HANDLE,
    NETTRACE_STRING_PINNED,
    NETTRACE_STRING_COUNTED,
    NETTRACE_STRING_OTHER,
    NETTRACE_STRING_DEPENDENT,
    NETTRACE_STRING_STATICS /* + number of the static field */
};
#define NETTRACE_LABEL_DEPENDENT 1u

typedef enum nettrace_stage { NETTRACE_BEFORE, NETTRACE_TELLING, NETTRACE_TOLD } nettrace_stage;

typedef struct nettrace_node {
    uint64_t id, size, left; /* left: references that it still waits for */
    uint32_t type;
    bool is_written;
} nettrace_node;

#define NETTRACE_NODES_MAX (UINT32_C(1) << 15) /* that wait */

typedef struct nettrace_heap {
    hsd_import *import;
    unsigned pointer_bytes;
    nettrace_types types;
    nettrace_stage stage;
    bool has_collection;
    uint32_t collection; /* its number, if GCStart was seen */
    uint64_t thread;     /* that tells */

    nettrace_node *nodes; /* a ring */
    uint32_t node_at, node_count;
    nettrace_queue edges;
    uint32_t next_index[4];                /* of ROOTS … EDGES */
    bool has_lost_nodes, has_lost_edges;   /* behind a gap */
    uint64_t lost_events, lost_references; /* at least */

    uint64_t suspended_ticks, suspending_thread, paused_ticks;
    bool is_suspended, has_pause;
    uint64_t generations[5]; /* bytes: 0, 1, 2, large, pinned */
    bool has_stats;
    uint32_t other_dumps; /* events of further heaps in the stream, which are left alone */
} nettrace_heap;

hsd_status hsd_nettrace_heap_init(nettrace_heap *heap, hsd_import *import, unsigned pointer_bytes, hsd_error *err);

/* One event of the runtime. Those that say nothing about the heap are ignored. HSD_E_CORRUPT, and the statuses of
 * writing. */
hsd_status hsd_nettrace_heap_event(nettrace_heap *heap, uint32_t kind, const nettrace_event *event, hsd_error *err);

/* The roots of one event, in roots.c. */
hsd_status hsd_nettrace_roots(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err);
hsd_status hsd_nettrace_weak_table(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err);
hsd_status hsd_nettrace_com_roots(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err);
hsd_status hsd_nettrace_statics(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err);

/* No reference is known to belong to the objects that wait but those that are here: writes them all. */
hsd_status hsd_nettrace_heap_give_up(nettrace_heap *heap, hsd_error *err);

/* Nothing follows: writes what waits, the tables and the metrics. */
hsd_status hsd_nettrace_heap_finish(nettrace_heap *heap, uint64_t ticks_per_second, hsd_error *err);

/* Something of the heap is missing. */
static inline bool hsd_nettrace_heap_is_torn(const nettrace_heap *heap)
{
    return heap->lost_events != 0 || heap->lost_references != 0 || heap->has_lost_nodes || heap->has_lost_edges;
}

void hsd_nettrace_heap_release(nettrace_heap *heap);

#endif
