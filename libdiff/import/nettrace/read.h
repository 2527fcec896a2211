/*
 * Reading numbers and texts out of the bytes of one block of a nettrace stream, each against the end of what there is.
 * A cursor that was asked for more than it had is short from then on and gives zeros: whoever reads a record looks at
 * is_short once, behind it.
 */
#ifndef HSD_IMPORT_NETTRACE_READ_H
#define HSD_IMPORT_NETTRACE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct nettrace_cursor {
    const uint8_t *at, *end;
    bool is_short;
} nettrace_cursor;

static inline nettrace_cursor nettrace_cursor_over(hsd_bytes bytes)
{
    return (nettrace_cursor){.at = bytes.data, .end = bytes.data + bytes.size};
}

static inline size_t nettrace_left(const nettrace_cursor *in) { return (size_t)(in->end - in->at); }

/* Moves past `size` bytes; NULL if there are fewer. */
static inline const uint8_t *nettrace_take(nettrace_cursor *in, size_t size)
{
    if (__builtin_expect(nettrace_left(in) < size, 0)) {
        in->is_short = true;
        in->at = in->end;
        return NULL;
    }
    const uint8_t *at = in->at;
    in->at += size;
    return at;
}

/* Little-endian, of 1 to 8 bytes. */
static inline uint64_t nettrace_at(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline uint64_t nettrace_number(nettrace_cursor *in, unsigned bytes)
{
    const uint8_t *at = nettrace_take(in, bytes);
    return at == NULL ? 0 : nettrace_at(at, bytes);
}

static inline uint32_t nettrace_u32(nettrace_cursor *in) { return (uint32_t)nettrace_number(in, 4); }
static inline uint64_t nettrace_u64(nettrace_cursor *in) { return nettrace_number(in, 8); }

/* Seven bits a byte, the least significant first; more than `bits` of them are no number. */
static inline uint64_t nettrace_packed(nettrace_cursor *in, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < bits; shift += 7) {
        const uint64_t byte = nettrace_number(in, 1);
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return bits == 32 ? (uint32_t)value : value;
    }
    in->is_short = true;
    return 0;
}

/* UTF-16 units up to two zero bytes, which are taken and not in it. */
static inline hsd_bytes nettrace_text(nettrace_cursor *in)
{
    const uint8_t *first = in->at;
    while (nettrace_left(in) >= 2) {
        const uint8_t *unit = nettrace_take(in, 2);
        if (unit[0] == 0 && unit[1] == 0) return (hsd_bytes){first, (size_t)(unit - first)};
    }
    in->is_short = true;
    in->at = in->end;
    return (hsd_bytes){first, 0};
}

#endif
