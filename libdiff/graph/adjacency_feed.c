/*
 * Encoding adjacency blocks on a thread of its own: lists of references are gathered in a batch (hsd_lists_out) while
 * those of the last batch are sorted, encoded and placed, in the order in which they came.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "base/worker.h"
#include "graph/adjacency_state.h"

#define BATCH_PAIRS ((UINT32_C(512) << 10) / HSD_TWO_BYTES)
_Static_assert(BATCH_PAIRS > HSD_ADJACENCY_PART_ITEMS, "a batch holds a list");

typedef struct hsd_adjacency_feed {
    hsd_adjacency *adjacency;
    hsd_pages pages;
    hsd_two *gathering, *encoding; /* two batches */
    const hsd_two *encoding_end;
    hsd_worker worker;
} hsd_adjacency_feed;

/* Lists go to the batch that is gathered. */
static void open_batch(hsd_adjacency *a)
{
    a->room->out = (hsd_lists_out){a->feed->gathering, a->feed->gathering + BATCH_PAIRS};
}

hsd_status hsd_adjacency_use_thread(hsd_adjacency *a, hsd_error *err)
{
    HSD_ASSERT(!a->is_finished && a->feed == NULL && a->room->out.at == a->room->pairs);
    hsd_adjacency_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL || !hsd_pages_take(&feed->pages, (size_t)BATCH_PAIRS * 2 * sizeof(hsd_two))) {
        free(feed);
        return hsd_fail_nomem(err, "the reference graph");
    }
    feed->adjacency = a;
    feed->gathering = feed->pages.data;
    feed->encoding = feed->gathering + BATCH_PAIRS;
    a->feed = feed;
    open_batch(a);
    return HSD_OK;
}

static hsd_status encode_batch(void *context, hsd_error *err)
{
    const hsd_adjacency_feed *feed = context;
    return hsd_adjacency_encode(feed->adjacency, feed->encoding, feed->encoding_end, err);
}

hsd_status hsd_adjacency_feed_turn(hsd_adjacency *a, hsd_error *err)
{
    hsd_adjacency_feed *feed = a->feed;
    HSD_TRY(hsd_worker_finish(&feed->worker, err));
    hsd_two *const free_batch = feed->encoding;
    feed->encoding = feed->gathering;
    feed->encoding_end = a->room->out.at;
    feed->gathering = free_batch;
    open_batch(a);
    hsd_worker_begin_again(&feed->worker, encode_batch, feed);
    return HSD_OK;
}

hsd_status hsd_adjacency_feed_end(hsd_adjacency *a, hsd_status status, hsd_error *err)
{
    hsd_adjacency_feed *feed = a->feed;
    if (feed == NULL) return status;
    if (status == HSD_OK) status = hsd_adjacency_feed_turn(a, err);
    const hsd_status last = hsd_worker_finish(&feed->worker, status == HSD_OK ? err : NULL);
    hsd_worker_end(&feed->worker);
    hsd_pages_give(&feed->pages);
    free(feed);
    a->feed = NULL;
    hsd_adjacency_open_room(a->room);
    return status != HSD_OK ? status : last;
}
