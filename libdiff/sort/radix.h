/*
 * Sorting records in memory. Records are arrays of `words` u64; order is the unsigned order of all their
 * words, the first most significant.
 */
#ifndef HSD_SORT_RADIX_H
#define HSD_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts `count` records in place; `scratch` is as large as the records. Words 1..HSD_SORT_MAX_WORDS. */
void hsd_radix_sort(uint64_t *records, uint64_t *scratch, size_t count, unsigned words);

/* True if no record is smaller than the one before it. Stops at the first that is. */
bool hsd_radix_is_sorted(const uint64_t *records, size_t count, unsigned words);

/* <0, 0, >0 as the first record is smaller, equal, larger. */
int hsd_record_compare(const uint64_t *a, const uint64_t *b, unsigned words);

#endif
