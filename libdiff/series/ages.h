/*
 * Counting the living by age: for the last capture of each cohort a matrix of types and cohorts, summed while its
 * objects come by. What is not zero goes to a stream until it is known which types are shown.
 */
#ifndef HSD_SERIES_AGES_H
#define HSD_SERIES_AGES_H

#include "series/store.h"
#include "series/stream.h"
#include "series/table.h"

typedef struct hsd_ages {
    hsd_cohort cohorts[HSD_COHORTS_MOST];
    uint32_t cohort_count, capture_count;
    uint8_t cohort_of[HSD_SERIES_MOST]; /* a capture */
    hsd_stream stream;
    hsd_amount *by_type; /* [type * cohort_count + born], of the open capture */
    uint32_t type_capacity;
    hsd_amount born_in[HSD_SERIES_MOST]; /* of the open capture: by the capture where they were first seen */
    hsd_amount all[HSD_COHORTS_MOST * HSD_COHORTS_MOST];
    uint32_t capture; /* the open one */
} hsd_ages;

hsd_status hsd_ages_open(hsd_ages *ages, size_t capture_count, hsd_temp_space *space, hsd_error *err);

static inline bool hsd_ages_counts(const hsd_ages *ages)
{
    return ages->cohorts[ages->cohort_of[ages->capture]].last == ages->capture;
}

/* Opens the next capture. */
void hsd_ages_begin(hsd_ages *ages, uint32_t capture);

/* Slow path of add. */
hsd_status hsd_ages_reach(hsd_ages *ages, uint32_t type, hsd_error *err);

/* One live object of the open capture. */
static inline hsd_status hsd_ages_add(hsd_ages *ages, uint32_t type, uint32_t born, uint64_t bytes, hsd_error *err)
{
    const hsd_amount one = {1, bytes};
    if (!hsd_ages_counts(ages)) return HSD_OK;
    if (type >= ages->type_capacity) HSD_TRY(hsd_ages_reach(ages, type, err));
    hsd_series_add(&ages->by_type[(size_t)type * ages->cohort_count + ages->cohort_of[born]], one);
    hsd_series_add(&ages->born_in[born], one);
    return HSD_OK;
}

hsd_status hsd_ages_end(hsd_ages *ages, hsd_error *err);

/* Tables of cohorts, after the last capture has ended; `types` has the names. At most so many types. */
hsd_status hsd_ages_finish(hsd_ages *ages, const hsd_named_table *types, size_t most_types, hsd_series_store *store,
                           hsd_cohorts *out, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_ages_close(hsd_ages *ages);

#endif
