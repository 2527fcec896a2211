/*
 * Which objects are still the same, from one capture to the next, and since when. The state is a list of those alive,
 * by id:
 *
 *      by ids         each object of the next capture is looked for in the list of the last one, in one merge as it comes;
 *                     the same id and type is the same object, all else was born now
 *      by pairs       hsd_diff_run of the two captures says which is which (cohorts_pairs.c); the state is renamed by sorting
 *
 * What was not alive in one capture and comes back is born again. With addresses an object that was made where another
 * of its type had been counts as that one.
 */
#ifndef HSD_SERIES_COHORTS_H
#define HSD_SERIES_COHORTS_H

#include "base/turn.h"
#include "series/ages.h"
#include "series/list.h"

#define HSD_COHORT_TYPES_MOST 4096u

typedef struct hsd_aging {
    bool is_on; /* else why says why not */
    char why[640];
    hsd_cohort_wish wish;
    bool is_by_structure;
    bool is_by_pairs; /* the open capture: objects are only listed, step_by_pairs does the rest */
    hsd_temp_space *space;
    hsd_named_table *types;
    hsd_ages ages;
    hsd_list alive;            /* in the last capture */
    hsd_list next;             /* being written: alive in the open one; by pairs all of its objects */
    uint32_t capture;          /* the open one */
    const hsd_profile *mapped; /* of whom row_of_type is */
    uint32_t *row_of_type;
    size_t row_capacity;
    bool asks_turn; /* of the open capture behind the last one, by ids: */
    bool is_met;    /* the head of `alive` is in the open one */
    hsd_turn turn;
    /* of the last capture */
    hsd_identity identity;
    uint8_t domain[16];
    uint64_t pid;
} hsd_aging;

hsd_status hsd_aging_open(hsd_aging *aging, const hsd_series_options *options, size_t count, hsd_named_table *types,
                          hsd_temp_space *space, hsd_error *err);

/* Opens a capture, behind that of `last` (NULL for the first): afterwards is_on says if hsd_aging_each is wanted for
 * it. */
hsd_status hsd_aging_begin(hsd_aging *aging, uint32_t capture, const hsd_capture_info *info,
                           const hsd_capture_info *last, hsd_error *err);

/* A hsd_profile_fn; the context is the hsd_aging. */
hsd_status hsd_aging_each(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                          hsd_error *err);

/* Ends the capture. The pair is only looked at by pairs; `before` may be NULL else. `order` is what ids say of it. */
hsd_status hsd_aging_end(hsd_aging *aging, hsd_capture *before, hsd_capture *after, const hsd_series_options *options,
                         const hsd_run *run, hsd_order *order, hsd_error *err);

/* Gives up: cohorts are not known. */
void hsd_aging_stop(hsd_aging *aging, const char *format, ...) __attribute__((format(printf, 2, 3)));

hsd_status hsd_aging_finish(hsd_aging *aging, uint64_t memory_bytes, hsd_series_store *store, hsd_cohorts *out,
                            hsd_error *err);

/* Accepts a zeroed one. */
void hsd_aging_close(hsd_aging *aging);

/* cohorts_pairs.c: `next` is all of the open capture; makes it the list with births. May stop. */
hsd_status hsd_aging_by_pairs(hsd_aging *aging, hsd_capture *before, hsd_capture *after,
                              const hsd_series_options *options, const hsd_run *run, hsd_error *err);

#endif
