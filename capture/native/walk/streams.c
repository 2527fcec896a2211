/*
 * Buffers of stdio: characters alone. One gets memory that something else had before, and what is written to the
 * stream covers its beginning, so that the rest is full of addresses: a database looked held by stdout.
 */
#include <stdio.h>

#include "native/walk/walk.h"

/* All streams of glibc, the last that was opened first. */
extern FILE *_IO_list_all __attribute__((weak));

enum { MOST_LOOKED_AT = 1 << 16 };

static void add_buffer(hsn_walker *k, uintptr_t address)
{
    size_t at = k->stream_count;
    if (address == 0 || at == HSN_STREAMS) return;
    for (k->stream_count++; at > 0 && k->streams[at - 1] > address; at--)
        k->streams[at] = k->streams[at - 1];
    k->streams[at] = address;
}

void hsn_find_streams(hsn_walker *k)
{
    FILE *const *all = &_IO_list_all, *next = all != NULL ? *all : NULL;
    FILE stream;
    for (unsigned looked = 0; next != NULL && looked < MOST_LOOKED_AT && k->stream_count < HSN_STREAMS; looked++) {
        if (!hsn_copy(&stream, (uintptr_t)next, sizeof stream)) return;
        add_buffer(k, (uintptr_t)stream._IO_buf_base);
        next = stream._chain;
    }
}

bool hsn_is_of_stream(const hsn_walker *k, uintptr_t address)
{
    size_t low = 0, high = k->stream_count;
    if (high == 0 || address < k->streams[0] || address > k->streams[high - 1]) return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->streams[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->stream_count && k->streams[low] == address;
}
