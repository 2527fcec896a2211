/*
 * Holds what a diff says of holders and places against the oracle, and its sums against each other.
 */
#ifndef HSD_TESTS_CHECK_GROWTH_H
#define HSD_TESTS_CHECK_GROWTH_H

#include "oracle.h"

/* Places by which something is held together that were held against the oracle so far. */
extern uint64_t checked_co_holders;

void check_growth(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed);

#endif
