/*
 * Runs on disk: the buffers between records, their codec (sort/codec.h) and the temporary file.
 */
#include "sort/run.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

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

void hsd_run_writer_begin(hsd_run_writer *writer, const uint8_t coding[HSD_SORT_MAX_WORDS])
{
    HSD_ASSERT(!writer->is_open);
    writer->is_open = true;
    writer->run = (hsd_sorted_run){
        .file = writer->file, .offset_bytes = writer->end_bytes, .is_raw = writer->codec == HSD_RUN_RAW};
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
    HSD_TRY(writer->run.is_raw ? put_raw(writer, records, count, err) : put_coded(writer, records, count, err));
    memcpy(writer->last, records + (count - 1) * writer->words, writer->words * sizeof *records);
    writer->run.record_count += count;
    return HSD_OK;
}

hsd_status hsd_run_writer_finish(hsd_run_writer *writer, hsd_sorted_run *out, hsd_error *err)
{
    HSD_ASSERT(writer->is_open);
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
    memset(reader->buffer + block_bytes, 0, HSD_RUN_SLACK_BYTES);
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

static size_t decode_raw(hsd_run_reader *reader, size_t count)
{
    const size_t record_bytes = reader->words * sizeof(uint64_t);
    const size_t there = (size_t)(reader->end - reader->at) / record_bytes;
    if (count > there) count = there;
    memcpy(reader->batch, reader->at, count * record_bytes);
    reader->at += count * record_bytes;
    return count;
}

/* Records that surely end in front of `end`, or all that are left when the whole run is in the buffer. */
static size_t decode_coded(hsd_run_reader *reader, size_t count)
{
    const bool is_last = reader->read_bytes == reader->run.size_bytes;
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
    if (ahead <= HSD_RUN_RECORD_MAX_BYTES && reader->read_bytes < reader->run.size_bytes)
        HSD_TRY(read_block(reader, err));
    const size_t count = (size_t)hsd_min_u64(reader->batch_capacity, reader->left_records);
    const size_t done = reader->run.is_raw ? decode_raw(reader, count) : decode_coded(reader, count);
    const bool is_end = reader->left_records == done;
    if (done == 0 || reader->at > reader->end ||
        (is_end && (reader->at != reader->end || reader->read_bytes != reader->run.size_bytes)))
        return hsd_fail_at(err, HSD_E_CORRUPT, reader->run.offset_bytes + reader->read_bytes,
                           "a temporary file does not hold what was written to it");
    reader->left_records -= done;
    reader->batch_count = (uint32_t)done;
    reader->batch_at = 0;
    return HSD_OK;
}
