/*
 * The number arrays of a heap snapshot: "nodes", "edges" and the rest are flat lists of whole
 * numbers, often one line of gigabytes. This reads them in batches, at several bytes a nanosecond.
 *
 *      [ 9,1,1,0,5,0 \n ,9,2,3,0,28,0 … ]   ->   9 1 1 0 5 0 9 2 3 0 28 0 …
 *
 * Separators are commas and white space, in any mixture: old V8 puts a line break before the comma,
 * new V8 puts none. A minus sign is kept as two's complement of 64 bits, so that the low 32 bits
 * of -6 are those of 4294967290, which is what V8 meant.
 */
#ifndef HSD_IMPORT_V8_NUMBERS_H
#define HSD_IMPORT_V8_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/source.h"

typedef struct hsd_v8_numbers {
    hsd_source *source;
    const char *what; /* the list, for errors: "nodes" */
    uint64_t start;   /* where the first one stands */
    uint64_t count;   /* numbers read so far */
    bool is_at_end;   /* the closing bracket was taken */

    struct hsd_v8_pump *pump; /* reads ahead (pump.h); NULL = nobody does */
    uint64_t offset;          /* with it: where the source stood behind what was read */
} hsd_v8_numbers;

/* Takes the opening bracket. HSD_E_CORRUPT if there is none, HSD_E_TRUNCATED at the end of input. */
hsd_status hsd_v8_numbers_begin(hsd_v8_numbers *numbers, hsd_source *source, const char *what, hsd_error *err);

/*
 * Fills `out` with the next numbers: `capacity` of them, or fewer when the list ends (then is_at_end,
 * and the closing bracket is taken). On HSD_E_TRUNCATED *count tells how many whole numbers came
 * before the end of the input. HSD_E_CORRUPT for anything that is no whole number below 2^64.
 */
hsd_status hsd_v8_numbers_read(hsd_v8_numbers *numbers, uint64_t *out, size_t capacity, size_t *count, hsd_error *err);

/* Where the reading stands in the input, for messages. */
static inline uint64_t hsd_v8_numbers_offset(const hsd_v8_numbers *numbers)
{
    return numbers->pump != NULL ? numbers->offset : hsd_source_offset(numbers->source);
}

/* Reads to the closing bracket without looking at the numbers. */
hsd_status hsd_v8_numbers_skip(hsd_v8_numbers *numbers, hsd_error *err);

#endif
