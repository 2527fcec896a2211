/*
 * A queue of small records: written once, then read in the same order. The first of them stay in
 * memory as far as the budget goes, the rest waits in a temporary file.
 *
 * The V8 importer keeps nodes here until their edges come, and roots until their names come.
 */
#ifndef HSD_IMPORT_V8_SPOOL_H
#define HSD_IMPORT_V8_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/temp.h"

#define HSD_V8_SPOOL_CHUNK_BYTES ((size_t)256 << 10)
/* Behind every record that is read, this much can be loaded (and is no data). */
#define HSD_V8_SPOOL_SLACK_BYTES 16

typedef struct hsd_v8_chunk {
    uint8_t *data;  /* NULL: in the temporary file, or read already */
    size_t size;    /* bytes of whole records */
    uint32_t first; /* number of its first record */
} hsd_v8_chunk;

typedef struct hsd_v8_spool {
    hsd_temp_space *space;
    uint64_t memory_bytes;
    uint64_t memory_used;
    hsd_v8_chunk *chunks;
    size_t chunk_count, chunk_capacity, next_chunk;
    hsd_temp temp;
    uint8_t *buffer;   /* the chunk that is written to, or read from, the file */
    uint8_t *at, *end; /* writing: room in the last chunk; reading: what is left of this one */
    bool is_reading, keeps;
    uint32_t record; /* who writes may say which number the next record has, and skip when reading */
} hsd_v8_spool;

/* Bytes past `memory_bytes` go to disk; two chunks are always taken. */
void hsd_v8_spool_init(hsd_v8_spool *spool, hsd_temp_space *space, uint64_t memory_bytes);

/* Slow path of hsd_v8_spool_room: finishes a chunk and begins the next. */
hsd_status hsd_v8_spool_grow(hsd_v8_spool *spool, hsd_error *err);

/* Room for one record of at most `size` bytes (below a chunk) at spool->at, which the caller moves. */
static inline hsd_status hsd_v8_spool_room(hsd_v8_spool *spool, size_t size, hsd_error *err)
{
    return (size_t)(spool->end - spool->at) >= size ? HSD_OK : hsd_v8_spool_grow(spool, err);
}

/* Reading begins with the first record. What is read is released on the way, unless `keeps`: then it
 * can be rewound again. */
hsd_status hsd_v8_spool_rewind(hsd_v8_spool *spool, bool keeps, hsd_error *err);

/* Slow path of hsd_v8_spool_next. */
hsd_status hsd_v8_spool_load(hsd_v8_spool *spool, hsd_error *err);

/* At least one whole record at spool->at; the caller moves it. HSD_END after the last. */
static inline hsd_status hsd_v8_spool_next(hsd_v8_spool *spool, hsd_error *err)
{
    return spool->at < spool->end ? HSD_OK : hsd_v8_spool_load(spool, err);
}

/* Passes over whole chunks before the one with record `wanted`, which is `next` or behind it. Returns the number of the
 * record that comes next: `next` where nothing was passed over. */
uint32_t hsd_v8_spool_skip(hsd_v8_spool *spool, uint32_t next, uint32_t wanted);

void hsd_v8_spool_release(hsd_v8_spool *spool);

#endif
