/*
 * Two batches that take turns.
 */
#include "sort/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "sort/merge.h"

#define EACH_RUN 32u /* records of a batch that are worth a look at a run */

/* What the sorter has next; none at its end. */
static hsd_status borrow(hsd_read_ahead *a, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next_some(a->sorter, &a->borrowed, &a->borrowed_count, err);
    if (status != HSD_OK) a->borrowed_count = 0;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status fill_dense(hsd_read_ahead *a, hsd_read_batch *batch, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next_dense(a->sorter, a->shift, batch->records, a->most, &batch->count, err);
    if (status != HSD_OK) batch->count = 0;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status fill_batch(void *context, hsd_error *err)
{
    hsd_read_ahead *a = context;
    hsd_read_batch *batch = &a->batches[a->filling];
    const size_t words = hsd_sorter_words(a->sorter);
    if (a->is_dense) return fill_dense(a, batch, err);
    batch->count = 0;
    while (batch->count < a->most) {
        if (a->borrowed_count == 0) HSD_TRY(borrow(a, err));
        if (a->borrowed_count == 0) break;
        const size_t count = (size_t)hsd_min_u64(a->borrowed_count, a->most - batch->count);
        memcpy(batch->records + batch->count * words, a->borrowed, count * words * sizeof(uint64_t));
        batch->count += count;
        a->borrowed += count * words;
        a->borrowed_count -= count;
    }
    return HSD_OK;
}

hsd_status hsd_read_ahead_begin(hsd_read_ahead *a, hsd_sorter *sorter, const hsd_read_ahead_how *how, hsd_error *err)
{
    const hsd_sorter_stats stats = hsd_sorter_stats_get(sorter);
    const size_t batches = how->with_thread ? 2 : 1, bytes = how->memory_bytes / batches,
                 most = bytes / (hsd_sorter_words(sorter) * sizeof(uint64_t));
    *a = (hsd_read_ahead){.sorter = sorter, .shift = how->shift};
    if (!how->goes_on) HSD_TRY(hsd_sorter_rewind(sorter, err));
    a->is_dense = how->is_dense && !stats.repeats && stats.fan_in >= 2 && most >= (size_t)stats.fan_in * EACH_RUN;
    if (stats.runs == 0 || (!how->with_thread && !a->is_dense)) return HSD_OK;
    for (size_t i = 0; i < batches; i++) {
        a->batches[i].records = malloc(bytes);
        if (a->batches[i].records == NULL) return hsd_fail_nomem(err, "records that are read ahead");
    }
    a->most = (size_t)hsd_min_u64(most, HSD_MERGE_DENSE_MOST);
    a->is_ahead = how->with_thread;
    if (a->is_ahead) hsd_worker_begin_again(&a->worker, fill_batch, a);
    return HSD_OK;
}

/* The batch that was filled, while the other one is. */
static hsd_status take_batch(hsd_read_ahead *a, const uint64_t **records, size_t *count, hsd_error *err)
{
    if (a->is_at_end) return HSD_END;
    HSD_TRY(a->is_ahead ? hsd_worker_finish(&a->worker, err) : fill_batch(a, err));
    const hsd_read_batch *batch = &a->batches[a->filling];
    a->is_at_end = batch->count == 0;
    if (a->is_at_end) return HSD_END;
    if (a->is_ahead) {
        a->filling ^= 1u;
        hsd_worker_begin_again(&a->worker, fill_batch, a);
    }
    *records = batch->records;
    *count = batch->count;
    return HSD_OK;
}

hsd_status hsd_read_ahead_next_some(hsd_read_ahead *a, const uint64_t **records, size_t *count, hsd_error *err)
{
    return a->most > 0 ? take_batch(a, records, count, err) : hsd_sorter_next_some(a->sorter, records, count, err);
}

void hsd_read_ahead_end(hsd_read_ahead *a)
{
    if (a->is_ahead) (void)hsd_worker_finish(&a->worker, NULL); /* nobody asks for what it may have failed at */
    hsd_worker_end(&a->worker);
    for (size_t i = 0; i < HSD_ARRAY_LEN(a->batches); i++)
        free(a->batches[i].records);
    *a = (hsd_read_ahead){0};
}
