/* Checks of examples and size histograms against the oracle. */
#ifndef HSD_TESTS_CHECK_SIZES_H
#define HSD_TESTS_CHECK_SIZES_H

#include "oracle.h"

void check_examples(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed);
void check_sizes(const hsd_diff *diff, const oracle_heaps *heaps, unsigned long seed);

#endif
