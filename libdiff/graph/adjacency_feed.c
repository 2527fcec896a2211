/*
 * Encoding adjacency blocks on a thread of its own: lists of references are gathered in a batch while those of the last
 * batch are sorted, encoded and placed, in the order in which they came. A list in a batch:
 *
 *      source, count, 1 if it has names, targets, names
 *
 * Words have the size of a number of a node; names have 32 bits, and the last word of them may be half empty.
 * One that is longer than the room of the batch comes in several.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "base/worker.h"
#include "graph/adjacency_state.h"

#define BATCH_WORDS  ((UINT32_C(512) << 10) / HSD_NODE_BYTES)
#define HEADER_WORDS 3u
#define NAMES_A_WORD (HSD_NODE_BYTES / 4)

typedef struct hsd_adjacency_feed {
    hsd_adjacency *adjacency;
    hsd_pages pages;
    hsd_node *gathering, *encoding; /* two batches */
    uint32_t gathered, encoded;     /* words in them */
    hsd_worker worker;
} hsd_adjacency_feed;

hsd_status hsd_adjacency_use_thread(hsd_adjacency *a, hsd_error *err)
{
    HSD_ASSERT(!a->is_finished && a->feed == NULL);
    hsd_adjacency_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL || !hsd_pages_take(&feed->pages, (size_t)BATCH_WORDS * 2 * sizeof(hsd_node))) {
        free(feed);
        return hsd_fail_nomem(err, "the reference graph");
    }
    feed->adjacency = a;
    feed->gathering = feed->pages.data;
    feed->encoding = feed->gathering + BATCH_WORDS;
    a->feed = feed;
    return HSD_OK;
}

/* Words that so many names take. */
static uint32_t name_words(uint32_t count) { return count / NAMES_A_WORD + (count % NAMES_A_WORD != 0); }

static hsd_status encode_batch(void *context, hsd_error *err)
{
    const hsd_adjacency_feed *feed = context; /* who gathers writes there all the time: not asked in the loop */
    hsd_adjacency *const a = feed->adjacency;
    const hsd_node *at = feed->encoding, *end = at + feed->encoded;
    while (at < end) {
        const hsd_node source = at[0], *targets = at + HEADER_WORDS;
        const uint32_t count = (uint32_t)at[1];
        const uint32_t *names = at[2] != 0 ? (const uint32_t *)(targets + count) : NULL;
        HSD_TRY(hsd_adjacency_encode(a, source, targets, names, count, err));
        at = targets + count + (names != NULL ? name_words(count) : 0);
    }
    return HSD_OK;
}

/* What was gathered goes to the other thread, once that has encoded the batch before. */
static hsd_status turn_batch(hsd_adjacency_feed *feed, hsd_error *err)
{
    HSD_TRY(hsd_worker_finish(&feed->worker, err));
    hsd_node *const free_batch = feed->encoding;
    feed->encoding = feed->gathering;
    feed->encoded = feed->gathered;
    feed->gathering = free_batch;
    feed->gathered = 0;
    hsd_worker_begin_again(&feed->worker, encode_batch, feed);
    return HSD_OK;
}

hsd_status hsd_adjacency_feed_add(hsd_adjacency *a, hsd_node source, const hsd_node *targets, const uint32_t *names,
                                  uint64_t count, hsd_error *err)
{
    hsd_adjacency_feed *feed = a->feed;
    const uint32_t words = names != NULL ? 2 : 1; /* a reference, at most */
    while (count > 0) {
        if (feed->gathered + HEADER_WORDS + words > BATCH_WORDS) HSD_TRY(turn_batch(feed, err));
        const uint32_t room = (BATCH_WORDS - feed->gathered - HEADER_WORDS) / words;
        const uint32_t part = (uint32_t)hsd_min_u64(count, room);
        hsd_node *at = feed->gathering + feed->gathered;
        at[0] = source;
        at[1] = part;
        at[2] = names != NULL;
        memcpy(at + HEADER_WORDS, targets, part * sizeof *targets);
        if (names != NULL) memcpy(at + HEADER_WORDS + part, names, part * sizeof *names);
        feed->gathered += HEADER_WORDS + part + (names != NULL ? name_words(part) : 0);
        count -= part;
        targets += part;
        if (names != NULL) names += part;
    }
    return HSD_OK;
}

hsd_status hsd_adjacency_feed_end(hsd_adjacency *a, hsd_status status, hsd_error *err)
{
    hsd_adjacency_feed *feed = a->feed;
    if (feed == NULL) return status;
    if (status == HSD_OK) status = turn_batch(feed, err);
    const hsd_status last = hsd_worker_finish(&feed->worker, status == HSD_OK ? err : NULL);
    hsd_worker_end(&feed->worker);
    hsd_pages_give(&feed->pages);
    free(feed);
    a->feed = NULL;
    return status != HSD_OK ? status : last;
}
