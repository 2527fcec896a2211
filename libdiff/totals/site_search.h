/*
 * What two captures allocated where: sums by type and stack, of objects and of site totals. sites.c asks it for some
 * types, sites_all.c for all of them together.
 */
#ifndef HSD_TOTALS_SITE_SEARCH_H
#define HSD_TOTALS_SITE_SEARCH_H

#include <hsdiff/sites.h>

#include "base/names.h"
#include "base/note.h"
#include "totals/site_table.h"

typedef struct hsd_site_sum { /* of one type from one stack, before and after */
    uint32_t type, stack;
    hsd_amount amounts[2];
} hsd_site_sum;

typedef struct hsd_site_search { /* zeroed but for the first three: nothing found */
    const hsd_run *run;
    hsd_reporter *reporter;
    bool is_over_all;   /* all types are one: `types` has one name, whatever it is */
    hsd_names types;    /* wanted, by number as asked for */
    hsd_names stacks;   /* spellings */
    hsd_id_map *row_of; /* for each type: stack -> row */
    hsd_site_sum *rows;
    uint32_t row_count, row_capacity;
} hsd_site_search;

/* True if one of the captures has sites, and neither too many for the budget: then they stay unknown, and the answer
 * stands without. */
bool hsd_site_search_is_possible(const hsd_site_search *search, hsd_capture *const captures[2]);

/* Fills rows, in no order. One pass over the objects of each capture. */
hsd_status hsd_site_search_run(hsd_site_search *search, hsd_capture *const captures[2], hsd_error *err);

static inline int64_t hsd_site_sum_growth(const hsd_site_sum *sum)
{
    return (int64_t)(sum->amounts[1].bytes - sum->amounts[0].bytes);
}

/* By growth, largest first, then by stack. */
int hsd_site_compare(const hsd_site_search *search, const hsd_site_sum *x, const hsd_site_sum *y);

/* The frames of a stack, innermost first, owned by the store. */
hsd_status hsd_site_frames(const hsd_site_search *search, uint32_t stack, hsd_diff_store *store,
                           const hsd_site_frame **out, size_t *count, hsd_error *err);

void hsd_site_search_release(hsd_site_search *search);

#endif
