/*
 * Synthetic pairs of captures with known truth: two states of one heap of any size, written without holding it in
 * memory. Everything about object n follows from n and the seed, so the truth (what is new, freed, kept, by type and by
 * root) is known by construction and needs no graph.
 *
 * The heap is a set of groups, one for each root, one that two roots share, one that no root reaches. A group has a
 * skeleton that lives in both captures, of a chosen shape, and leaves, which hang from it:
 *
 *      root ─► skeleton 0 ─► 1, 2 …        shape: tree, list, star, comb, cycle, layers
 *                  │         │
 *                 leaves    leaves         leaf j hangs from skeleton j mod n; churn frees some, growth adds some
 *
 * Leaves refer to other objects of their group besides. Growth falls mostly on group 0, as objects of one type: the
 * leak to be found.
 */
#ifndef HSD_BENCH_SYNTH_H
#define HSD_BENCH_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <hscapture/hscapture.h>

typedef enum hsd_synth_shape {
    HSD_SYNTH_TREE,
    HSD_SYNTH_LIST,
    HSD_SYNTH_STAR,
    HSD_SYNTH_COMB,
    HSD_SYNTH_CYCLE,
    HSD_SYNTH_LAYERS,
    HSD_SYNTH_SHAPE_COUNT
} hsd_synth_shape;

typedef struct hsd_synth_options {
    uint64_t objects;         /* of the first capture, about */
    double references;        /* of a leaf, on average */
    unsigned types;           /* 1 to 4,096 */
    double skew;              /* exponent of the distribution of types; 0 = all alike */
    double churn, growth;     /* percent of the leaves: freed and replaced; added */
    double skeleton;          /* percent of the objects */
    double shared, unreached; /* percent of the objects */
    double resized;           /* percent of the kept leaves that grow by 8 bytes */
    unsigned roots;
    uint64_t seed;
    hsd_synth_shape shape;
    hsc_identity identity;
    bool targets_are_ordinals;
    bool is_shuffled; /* objects in no order instead of by id; not with ordinals */
    int compression;
    size_t memory_bytes; /* of the writer; 0 = its default */
} hsd_synth_options;

typedef struct hsd_synth hsd_synth; /* the model of one pair */

void hsd_synth_options_init(hsd_synth_options *options);

/* NULL if the options make no sense or memory ran out: one bit an object for ordinals, tables for types and roots. */
hsd_synth *hsd_synth_new(const hsd_synth_options *options);
void hsd_synth_free(hsd_synth *synth);

/* Writes the first capture or the second. Both must be written, in this order, before the truth is told. */
hsc_status hsd_synth_write(hsd_synth *synth, bool is_after, const char *path);

/* The truth as JSON, schema hsdiff.synth/1. Bytes are shallow; types and roots count live objects. */
void hsd_synth_truth(const hsd_synth *synth, FILE *out);

#endif
