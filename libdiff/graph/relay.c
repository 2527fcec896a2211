/*
 * Two batches that take turns, and what was found in one of them.
 */
#include "graph/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"

#define BATCH_WORDS  (HSD_RELAY_BATCH_BYTES / HSD_NODE_BYTES)
#define HEADER_WORDS 2u

struct hsd_relay {
    hsd_frontier *frontier;
    hsd_relay_take take;
    void *context;
    hsd_node *gathering; /* a batch */
    uint32_t gathered;   /* words of it */
    hsd_node *looked_at; /* the other one */
    hsd_relay_batch batch;
    hsd_worker worker;
    hsd_node *memory;
};

hsd_status hsd_relay_new(hsd_relay **out, hsd_frontier *frontier, hsd_relay_take take, void *context, hsd_error *err)
{
    hsd_relay *relay = calloc(1, sizeof *relay);
    *out = relay;
    if (relay != NULL) relay->memory = malloc((3 * (size_t)BATCH_WORDS + HSD_RELAY_HELD) * sizeof *relay->memory);
    if (relay == NULL || relay->memory == NULL) {
        hsd_relay_free(relay);
        *out = NULL;
        return hsd_fail_nomem(err, "a walk over references");
    }
    relay->frontier = frontier;
    relay->take = take;
    relay->context = context;
    relay->gathering = relay->memory;
    relay->looked_at = relay->memory + BATCH_WORDS;
    relay->batch.found = relay->looked_at + BATCH_WORDS;
    return HSD_OK;
}

static hsd_status look_at_batch(void *context, hsd_error *err)
{
    hsd_relay *relay = context;
    return relay->take(relay->context, &relay->batch, err);
}

/* What was found waits to be expanded. */
static hsd_status push_found(hsd_relay *relay, hsd_error *err)
{
    const uint32_t count = relay->batch.found_count;
    HSD_ASSERT(count <= BATCH_WORDS + HSD_RELAY_HELD);
    relay->batch.found_count = 0;
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(hsd_frontier_push(relay->frontier, relay->batch.found[i], err));
    return HSD_OK;
}

/* What was gathered becomes the batch that is looked at; nobody looks at the other one any more. */
static void turn_batches(hsd_relay *relay)
{
    hsd_node *const lists = relay->gathering;
    relay->gathering = relay->looked_at;
    relay->looked_at = lists;
    relay->batch.at = lists;
    relay->batch.end = lists + relay->gathered;
    relay->gathered = 0;
}

static hsd_status hand_over(hsd_relay *relay, hsd_error *err)
{
    HSD_TRY(hsd_worker_finish(&relay->worker, err));
    HSD_TRY(push_found(relay, err));
    turn_batches(relay);
    relay->batch.is_last = false;
    hsd_worker_begin_again(&relay->worker, look_at_batch, relay);
    return HSD_OK;
}

hsd_status hsd_relay_put(hsd_relay *relay, hsd_node source, const hsd_node *targets, uint32_t count, hsd_error *err)
{
    while (count > 0) {
        if (relay->gathered + HEADER_WORDS >= BATCH_WORDS) HSD_TRY(hand_over(relay, err));
        const uint32_t part = (uint32_t)hsd_min_u64(count, BATCH_WORDS - HEADER_WORDS - relay->gathered);
        hsd_node *at = relay->gathering + relay->gathered;
        at[0] = source;
        at[1] = part;
        memcpy(at + HEADER_WORDS, targets, part * sizeof *targets);
        relay->gathered += HEADER_WORDS + part;
        targets += part;
        count -= part;
    }
    return HSD_OK;
}

hsd_status hsd_relay_settle(hsd_relay *relay, bool *is_dry, hsd_error *err)
{
    HSD_TRY(hsd_worker_finish(&relay->worker, err));
    *is_dry = false;
    if (relay->batch.found_count > 0) return push_found(relay, err);
    const bool has_some = relay->gathered > 0;
    turn_batches(relay);
    relay->batch.is_last = true;
    HSD_TRY(look_at_batch(relay, err));
    *is_dry = !has_some && relay->batch.found_count == 0;
    return push_found(relay, err);
}

void hsd_relay_free(hsd_relay *relay)
{
    if (relay == NULL) return;
    (void)hsd_worker_finish(&relay->worker, NULL); /* nobody asks for what it may have failed at */
    hsd_worker_end(&relay->worker);
    free(relay->memory);
    free(relay);
}
