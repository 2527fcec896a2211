/*
 * What a diff of two model heaps must say, computed straight from the definitions.
 */
#ifndef HSD_TESTS_ORACLE_H
#define HSD_TESTS_ORACLE_H

#include "support/heap_model.h"
#include <hsdiff/diff.h>

enum { ORACLE_MAX_ROOTS = 32 };

typedef struct oracle_row {
    char name[32];
    hsd_change live;
    hsd_amount unreached_before, unreached_after, revived, dropped, moved_in, moved_out;
} oracle_row;

typedef struct oracle_diff {
    oracle_row types[MODEL_TYPES];
    oracle_row roots[ORACLE_MAX_ROOTS];
    uint32_t root_count;
    uint64_t matched, unmatched_before, unmatched_after;
} oracle_diff;

oracle_diff oracle_compare(const model_heap *before, const model_heap *after);

#endif
