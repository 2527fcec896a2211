/*
 * The tandem merge alone: two sorted censuses, 90 % of the identities in both, from memory and from
 * runs on disk. The bound beside it: reading the same records once from memory, in the same run.
 *
 *      bench_merge [RECORDS]        CSV: stage,shape,memory,items,seconds,…
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note.h"
#include "sort/tandem.h"
#include "walk/side/side.h"

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK) return;
    fprintf(stderr, "bench_merge: %s\n", err->text);
    exit(1);
}

static void row(const char *stage, const char *shape, uint64_t memory, uint64_t items, uint64_t start_ns, uint64_t temp)
{
    const double seconds = (double)(hsd_now_ns() - start_ns) * 1e-9;
    printf("merge-%s,%s,%llu MiB,%llu,%.3f,%.1f,%.1f\n", stage, shape, (unsigned long long)(memory >> 20),
           (unsigned long long)items, seconds, (double)items / seconds * 1e-6, (double)temp / 1048576.0);
    fflush(stdout);
}

static void bound(uint64_t records)
{
    const size_t words = (size_t)records * HSD_CENSUS_WORDS;
    uint64_t *array = malloc(words * sizeof *array);
    volatile uint64_t sum = 0;
    if (array == NULL) exit(1);
    memset(array, 1, words * sizeof *array);
    const uint64_t start = hsd_now_ns();
    uint64_t total = 0;
    for (size_t i = 0; i < words; i++)
        total += array[i];
    sum = total;
    (void)sum;
    row("bound", "memory read", words * sizeof *array, records, start, 0);
    free(array);
}

/* Identities 10 i, of which every tenth is this side's own. */
static hsd_sorter *census(uint64_t records, uint64_t side, uint64_t memory, hsd_temp_space *space)
{
    const hsd_sorter_config config = {.record_words = HSD_CENSUS_WORDS,
                                      .key_words = HSD_CENSUS_KEY_WORDS,
                                      .memory_bytes = (size_t)memory,
                                      .space = space};
    hsd_sorter *sorter;
    hsd_error err;
    stop(hsd_sorter_new(&sorter, &config, &err), &err);
    for (uint64_t i = 0; i < records; i++) {
        const uint64_t at = i * UINT64_C(2654435761) % records;
        const uint64_t record[HSD_CENSUS_WORDS] = {at * 10 + (at % 10 == 0 ? side : 0), (at % 1000) << 32, 64 << 1 | 1};
        stop(hsd_sorter_put(sorter, record, &err), &err);
    }
    stop(hsd_sorter_finish(sorter, 0, &err), &err);
    return sorter;
}

static void run(const char *shape, uint64_t records, uint64_t memory)
{
    hsd_temp_space space;
    hsd_error err;
    hsd_tandem *tandem;
    const uint64_t *const *pair;
    hsd_temp_space_init(&space, NULL);
    hsd_sorter *sides[2] = {census(records, 0, memory, &space), census(records, 1, memory, &space)};
    const uint64_t start = hsd_now_ns();
    stop(hsd_tandem_new(&tandem, sides, 2, false, &err), &err);
    uint64_t both = 0, keys = 0;
    hsd_status status;
    while ((status = hsd_tandem_next(tandem, &pair, &err)) == HSD_OK) {
        both += pair[0] != NULL && pair[1] != NULL;
        keys++;
    }
    if (status != HSD_END) stop(status, &err);
    row("tandem", shape, memory, keys + both, start, space.bytes_now);
    hsd_tandem_free(tandem);
    hsd_sorter_free(sides[0]);
    hsd_sorter_free(sides[1]);
}

int main(int argc, char **argv)
{
    const uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    printf("stage,shape,memory,items,seconds,M items/s,temp MiB\n");
    bound(records);
    run("in memory", records, records * HSD_CENSUS_WORDS * 8 * 3);
    run("from runs", records, records * HSD_CENSUS_WORDS * 2);
    return 0;
}
