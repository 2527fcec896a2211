/*
 * Variable-length numbers, seven bits a byte, lowest first: what blocks of the graph are coded in. They are
 * written and read by this process alone, so reading trusts them.
 */
#ifndef HSD_GRAPH_VARINT_H
#define HSD_GRAPH_VARINT_H

#include <stdint.h>

#include "base/node.h"

/* Bytes of a number of a node, or of the difference of two: of a number below 2^35, or of any. */
#define HSD_VARINT_MOST (HSD_NODE_BITS == 32 ? 5u : 10u)

static inline uint8_t *hsd_varint_put(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static inline const uint8_t *hsd_varint_get(const uint8_t *in, uint64_t *value)
{
    uint64_t byte = *in++;
    uint64_t result = byte & 0x7f;
    for (unsigned shift = 7; byte & 0x80; shift += 7) {
        byte = *in++;
        result |= (byte & 0x7f) << shift;
    }
    *value = result;
    return in;
}

#endif
