/*
 * Edges, a window of them at a time: the references of one node have to be seen together where they
 * decide what the node is. They come from the snapshot, or from a spool where they had to wait.
 */
#ifndef HSD_IMPORT_V8_FEED_H
#define HSD_IMPORT_V8_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/v8/layout.h"
#include "import/v8/numbers.h"
#include "import/v8/spool.h"

/* Edges that can be seen together at most; longer lists are taken in parts. */
#define HSD_V8_FEED_MOST_EDGES ((size_t)65536)

typedef struct hsd_v8_feed {
    hsd_v8_numbers *numbers;
    hsd_v8_spool *spool; /* where they come from now, instead of the list; NULL = the list */
    const hsd_v8_layout *layout;
    uint64_t *items; /* numbers, edge_width of them an edge */
    size_t capacity, at, end;
    bool is_at_end;     /* no more than what is in items */
    hsd_status failure; /* HSD_E_TRUNCATED: is_at_end, because the input is */
    hsd_error error;
} hsd_v8_feed;

/* From the snapshot's list. */
hsd_status hsd_v8_feed_open(hsd_v8_feed *feed, const hsd_v8_layout *layout, hsd_v8_numbers *numbers, hsd_error *err);

/* The list was read: from here on edges come from a spool, which hsd_v8_feed_put_away has filled. */
void hsd_v8_feed_switch(hsd_v8_feed *feed, hsd_v8_spool *spool);

/* Slow path of hsd_v8_feed_need. */
hsd_status hsd_v8_feed_fill(hsd_v8_feed *feed, size_t edges, hsd_error *err);

/* How many edges can be seen at feed->items + feed->at. */
static inline size_t hsd_v8_feed_ahead(const hsd_v8_feed *feed)
{
    return (feed->end - feed->at) / feed->layout->edge_width;
}

/* Makes `edges` of them visible (at most HSD_V8_FEED_MOST_EDGES), or all there are. A cut-off list is
 * no failure of this call: see `failure`. */
static inline hsd_status hsd_v8_feed_need(hsd_v8_feed *feed, size_t edges, hsd_error *err)
{
    const size_t numbers = edges * feed->layout->edge_width;
    return feed->end - feed->at >= numbers || feed->is_at_end ? HSD_OK : hsd_v8_feed_fill(feed, edges, err);
}

/* Moves past so many visible edges. */
static inline void hsd_v8_feed_take(hsd_v8_feed *feed, size_t edges) { feed->at += edges * feed->layout->edge_width; }

/* Writes one edge to a spool. */
hsd_status hsd_v8_feed_put_away(hsd_v8_spool *spool, const hsd_v8_layout *layout, const uint64_t *edge, hsd_error *err);

void hsd_v8_feed_close(hsd_v8_feed *feed);

#endif
