/*
 * Runs on disk: the buffers between records, their codec (sort/codec.h) and the temporary file.
 */
#include "sort/run.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define FRAMES_A_TRIAL 16u /* that are stored as they are, before it is tried again whether packing is worth it */

/* ---- writing */

void hsd_run_writer_init(hsd_run_writer *writer, hsd_temp *file, void *buffer, size_t buffer_bytes, unsigned words,
                         hsd_run_codec codec)
{
    HSD_ASSERT(buffer_bytes >= HSD_RUN_WRITER_MIN_BYTES);
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    *writer = (hsd_run_writer){.file = file,
                               .end_bytes = file->size_bytes,
                               .buffer = buffer,
                               .capacity = buffer_bytes,
                               .words = words,
                               .encode = hsd_run_coder_best(words).encode,
                               .codec = codec};
}

void hsd_run_writer_pack(hsd_run_writer *writer, hsd_run_pack *pack)
{
    HSD_ASSERT(writer->codec == HSD_RUN_PACKED && writer->capacity >= HSD_RUN_WRITER_PACKED_BYTES);
    writer->pack = pack;
    writer->frame = writer->buffer;
    writer->buffer += HSD_COMPRESS_FAST_MOST;
    writer->capacity -= HSD_COMPRESS_FAST_MOST;
}

void hsd_run_pack_release(hsd_run_pack *pack)
{
    hsd_compressor_release(&pack->compressor);
    hsd_decompressor_release(&pack->decompressor);
}

void hsd_run_writer_begin(hsd_run_writer *writer, const uint8_t coding[HSD_SORT_MAX_WORDS])
{
    HSD_ASSERT(!writer->is_open);
    writer->is_open = true;
    writer->run = (hsd_sorted_run){.file = writer->file,
                                   .offset_bytes = writer->end_bytes,
                                   .is_raw = writer->codec == HSD_RUN_RAW,
                                   .unpack = writer->pack != NULL ? &writer->pack->decompressor : NULL};
    memcpy(writer->run.coding, coding, sizeof writer->run.coding);
    memset(writer->last, 0, sizeof writer->last);
}

static hsd_status flush_sort_run(hsd_run_writer *writer, hsd_error *err)
{
    HSD_TRY(hsd_temp_write(writer->file, writer->end_bytes - writer->used, writer->buffer, writer->used, err));
    writer->used = 0;
    return HSD_OK;
}

static hsd_status put_raw(hsd_run_writer *writer, const uint64_t *records, size_t count, hsd_error *err)
{
    const uint8_t *at = (const uint8_t *)records;
    size_t size = count * writer->words * sizeof *records;
    while (size > 0) {
        if (writer->used == writer->capacity) HSD_TRY(flush_sort_run(writer, err));
        const size_t room = writer->capacity - writer->used;
        const size_t step = size < room ? size : room;
        memcpy(writer->buffer + writer->used, at, step);
        writer->used += step;
        writer->end_bytes += step;
        at += step;
        size -= step;
    }
    return HSD_OK;
}

/* ---- frames */

static void set_half(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static size_t get_half(const uint8_t *at) { return (size_t)at[0] | (size_t)at[1] << 8; }

/* Compressed into `room` bytes, 0 if it is not worth that: less than an eighth would be spared. */
static size_t pack_frame(hsd_run_writer *writer, uint8_t *out)
{
    if (writer->plain_frames > 0) return writer->plain_frames--, 0;
    const size_t room = writer->framed - writer->framed / 8;
    const size_t size = hsd_compress_fast(&writer->pack->compressor, out, room, writer->frame, writer->framed);
    if (size == 0) writer->plain_frames = FRAMES_A_TRIAL - 1;
    return size;
}

/* What is coded becomes a frame, behind those in the buffer. */
static hsd_status close_frame(hsd_run_writer *writer, hsd_error *err)
{
    if (writer->framed == 0) return HSD_OK;
    if (writer->capacity - writer->used < HSD_RUN_FRAME_HEADER + writer->framed) HSD_TRY(flush_sort_run(writer, err));
    uint8_t *header = writer->buffer + writer->used, *out = header + HSD_RUN_FRAME_HEADER;
    size_t size = pack_frame(writer, out);
    if (size == 0) {
        size = writer->framed;
        memcpy(out, writer->frame, size);
    }
    set_half(header, size);
    set_half(header + 2, writer->framed);
    writer->used += HSD_RUN_FRAME_HEADER + size;
    writer->end_bytes += HSD_RUN_FRAME_HEADER + size;
    writer->framed = 0;
    return HSD_OK;
}

static hsd_status put_packed(hsd_run_writer *writer, const uint64_t *records, size_t count, hsd_error *err)
{
    const uint64_t *previous = writer->last;
    const uint8_t *full = writer->frame + HSD_RUN_FRAME_BYTES - HSD_RUN_RECORD_MAX_BYTES - HSD_RUN_CODER_SLACK_BYTES;
    while (count > 0) {
        if (writer->frame + writer->framed > full) HSD_TRY(close_frame(writer, err));
        uint8_t *at = writer->frame + writer->framed;
        size_t done = count;
        writer->framed += (size_t)(writer->encode(at, full, records, &done, previous, writer->run.coding) - at);
        records += done * writer->words;
        previous = records - writer->words;
        count -= done;
    }
    return HSD_OK;
}

static hsd_status put_coded(hsd_run_writer *writer, const uint64_t *records, size_t count, hsd_error *err)
{
    const uint64_t *previous = writer->last;
    const uint8_t *full = writer->buffer + writer->capacity - HSD_RUN_RECORD_MAX_BYTES - HSD_RUN_CODER_SLACK_BYTES;
    while (count > 0) {
        uint8_t *at = writer->buffer + writer->used;
        if (at > full) {
            HSD_TRY(flush_sort_run(writer, err));
            at = writer->buffer;
        }
        size_t done = count;
        const size_t size = (size_t)(writer->encode(at, full, records, &done, previous, writer->run.coding) - at);
        writer->used += size;
        writer->end_bytes += size;
        records += done * writer->words;
        previous = records - writer->words;
        count -= done;
    }
    return HSD_OK;
}

hsd_status hsd_run_writer_put(hsd_run_writer *writer, const uint64_t *records, size_t count, hsd_error *err)
{
    HSD_ASSERT(writer->is_open);
    if (count == 0) return HSD_OK;
    HSD_TRY(writer->run.is_raw     ? put_raw(writer, records, count, err)
            : writer->pack != NULL ? put_packed(writer, records, count, err)
                                   : put_coded(writer, records, count, err));
    memcpy(writer->last, records + (count - 1) * writer->words, writer->words * sizeof *records);
    writer->run.record_count += count;
    return HSD_OK;
}

hsd_status hsd_run_writer_finish(hsd_run_writer *writer, hsd_sorted_run *out, hsd_error *err)
{
    HSD_ASSERT(writer->is_open);
    if (writer->pack != NULL) HSD_TRY(close_frame(writer, err));
    HSD_TRY(flush_sort_run(writer, err));
    writer->is_open = false;
    *out = writer->run;
    out->size_bytes = writer->end_bytes - writer->run.offset_bytes;
    return HSD_OK;
}

/* ---- reading */

void hsd_run_reader_init(hsd_run_reader *reader, const hsd_sorted_run *run, unsigned words, void *memory,
                         size_t block_bytes)
{
    HSD_ASSERT(block_bytes % 8 == 0 && block_bytes >= HSD_RUN_BLOCK_MIN_BYTES);
    HSD_ASSERT(((uintptr_t)memory & 7) == 0);
    uint8_t *bytes = memory;
    *reader = (hsd_run_reader){.run = *run,
                               .words = words,
                               .decode = hsd_run_coder_best(words).decode,
                               .left_records = run->record_count,
                               .buffer = bytes + HSD_RUN_BATCH_BYTES,
                               .capacity = block_bytes,
                               .batch = memory};
    reader->batch_capacity = (uint32_t)(HSD_RUN_BATCH_BYTES / (words * sizeof(uint64_t)));
    reader->at = reader->end = reader->buffer;
    if (run->unpack != NULL) {
        HSD_ASSERT(block_bytes >= HSD_RUN_BLOCK_PACKED_BYTES);
        reader->capacity = HSD_COMPRESS_FAST_MOST;
        reader->packed = reader->buffer + reader->capacity + HSD_RUN_SLACK_BYTES;
        reader->packed_capacity = block_bytes - reader->capacity;
        reader->packed_at = reader->packed_end = reader->packed;
    }
    memset(reader->buffer + reader->capacity, 0, HSD_RUN_SLACK_BYTES);
}

/* Moves what is left to the front and reads on behind it. */
static hsd_status read_block(hsd_run_reader *reader, hsd_error *err)
{
    const size_t ahead = (size_t)(reader->end - reader->at);
    const uint64_t unread = reader->run.size_bytes - reader->read_bytes;
    const size_t size = (size_t)hsd_min_u64(reader->capacity - ahead, unread);
    if (ahead > 0) memmove(reader->buffer, reader->at, ahead);
    reader->at = reader->buffer;
    reader->end = reader->buffer + ahead + size;
    HSD_TRY(hsd_temp_read(reader->run.file, reader->run.offset_bytes + reader->read_bytes, reader->buffer + ahead, size,
                          err));
    reader->read_bytes += size;
    return HSD_OK;
}

static hsd_status fail_run(const hsd_run_reader *reader, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, reader->run.offset_bytes + reader->read_bytes,
                       "a temporary file does not hold what was written to it");
}

/* At least `bytes` of frames, as far as the run has so many. */
static hsd_status read_packed_run(hsd_run_reader *reader, size_t bytes, hsd_error *err)
{
    const size_t ahead = (size_t)(reader->packed_end - reader->packed_at);
    if (ahead >= bytes) return HSD_OK;
    const size_t size =
        (size_t)hsd_min_u64(reader->packed_capacity - ahead, reader->run.size_bytes - reader->read_bytes);
    if (ahead > 0) memmove(reader->packed, reader->packed_at, ahead);
    reader->packed_at = reader->packed;
    reader->packed_end = reader->packed + ahead + size;
    HSD_TRY(hsd_temp_read(reader->run.file, reader->run.offset_bytes + reader->read_bytes, reader->packed + ahead, size,
                          err));
    reader->read_bytes += size;
    return ahead + size >= bytes ? HSD_OK : fail_run(reader, err);
}

/* The next frame comes into the buffer; all records of the one before were decoded. */
static hsd_status unpack_frame(hsd_run_reader *reader, hsd_error *err)
{
    const char *why;
    HSD_TRY(read_packed_run(reader, HSD_RUN_FRAME_HEADER, err));
    const size_t stored = get_half(reader->packed_at), coded = get_half(reader->packed_at + 2);
    if (coded > HSD_RUN_FRAME_BYTES || stored > coded) return fail_run(reader, err);
    HSD_TRY(read_packed_run(reader, HSD_RUN_FRAME_HEADER + stored, err));
    const uint8_t *from = reader->packed_at + HSD_RUN_FRAME_HEADER;
    reader->packed_at = from + stored;
    reader->at = reader->buffer;
    reader->end = reader->buffer + coded;
    if (stored == coded) {
        memcpy(reader->buffer, from, coded);
        return HSD_OK;
    }
    const hsd_status status = hsd_decompress(reader->run.unpack, reader->buffer, coded, from, stored, &why);
    if (status == HSD_E_NOMEM) return hsd_fail_nomem(err, "what unpacks sorted records");
    return status == HSD_OK ? HSD_OK : fail_run(reader, err);
}

static size_t decode_raw(hsd_run_reader *reader, size_t count)
{
    const size_t record_bytes = reader->words * sizeof(uint64_t);
    const size_t there = (size_t)(reader->end - reader->at) / record_bytes;
    if (count > there) count = there;
    memcpy(reader->batch, reader->at, count * record_bytes);
    reader->at += count * record_bytes;
    return count;
}

/* Records that surely end in front of `end`, or all that are left when the whole run is in the buffer. No record lies
 * in two frames. */
static size_t decode_coded(hsd_run_reader *reader, size_t count)
{
    const bool is_last = reader->packed != NULL || reader->read_bytes == reader->run.size_bytes;
    const size_t ahead = (size_t)(reader->end - reader->at);
    const uint8_t *end = reader->end;
    if (!is_last) end = ahead > HSD_RUN_RECORD_MAX_BYTES ? end - HSD_RUN_RECORD_MAX_BYTES : reader->at;
    return reader->decode(&reader->at, end, reader->batch, count, reader->previous, reader->run.coding);
}

hsd_status hsd_run_reader_refill(hsd_run_reader *reader, hsd_error *err)
{
    HSD_ASSERT(reader->batch_at == reader->batch_count);
    if (reader->left_records == 0) return HSD_END;
    const size_t ahead = (size_t)(reader->end - reader->at);
    if (reader->packed != NULL) {
        if (ahead == 0) HSD_TRY(unpack_frame(reader, err));
    } else if (ahead <= HSD_RUN_RECORD_MAX_BYTES && reader->read_bytes < reader->run.size_bytes) {
        HSD_TRY(read_block(reader, err));
    }
    const size_t count = (size_t)hsd_min_u64(reader->batch_capacity, reader->left_records);
    const size_t done = reader->run.is_raw ? decode_raw(reader, count) : decode_coded(reader, count);
    const bool is_end = reader->left_records == done;
    if (done == 0 || reader->at > reader->end ||
        (is_end && (reader->at != reader->end || reader->packed_at != reader->packed_end ||
                    reader->read_bytes != reader->run.size_bytes)))
        return fail_run(reader, err);
    reader->left_records -= done;
    reader->batch_count = (uint32_t)done;
    reader->batch_at = 0;
    return HSD_OK;
}
