/*
 * A run: sorted records in a temporary file, one behind the other. Written once from its first record to
 * its last, read the same way, any number of runs side by side. Internal to sort/.
 *
 * A packed run is made of frames: what is coded, some 8 KiB of whole records, compressed where that makes it shorter.
 *
 *      u16 bytes stored │ u16 bytes coded │ stored …         little endian; both alike = as it is coded
 */
#ifndef HSD_SORT_RUN_H
#define HSD_SORT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/decompress.h"
#include "io/temp.h"
#include "sort/codec.h"
#include "sort/sorter.h"
#include <hsdiff/status.h>

typedef struct hsd_sorted_run {
    const hsd_temp *file; /* borrowed; open while the run is */
    uint64_t offset_bytes;
    uint64_t size_bytes;
    uint64_t record_count;
    uint8_t coding[HSD_SORT_MAX_WORDS]; /* hsd_word_coding */
    bool is_raw;                        /* HSD_RUN_RAW: records as they are */
    hsd_decompressor *unpack;           /* borrowed; NULL = it is not packed */
} hsd_sorted_run;

/* Of a frame, what is coded. */
#define HSD_RUN_FRAME_BYTES  (HSD_COMPRESS_FAST_MOST - 8)
#define HSD_RUN_FRAME_HEADER ((size_t)4)

/* For packed runs of one file, which are written and read by one thread at a time. A zeroed one is valid. */
typedef struct hsd_run_pack {
    hsd_compressor compressor;
    hsd_decompressor decompressor;
} hsd_run_pack;

void hsd_run_pack_release(hsd_run_pack *pack);

/* ---- writing */

typedef struct hsd_run_writer {
    hsd_temp *file;
    uint64_t end_bytes; /* of the file: what is written and what is buffered */
    uint8_t *buffer;    /* borrowed */
    size_t capacity, used;
    hsd_run_pack *pack;    /* borrowed; NULL = runs are not packed */
    uint8_t *frame;        /* what is coded and not packed yet: HSD_COMPRESS_FAST_MOST bytes */
    size_t framed;         /* bytes of it */
    unsigned plain_frames; /* so many are not even tried, since the last one grew no shorter */
    unsigned words;
    hsd_run_encode *encode;
    hsd_run_codec codec;
    bool is_open;                      /* a run was begun and not finished */
    hsd_sorted_run run;                /* the open one */
    uint64_t last[HSD_SORT_MAX_WORDS]; /* its last record */
} hsd_run_writer;

#define HSD_RUN_WRITER_MIN_BYTES    ((size_t)4096)
#define HSD_RUN_WRITER_PACKED_BYTES (2 * HSD_COMPRESS_FAST_MOST) /* likewise, of packed runs */

/* Appends to `file`. The buffer is borrowed until the last finish; HSD_RUN_WRITER_MIN_BYTES at least. */
void hsd_run_writer_init(hsd_run_writer *writer, hsd_temp *file, void *buffer, size_t buffer_bytes, unsigned words,
                         hsd_run_codec codec);

/* From now on, for a writer of HSD_RUN_PACKED, before the first run. `pack` is borrowed as long as its runs are. */
void hsd_run_writer_pack(hsd_run_writer *writer, hsd_run_pack *pack);

/* Starts a run. */
void hsd_run_writer_begin(hsd_run_writer *writer, const uint8_t coding[HSD_SORT_MAX_WORDS]);

/* Appends sorted records, none smaller than those before. */
hsd_status hsd_run_writer_put(hsd_run_writer *writer, const uint64_t *records, size_t count, hsd_error *err);

/* Ends the run and writes what is buffered. */
hsd_status hsd_run_writer_finish(hsd_run_writer *writer, hsd_sorted_run *out, hsd_error *err);

/* ---- reading */

typedef struct hsd_run_reader {
    hsd_sorted_run run;
    unsigned words;
    hsd_run_decode *decode;
    uint64_t read_bytes;   /* of the run, that have come into the buffer, or to be unpacked */
    uint64_t left_records; /* not decoded yet */
    uint8_t *buffer;       /* borrowed: capacity + HSD_RUN_SLACK_BYTES */
    size_t capacity;
    const uint8_t *at, *end; /* bytes not decoded yet */
    uint8_t *packed;         /* of a packed run: frames on their way to the buffer, which has one */
    size_t packed_capacity;
    const uint8_t *packed_at, *packed_end; /* not unpacked yet */
    uint64_t *batch;                       /* borrowed: decoded records */
    uint32_t batch_capacity;               /* in records */
    uint32_t batch_count, batch_at;
    uint64_t previous[HSD_SORT_MAX_WORDS];
} hsd_run_reader;

/* Bytes of decoded records a reader keeps. */
#define HSD_RUN_BATCH_BYTES ((size_t)2048)

/* What a reader with blocks of `block_bytes` takes. */
static inline size_t hsd_run_reader_bytes(size_t block_bytes)
{
    return block_bytes + HSD_RUN_SLACK_BYTES + HSD_RUN_BATCH_BYTES;
}

#define HSD_RUN_BLOCK_MIN_BYTES    ((size_t)4096)
#define HSD_RUN_BLOCK_PACKED_BYTES (2 * HSD_COMPRESS_FAST_MOST) /* of packed runs */

/* Reads `run` from its first record. `memory` is borrowed, hsd_run_reader_bytes(block_bytes) long and
 * aligned to 8; block_bytes is a multiple of 8. */
void hsd_run_reader_init(hsd_run_reader *reader, const hsd_sorted_run *run, unsigned words, void *memory,
                         size_t block_bytes);

/* Slow path: decodes the next batch. HSD_END after the last record. */
hsd_status hsd_run_reader_refill(hsd_run_reader *reader, hsd_error *err);

/* The next record, borrowed until the following next of this reader. */
static inline hsd_status hsd_run_reader_next(hsd_run_reader *reader, const uint64_t **record, hsd_error *err)
{
    if (__builtin_expect(reader->batch_at == reader->batch_count, 0)) HSD_TRY(hsd_run_reader_refill(reader, err));
    *record = reader->batch + (size_t)reader->batch_at++ * reader->words;
    return HSD_OK;
}

#endif
