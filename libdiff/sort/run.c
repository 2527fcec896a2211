/*
 * Runs on disk: the codec, and the buffers between it and the temporary file.
 *
 *      record of three words    lengths      bytes of word 0   of word 1   of word 2
 *                               4 bits each  0..8              0..8        0..8
 *
 * The lengths of all words stand in front, four bits each, then the lowest bytes of each word, so a word
 * is read by one load and one mask and no branch depends on the data. A word is stored as it is or as its
 * difference to the record before, whichever is shorter in a sample taken when the run begins: the first
 * key word nearly always shrinks (sorted neighbours are close), payload seldom does.
 */
#include "sort/run.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define SAMPLE_PAIRS ((size_t)512)

/* All loops over words are written once and compiled for each number of words. */
#define FOR_WORDS static inline __attribute__((always_inline))

static inline uint64_t fold_sign(uint64_t difference) { return (difference << 1) ^ ((uint64_t)0 - (difference >> 63)); }

static inline uint64_t unfold_sign(uint64_t folded) { return (folded >> 1) ^ ((uint64_t)0 - (folded & 1)); }

static inline unsigned length_of(uint64_t word) { return word == 0 ? 0 : (71 - (unsigned)__builtin_clzll(word)) >> 3; }

static inline uint64_t little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline uint32_t little_endian_u32(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(word);
#else
    return word;
#endif
}

/* ---- choosing the coding */

void hsd_run_choose_coding(uint8_t coding[HSD_SORT_MAX_WORDS], const uint64_t *sample, size_t count, unsigned words)
{
    uint64_t plain[HSD_SORT_MAX_WORDS] = {0}, delta[HSD_SORT_MAX_WORDS] = {0};
    const size_t step = count / SAMPLE_PAIRS + 1;
    for (size_t i = 1; i < count; i += step) {
        const uint64_t *now = sample + i * words, *before = now - words;
        for (unsigned w = 0; w < words; w++) {
            plain[w] += length_of(now[w]);
            delta[w] += length_of(fold_sign(now[w] - before[w]));
        }
    }
    memset(coding, HSD_WORD_PLAIN, HSD_SORT_MAX_WORDS);
    for (unsigned w = 0; w < words; w++)
        if (delta[w] < plain[w]) coding[w] = HSD_WORD_DELTA;
}

/* ---- the codec, for each number of words */

typedef uint8_t *encode_fn(uint8_t *out, const uint64_t *record, const uint64_t *previous, const uint8_t *coding);

/*
 * Decodes up to `count` records, and stops before one that does not begin in front of `end`. Reads at
 * most HSD_RUN_SLACK_BYTES behind `end`. Returns how many it decoded.
 */
typedef size_t decode_fn(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count, uint64_t *previous,
                         const uint8_t *coding);

FOR_WORDS uint8_t *encode(uint8_t *out, const uint64_t *record, const uint64_t *previous, const uint8_t *coding,
                          const unsigned words)
{
    uint8_t *lengths = out;
    out += (words + 1) / 2;
    for (unsigned w = 0; w < words; w++) {
        const uint64_t word = coding[w] == HSD_WORD_DELTA ? fold_sign(record[w] - previous[w]) : record[w];
        const uint64_t bytes = little_endian(word);
        const unsigned length = length_of(word);
        memcpy(out, &bytes, 8); /* what is behind the length is overwritten by what follows */
        out += length;
        lengths[w / 2] = (uint8_t)(w % 2 == 0 ? length : lengths[w / 2] | length << 4);
    }
    return out;
}

FOR_WORDS size_t decode(const uint8_t **from, const uint8_t *end, uint64_t *records, size_t count, uint64_t *previous,
                        const uint8_t *coding, const unsigned words)
{
    static const uint64_t masks[16] = {
        0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX, 0, 0,
        0, 0,    0,      0,        0}; /* lengths above 8 are damage: hsd_run_reader_refill finds it */
    const uint8_t *at = *from;
    const uint64_t *last = previous; /* the record before */
    size_t done = 0;
    /* not told apart from what is written through other pointers, the coding would be read each time */
    bool is_delta[HSD_SORT_MAX_WORDS];
    for (unsigned w = 0; w < words; w++)
        is_delta[w] = coding[w] == HSD_WORD_DELTA;
    for (; done < count && at < end; done++, last = records, records += words) {
        uint32_t lengths;
        memcpy(&lengths, at, sizeof lengths);
        lengths = little_endian_u32(lengths);
        at += (words + 1) / 2;
        for (unsigned w = 0; w < words; w++) {
            const unsigned length = lengths >> 4 * w & 15u;
            uint64_t word;
            memcpy(&word, at, 8);
            at += length;
            word = little_endian(word) & masks[length];
            if (is_delta[w]) word = last[w] + unfold_sign(word);
            records[w] = word;
        }
    }
    if (last != previous) memcpy(previous, last, words * sizeof *previous);
    *from = at;
    return done;
}

#define DEFINE_CODEC(words)                                                                                            \
    static uint8_t *encode_##words(uint8_t *out, const uint64_t *record, const uint64_t *previous,                     \
                                   const uint8_t *coding)                                                              \
    {                                                                                                                  \
        return encode(out, record, previous, coding, words);                                                           \
    }                                                                                                                  \
    static size_t decode_##words(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count,              \
                                 uint64_t *previous, const uint8_t *coding)                                            \
    {                                                                                                                  \
        return decode(at, end, records, count, previous, coding, words);                                               \
    }

DEFINE_CODEC(1)
DEFINE_CODEC(2)
DEFINE_CODEC(3)
DEFINE_CODEC(4)
DEFINE_CODEC(5)
DEFINE_CODEC(6)
DEFINE_CODEC(7)
DEFINE_CODEC(8)

static encode_fn *const encoders[] = {encode_1, encode_2, encode_3, encode_4, encode_5, encode_6, encode_7, encode_8};
static decode_fn *const decoders[] = {decode_1, decode_2, decode_3, decode_4, decode_5, decode_6, decode_7, decode_8};

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
    encode_fn *encode_one = encoders[writer->words - 1];
    const uint64_t *previous = writer->last;
    const size_t full = writer->capacity - HSD_RUN_RECORD_MAX_BYTES - 8;
    for (size_t i = 0; i < count; i++, previous = records, records += writer->words) {
        if (writer->used > full) HSD_TRY(flush_sort_run(writer, err));
        uint8_t *at = writer->buffer + writer->used;
        const size_t size = (size_t)(encode_one(at, records, previous, writer->run.coding) - at);
        writer->used += size;
        writer->end_bytes += size;
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
    return decoders[reader->words - 1](&reader->at, end, reader->batch, count, reader->previous, reader->run.coding);
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
