/*
 * What a diff of two model heaps must say, computed straight from the definitions.
 */
#ifndef HSD_TESTS_ORACLE_H
#define HSD_TESTS_ORACLE_H

#include "support/heap_model.h"
#include <hsdiff/diff.h>

enum { ORACLE_MAX_ROOTS = 64, ORACLE_MAX_HOLDERS = 128, ORACLE_MAX_PLACES = 512, ORACLE_PATH = 1024 };

typedef struct oracle_row {
    char name[32];
    hsd_change live;
    uint64_t retained_before, retained_after;
    hsd_amount unreached_before, unreached_after, revived, dropped, moved_in, moved_out;
} oracle_row;

typedef struct oracle_holder {
    /* "T3 0x10" of an object, the name of a root, "(roots)"; without identity a place */
    char key[ORACLE_PATH];
    char type[32]; /* "" of a root */
    hsd_amount new_, freed;
    uint64_t resized_bytes; /* difference, its parts included */
    bool is_listed[2];      /* it has something of that side, or was resized */
    hsd_amount new_by_type[MODEL_TYPES], freed_by_type[MODEL_TYPES];
} oracle_holder;

typedef struct oracle_place { /* a node of the type-path tree */
    char path[ORACLE_PATH];   /* " .edge Type" for each step, "-" for no edge; the name of a root in brackets */
    hsd_amount before, after, new_, freed; /* own */
} oracle_place;

typedef struct oracle_below { /* a place below a holder */
    uint32_t holder;          /* in the list; the path begins below it */
    char path[ORACLE_PATH];
    /* own; bytes of insides too. New and freed: credited to the holder */
    hsd_amount before, after, new_, freed;
} oracle_below;

typedef struct oracle_by { /* a root, and what new bytes of (roots) it reaches without entering another */
    char root[64];
    uint64_t bytes;
} oracle_by;

typedef struct oracle_diff {
    oracle_by by[3 * ORACLE_MAX_ROOTS]; /* names may come twice */
    uint32_t by_count;
    uint64_t by_all; /* new bytes that several roots hold together */
    oracle_row types[MODEL_TYPES];
    oracle_row roots[ORACLE_MAX_ROOTS];
    uint32_t root_count;
    uint64_t new_ids[MODEL_TYPES][MODEL_MAX_OBJECTS]; /* in the heap after, in its order */
    uint32_t new_id_count[MODEL_TYPES];
    uint64_t matched, unmatched_before, unmatched_after;
    oracle_holder holders[ORACLE_MAX_HOLDERS];
    uint32_t holder_count;
    oracle_place places[ORACLE_MAX_PLACES];
    uint32_t place_count;
    oracle_below below[ORACLE_MAX_PLACES];
    uint32_t below_count;
} oracle_diff;

typedef struct oracle_heaps {
    const model_heap *before, *after;
    model_form before_form, after_form;
} oracle_heaps;

void oracle_compare(oracle_diff *diff, const oracle_heaps *heaps);

/* The row of a root, made when there is none. */
oracle_row *oracle_root_row(oracle_diff *diff, const char *name);

#endif
