/*
 * A binary heap of streams by the key each stands at. A step takes the streams with the least key off
 * the heap, serves them, and before the next step moves each on by one record and puts it back. Two streams, as a diff
 * has, need no heap.
 */
#include "sort/tandem.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/fail.h"
#include "base/heap.h"
#include "sort/read_ahead.h"

#define FEW 2u

struct hsd_tandem {
    hsd_read_ahead *streams;
    uint32_t stream_count;
    const uint64_t **current; /* record a stream stands at, borrowed until it moves on; NULL = it has ended */
    const uint64_t **end;     /* of the records that lie there, itself the first */
    unsigned *words;          /* of its records */
    uint32_t *heap;           /* streams that stand at a record; unused for FEW */
    uint32_t heap_count;
    uint32_t *served; /* streams taken off by the last step */
    uint32_t served_count;
    const uint64_t **records;
};

static bool same_key(const uint64_t *a, const uint64_t *b) { return a[0] == b[0] && a[1] >> 32 == b[1] >> 32; }

static bool is_less(const uint64_t *a, const uint64_t *b)
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] >> 32 < b[1] >> 32;
}

static bool comes_first(const void *context, const void *a, const void *b)
{
    const hsd_tandem *t = context;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint64_t *x = t->current[i], *y = t->current[j];
    return same_key(x, y) ? i < j : is_less(x, y);
}

static inline hsd_heap heap_of(const hsd_tandem *t) { return (hsd_heap){t->heap, sizeof *t->heap, comes_first, t}; }

/* To what lies behind the records that a stream had. */
static hsd_status take_more(hsd_tandem *t, uint32_t stream, hsd_error *err)
{
    size_t count = 0;
    const hsd_status status = hsd_read_ahead_next_some(&t->streams[stream], &t->current[stream], &count, err);
    if (status != HSD_OK) t->current[stream] = NULL;
    if (status == HSD_END) return HSD_OK;
    HSD_TRY(status);
    t->end[stream] = t->current[stream] + count * t->words[stream];
    return HSD_OK;
}

/* Moves a stream, which stands at a record, to its next one. */
static inline hsd_status move_on(hsd_tandem *t, uint32_t stream, hsd_error *err)
{
    t->current[stream] += t->words[stream];
    return t->current[stream] == t->end[stream] ? take_more(t, stream, err) : HSD_OK;
}

static void put_on_heap(hsd_tandem *t, uint32_t stream)
{
    if (t->current[stream] == NULL || t->stream_count <= FEW) return;
    t->heap[t->heap_count] = stream;
    hsd_heap_up(heap_of(t), t->heap_count++);
}

static uint32_t take_first(hsd_tandem *t)
{
    const uint32_t stream = t->heap[0];
    t->heap[0] = t->heap[--t->heap_count];
    hsd_heap_down(heap_of(t), 0, t->heap_count);
    return stream;
}

/* From the record that the sorter has next. */
static hsd_status begin_stream(hsd_tandem *t, uint32_t stream, hsd_sorter *sorter, bool reads_ahead, hsd_error *err)
{
    const hsd_read_ahead_how how = {.with_thread = reads_ahead, .memory_bytes = HSD_READ_AHEAD_BYTES, .goes_on = true};
    t->words[stream] = hsd_sorter_words(sorter);
    return hsd_read_ahead_begin(&t->streams[stream], sorter, &how, err);
}

hsd_status hsd_tandem_new(hsd_tandem **out, hsd_sorter *const *streams, uint32_t stream_count, bool reads_ahead,
                          hsd_error *err)
{
    hsd_tandem *t = calloc(1, sizeof *t);
    *out = t;
    if (t == NULL) return hsd_fail_nomem(err, "merging captures");
    t->stream_count = stream_count;
    t->streams = calloc((size_t)stream_count + 1, sizeof *t->streams);
    t->current = calloc((size_t)stream_count + FEW, sizeof *t->current);
    t->end = calloc((size_t)stream_count + FEW, sizeof *t->end);
    t->words = calloc((size_t)stream_count + FEW, sizeof *t->words);
    t->heap = calloc((size_t)stream_count + 1, sizeof *t->heap);
    t->served = calloc((size_t)stream_count + 1, sizeof *t->served);
    t->records = calloc((size_t)stream_count + FEW, sizeof *t->records);
    hsd_status status = HSD_OK;
    if (t->streams == NULL || t->current == NULL || t->end == NULL || t->words == NULL || t->heap == NULL ||
        t->served == NULL || t->records == NULL) {
        status = hsd_fail_nomem(err, "merging captures");
    }
    for (uint32_t i = 0; i < stream_count && status == HSD_OK; i++)
        status = begin_stream(t, i, streams[i], reads_ahead, err);
    for (uint32_t i = 0; i < stream_count && status == HSD_OK; i++) {
        status = take_more(t, i, err);
        if (status == HSD_OK) put_on_heap(t, i);
    }
    if (status != HSD_OK) {
        hsd_tandem_free(t);
        *out = NULL;
    }
    return status;
}

static void serve_tandem(hsd_tandem *t, uint32_t stream)
{
    t->records[stream] = t->current[stream];
    t->served[t->served_count++] = stream;
}

static void serve_many(hsd_tandem *t)
{
    if (t->heap_count == 0) return;
    const uint64_t *key = t->current[t->heap[0]];
    do {
        serve_tandem(t, take_first(t));
    } while (t->heap_count > 0 && same_key(t->current[t->heap[0]], key));
}

static hsd_status next_of_many(hsd_tandem *t, hsd_error *err)
{
    for (uint32_t i = 0; i < t->served_count; i++) {
        t->records[t->served[i]] = NULL;
        HSD_TRY(move_on(t, t->served[i], err));
        put_on_heap(t, t->served[i]);
    }
    t->served_count = 0;
    serve_many(t);
    return t->served_count == 0 ? HSD_END : HSD_OK;
}

/* A stream that is not there has ended. */
static hsd_status next_of_two(hsd_tandem *t, hsd_error *err)
{
    for (uint32_t i = 0; i < FEW; i++)
        if (t->records[i] != NULL) HSD_TRY(move_on(t, i, err));
    const uint64_t *a = t->current[0], *b = t->current[1];
    if (a != NULL && b != NULL) {
        if (is_less(a, b))
            b = NULL;
        else if (is_less(b, a))
            a = NULL;
    }
    t->records[0] = a;
    t->records[1] = b;
    return a == NULL && b == NULL ? HSD_END : HSD_OK;
}

hsd_status hsd_tandem_next(hsd_tandem *t, const uint64_t *const **records, hsd_error *err)
{
    HSD_ASSERT(t->served_count <= t->stream_count);
    *records = t->records;
    return t->stream_count <= FEW ? next_of_two(t, err) : next_of_many(t, err);
}

void hsd_tandem_free(hsd_tandem *t)
{
    if (t == NULL) return;
    for (uint32_t i = 0; t->streams != NULL && i < t->stream_count; i++)
        hsd_read_ahead_end(&t->streams[i]);
    free(t->streams);
    free(t->current);
    free(t->end);
    free(t->words);
    free(t->heap);
    free(t->served);
    free(t->records);
    free(t);
}
