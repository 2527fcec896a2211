/*
 * Merge passes. While R runs are more than can be served at once (T), groups of F runs become one:
 *
 *      full pass       when one pass cannot suffice: every F runs, all of the data,
 *                      from one file into the other, which then replaces it
 *      last pass       only as many runs as it takes to come down to T, the smallest ones:
 *                      R - T = sum over groups of (size of group - 1)
 *
 * Worked example: F = 12, T = 12, R = 15. The last pass merges one group of 4 runs (15 - 4 + 1 = 12) and
 * leaves 11 runs where they are: a quarter of the data is written again, not all of it.
 */
#include "sort/runset.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/work.h"
#include "sort/merge.h"
#include "sort/radix.h"

#define PROGRESS_STEP 65536u

void hsd_runset_init(hsd_runset *set, const hsd_runset_config *config)
{
    HSD_ASSERT(config->capacity >= 1 && config->write_bytes >= HSD_RUN_WRITER_MIN_BYTES);
    *set = (hsd_runset){.config = *config};
}

void hsd_runset_release(hsd_runset *set)
{
    hsd_temp_close(&set->files[0]);
    hsd_temp_close(&set->files[1]);
    hsd_runset_rest(set);
    free(set->runs);
    *set = (hsd_runset){0};
}

void hsd_runset_rest(hsd_runset *set) { hsd_run_pack_release(&set->pack); }

void hsd_runset_trim(hsd_runset *set)
{
    HSD_ASSERT(!set->writer.is_open);
    hsd_runset_rest(set);
    if (set->count == 0) return;
    hsd_sorted_run *runs = realloc(set->runs, set->count * sizeof *runs);
    if (runs == NULL) return;
    set->runs = runs;
    set->rows = set->count;
}

static hsd_status open_file(hsd_runset *set, unsigned which, hsd_error *err)
{
    hsd_temp *file = &set->files[which];
    if (file->space == NULL) HSD_TRY(hsd_temp_open(file, set->config.space, err));
    hsd_run_writer_init(&set->writer, file, set->config.write_buffer, set->config.write_bytes, set->config.words,
                        set->config.codec);
    if (set->config.codec == HSD_RUN_PACKED) hsd_run_writer_pack(&set->writer, &set->pack);
    return HSD_OK;
}

hsd_status hsd_runset_close_run(hsd_runset *set, hsd_error *err)
{
    if (!set->writer.is_open) return HSD_OK;
    hsd_sorted_run *run = &set->runs[set->count];
    HSD_TRY(hsd_run_writer_finish(&set->writer, run, err));
    set->bytes_written += run->size_bytes;
    set->count++;
    return HSD_OK;
}

/* For the cost model. */
static void count_words(const hsd_runset *set, hsd_cost what, uint64_t records)
{
    if (set->config.codec != HSD_RUN_RAW) hsd_work_did(what, records * set->config.words);
}

hsd_status hsd_runset_add(hsd_runset *set, const uint64_t *records, size_t count, hsd_error *err)
{
    if (count == 0) return HSD_OK;
    if (set->writer.file == NULL) HSD_TRY(open_file(set, set->current, err));
    const bool goes_on = set->writer.is_open && hsd_record_compare(set->writer.last, records, set->config.words) <= 0;
    if (!goes_on) {
        HSD_TRY(hsd_runset_close_run(set, err));
        HSD_TRY(HSD_ARRAY_GROW(set->runs, set->rows, set->count + 1, 16, "the runs of a sorter", err));
        uint8_t coding[HSD_SORT_MAX_WORDS];
        hsd_run_choose_coding(coding, records, count, set->config.words);
        hsd_run_writer_begin(&set->writer, coding);
        set->runs_written++;
    }
    count_words(set, HSD_COST_RUN_ENCODED, count);
    return hsd_run_writer_put(&set->writer, records, count, err);
}

/* ---- passes */

typedef struct pass {
    hsd_runset *set;
    void *memory;
    size_t memory_bytes;
    uint64_t done, total; /* records, for progress */
} pass;

/* Merges runs[first .. first + count) into a run of the file being written. */
static hsd_status merge_group(pass *p, uint32_t first, uint32_t count, hsd_sorted_run *out, hsd_error *err)
{
    hsd_runset *set = p->set;
    hsd_merge merge;
    const uint64_t *record = NULL;
    HSD_TRY(hsd_merge_open(&merge, set->runs + first, count, set->config.words, p->memory, p->memory_bytes, err));
    hsd_run_writer_begin(&set->writer, set->runs[first].coding);
    hsd_status status;
    while ((status = hsd_merge_next(&merge, &record, err)) == HSD_OK) {
        HSD_TRY(hsd_run_writer_put(&set->writer, record, 1, err));
        if (++p->done % PROGRESS_STEP == 0)
            HSD_TRY(hsd_progress(set->config.reporter, "merging sorted runs", p->done, p->total, err));
    }
    if (status != HSD_END) return status;
    HSD_TRY(hsd_run_writer_finish(&set->writer, out, err));
    set->bytes_written += out->size_bytes;
    count_words(set, HSD_COST_RUN_DECODED, out->record_count);
    count_words(set, HSD_COST_RUN_ENCODED, out->record_count);
    return HSD_OK;
}

/* Every `fan_in` runs become one in the other file; the old file goes. */
static hsd_status full_pass(pass *p, uint32_t fan_in, hsd_error *err)
{
    hsd_runset *set = p->set;
    uint32_t merged = 0;
    HSD_TRY(open_file(set, 1 - set->current, err));
    for (uint32_t first = 0; first < set->count; first += fan_in) {
        const uint32_t left = set->count - first;
        HSD_TRY(merge_group(p, first, left < fan_in ? left : fan_in, &set->runs[merged], err));
        merged++;
    }
    hsd_temp_close(&set->files[set->current]);
    set->current = 1 - set->current;
    set->count = merged;
    return HSD_OK;
}

static int compare_sizes(const void *a, const void *b)
{
    const hsd_sorted_run *left = a, *right = b;
    if (left->size_bytes != right->size_bytes) return left->size_bytes < right->size_bytes ? -1 : 1;
    return left->offset_bytes < right->offset_bytes ? -1 : left->offset_bytes > right->offset_bytes;
}

/* The smallest runs, just enough of them, become ceil(excess / (fan_in - 1)) runs. */
static hsd_status last_pass(pass *p, uint32_t fan_in, uint32_t target, hsd_error *err)
{
    hsd_runset *set = p->set;
    uint32_t excess = set->count - target, first = 0, merged = 0;
    qsort(set->runs, set->count, sizeof *set->runs, compare_sizes);
    HSD_TRY(open_file(set, 1 - set->current, err));
    while (excess > 0) {
        const uint32_t size = excess < fan_in ? excess + 1 : fan_in;
        HSD_TRY(merge_group(p, first, size, &set->runs[merged], err));
        merged++;
        first += size;
        excess -= size - 1;
    }
    for (uint32_t i = first; i < set->count; i++)
        set->runs[merged + i - first] = set->runs[i];
    set->count = target;
    return HSD_OK;
}

static uint64_t count_records(const hsd_runset *set)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < set->count; i++)
        total += set->runs[i].record_count;
    return total;
}

hsd_status hsd_runset_reduce(hsd_runset *set, uint32_t target, bool keeps_one_file, void *memory, size_t memory_bytes,
                             hsd_error *err)
{
    HSD_ASSERT(!set->writer.is_open);
    const uint32_t fan_in = hsd_merge_fan_in(memory_bytes, set->config.codec);
    if (target < 1 || (set->count > target && fan_in < 2))
        return hsd_fail(err, HSD_E_MISUSE, "%u runs cannot be merged in %zu bytes", set->count, memory_bytes);
    while (set->count > target) {
        pass p = {.set = set, .memory = memory, .memory_bytes = memory_bytes, .total = count_records(set)};
        const bool is_last = (set->count + fan_in - 1) / fan_in <= target;
        set->merge_passes++;
        HSD_TRY(is_last && !keeps_one_file ? last_pass(&p, fan_in, target, err) : full_pass(&p, fan_in, err));
    }
    return HSD_OK;
}
