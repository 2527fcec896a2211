/*
 * External sort of fixed-width records within a given memory: the one sorter of the product. Knows
 * no heap. Records are arrays of u64 words; the first `key_words` of them, most significant first,
 * are the key, the rest is payload. Order is unsigned order of the key words. Records with equal
 * keys come out in an unspecified but fixed order that depends on their payload alone (the payload
 * words break ties), so the same set of records gives the same sequence whatever the order of
 * input, the memory or the threads.
 *
 *      put put put …            half the memory fills with records
 *        └─ full: radix sort on the key bytes that vary, write a run; meanwhile the other half fills
 *      finish                   nothing spilled: sorted in memory, served from there
 *        └─ else: merge passes until the number of runs <= fan-in, then a loser tree serves next()
 *
 * Input that is already in order is noticed and passes without sorting; a few sequences that ascend, one within the
 * other, are merged (sort/piles.h).
 */
#ifndef HSD_SORT_SORTER_H
#define HSD_SORT_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/note.h"
#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_SORT_MAX_WORDS 12

typedef enum hsd_run_codec {
    HSD_RUN_DELTA = 0, /* word by word difference to the record before, variable length */
    HSD_RUN_RAW = 1,
    HSD_RUN_PACKED = 2, /* as HSD_RUN_DELTA, and compressed: half of the bytes, for what is read several times. Of a
                           sorter with less than HSD_SORT_PACKED_BYTES it is HSD_RUN_DELTA */
} hsd_run_codec;

typedef struct hsd_sorter_config {
    unsigned record_words; /* 1..HSD_SORT_MAX_WORDS */
    unsigned key_words;    /* 1..record_words */
    size_t memory_bytes;   /* everything the sorter allocates; at least HSD_SORT_MIN_BYTES */
    bool use_thread;       /* write runs on a thread of their own */
    hsd_run_codec codec;
    hsd_temp_space *space;  /* borrowed until release */
    hsd_reporter *reporter; /* may be NULL */
} hsd_sorter_config;

#define HSD_SORT_MIN_BYTES    ((size_t)256 << 10)
#define HSD_SORT_PACKED_BYTES ((size_t)2 << 20)

typedef struct hsd_sorter hsd_sorter;

/* HSD_E_OVER_BUDGET below the minimum, HSD_E_NOMEM, HSD_E_MISUSE. Buffers grow as records come:
 * a sorter that is given little holds little. */
hsd_status hsd_sorter_new(hsd_sorter **out, const hsd_sorter_config *config, hsd_error *err);

/* Copies one record of record_words words. Amortised; fails only when a run is written. */
hsd_status hsd_sorter_put(hsd_sorter *sorter, const uint64_t *record, hsd_error *err);

/* Whose payload still changes: the record that was put last lies here, and may be written until is_full() says that the
 * next put will take away all that were put since it did so before, or until finish. Records that are put meanwhile lie
 * behind each other. */
uint64_t *hsd_sorter_last(hsd_sorter *sorter);
bool hsd_sorter_is_full(const hsd_sorter *sorter);

/* No more puts. After it next() serves; may be given less memory to serve from: `serve_bytes`
 * (0 = keep all), so that several sorted streams can be merged side by side. */
hsd_status hsd_sorter_finish(hsd_sorter *sorter, size_t serve_bytes, hsd_error *err);

/* The next record in order, borrowed until the following next or free. HSD_END after the last. */
hsd_status hsd_sorter_next(hsd_sorter *sorter, const uint64_t **record, hsd_error *err);

/* The same, and as many of the following as lie behind it already: *count of them, at least one. Borrowed likewise. For
 * who goes through many. */
hsd_status hsd_sorter_next_some(hsd_sorter *sorter, const uint64_t **records, size_t *count, hsd_error *err);

/* Those with the next numbers, copied in their order to `out`, which has room for `most` records, at most
 * HSD_MERGE_DENSE_MOST: where the first words of all, shifted right by `shift`, are different numbers, most of which
 * are there. They come from the runs without being compared (sort/merge.h). Asked from the first record on, and nothing
 * else is until a rewind. */
hsd_status hsd_sorter_next_dense(hsd_sorter *sorter, unsigned shift, uint64_t *out, size_t most, size_t *count,
                                 hsd_error *err);

/* Said by who puts a second record with one number: dense ones are asked for no more. */
void hsd_sorter_repeat(hsd_sorter *sorter);

/* Serves from the first record again (any number of times). */
hsd_status hsd_sorter_rewind(hsd_sorter *sorter, hsd_error *err);

/* Nobody asks for records until the next rewind: what they are served from goes back to the system, if they lie in
 * runs. The bytes that went; 0 = they lie in memory alone, or are not served yet. */
size_t hsd_sorter_rest(hsd_sorter *sorter);

uint64_t hsd_sorter_count(const hsd_sorter *sorter);
unsigned hsd_sorter_words(const hsd_sorter *sorter); /* of a record */

typedef struct hsd_sorter_stats {
    uint64_t records;
    uint32_t runs;         /* 0 = everything stayed in memory */
    uint32_t merge_passes; /* besides the last one, which serves */
    uint32_t fan_in;
    uint64_t temp_bytes; /* written */
    bool was_in_order;
    bool repeats; /* hsd_sorter_repeat was called */
} hsd_sorter_stats;

hsd_sorter_stats hsd_sorter_stats_get(const hsd_sorter *sorter);

/* NULL is accepted. */
void hsd_sorter_free(hsd_sorter *sorter);

#endif
