/* Holds the rows by type and by root of a diff of two model heaps against the oracle. */
#ifndef HSD_TESTS_CHECK_ROWS_H
#define HSD_TESTS_CHECK_ROWS_H

#include "oracle.h"

/* Fails the test with the seed where they differ. */
void check_rows(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed);

#endif
