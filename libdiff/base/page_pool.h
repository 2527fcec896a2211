/*
 * Pages that go round within one operation. A stage that ends gives its region back here, and the next one writes to
 * pages that are there already. Of a small heap's diff a quarter of the time went into pages that came new from the
 * system, 24,400 of them for 100,000 objects, and went back after milliseconds. For what writes from the front of a
 * region on: what was written is known by its size.
 *
 *      region   |===== touched =====|            never written            |
 *
 * Only a bounded number of bytes stays: what does not fit goes to the system. Threads may share a pool.
 */
#ifndef HSD_BASE_PAGE_POOL_H
#define HSD_BASE_PAGE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/pages.h"

#define HSD_PAGE_POOL_REGIONS 32u

typedef struct hsd_lent_pages { /* a zeroed one is empty and valid */
    hsd_pages pages;
    size_t touched_bytes; /* in front: what was written before this one was taken, if by anybody */
} hsd_lent_pages;

typedef struct hsd_page_pool {
    pthread_mutex_t lock;
    hsd_lent_pages idle[HSD_PAGE_POOL_REGIONS];
    unsigned idle_count;
    size_t held_bytes; /* touched pages of regions that are idle, and those that were taken with others */
    size_t most_bytes; /* of them */
} hsd_page_pool;

/* Nothing is taken from the system yet. */
void hsd_page_pool_init(hsd_page_pool *pool, size_t most_bytes);

/* Gives what is idle to the system; what is lent goes there when it comes back. A zeroed one is accepted. */
void hsd_page_pool_release(hsd_page_pool *pool);

/* At least `size` bytes, aligned to 4096, NOT zeroed, and resident in front already where they were used before; or
 * false: the system has none. `pool` may be NULL: then they are new. */
bool hsd_page_pool_take(hsd_page_pool *pool, hsd_lent_pages *out, size_t size);

/* Back to the pool that it is of, or to the system. `touched_bytes` of its front are all that were written since it was
 * taken. An empty one is accepted; it is one afterwards. */
void hsd_page_pool_give(hsd_page_pool *pool, hsd_lent_pages *region, size_t touched_bytes);

#endif
