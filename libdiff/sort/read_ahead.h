/*
 * Records of a finished sorter, a batch ahead: while one is gone through, a second thread merges the next. For who has
 * as much to do with records as merging them takes.
 *
 *      sorter ──merge──► | batch being filled |    | batch being read | ──► next_some
 *                                └── they change places when both are done ──┘
 *
 * Records with numbers that are dense come in batches without a thread, too, since they are found without a merge and
 * lie side by side then. Records that are in memory already are handed on as they lie, and no thread is begun.
 */
#ifndef HSD_SORT_READ_AHEAD_H
#define HSD_SORT_READ_AHEAD_H

#include "base/worker.h"
#include "sort/sorter.h"

typedef struct hsd_read_batch {
    uint64_t *records;
    size_t count;
} hsd_read_batch;

typedef struct hsd_read_ahead { /* stays where it is from begin to end */
    hsd_sorter *sorter;
    hsd_read_batch batches[2];
    unsigned filling;         /* of the batches */
    const uint64_t *borrowed; /* of the sorter: what did not fit in the last batch */
    size_t borrowed_count;
    unsigned shift; /* of dense numbers */
    size_t most;    /* records in a batch; 0: what the sorter gives is handed on */
    bool is_dense, is_ahead;
    bool is_at_end;
    hsd_worker worker;
} hsd_read_ahead;

typedef struct hsd_read_ahead_how {
    bool with_thread;
    bool is_dense;       /* as hsd_sorter_next_dense has it */
    unsigned shift;      /* likewise */
    size_t memory_bytes; /* of both batches; without a thread of the one */
    bool goes_on;        /* from the record that the sorter has next; else it is rewound */
} hsd_read_ahead_how;

/* Memory of both batches with a thread. */
#define HSD_READ_AHEAD_BYTES ((size_t)1 << 20)

/* From the first record on, unless it goes on. Without a thread, and where numbers are not dense or runs too many
 * for a batch, what the sorter gives is handed on. Nobody else asks the sorter for records until the end. */
hsd_status hsd_read_ahead_begin(hsd_read_ahead *ahead, hsd_sorter *sorter, const hsd_read_ahead_how *how,
                                hsd_error *err);

/* As hsd_sorter_next_some; borrowed until the next call. */
hsd_status hsd_read_ahead_next_some(hsd_read_ahead *ahead, const uint64_t **records, size_t *count, hsd_error *err);

/* Also after a failure of begin or next_some. */
void hsd_read_ahead_end(hsd_read_ahead *ahead);

#endif
