/*
 * Numbers and strings as JSON has them. Strings are pure ASCII, as V8 writes them: whatever else there is goes as
 * \uXXXX, and a byte that is no UTF-8 as U+FFFD.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_TEXT_H
#define HSD_EXPORT_HEAPSNAPSHOT_TEXT_H

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

#define HSD_SNAP_NUMBER_BYTES 20u /* of the longest number */

/* Two digits of each number below 100. */
extern const char hsd_snap_digits[200];

/* 10, 100, …, and one past the last that there is. */
extern const uint64_t hsd_snap_powers[HSD_SNAP_NUMBER_BYTES];

/* How many digits a number has: log10 by log2, and one more if it reaches that power. */
static inline unsigned hsd_snap_digit_count(uint64_t number)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1), guess = bits * 1233 >> 12;
    return guess + (guess == 0 || number >= hsd_snap_powers[guess - 1]);
}

/* Writes a number in decimal, from its end on; returns what is behind it. */
static inline uint8_t *hsd_snap_number(uint8_t *at, uint64_t number)
{
    uint8_t *const end = at + hsd_snap_digit_count(number), *to = end;
    for (; number >= 100; number /= 100) {
        to -= 2;
        memcpy(to, hsd_snap_digits + number % 100 * 2, 2);
    }
    if (number >= 10)
        memcpy(to - 2, hsd_snap_digits + number * 2, 2);
    else
        to[-1] = (uint8_t)('0' + number);
    return end;
}

/* ---- rows ---- */

#define HSD_SNAP_ROW_BYTES ((size_t)7 * (HSD_SNAP_NUMBER_BYTES + 1)) /* of a node or an edge */

typedef struct hsd_snap_row { /* a node */
    uint32_t type, name, id, detachedness;
    uint64_t size, edges;
} hsd_snap_row;

#define HSD_SNAP_NODE_WIDTH 6u

/* Numbers of a node, with a comma in front. Returns what is behind them. */
static inline uint8_t *hsd_snap_put_node(uint8_t *at, const hsd_snap_row *row)
{
    const uint64_t numbers[HSD_SNAP_NODE_WIDTH] = {row->type, row->name,  row->id,
                                                   row->size, row->edges, row->detachedness};
    for (unsigned i = 0; i < HSD_SNAP_NODE_WIDTH; i++) {
        *at++ = ',';
        at = hsd_snap_number(at, numbers[i]);
    }
    return at;
}

/* Numbers of an edge to node `to`, likewise. */
static inline uint8_t *hsd_snap_put_edge(uint8_t *at, uint32_t type, uint64_t name, uint64_t to)
{
    *at++ = ',';
    *at++ = (uint8_t)('0' + type);
    *at++ = ',';
    at = hsd_snap_number(at, name);
    *at++ = ',';
    return hsd_snap_number(at, to * HSD_SNAP_NODE_WIDTH);
}

/* ---- strings ---- */

/* Appends the text in quotes. */
hsd_status hsd_snap_quote(hsd_buffer *out, hsd_bytes text, hsd_error *err);

#endif
