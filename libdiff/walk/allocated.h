/*
 * Where the objects of one side were allocated: what is live by site, and what is lost by head, type and site. The
 * census adds to both as objects pass; totals/allocated_rows.h makes rows of them.
 *
 *      live    a table, one row a site: bounded by the sites of the capture
 *      lost    a tally, which empties into a sorter when it is full: bounded by its memory
 */
#ifndef HSD_WALK_ALLOCATED_H
#define HSD_WALK_ALLOCATED_H

#include "graph/lost.h"
#include "sort/tally.h"
#include "walk/side/side.h"

/* How a lost object stands to its head (graph/lost.h). */
typedef enum hsd_lost_part {
    HSD_LOST_HEAD,  /* it is the head, and nothing lost refers to it */
    HSD_LOST_ROUND, /* it is on the way round a cycle that the head is on; so is the head itself */
    HSD_LOST_BELOW
} hsd_lost_part;

/* Words of a key of the tally of what is lost: head (or HSD_LOST_ALONE) << 2 | part; common type << 32 | site. So what
 * has one head stands together, what is round its cycle first. */
#define HSD_LOST_KEY_WORDS 2u

static inline hsd_node hsd_lost_key_head(const uint64_t *key)
{
    const hsd_node head = (hsd_node)(key[0] >> 2);
    return head == (HSD_LOST_ALONE & UINT64_MAX >> 2) ? HSD_LOST_ALONE : head; /* whose high bits are no longer there */
}
static inline hsd_lost_part hsd_lost_key_part(const uint64_t *key) { return (hsd_lost_part)(key[0] & 3); }
static inline uint32_t hsd_lost_key_type(const uint64_t *key) { return (uint32_t)(key[1] >> 32); }
static inline uint32_t hsd_lost_key_site(const uint64_t *key) { return (uint32_t)key[1]; }

typedef struct hsd_site_live {
    uint32_t site;
    hsd_amount amount;
} hsd_site_live; /* site 0: not known */

typedef struct hsd_allocated {
    hsd_id_map live_of;  /* site -> row */
    hsd_site_live *live; /* as they were met */
    uint32_t live_count, live_capacity;
    hsd_tally *lost; /* NULL: nothing is lost, or nobody asks */
} hsd_allocated;

/* What of a side is asked for: want_sites, want_lost. Fills side->allocated; NULL where there is nothing to sum. */
hsd_status hsd_allocated_open(hsd_side_walk *side, hsd_error *err);

/* An object that counts. `label` is that of its owner (graph/owners.h, graph/lost.h). */
hsd_status hsd_allocated_take(hsd_side_walk *side, const hsd_object *object, hsd_node label, uint32_t type,
                              uint64_t bytes, hsd_error *err);

/* No more objects; the tally serves. */
hsd_status hsd_allocated_finish(hsd_side_walk *side, hsd_error *err);

/* The same of sums that were made elsewhere (libdiff/ranks): opens it, of lost ones too; and adds to a site. */
hsd_status hsd_allocated_make(hsd_side_walk *side, bool has_lost, hsd_error *err);
hsd_status hsd_allocated_add(hsd_allocated *allocated, uint32_t site, hsd_amount amount, hsd_error *err);

void hsd_allocated_free(hsd_allocated *allocated); /* NULL is accepted */

#endif
