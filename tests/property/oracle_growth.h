/*
 * The oracle's part about what holds the growth: holders, retained sizes, places.
 */
#ifndef HSD_TESTS_ORACLE_GROWTH_H
#define HSD_TESTS_ORACLE_GROWTH_H

#include "oracle.h"
#include "oracle_view.h"

void oracle_compare_growth(oracle_diff *diff, const oracle_view *before, const oracle_view *after, bool has_identity);

#endif
