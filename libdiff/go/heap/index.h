/*
 * Where objects begin, and how far they reach: for pointers into them. A bit for every 8 bytes of heap, and for every
 * page of 8 KiB the size of the objects that begin in it: Go's allocator has objects of one size in a page. A sixtieth
 * of the heap.
 */
#ifndef HSD_GO_HEAP_INDEX_H
#define HSD_GO_HEAP_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct goheap_chunk goheap_chunk;

typedef struct goheap_index {
    goheap_chunk **slots; /* hashed by address / 4 MiB, open addressing */
    size_t slot_count, chunk_count;
    uint64_t most_bytes; /* what it may take; 0 = no bound */
} goheap_index;

/*
 * An object of `size` bytes at `address`. HSD_E_CORRUPT if one begins there already, or the address is not a multiple
 * of 8 or runs past the end of memory; HSD_E_OVER_BUDGET, HSD_E_NOMEM. O(1), for objects past 4 MiB O(size / 4 MiB).
 */
hsd_status hsd_goheap_index_put(goheap_index *index, uint64_t address, uint64_t size, hsd_error *err);

/* Where the object begins that holds this address; false if none does. */
bool hsd_goheap_index_find(const goheap_index *index, uint64_t address, uint64_t *begin);

uint64_t hsd_goheap_index_memory(const goheap_index *index);
void hsd_goheap_index_release(goheap_index *index);

#endif
