/*
 * The end of step 5: places go to whoever wants them in batches. Taking one is a write at random for each place, which
 * costs more than finding them in order does, or a record to be sorted; a second thread does it while the next batch is
 * filled, in pieces, of which the first thread takes some when it is done sooner, if two may take at once.
 */
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"

#define ALONE_ITEMS 1024u                /* of a batch without a second thread */
#define APART_ITEMS (UINT32_C(16) << 10) /* with one, where that takes them alone */
#define PIECES      32u                  /* of a batch with one */
#define THREAD_FROM 4u                   /* batches; for fewer no thread is worth its beginning */

static uint64_t batch_items(const hsd_dominators *d)
{
    const uint64_t batch = hsd_max_u64(d->limits.batch_items, 1);
    return d->config->takes_at_once ? batch : hsd_min_u64(batch, APART_ITEMS);
}

uint64_t hsd_teller_bytes(const hsd_dominators *d)
{
    return hsd_dominators_has_thread(d) ? 2 * batch_items(d) * sizeof(hsd_interval) : 0;
}

hsd_status hsd_teller_begin(hsd_dominators_teller *teller, const hsd_dominators *d, hsd_error *err)
{
    const uint64_t batch = batch_items(d);
    const bool uses_thread = hsd_dominators_has_thread(d) && d->count >= THREAD_FROM * batch;
    *teller = (hsd_dominators_teller){.config = d->config, .uses_thread = uses_thread};
    teller->capacity = (uint32_t)(uses_thread ? batch : hsd_min_u64(batch, ALONE_ITEMS));
    const size_t bytes = (size_t)teller->capacity * sizeof(hsd_interval);
    if (!hsd_pages_take(&teller->pages, uses_thread ? 2 * bytes : bytes))
        return hsd_fail_nomem(err, "the places of the dominators");
    teller->batch = teller->pages.data;
    teller->taken = teller->batch + (uses_thread ? teller->capacity : 0);
    return HSD_OK;
}

/* On either thread: pieces of the batch that was filled, until none is left. */
static hsd_status take_pieces(void *context, hsd_error *err)
{
    hsd_dominators_teller *teller = context;
    const uint32_t items = teller->capacity / PIECES + 1;
    for (;;) {
        const uint64_t first = (uint64_t)atomic_fetch_add(&teller->next_piece, 1) * items;
        if (first >= teller->taken_count) return HSD_OK;
        const uint32_t count = (uint32_t)hsd_min_u64(items, teller->taken_count - first);
        HSD_TRY(teller->config->take(teller->config->context, teller->taken + first, count, err));
    }
}

/* All of the batch before is taken when this returns. */
static hsd_status finish_taken(hsd_dominators_teller *teller, hsd_error *err)
{
    const hsd_status status = teller->config->takes_at_once ? take_pieces(teller, err) : HSD_OK;
    const hsd_status other = hsd_worker_finish(&teller->worker, status == HSD_OK ? err : NULL);
    teller->taken_count = 0;
    return status != HSD_OK ? status : other;
}

hsd_status hsd_teller_turn(hsd_dominators_teller *teller, hsd_error *err)
{
    const uint32_t count = teller->count;
    teller->count = 0;
    if (!teller->uses_thread) return teller->config->take(teller->config->context, teller->batch, count, err);
    HSD_TRY(finish_taken(teller, err));
    hsd_interval *const filled = teller->batch;
    teller->batch = teller->taken;
    teller->taken = filled;
    teller->taken_count = count;
    atomic_store(&teller->next_piece, 0);
    hsd_worker_begin_again(&teller->worker, take_pieces, teller);
    return HSD_OK;
}

hsd_status hsd_teller_end(hsd_dominators_teller *teller, hsd_status status, hsd_error *err)
{
    if (status == HSD_OK && teller->count > 0) status = hsd_teller_turn(teller, err);
    if (status == HSD_OK && teller->uses_thread) status = finish_taken(teller, err);
    hsd_worker_finish(&teller->worker, NULL);
    hsd_worker_end(&teller->worker);
    hsd_pages_give(&teller->pages);
    return status;
}
