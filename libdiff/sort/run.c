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
 *
 * Many words are two numbers of 32 bits, side by side: then each half is stored by itself, the higher one first, in 0,
 * 1, 3 or 4 bytes, and the four bits are two and two. A record of the dominator tree has 12 bytes so, not 21.
 */
#include "sort/run.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

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

/* ---- halves */

static inline uint32_t fold_half(uint32_t difference) { return (difference << 1) ^ ((uint32_t)0 - (difference >> 31)); }

static inline uint32_t unfold_half(uint32_t folded) { return (folded >> 1) ^ ((uint32_t)0 - (folded & 1)); }

static const uint8_t half_lengths[4] = {0, 1, 3, 4}; /* of two bits */

typedef struct half_form { /* of four bits */
    uint32_t high_mask, low_mask;
    uint8_t high_bits, bytes; /* of the high half, and of both */
} half_form;

#define HALF_FORM(high, high_mask, low, low_mask)                                                                      \
    {                                                                                                                  \
        high_mask, low_mask, 8 * (high), (high) + (low)                                                                \
    }
#define HALF_FORMS(high, high_mask)                                                                                    \
    HALF_FORM(high, high_mask, 0, 0), HALF_FORM(high, high_mask, 1, UINT32_C(0xff)),                                   \
        HALF_FORM(high, high_mask, 3, UINT32_C(0xffffff)), HALF_FORM(high, high_mask, 4, UINT32_MAX)

static const half_form half_forms[16] = {HALF_FORMS(0, 0), HALF_FORMS(1, UINT32_C(0xff)),
                                         HALF_FORMS(3, UINT32_C(0xffffff)), HALF_FORMS(4, UINT32_MAX)};

static inline unsigned half_code(uint32_t half)
{
    return (unsigned)(half != 0) + (half >> 8 != 0) + (half >> 24 != 0); /* no branch: nobody can foresee it */
}

static inline uint32_t high_of(uint64_t word, uint64_t before, unsigned coding)
{
    const uint32_t high = (uint32_t)(word >> 32);
    return coding & HSD_WORD_HALVES_HIGH_DELTA ? fold_half(high - (uint32_t)(before >> 32)) : high;
}

static inline uint32_t low_of(uint64_t word, uint64_t before, unsigned coding)
{
    const uint32_t low = (uint32_t)word;
    return coding & HSD_WORD_HALVES_LOW_DELTA ? fold_half(low - (uint32_t)before) : low;
}

/* Both halves one behind the other; their lengths in bits go to *code, in bytes are returned. */
static inline unsigned pack_halves(uint64_t word, uint64_t before, unsigned coding, uint64_t *packed, unsigned *code)
{
    const uint32_t high = high_of(word, before, coding), low = low_of(word, before, coding);
    const unsigned high_code = half_code(high), low_code = half_code(low);
    *code = high_code << 2 | low_code;
    *packed = (uint64_t)high | (uint64_t)low << 8 * half_lengths[high_code];
    return half_lengths[high_code] + half_lengths[low_code];
}

/* ---- choosing the coding */

static const uint8_t codings[] = {
    HSD_WORD_PLAIN,
    HSD_WORD_DELTA,
    HSD_WORD_HALVES,
    HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA,
    HSD_WORD_HALVES | HSD_WORD_HALVES_LOW_DELTA,
    HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA | HSD_WORD_HALVES_LOW_DELTA,
};

static unsigned coded_length(uint64_t word, uint64_t before, unsigned coding)
{
    uint64_t packed;
    unsigned code;
    if (coding & HSD_WORD_HALVES) return pack_halves(word, before, coding, &packed, &code);
    return length_of(coding == HSD_WORD_DELTA ? fold_sign(word - before) : word);
}

void hsd_run_choose_coding(uint8_t coding[HSD_SORT_MAX_WORDS], const uint64_t *sample, size_t count, unsigned words)
{
    uint64_t bytes[HSD_SORT_MAX_WORDS][HSD_ARRAY_LEN(codings)] = {{0}};
    const size_t step = count / SAMPLE_PAIRS + 1;
    for (size_t i = 1; i < count; i += step) {
        const uint64_t *now = sample + i * words, *before = now - words;
        for (unsigned w = 0; w < words; w++)
            for (size_t c = 0; c < HSD_ARRAY_LEN(codings); c++)
                bytes[w][c] += coded_length(now[w], before[w], codings[c]);
    }
    memset(coding, HSD_WORD_PLAIN, HSD_SORT_MAX_WORDS);
    for (unsigned w = 0; w < words; w++) {
        size_t best = 0;
        for (size_t c = 1; c < HSD_ARRAY_LEN(codings); c++)
            if (bytes[w][c] < bytes[w][best]) best = c;
        coding[w] = codings[best];
    }
}

/* ---- the codec, for each number of words */

/*
 * Encodes up to `*count` records, and none that would begin behind `full`; `*count` becomes how many it encoded.
 * `previous` is the record before the first. Returns the end of what it wrote.
 */
typedef uint8_t *encode_fn(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,
                           const uint64_t *previous, const uint8_t *coding);

/*
 * Decodes up to `count` records, and stops before one that does not begin in front of `end`. Reads at
 * most HSD_RUN_SLACK_BYTES behind `end`. Returns how many it decoded.
 */
typedef size_t decode_fn(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count, uint64_t *previous,
                         const uint8_t *coding);

FOR_WORDS uint8_t *encode_one(uint8_t *out, const uint64_t *record, const uint64_t *previous, const uint8_t *codes,
                              const unsigned words)
{
    uint8_t *front = out;
    uint64_t lengths = 0;
    out += (words + 1) / 2;
#pragma GCC unroll 8
    for (unsigned w = 0; w < words; w++) {
        uint64_t word;
        unsigned length, code;
        if (codes[w] & HSD_WORD_HALVES) {
            length = pack_halves(record[w], previous[w], codes[w], &word, &code);
        } else {
            word = codes[w] == HSD_WORD_DELTA ? fold_sign(record[w] - previous[w]) : record[w];
            length = code = length_of(word);
        }
        const uint64_t bytes = little_endian(word);
        memcpy(out, &bytes, 8); /* what is behind the length is overwritten by what follows */
        out += length;
        lengths |= (uint64_t)code << 4 * w;
    }
    lengths = little_endian(lengths);
    memcpy(front, &lengths, (words + 1) / 2);
    return out;
}

FOR_WORDS uint8_t *encode(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,
                          const uint64_t *previous, const uint8_t *coding, const unsigned words)
{
    uint8_t codes[HSD_SORT_MAX_WORDS]; /* as in decode */
    size_t done = 0;
    memcpy(codes, coding, sizeof codes);
    for (; done < *count && out <= full; done++, previous = records, records += words)
        out = encode_one(out, records, previous, codes, words);
    *count = done;
    return out;
}

static inline uint64_t unpack_halves(uint64_t packed, uint64_t before, unsigned coding, const half_form *form)
{
    uint32_t high = (uint32_t)packed & form->high_mask;
    uint32_t low = (uint32_t)(packed >> form->high_bits) & form->low_mask;
    if (coding & HSD_WORD_HALVES_HIGH_DELTA) high = (uint32_t)(before >> 32) + unfold_half(high);
    if (coding & HSD_WORD_HALVES_LOW_DELTA) low = (uint32_t)before + unfold_half(low);
    return (uint64_t)high << 32 | low;
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
    uint8_t codes[HSD_SORT_MAX_WORDS];
    memcpy(codes, coding, sizeof codes);
    for (; done < count && at < end; done++, last = records, records += words) {
        uint64_t lengths;
        memcpy(&lengths, at, sizeof lengths);
        lengths = little_endian(lengths);
        at += (words + 1) / 2;
#pragma GCC unroll 8
        for (unsigned w = 0; w < words; w++) {
            const unsigned length = (unsigned)(lengths >> 4 * w) & 15u;
            uint64_t word;
            memcpy(&word, at, 8);
            word = little_endian(word);
            if (codes[w] & HSD_WORD_HALVES) {
                const half_form *form = &half_forms[length];
                records[w] = unpack_halves(word, last[w], codes[w], form);
                at += form->bytes;
                continue;
            }
            at += length;
            word &= masks[length];
            if (codes[w] == HSD_WORD_DELTA) word = last[w] + unfold_sign(word);
            records[w] = word;
        }
    }
    if (last != previous) memcpy(previous, last, words * sizeof *previous);
    *from = at;
    return done;
}

/* More than eight are sorted seldom: these share one. */
static __attribute__((noinline)) uint8_t *encode_long(uint8_t *out, const uint8_t *full, const uint64_t *records,
                                                      size_t *count, const uint64_t *previous, const uint8_t *coding,
                                                      unsigned words)
{
    return encode(out, full, records, count, previous, coding, words);
}

static __attribute__((noinline)) size_t decode_long(const uint8_t **at, const uint8_t *end, uint64_t *records,
                                                    size_t count, uint64_t *previous, const uint8_t *coding,
                                                    unsigned words)
{
    return decode(at, end, records, count, previous, coding, words);
}

#define DEFINE_CODEC(encode, decode, words)                                                                            \
    static uint8_t *encode_##words(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,          \
                                   const uint64_t *previous, const uint8_t *coding)                                    \
    {                                                                                                                  \
        return encode(out, full, records, count, previous, coding, words);                                             \
    }                                                                                                                  \
    static size_t decode_##words(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count,              \
                                 uint64_t *previous, const uint8_t *coding)                                            \
    {                                                                                                                  \
        return decode(at, end, records, count, previous, coding, words);                                               \
    }

DEFINE_CODEC(encode, decode, 1)
DEFINE_CODEC(encode, decode, 2)
DEFINE_CODEC(encode, decode, 3)
DEFINE_CODEC(encode, decode, 4)
DEFINE_CODEC(encode, decode, 5)
DEFINE_CODEC(encode, decode, 6)
DEFINE_CODEC(encode, decode, 7)
DEFINE_CODEC(encode, decode, 8)
DEFINE_CODEC(encode_long, decode_long, 9)
DEFINE_CODEC(encode_long, decode_long, 10)
DEFINE_CODEC(encode_long, decode_long, 11)
DEFINE_CODEC(encode_long, decode_long, 12)

static encode_fn *const encoders[] = {encode_1, encode_2, encode_3, encode_4,  encode_5,  encode_6,
                                      encode_7, encode_8, encode_9, encode_10, encode_11, encode_12};
static decode_fn *const decoders[] = {decode_1, decode_2, decode_3, decode_4,  decode_5,  decode_6,
                                      decode_7, decode_8, decode_9, decode_10, decode_11, decode_12};

_Static_assert(HSD_ARRAY_LEN(encoders) == HSD_SORT_MAX_WORDS && HSD_ARRAY_LEN(decoders) == HSD_SORT_MAX_WORDS,
               "each number of words has its codec");

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
    encode_fn *encode_some = encoders[writer->words - 1];
    const uint64_t *previous = writer->last;
    const uint8_t *full = writer->buffer + writer->capacity - HSD_RUN_RECORD_MAX_BYTES - 8;
    while (count > 0) {
        uint8_t *at = writer->buffer + writer->used;
        if (at > full) {
            HSD_TRY(flush_sort_run(writer, err));
            at = writer->buffer;
        }
        size_t done = count;
        const size_t size = (size_t)(encode_some(at, full, records, &done, previous, writer->run.coding) - at);
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
