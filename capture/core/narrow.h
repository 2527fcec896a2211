/*
 * Columns whose differences fit in 4 bytes, whatever the values take: twice as many go through a register as in
 * column.c, and the bytes that come out are the same. That is nearly all columns: ids ascend, and what is referred to
 * is near.
 */
#ifndef HSC_NARROW_H
#define HSC_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* What all coded values of a column have in common. */
typedef struct hsc_traits {
    uint64_t any;       /* or of the differences: its trailing zeros can be shifted out */
    uint64_t any_coded; /* or of the coded values before the shift: its bits are the widest value's, or over 8 */
    uint64_t first;
    bool is_constant;
} hsc_traits;

/*
 * The traits of a column under a transform; `sources` for HSC_TRANSFORM_SOURCE alone. Values are looked at until the
 * rest of them would change nothing: as a rule a few hundred. False, and *out is of no use: not all differences that
 * were looked at are from -2^31 to 2^31 - 1, or values of 4 bytes have sources of 8, or values of 8 no transform.
 */
bool hsc_narrow_measure(hsc_values values, size_t count, unsigned transform, const hsc_sources *sources,
                        hsc_traits *out);

/* Packs a column that was measured: control bytes at `out`, data behind them; returns what is behind that, or NULL
 * where a difference that was not looked at does not fit. `bits` are those of the widest value after the shift, or
 * over 8. May write 8 bytes past the end. */
unsigned char *hsc_narrow_pack(unsigned char *out, hsc_values values, size_t count, unsigned transform,
                               const hsc_sources *sources, unsigned shift, unsigned bits);

#endif
