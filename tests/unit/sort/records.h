/* Records of many shapes, and the order they should come out in, for the tests of sort/. */
#ifndef HSD_TESTS_UNIT_SORT_RECORDS_H
#define HSD_TESTS_UNIT_SORT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum shape {
    RANDOM,
    FEW_KEYS,
    ALL_EQUAL,
    ORDERED,
    REVERSED,
    NEARLY_ORDERED,
    EXTREMES,
    ADDRESSES,
    HIGH_BITS,
    SHAPES
} shape;

const char *shape_name(shape of);

/* `count` records of `words` words, the same for the same seed. Free with free. */
uint64_t *records_make(shape of, size_t count, unsigned words, uint64_t seed);

/* The same records in the order of the standard's qsort, in a new allocation. */
uint64_t *records_sorted(const uint64_t *records, size_t count, unsigned words);

/* Another order of the same records. */
void records_shuffle(uint64_t *records, size_t count, unsigned words, uint64_t seed);

uint64_t records_draw(uint64_t *state);

#endif
