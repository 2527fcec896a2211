/*
 * Blocks (FORMAT.md §4): a payload that was put together in the raw region gets its header, its checksums
 * and, where that makes it smaller, the compressor, and goes out.
 */
#ifndef HSC_BLOCK_H
#define HSC_BLOCK_H

#include <stdint.h>

#include "codec.h"
#include "index.h"
#include "output.h"

typedef struct hsc_writer hsc_writer;

/*
 * The raw region is where every payload is put together: space for a header, the payload, then whatever
 * is left, where the compressor may write.
 *
 *      raw - 56        raw                       raw + used            raw + raw_bytes
 *      | header space  | payload, put together   | header, compressed  |
 */
typedef struct hsc_blocks {
    hsc_output output;
    hsc_compressor compressor;
    hsc_index index;
    uint64_t seed;  /* S of FORMAT.md 1.3 */
    uint64_t count; /* blocks written: the number of the next */
    unsigned char *raw;
    size_t raw_bytes;
} hsc_blocks;

typedef struct hsc_block {
    unsigned type, flags;
    uint32_t records;
    uint64_t first_ordinal; /* OBJECTS and PLACES */
    uint32_t objects;       /* that begin in it */
} hsc_block;

/* A region that the compressor may overwrite. */
typedef struct hsc_room {
    unsigned char *at;
    size_t bytes;
} hsc_room;

/* The same without a writer, of a payload in any raw region; `room` is not at 0. HSC_E_IO, HSC_E_NOMEM: nobody was
 * told. */
hsc_status hsc_block_send(hsc_blocks *blocks, unsigned char *raw, const hsc_block *block, size_t used, hsc_room room);

/* Makes what hsc_block_send returned the writer's failure, if it is one. */
hsc_status hsc_block_told(hsc_writer *w, hsc_status status);

/* Waits for a block that a helper writes (handoff.h); its failure becomes the writer's. All that writes blocks does. */
hsc_status hsc_settle(hsc_writer *w);

/* Writes the block whose payload is raw[0 .. used). `room` at 0: the rest of the raw region. */
hsc_status hsc_block_write(hsc_writer *w, const hsc_block *block, size_t used, hsc_room room);

/* A payload too big to be put together: raw[0 .. used), then these pieces from where they are. */
typedef struct hsc_piece {
    const void *bytes;
    size_t size;
} hsc_piece;

hsc_status hsc_block_write_pieces(hsc_writer *w, const hsc_block *block, size_t used, const hsc_piece *pieces,
                                  size_t count);

/* The same without compression: INFO. */
hsc_status hsc_block_write_stored(hsc_writer *w, const hsc_block *block, size_t used);

#endif
