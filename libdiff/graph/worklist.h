/*
 * Nodes that wait to be expanded: last in, first out, with a bounded window in memory. What does not
 * fit goes to a temporary file in chunks and comes back when the window runs empty, so a walk can
 * never run out of memory or of stack.
 */
#ifndef HSD_GRAPH_WORKLIST_H
#define HSD_GRAPH_WORKLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "io/temp.h"
#include <hsdiff/status.h>

typedef struct hsd_worklist {
    hsd_node *items;
    uint32_t count;
    uint32_t capacity; /* two chunks */
    uint64_t spilled;  /* chunks in the file */
    hsd_temp file;
    hsd_temp_space *space;
} hsd_worklist;

#define HSD_WORKLIST_LEAST_BYTES (UINT64_C(128) << 10)

/* A window of about memory_bytes, but no less than the least. HSD_E_NOMEM. */
hsd_status hsd_worklist_open(hsd_worklist *list, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err);

/* Slow paths: move a chunk to or from the file. */
hsd_status hsd_worklist_spill(hsd_worklist *list, hsd_error *err);
hsd_status hsd_worklist_refill(hsd_worklist *list, hsd_error *err);

static inline hsd_status hsd_worklist_push(hsd_worklist *list, hsd_node node, hsd_error *err)
{
    if (__builtin_expect(list->count == list->capacity, 0)) HSD_TRY(hsd_worklist_spill(list, err));
    list->items[list->count++] = node;
    return HSD_OK;
}

static inline bool hsd_worklist_is_empty(const hsd_worklist *list) { return list->count == 0 && list->spilled == 0; }

/* HSD_END when nothing waits. */
static inline hsd_status hsd_worklist_pop(hsd_worklist *list, hsd_node *node, hsd_error *err)
{
    if (__builtin_expect(list->count == 0, 0)) HSD_TRY(hsd_worklist_refill(list, err));
    *node = list->items[--list->count];
    return HSD_OK;
}

void hsd_worklist_close(hsd_worklist *list);

#endif
