/*
 * The external sorter: what happens to a record between put and next.
 *
 * All large memory is one region. As long as everything fits, the front half fills and the back half
 * waits to be scratch for the radix sort:
 *
 *      | records … →             | scratch                  | write buffer |
 *
 * Most inputs end there: finish sorts in place, gives the scratch back, and next() walks the array. Where the operation
 * has a pool of pages the scratch comes from there, and the back half is never touched. When the front is full it is
 * sorted and written as the first run, and the region is divided anew:
 *
 *      with a thread      | buffer A      | buffer B      | scratch       | write buffer |
 *      without            | buffer A              | scratch               | write buffer |
 *
 *      main thread        fill A | fill B        | fill A        | fill B …
 *      worker                    | sort, write A | sort, write B | sort, write A …
 *
 * Buffers that are in order already are not sorted, and one that goes on where the last run ended goes
 * on with that run: input in order becomes a single run, however long it is.
 * At the end the whole region belongs to the merge (merge.c), after passes (runset.c) have brought the
 * number of runs down to what can be merged at once:
 *
 *      | reader of run 0 | reader of run 1 | …                      | write buffer |
 *
 * With 256 MiB and records of 16 bytes a run is 5.6 M records (85 MiB), so 16,000 runs of blocks of 16 KiB
 * are what one pass could merge: more than a terabyte of records.
 */
#include "sort/sorter.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/page_pool.h"
#include "base/touch.h"
#include "base/work.h"
#include "base/worker.h"
#include "sort/merge.h"
#include "sort/piles.h"
#include "sort/radix.h"
#include "sort/runset.h"

#define PAGE_BYTES          ((size_t)4096)
#define WRITE_LEAST_BYTES   ((size_t)16 << 10)
#define WRITE_MOST_BYTES    ((size_t)256 << 10)
#define THREAD_LEAST_BYTES  ((size_t)1 << 20)  /* a run that is not worth starting a thread for */
#define TABLE_SHARE         32                 /* the table of runs may take 1/32 of the memory */
#define TOUCH_LEAST_BYTES   ((size_t)64 << 10) /* what has filled so far gets its pages one by one */
#define TOUCH_MOST_BYTES    ((size_t)256 << 10)
#define SCRATCH_TOUCH_BYTES ((size_t)4 << 20) /* more is no longer in a cache when it is written */

typedef enum state { FILLING, SERVING_MEMORY, SERVING_RUNS, RESTING, FAILED } state;

struct hsd_sorter {
    hsd_sorter_config config;
    state state;
    hsd_lent_pages region;
    hsd_page_pool *pool; /* the region is of; may be NULL */
    uint64_t *area;      /* front of the region: records, scratch, readers */
    size_t area_bytes;   /* the write buffer is behind it */

    uint64_t *fill;       /* where the next record goes */
    uint64_t *fill_end;   /* put does more there: the buffer ends, or fresh pages begin */
    uint64_t *buffer_end; /* of the one being filled */
    uint64_t *buffers[2];
    uint64_t *scratch;
    size_t buffer_records;
    unsigned current; /* buffer being filled */
    uint64_t spilled; /* records handed to runs */
    bool has_spilled, has_sorted, repeats;

    hsd_worker worker;
    uint64_t *job; /* what the worker sorts and writes */
    size_t job_records;

    hsd_runset runs;
    const uint64_t *at, *end; /* serving from memory */
    hsd_merge merge;          /* serving from runs */
    uint32_t fan_in;
    size_t merge_bytes;
    hsd_error error; /* why state is FAILED */
};

/* ---- memory */

static size_t record_bytes(const hsd_sorter *s) { return s->config.record_words * sizeof(uint64_t); }

static size_t filled(const hsd_sorter *s)
{
    return (size_t)(s->fill - s->buffers[s->current]) / s->config.record_words;
}

static void start_filling(hsd_sorter *s, unsigned which)
{
    s->current = which;
    s->fill = s->buffers[which];
    s->buffer_end = s->fill + s->buffer_records * s->config.record_words;
    s->fill_end = s->buffer_end;
}

/* Divides the area into buffers and scratch of the same size. */
static void divide_sorter(hsd_sorter *s, unsigned parts)
{
    s->buffer_records = s->area_bytes / parts / record_bytes(s);
    const size_t step = s->buffer_records * s->config.record_words;
    s->buffers[0] = s->area;
    s->buffers[1] = parts == 3 ? s->area + step : s->area;
    s->scratch = s->area + (parts - 1) * step;
    start_filling(s, 0);
}

static uint64_t *end_within(const hsd_sorter *s, size_t bytes)
{
    const size_t records = bytes / record_bytes(s);
    return records < s->buffer_records ? s->buffers[s->current] + records * s->config.record_words : s->buffer_end;
}

/* Of a fresh region pages come ahead of the records, an eighth of what has filled at a time. What has spilled has
 * touched all of it already. */
static void touch_ahead(hsd_sorter *s)
{
    uint8_t *front = (uint8_t *)s->buffers[s->current];
    const size_t has = (size_t)((uint8_t *)s->fill - front), eighth = has / 8 & ~(PAGE_BYTES - 1);
    const size_t to = has + (eighth < TOUCH_MOST_BYTES ? eighth : TOUCH_MOST_BYTES);
    s->fill_end = end_within(s, to);
    hsd_touch(s->fill, (size_t)((uint8_t *)s->fill_end - (uint8_t *)s->fill));
}

static size_t clamp_size(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Bytes of the region's front that may have been written. */
static size_t touched(const hsd_sorter *s)
{
    const size_t all = s->area_bytes + s->runs.config.write_bytes;
    const size_t bytes = s->has_spilled ? all : filled(s) * record_bytes(s);
    return bytes < s->region.pages.size ? bytes : s->region.pages.size;
}

/* What lies behind is not needed any more. A pool's region stays whole where nobody has written there. */
static void shrink_region(hsd_sorter *s, size_t bytes)
{
    if (s->pool == NULL || s->has_spilled) hsd_pages_shrink(&s->region.pages, bytes);
}

/* ---- new and free */

static hsd_status check_config(const hsd_sorter_config *c, hsd_error *err)
{
    if (c->record_words < 1 || c->record_words > HSD_SORT_MAX_WORDS || c->key_words < 1 ||
        c->key_words > c->record_words || c->space == NULL)
        return hsd_fail(err, HSD_E_MISUSE, "a sorter of %u words with %u key words", c->record_words, c->key_words);
    if (c->memory_bytes >= HSD_SORT_MIN_BYTES) return HSD_OK;
    return hsd_fail(err, HSD_E_OVER_BUDGET, "sorting in %zu bytes is not possible: %zu bytes suffice", c->memory_bytes,
                    HSD_SORT_MIN_BYTES);
}

static hsd_status take_memory(hsd_sorter *s, hsd_error *err)
{
    const size_t memory_bytes = s->config.memory_bytes;
    const size_t table_bytes = memory_bytes / TABLE_SHARE;
    const uint32_t capacity = (uint32_t)clamp_size(table_bytes / sizeof(hsd_sorted_run), 16, HSD_MERGE_FAN_IN_MAX * 4);
    const size_t pack_bytes = s->config.codec == HSD_RUN_PACKED ? HSD_COMPRESS_FAST_BYTES : 0;
    const size_t fixed_bytes = sizeof *s + capacity * sizeof(hsd_sorted_run) + pack_bytes;
    const size_t write_bytes = clamp_size(memory_bytes / 16 & ~(PAGE_BYTES - 1), WRITE_LEAST_BYTES, WRITE_MOST_BYTES);
    const size_t region_bytes = (memory_bytes - fixed_bytes) & ~(PAGE_BYTES - 1);
    s->pool = s->config.space->pool;
    if (!hsd_page_pool_take(s->pool, &s->region, region_bytes))
        return hsd_fail(err, HSD_E_NOMEM, "out of memory: %zu bytes for sorting", region_bytes);
    s->area = s->region.pages.data;
    s->area_bytes = region_bytes - write_bytes;
    const hsd_runset_config runs = {.words = s->config.record_words,
                                    .codec = s->config.codec,
                                    .space = s->config.space,
                                    .reporter = s->config.reporter,
                                    .write_buffer = (uint8_t *)s->area + s->area_bytes,
                                    .write_bytes = write_bytes,
                                    .capacity = capacity};
    hsd_runset_init(&s->runs, &runs);
    return HSD_OK;
}

hsd_status hsd_sorter_new(hsd_sorter **out, const hsd_sorter_config *config, hsd_error *err)
{
    *out = NULL;
    HSD_TRY(check_config(config, err));
    hsd_sorter *s = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "a sorter");
    s->config = *config;
    if (s->config.codec == HSD_RUN_PACKED && s->config.memory_bytes < HSD_SORT_PACKED_BYTES)
        s->config.codec = HSD_RUN_DELTA;
    const hsd_status status = take_memory(s, err);
    if (status != HSD_OK) {
        hsd_sorter_free(s);
        return status;
    }
    divide_sorter(s, 2);
    s->fill_end =
        end_within(s, s->region.touched_bytes > TOUCH_LEAST_BYTES ? s->region.touched_bytes : TOUCH_LEAST_BYTES);
    *out = s;
    return HSD_OK;
}

void hsd_sorter_free(hsd_sorter *s)
{
    if (s == NULL) return;
    hsd_worker_finish(&s->worker, NULL);
    hsd_runset_release(&s->runs);
    hsd_page_pool_give(s->pool, &s->region, touched(s));
    free(s);
}

/* The first failure is the answer to every later call. */
static hsd_status keep_sorter(hsd_sorter *s, hsd_status status, const hsd_error *why, hsd_error *err)
{
    if (status >= 0) return status;
    s->state = FAILED;
    s->fill_end = s->fill; /* put takes its slow path, and finds the failure */
    if (why != &s->error) s->error = *why;
    if (err != NULL) *err = *why;
    return status;
}

static hsd_status fail_state(const hsd_sorter *s, const char *what, hsd_error *err)
{
    if (s->state != FAILED) return hsd_fail(err, HSD_E_MISUSE, "%s", what);
    if (err != NULL) *err = s->error;
    return s->error.status;
}

/* ---- runs */

/* Sorts the job if need be. */
static void sort_job(hsd_sorter *s)
{
    const unsigned words = s->config.record_words;
    hsd_lent_pages lent = {0};
    const size_t bytes = s->job_records * record_bytes(s);
    hsd_work_did(HSD_COST_READ, bytes);
    if (hsd_radix_is_sorted(s->job, s->job_records, words)) return;
    hsd_work_did(HSD_COST_SORTED, bytes);
    const bool is_lent = s->pool != NULL && !s->has_spilled && hsd_page_pool_take(s->pool, &lent, bytes);
    uint64_t *scratch = is_lent ? lent.pages.data : s->scratch;
    if (!s->has_spilled && bytes < SCRATCH_TOUCH_BYTES && bytes > lent.touched_bytes)
        hsd_touch((uint8_t *)scratch + lent.touched_bytes, bytes - lent.touched_bytes);
    if (!hsd_piles_sort(s->job, scratch, s->job_records, words)) hsd_radix_sort(s->job, scratch, s->job_records, words);
    if (is_lent) hsd_page_pool_give(s->pool, &lent, bytes);
    s->has_sorted = true;
}

/* On the worker's thread: nobody else touches the runs, the scratch and the job's buffer meanwhile. */
static hsd_status sort_and_write(void *context, hsd_error *err)
{
    hsd_sorter *s = context;
    sort_job(s);
    return hsd_runset_add(&s->runs, s->job, s->job_records, err);
}

/* Hands what has filled to the worker, which must be idle. */
static void start_job(hsd_sorter *s, bool is_inline)
{
    s->job = s->buffers[s->current];
    s->job_records = filled(s);
    s->spilled += s->job_records;
    s->fill = s->job;
    s->has_spilled = true;
    const bool is_small = s->job_records * record_bytes(s) < THREAD_LEAST_BYTES;
    hsd_worker_begin(&s->worker, sort_and_write, s, is_inline || is_small);
}

/* Merges in the middle of the input, when the table of runs is full. All buffers are free. */
static hsd_status make_room_for_sorter(hsd_sorter *s, hsd_error *err)
{
    if (!hsd_runset_is_full(&s->runs)) return HSD_OK;
    HSD_TRY(hsd_runset_close_run(&s->runs, err));
    return hsd_runset_reduce(&s->runs, s->runs.config.capacity / 2, true, s->area, s->area_bytes, err);
}

/* The buffer is full and one more record is coming. */
static hsd_status spill_sorter(hsd_sorter *s, hsd_error *err)
{
    const bool is_first = !s->has_spilled;
    HSD_TRY(hsd_worker_finish(&s->worker, err));
    HSD_TRY(hsd_progress(s->config.reporter, "sorting", s->spilled, 0, err));
    const bool is_full = hsd_runset_is_full(&s->runs);
    start_job(s, is_first || is_full || !s->config.use_thread);
    if (is_first || is_full) {
        HSD_TRY(hsd_worker_finish(&s->worker, err));
        HSD_TRY(make_room_for_sorter(s, err));
        divide_sorter(s, s->config.use_thread ? 3 : 2);
    } else {
        start_filling(s, s->config.use_thread ? 1 - s->current : 0);
    }
    return HSD_OK;
}

/* Room for a record where there is none, or pages for it. */
static __attribute__((noinline)) hsd_status make_room_to_put(hsd_sorter *s, hsd_error *err)
{
    hsd_error why;
    hsd_error_init(&why);
    if (s->state != FILLING) return fail_state(s, "a record after the end of the input", err);
    if (s->fill == s->buffer_end) return keep_sorter(s, spill_sorter(s, &why), &why, err);
    touch_ahead(s);
    return HSD_OK;
}

hsd_status hsd_sorter_put(hsd_sorter *s, const uint64_t *record, hsd_error *err)
{
    HSD_ASSERT(record != NULL && s->fill <= s->fill_end);
    if (__builtin_expect(s->fill == s->fill_end, 0)) HSD_TRY(make_room_to_put(s, err));
    uint64_t *to = s->fill;
    const unsigned words = s->config.record_words;
    if (words == 3)
        memcpy(to, record, 3 * sizeof *to);
    else if (words == 2)
        memcpy(to, record, 2 * sizeof *to);
    else
        for (unsigned w = 0; w < words; w++)
            to[w] = record[w];
    s->fill = to + words;
    return HSD_OK;
}

uint64_t *hsd_sorter_last(hsd_sorter *s)
{
    HSD_ASSERT(s->fill > s->buffers[s->current]);
    return s->fill - s->config.record_words;
}

bool hsd_sorter_is_full(const hsd_sorter *s)
{
    return s->fill == s->fill_end && (s->fill == s->buffer_end || s->state != FILLING);
}

/* ---- finish */

/* All records were put, or will be read once. */
static void count_records(const hsd_sorter *s, hsd_cost what)
{
    hsd_work_did(what, hsd_sorter_count(s) * record_bytes(s));
}

/* Read once. */
static void count_reading(const hsd_sorter *s)
{
    count_records(s, HSD_COST_READ);
    if (s->state == SERVING_RUNS && s->config.codec != HSD_RUN_RAW)
        hsd_work_did(HSD_COST_RUN_DECODED, hsd_sorter_count(s) * s->config.record_words);
}

static hsd_status serve_memory(hsd_sorter *s)
{
    s->at = s->buffers[0];
    s->end = s->fill;
    hsd_runset_trim(&s->runs);
    shrink_region(s, filled(s) * record_bytes(s));
    s->state = SERVING_MEMORY;
    return HSD_OK;
}

static hsd_status open_merge(hsd_sorter *s, hsd_error *err)
{
    return hsd_merge_open(&s->merge, s->runs.runs, s->runs.count, s->config.record_words, s->area, s->merge_bytes, err);
}

static hsd_status serve_runs(hsd_sorter *s, size_t serve_bytes, hsd_error *err)
{
    const size_t unpack_bytes = s->config.codec == HSD_RUN_PACKED ? HSD_DECOMPRESSOR_BYTES : 0;
    const size_t free_bytes = serve_bytes - sizeof *s - unpack_bytes;
    s->merge_bytes = free_bytes - free_bytes / TABLE_SHARE; /* the rest is more than the table needs */
    if (s->merge_bytes > s->area_bytes) s->merge_bytes = s->area_bytes;
    HSD_TRY(hsd_runset_close_run(&s->runs, err));
    HSD_TRY(hsd_runset_reduce(&s->runs, hsd_merge_fan_in(s->merge_bytes, s->config.codec), false, s->area,
                              s->area_bytes, err));
    const size_t useful = hsd_merge_useful_bytes(s->runs.count);
    if (s->merge_bytes > useful) s->merge_bytes = useful;
    hsd_runset_trim(&s->runs);
    shrink_region(s, s->merge_bytes);
    HSD_TRY(open_merge(s, err));
    s->fan_in = s->runs.count;
    s->state = SERVING_RUNS;
    return HSD_OK;
}

static hsd_status end_input(hsd_sorter *s, size_t serve_bytes, hsd_error *err)
{
    HSD_TRY(hsd_worker_finish(&s->worker, err));
    const size_t held = sizeof *s + sizeof(hsd_sorted_run) + PAGE_BYTES + filled(s) * record_bytes(s);
    if (!s->has_spilled && held <= serve_bytes) {
        s->job = s->buffers[0];
        s->job_records = filled(s);
        sort_job(s);
        return serve_memory(s);
    }
    start_job(s, true);
    HSD_TRY(hsd_worker_finish(&s->worker, err));
    return serve_runs(s, serve_bytes, err);
}

hsd_status hsd_sorter_finish(hsd_sorter *s, size_t serve_bytes, hsd_error *err)
{
    if (s->state != FILLING) return fail_state(s, "a sorter is finished twice", err);
    if (serve_bytes == 0 || serve_bytes > s->config.memory_bytes) serve_bytes = s->config.memory_bytes;
    if (serve_bytes < HSD_SORT_MIN_BYTES)
        return hsd_fail(err, HSD_E_OVER_BUDGET,
                        "serving sorted records from %zu bytes is not possible: "
                        "%zu bytes suffice",
                        serve_bytes, HSD_SORT_MIN_BYTES);
    hsd_error why;
    hsd_error_init(&why);
    count_records(s, HSD_COST_WRITTEN);
    const hsd_status status = end_input(s, serve_bytes, &why);
    count_reading(s);
    s->fill_end = s->fill; /* from now on put takes its slow path */
    return keep_sorter(s, status, &why, err);
}

/* ---- serving */

hsd_status hsd_sorter_next(hsd_sorter *s, const uint64_t **record, hsd_error *err)
{
    HSD_ASSERT(s->at <= s->end);
    if (s->state == SERVING_MEMORY) {
        if (s->at == s->end) return HSD_END;
        *record = s->at;
        s->at += s->config.record_words;
        return HSD_OK;
    }
    if (s->state != SERVING_RUNS) return fail_state(s, "records are asked for before finish", err);
    const hsd_status status = hsd_merge_next(&s->merge, record, &s->error);
    return __builtin_expect(status < 0, 0) ? keep_sorter(s, status, &s->error, err) : status;
}

hsd_status hsd_sorter_next_some(hsd_sorter *s, const uint64_t **records, size_t *count, hsd_error *err)
{
    if (s->state == SERVING_RUNS) {
        const hsd_status status = hsd_merge_next_some(&s->merge, records, count, &s->error);
        return __builtin_expect(status < 0, 0) ? keep_sorter(s, status, &s->error, err) : status;
    }
    const uint64_t *first = s->at;
    const hsd_status status = hsd_sorter_next(s, records, err);
    if (status != HSD_OK) return status;
    *count = (size_t)(s->end - first) / s->config.record_words;
    s->at = s->end;
    return HSD_OK;
}

hsd_status hsd_sorter_next_dense(hsd_sorter *s, unsigned shift, uint64_t *out, size_t most, size_t *count,
                                 hsd_error *err)
{
    if (s->state == SERVING_RUNS) {
        const hsd_status status = hsd_merge_next_dense(&s->merge, shift, out, most, count, &s->error);
        return __builtin_expect(status < 0, 0) ? keep_sorter(s, status, &s->error, err) : status;
    }
    if (s->state != SERVING_MEMORY) return fail_state(s, "records are asked for before finish", err);
    *count = (size_t)(s->end - s->at) / s->config.record_words;
    if (*count > most) *count = most;
    if (*count == 0) return HSD_END;
    memcpy(out, s->at, *count * record_bytes(s));
    s->at += *count * s->config.record_words;
    return HSD_OK;
}

void hsd_sorter_repeat(hsd_sorter *s) { s->repeats = true; }

hsd_status hsd_sorter_rewind(hsd_sorter *s, hsd_error *err)
{
    count_reading(s);
    if (s->state == SERVING_MEMORY) {
        s->at = s->buffers[0];
        return HSD_OK;
    }
    if (s->state != SERVING_RUNS && s->state != RESTING) return fail_state(s, "a rewind before finish", err);
    s->state = SERVING_RUNS;
    hsd_error why;
    hsd_error_init(&why);
    return keep_sorter(s, open_merge(s, &why), &why, err);
}

/* A merge writes what it needs of its memory before it reads it. */
size_t hsd_sorter_rest(hsd_sorter *s)
{
    if (s->state != SERVING_RUNS) return 0;
    s->state = RESTING;
    hsd_runset_rest(&s->runs);
    hsd_pages_forget(s->area, s->merge_bytes);
    return s->merge_bytes;
}

uint64_t hsd_sorter_count(const hsd_sorter *s) { return s->spilled + filled(s); }

unsigned hsd_sorter_words(const hsd_sorter *s) { return s->config.record_words; }

hsd_sorter_stats hsd_sorter_stats_get(const hsd_sorter *s)
{
    return (hsd_sorter_stats){.records = hsd_sorter_count(s),
                              .runs = s->runs.runs_written,
                              .merge_passes = s->runs.merge_passes,
                              .fan_in = s->fan_in,
                              .temp_bytes = s->runs.bytes_written,
                              .was_in_order = !s->has_sorted && s->runs.runs_written <= 1,
                              .repeats = s->repeats};
}
