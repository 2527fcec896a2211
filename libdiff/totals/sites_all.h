/*
 * Growth by allocation site over all types, for captures that say nothing of what holds an object: profiles, and
 * whatever else has stacks and no references.
 */
#ifndef HSD_TOTALS_SITES_ALL_H
#define HSD_TOTALS_SITES_ALL_H

#include "totals/site_search.h"
#include <hsdiff/diff.h>

/* True if sites are the best that these captures have: no references in either, and sites in one. */
bool hsd_sites_are_all(hsd_capture *before, hsd_capture *after);

/* Fills has_sites, sites and their rest. Sites that are too many for the budget stay unknown. */
hsd_status hsd_sites_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, const hsd_run *run,
                            hsd_error *err);

/* The same from rows that somebody else has summed, of which only `stacks` and rows are looked at. */
hsd_status hsd_sites_rows(hsd_site_search *search, hsd_diff *diff, hsd_error *err);

#endif
