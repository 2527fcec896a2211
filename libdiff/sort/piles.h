/*
 * Records that are a few ascending sequences, one within the other, as those of objects that stayed and of new ones are
 * where both come by address: each sequence is laid by itself, and they are merged.
 *
 *      records   3 90 5 91 8 94      piles   3 5 8 | 90 91 94
 */
#ifndef HSD_SORT_PILES_H
#define HSD_SORT_PILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_PILES_MOST 4u

/* As hsd_radix_sort where HSD_PILES_MOST sequences are enough. Else false, and the records are as they were: mostly
 * known after a few of them. */
bool hsd_piles_sort(uint64_t *records, uint64_t *scratch, size_t count, unsigned words);

#endif
