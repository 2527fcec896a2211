/*
 * The sort stage alone: records put, sorted, spilled, merged and taken again, for several widths and
 * memories, with one thread and with two. The bounds beside it, in the same run: the same records
 * sorted in memory by our radix sort and by a plain one from the lowest byte, and the same bytes written to
 * a temporary file. Each row is the median of its rounds; `spread` is (slowest - fastest) / median.
 *
 *      bench_sort [MILLIONS [ROUNDS]]                   CSV: stage,shape,memory,items,seconds,…
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note.h"
#include "base/pages.h"
#include "sort/radix.h"
#include "sort/sorter.h"

#define MAX_ROUNDS  15
#define BOUND_BYTES ((size_t)96 << 20) /* a run of the larger memory is about as long */

typedef struct measured {
    double seconds[MAX_ROUNDS];
    unsigned rounds;
} measured;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Key, then a payload like those of the joins: an ordinal, and a small number such as a type. */
static void make_record(uint64_t *record, unsigned words, bool is_address, uint64_t items, uint64_t *state)
{
    const uint64_t any = next_random(state);
    record[0] = is_address ? UINT64_C(0x7f0000000000) + any % (items * 4) * 8 : any;
    for (unsigned w = 1; w < words; w++)
        record[w] = w == 1 ? any >> 40 : any % 3001;
}

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK) return;
    fprintf(stderr, "bench_sort: %s\n", err->text);
    exit(1);
}

static int compare_seconds(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static void row(const char *stage, const char *shape, size_t memory_bytes, uint64_t items, measured *m,
                uint64_t temp_bytes, const char *note)
{
    qsort(m->seconds, m->rounds, sizeof m->seconds[0], compare_seconds);
    const double median = m->seconds[m->rounds / 2];
    printf("sort-%s,%s,%zu MiB,%llu,%.3f,%.1f,%.1f,%.2f,%s\n", stage, shape, memory_bytes >> 20,
           (unsigned long long)items, median, (double)items / median * 1e-6, (double)temp_bytes / 1048576.0,
           (m->seconds[m->rounds - 1] - m->seconds[0]) / median, note);
    fflush(stdout);
}

/* ---- the sorter */

static hsd_sorter_stats sort_once(const hsd_sorter_config *config, bool is_address, uint64_t items)
{
    hsd_sorter *sorter = NULL;
    hsd_error err;
    uint64_t state = 88172645463325252u, record[HSD_SORT_MAX_WORDS], sum = 0;
    const uint64_t *out = NULL;
    hsd_error_init(&err);
    stop(hsd_sorter_new(&sorter, config, &err), &err);
    for (uint64_t i = 0; i < items; i++) {
        make_record(record, config->record_words, is_address, items, &state);
        sum += record[0];
        stop(hsd_sorter_put(sorter, record, &err), &err);
    }
    stop(hsd_sorter_finish(sorter, 0, &err), &err);
    for (uint64_t i = 0, last = 0; i < items; i++, last = out[0]) {
        stop(hsd_sorter_next(sorter, &out, &err), &err);
        sum -= out[0];
        if (out[0] < last) sum = 1;
    }
    if (sum != 0) stop(hsd_fail(&err, HSD_E_CORRUPT, "the records came back wrong"), &err);
    const hsd_sorter_stats stats = hsd_sorter_stats_get(sorter);
    hsd_sorter_free(sorter);
    return stats;
}

static void bench_sorter(const char *shape, unsigned words, bool is_address, size_t memory_bytes, bool use_thread,
                         uint64_t items, unsigned rounds)
{
    hsd_temp_space space;
    hsd_temp_space_init(&space, NULL);
    const hsd_sorter_config config = {
        .record_words = words, .key_words = 1, .memory_bytes = memory_bytes, .use_thread = use_thread, .space = &space};
    measured m = {.rounds = rounds};
    hsd_sorter_stats stats = {0};
    for (unsigned i = 0; i < rounds; i++) {
        const uint64_t start_ns = hsd_now_ns();
        stats = sort_once(&config, is_address, items);
        m.seconds[i] = (double)(hsd_now_ns() - start_ns) * 1e-9;
    }
    char note[64];
    snprintf(note, sizeof note, "%u runs %u passes", stats.runs, stats.merge_passes);
    row(use_thread ? "external-2" : "external-1", shape, memory_bytes, items, &m, stats.temp_bytes, note);
}

/* ---- bounds */

typedef void sort_fn(uint64_t *records, uint64_t *scratch, size_t count, unsigned words);

/* The textbook's: one pass for each byte that varies, of every word, last word first. */
static void sort_from_bottom(uint64_t *records, uint64_t *scratch, size_t count, unsigned words)
{
    uint64_t *from = records, *to = scratch;
    for (unsigned digit = 0; digit < words * 8; digit++) {
        const unsigned word = words - 1 - digit / 8, shift = digit % 8 * 8;
        size_t places[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            places[from[i * words + word] >> shift & 255]++;
        if (places[from[word] >> shift & 255] == count) continue;
        for (size_t b = 0; b < 256; b++) {
            const size_t size = places[b];
            places[b] = sum;
            sum += size;
        }
        for (size_t i = 0; i < count; i++) {
            const size_t place = places[from[i * words + word] >> shift & 255]++;
            for (unsigned w = 0; w < words; w++)
                to[place * words + w] = from[i * words + w];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != records) memcpy(records, from, count * words * sizeof *records);
}

static void bench_in_memory(const char *stage, const char *shape, unsigned words, bool is_address, sort_fn *sort,
                            unsigned rounds)
{
    hsd_pages records, scratch;
    const size_t count = BOUND_BYTES / (words * sizeof(uint64_t));
    if (!hsd_pages_take(&records, BOUND_BYTES) || !hsd_pages_take(&scratch, BOUND_BYTES)) exit(1);
    memset(scratch.data, 1, BOUND_BYTES);
    measured m = {.rounds = rounds};
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t state = 88172645463325252u, *at = records.data;
        for (size_t k = 0; k < count; k++, at += words)
            make_record(at, words, is_address, count, &state);
        const uint64_t start_ns = hsd_now_ns();
        sort(records.data, scratch.data, count, words);
        m.seconds[i] = (double)(hsd_now_ns() - start_ns) * 1e-9;
    }
    row(stage, shape, BOUND_BYTES * 2, count, &m, 0, "bound");
    hsd_pages_give(&records);
    hsd_pages_give(&scratch);
}

static void bench_temp_write(unsigned words, const char *shape, unsigned rounds)
{
    const size_t block = (size_t)256 << 10, total = (size_t)256 << 20;
    uint8_t *data = malloc(block);
    measured m = {.rounds = rounds};
    for (size_t i = 0; data != NULL && i < block; i++)
        data[i] = (uint8_t)(i * 131 >> 3);
    for (unsigned i = 0; data != NULL && i < rounds; i++) {
        hsd_temp_space space;
        hsd_temp file;
        hsd_error err;
        hsd_error_init(&err);
        hsd_temp_space_init(&space, NULL);
        stop(hsd_temp_open(&file, &space, &err), &err);
        const uint64_t start_ns = hsd_now_ns();
        for (size_t at = 0; at < total; at += block)
            stop(hsd_temp_write(&file, at, data, block, &err), &err);
        m.seconds[i] = (double)(hsd_now_ns() - start_ns) * 1e-9;
        hsd_temp_close(&file);
    }
    free(data);
    row("temp-write", shape, block, total / (words * 8), &m, total, "bound");
}

static void bench_shape(const char *shape, unsigned words, bool is_address, uint64_t items, unsigned rounds)
{
    bench_in_memory("radix", shape, words, is_address, hsd_radix_sort, rounds);
    bench_in_memory("radix-from-bottom", shape, words, is_address, sort_from_bottom, rounds);
    for (size_t mebibytes = 64; mebibytes <= 256; mebibytes *= 4)
        for (int use_thread = 0; use_thread < 2; use_thread++)
            bench_sorter(shape, words, is_address, mebibytes << 20, use_thread, items, rounds);
}

int main(int count, char **arguments)
{
    const double millions = count > 1 ? strtod(arguments[1], NULL) : 20;
    const unsigned long asked = count > 2 ? strtoul(arguments[2], NULL, 10) : 3;
    const unsigned rounds = (unsigned)(asked < 1 ? 1 : asked > MAX_ROUNDS ? MAX_ROUNDS : asked);
    const uint64_t items = (uint64_t)(millions * 1e6);
    printf("stage,shape,memory,items,seconds,M items/s,temp MiB,spread,note\n");
    bench_temp_write(2, "16 B", rounds);
    bench_shape("16 B random", 2, false, items, rounds);
    bench_shape("16 B addresses", 2, true, items, rounds);
    bench_shape("24 B random", 3, false, items, rounds);
    bench_shape("32 B random", 4, false, items, rounds);
    return 0;
}
