/*
 * Counting the living by age: for the last capture of each cohort a matrix of types and cohorts, summed while its objects come by. What
 * is not zero goes to a stream until it is known which types are shown.
 */
#ifndef HSD_SERIES_TALLY_H
#define HSD_SERIES_TALLY_H

#include "series/store.h"
#include "series/stream.h"
#include "series/table.h"

typedef struct hsd_tally {
    hsd_cohort cohorts[HSD_COHORTS_MOST];
    uint32_t cohort_count, capture_count;
    uint8_t cohort_of[HSD_SERIES_MOST]; /* a capture */
    hsd_stream stream;
    hsd_amount *by_type;     /* [type * cohort_count + born], of the open capture */
    uint32_t type_capacity;
    hsd_amount born_in[HSD_SERIES_MOST]; /* of the open capture: by the capture where they were first seen */
    hsd_amount all[HSD_COHORTS_MOST * HSD_COHORTS_MOST];
    uint32_t capture;        /* the open one */
} hsd_tally;

hsd_status hsd_tally_open(hsd_tally *tally, size_t capture_count, hsd_temp_space *space, hsd_error *err);

static inline bool hsd_tally_counts(const hsd_tally *tally)
{
    return tally->cohorts[tally->cohort_of[tally->capture]].last == tally->capture;
}

/* Opens the next capture. */
void hsd_tally_begin(hsd_tally *tally, uint32_t capture);

/* Slow path of add. */
hsd_status hsd_tally_reach(hsd_tally *tally, uint32_t type, hsd_error *err);

/* One live object of the open capture. */
static inline hsd_status hsd_tally_add(hsd_tally *tally, uint32_t type, uint32_t born, uint64_t bytes, hsd_error *err)
{
    const hsd_amount one = {1, bytes};
    if (!hsd_tally_counts(tally)) return HSD_OK;
    if (type >= tally->type_capacity) HSD_TRY(hsd_tally_reach(tally, type, err));
    hsd_series_add(&tally->by_type[(size_t)type * tally->cohort_count + tally->cohort_of[born]], one);
    hsd_series_add(&tally->born_in[born], one);
    return HSD_OK;
}

hsd_status hsd_tally_end(hsd_tally *tally, hsd_error *err);

/* Tables of cohorts, after the last capture has ended; `types` has the names. At most so many types. */
hsd_status hsd_tally_finish(hsd_tally *tally, const hsd_named_table *types, size_t most_types, hsd_series_store *store, hsd_cohorts *out,
                            hsd_error *err);

/* Accepts a zeroed one. */
void hsd_tally_close(hsd_tally *tally);

#endif
