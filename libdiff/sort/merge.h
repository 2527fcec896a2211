/*
 * Many runs become one sequence: a reader for each run, a loser tree over them, in memory that the
 * caller lends. Internal to sort/.
 */
#ifndef HSD_SORT_MERGE_H
#define HSD_SORT_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/losertree.h"
#include "sort/run.h"

typedef struct hsd_merge {
    hsd_losertree tree;
    hsd_run_reader *readers;
    /* the least first word of those that lost: what the winner's run has below it comes before them. 0 at the start */
    uint64_t limit;
    bool has_served; /* the winner's record was handed out: it must be replaced first */
} hsd_merge;

/*
 * Fan-in: how many runs can be merged in so much memory, 1 at least and HSD_MERGE_FAN_IN_MAX at most.
 * Blocks of less than 16 KiB are not worth it: two passes over the data are then faster.
 */
uint32_t hsd_merge_fan_in(size_t memory_bytes, hsd_run_codec codec);

#define HSD_MERGE_FAN_IN_MAX 4096u

/* Memory that a merge of so many runs can use: with blocks of 256 KiB. */
size_t hsd_merge_useful_bytes(uint32_t run_count);

/* Starts the merge of `runs`, at most hsd_merge_fan_in(memory_bytes) of them. `memory` is borrowed until
 * the end of the merge and aligned to 8. HSD_E_IO, HSD_E_CORRUPT. */
hsd_status hsd_merge_open(hsd_merge *merge, const hsd_sorted_run *runs, uint32_t run_count, unsigned words,
                          void *memory, size_t memory_bytes, hsd_error *err);

#define HSD_MERGE_DENSE_MOST 16384u /* records of a window, a multiple of 64 */

/* For runs whose first words are, shifted right by `shift`, all different numbers: the records with those from the
 * least one on that lie within `most` numbers, HSD_MERGE_DENSE_MOST at most, copied to `out` in their order. Each run
 * puts its own where their numbers say, and no match is played: no other next until the merge is opened again. HSD_END
 * after the last; two with one number are HSD_E_CORRUPT. */
hsd_status hsd_merge_next_dense(hsd_merge *merge, unsigned shift, uint64_t *out, size_t most, size_t *count,
                                hsd_error *err);

/* Slow path: the winner's run is asked for more, or has to play again. */
hsd_status hsd_merge_play(hsd_merge *merge, const uint64_t **record, hsd_error *err);

/* The next record in order, borrowed until the following call. HSD_END after the last. What lay together when it was
 * put lies in one run and often comes together too, so most records only need to be found below the limit. */
static inline hsd_status hsd_merge_next(hsd_merge *merge, const uint64_t **record, hsd_error *err)
{
    hsd_run_reader *reader = &merge->readers[hsd_losertree_winner(&merge->tree)];
    if (reader->batch_at == reader->batch_count) return hsd_merge_play(merge, record, err);
    const uint64_t *next = reader->batch + (size_t)reader->batch_at * reader->words;
    if (next[0] >= merge->limit) return hsd_merge_play(merge, record, err);
    reader->batch_at++;
    *record = next;
    return HSD_OK;
}

/* The same with those that follow it in the same run, as far as they are decoded and come before all other runs. */
static inline hsd_status hsd_merge_next_some(hsd_merge *merge, const uint64_t **records, size_t *count, hsd_error *err)
{
    *count = 1;
    HSD_TRY(hsd_merge_next(merge, records, err));
    hsd_run_reader *reader = &merge->readers[hsd_losertree_winner(&merge->tree)];
    const uint64_t *next = reader->batch + (size_t)reader->batch_at * reader->words;
    while (reader->batch_at < reader->batch_count && next[0] < merge->limit) {
        next += reader->words;
        reader->batch_at++;
        (*count)++;
    }
    return HSD_OK;
}

#endif
