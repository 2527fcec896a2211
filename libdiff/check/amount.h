/*
 * Sizes, percentages, limits and days as people write them: pure functions of a text, exact, the same in every locale.
 * Blanks around them do not matter; a fault is one HSD_AMOUNT_* that the caller puts into a sentence.
 */
#ifndef HSD_CHECK_AMOUNT_H
#define HSD_CHECK_AMOUNT_H

#include <hsdiff/check.h>

typedef enum hsd_amount_fault {
    HSD_AMOUNT_OK,
    HSD_AMOUNT_NO_NUMBER, /* does not begin with a digit */
    HSD_AMOUNT_NEGATIVE,
    HSD_AMOUNT_UNIT,     /* unknown, or none where one is needed */
    HSD_AMOUNT_DECIMALS, /* more than can be kept, or of a thing that has none */
    HSD_AMOUNT_TOO_LARGE,
    HSD_AMOUNT_REST /* something behind it */
} hsd_amount_fault;

/* "16 MiB", "1.5GiB", "500 B", "0": up to INT64_MAX bytes, fractions of a byte dropped. Without a unit: bytes. */
hsd_amount_fault hsd_amount_read_size(hsd_text text, uint64_t *bytes);

/*
 * A size or a count, a percentage with up to 4 decimals, either with " per round" behind it, or "auto". `has_unit`
 * tells whether an amount was written with a unit of size.
 */
hsd_amount_fault hsd_amount_read_limit(hsd_text text, hsd_limit *limit, bool *has_unit);

/* "0" to "999999", for warmup. */
hsd_amount_fault hsd_amount_read_count(hsd_text text, uint32_t *count);

/* "2027-03-31" to days since 1970-01-01; years 1970 to 9999, days that exist. */
bool hsd_amount_read_day(hsd_text text, int32_t *day);

/* "2027-03-31". */
void hsd_amount_write_day(char out[16], int32_t day);

/* The smallest of whole B, KiB (from 1 KiB on) or MiB (from 100 MiB on) that is at least `bytes`: "65 KiB". */
void hsd_amount_write_size(char out[32], uint64_t bytes);

/* `millionths` of `value`, rounded down; INT64_MAX if it is more. */
int64_t hsd_amount_share(uint64_t value, uint64_t millionths);

#endif
