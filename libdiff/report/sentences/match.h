/*
 * What objects were recognised by, in the fixed names that programs read.
 */
#ifndef HSD_REPORT_MATCH_H
#define HSD_REPORT_MATCH_H

#include <hsdiff/diff.h>

/* "exact", "address", "structure", or "counts" where single objects are not recognised. */
const char *hsd_basis_name(const hsd_diff *diff);

/* "same_address": fixed, for programs. */
const char *hsd_rung_name(hsd_match_rung rung);

#endif
