/*
 * Sorted streams walked side by side: the tandem merge. Each step serves one key and, for each stream,
 * its record of that key or NULL. A key that a stream holds several times is served several times, so
 * that equal objects pair off one by one.
 *
 *      before   1  2     5  5           step  1: {1,1}  2: {2,-}  3: {-,3}  4: {5,5}  5: {5,-}
 *      after    1     3  5
 *
 * The key is the first word and the upper half of the second: identity and type, so that an id which
 * was used again for another type is no match.
 */
#ifndef HSD_SORT_TANDEM_H
#define HSD_SORT_TANDEM_H

#include <stdbool.h>
#include <stdint.h>

#include "sort/sorter.h"
#include <hsdiff/status.h>

typedef struct hsd_tandem hsd_tandem;

/* Streams are finished sorters of records of 2 words and more, borrowed, a sorter each. With `reads_ahead` those in
 * runs are merged a batch ahead, by a thread and with HSD_READ_AHEAD_BYTES each (sort/read_ahead.h). */
hsd_status hsd_tandem_new(hsd_tandem **out, hsd_sorter *const *streams, uint32_t stream_count, bool reads_ahead,
                          hsd_error *err);

/* The next key: *records has one pointer a stream, borrowed until the next call. HSD_END after the last.
 * O(log streams) for each record. */
hsd_status hsd_tandem_next(hsd_tandem *tandem, const uint64_t *const **records, hsd_error *err);

void hsd_tandem_free(hsd_tandem *tandem);

#endif
