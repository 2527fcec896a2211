/*
 * Stretches of a number array that are plain: digits, commas and line breaks. Four ways to the same numbers, by what
 * the machine can do.
 */
#ifndef HSD_IMPORT_V8_DIGITS_H
#define HSD_IMPORT_V8_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define HSD_V8_DIGITS_BLOCK  64 /* bytes that are looked at together */
#define HSD_V8_DIGITS_BEFORE 16 /* bytes before the first that must be readable */

/*
 * Whole numbers from [at, end), as long as all is plain and `out` has room for a block's worth. *at is moved behind the
 * last number taken. HSD_V8_DIGITS_BEFORE bytes before *at can be read. Returns how many there are; more of `out` may
 * be written, within `capacity`.
 */
typedef size_t (*hsd_v8_digits)(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity);

size_t hsd_v8_digits_words(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity);
size_t hsd_v8_digits_sse2(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity);

/* NULL where the machine has no AVX2, no AVX-512 with what permutes bytes. */
hsd_v8_digits hsd_v8_digits_avx2(void);
hsd_v8_digits hsd_v8_digits_avx512(void);

/* The fastest of them here. */
hsd_v8_digits hsd_v8_digits_best(void);

/* 64 bytes as two masks, bit i for byte i: is it a digit, is it a digit or a plain separator. */
typedef struct hsd_v8_masks {
    uint64_t digits;
    uint64_t plain;
} hsd_v8_masks;

hsd_v8_masks hsd_v8_classify(const uint8_t *bytes);
hsd_v8_masks hsd_v8_classify_words(const uint8_t *bytes);

#endif
