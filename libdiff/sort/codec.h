/*
 * How records become the bytes of a run and come back: a plain coder, and one that moves the bytes of two words at
 * once where the machine has an instruction for that. Both write the same bytes and read what the other wrote.
 * Internal to sort/, and for pages that graph/paged packs.
 */
#ifndef HSD_SORT_CODEC_H
#define HSD_SORT_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "sort/sorter.h"

/* How one word of a record is stored: as it is, as its difference to the record before with the sign folded into the
 * lowest bit, or its two halves each in one of these ways. */
typedef enum hsd_word_coding {
    HSD_WORD_PLAIN = 0,
    HSD_WORD_DELTA = 1,
    HSD_WORD_HALVES = 2,
    HSD_WORD_HALVES_HIGH_DELTA = 4, /* bits beside HSD_WORD_HALVES */
    HSD_WORD_HALVES_LOW_DELTA = 8,
} hsd_word_coding;

/* The longest a stored record can be, and what decoding may touch behind the last one. */
#define HSD_RUN_RECORD_MAX_BYTES ((size_t)(HSD_SORT_MAX_WORDS * 8 + HSD_SORT_MAX_WORDS / 2))
#define HSD_RUN_SLACK_BYTES      ((size_t)192)

/* What encoding may touch behind the last byte of a record. */
#define HSD_RUN_CODER_SLACK_BYTES ((size_t)16)

/* The shorter coding of each word, by a sample of sorted records such as will be in the run. */
void hsd_run_choose_coding(uint8_t coding[HSD_SORT_MAX_WORDS], const uint64_t *sample, size_t count, unsigned words);

/*
 * Encodes up to `*count` records, and none that would begin behind `full`; `*count` becomes how many it encoded.
 * `previous` is the record before the first. Returns the end of what it wrote.
 */
typedef uint8_t *hsd_run_encode(uint8_t *out, const uint8_t *full, const uint64_t *records, size_t *count,
                                const uint64_t *previous, const uint8_t *coding);

/*
 * Decodes up to `count` records, and stops before one that does not begin in front of `end`. Reads at
 * most HSD_RUN_SLACK_BYTES behind `end`. Returns how many it decoded.
 */
typedef size_t hsd_run_decode(const uint8_t **at, const uint8_t *end, uint64_t *records, size_t count,
                              uint64_t *previous, const uint8_t *coding);

typedef struct hsd_run_coder {
    hsd_run_encode *encode;
    hsd_run_decode *decode;
} hsd_run_coder;

/* Of records of so many words, 1 … HSD_SORT_MAX_WORDS. */
hsd_run_coder hsd_run_coder_plain(unsigned words);
hsd_run_coder hsd_run_coder_shuffled(unsigned words); /* NULLs where this machine, or such a record, has none */
hsd_run_coder hsd_run_coder_best(unsigned words);

#endif
