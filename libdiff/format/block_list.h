/*
 * The blocks of a capture, in the order of the file: where each stands and what it is. Made from the index, or
 * by looking at one header after the other; readers go by it.
 */
#ifndef HSD_FORMAT_BLOCK_LIST_H
#define HSD_FORMAT_BLOCK_LIST_H

#include "format/block.h"

typedef struct hsd_block_list { /* zeroed: empty */
    hsd_block_ref *refs;
    size_t count, capacity;
    uint64_t memory_bytes; /* what it may take; 0 = no bound */
} hsd_block_list;

/* HSD_E_NOMEM, or HSD_E_OVER_BUDGET. */
hsd_status hsd_block_list_add(hsd_block_list *list, const hsd_block_ref *ref, hsd_fault *fault);

/* Index of the first block from `from` on that is of this type; list->count if there is none. */
size_t hsd_block_list_find(const hsd_block_list *list, size_t from, uint8_t type);

/* Index of the last block of objects whose first ordinal is at most `ordinal`; list->count if none. */
size_t hsd_block_list_find_ordinal(const hsd_block_list *list, uint64_t ordinal);

void hsd_block_list_release(hsd_block_list *list);

#endif
