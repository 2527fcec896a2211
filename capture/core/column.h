/*
 * One column of a block (FORMAT.md §5): staged values in, coded bytes out. Chooses transform, shift and
 * coding by what makes the values small; a column of zeros is left out.
 */
#ifndef HSC_COLUMN_H
#define HSC_COLUMN_H

#include <stddef.h>
#include <stdint.h>

/* Staged values, of 4 or 8 bytes each, in the byte order of the machine. */
typedef struct hsc_values {
    const void *data;
    unsigned width_bytes;
} hsc_values;

/*
 * The sources of references, for HSC_TRANSFORM_SOURCE: record r has the source ids[r], or first + r
 * where ids.data is NULL, and counts[r] references (one where counts is NULL).
 */
typedef struct hsc_sources {
    hsc_values ids;
    const uint32_t *counts;
    uint64_t first;
} hsc_sources;

/* The most that a column can take. Every put may also write 8 bytes past its end. */
size_t hsc_column_bound(size_t count, unsigned width_bytes);

/* Writes the column at `out` and returns the byte behind it: `out` itself if all values are 0. */
unsigned char *hsc_column_put(unsigned char *out, unsigned column, hsc_values values, size_t count,
                              const hsc_sources *sources);

/* Writes a column of zeros, which a block needs that has no other. */
unsigned char *hsc_column_put_zeros(unsigned char *out, unsigned column, size_t count);

/* Writes a column with coding BYTES; nothing if there are none. */
unsigned char *hsc_column_put_bytes(unsigned char *out, unsigned column, const void *bytes, size_t size);

/* Only the header of one with coding BYTES, for bytes that follow from elsewhere. */
unsigned char *hsc_column_put_bytes_header(unsigned char *out, unsigned column, size_t size);

#endif
