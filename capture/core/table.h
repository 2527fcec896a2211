/*
 * Records that are not objects, staged until a block of them is full: tables (strings, types, labels,
 * sites, threads), edges, roots, frames, metrics, losses, site totals, the sums of a baseline. One machine for all: a
 * kind is a row of columns.
 */
#ifndef HSC_TABLE_H
#define HSC_TABLE_H

#include "block.h"

/* The kinds, in the order in which what is left of them is written at the end. */
enum hsc_table_kind {
    HSC_TABLE_STRINGS,
    HSC_TABLE_TYPES,
    HSC_TABLE_LABELS,
    HSC_TABLE_SITES,
    HSC_TABLE_EDGES,
    HSC_TABLE_ROOTS,
    HSC_TABLE_THREADS,
    HSC_TABLE_FRAMES,
    HSC_TABLE_METRICS,
    HSC_TABLE_LOSSES,
    HSC_TABLE_SITE_TOTALS, /* only where the options say so */
    HSC_TABLE_LIVE_TOTALS, /* from here on of baselines alone */
    HSC_TABLE_ROOT_TOTALS,
    HSC_TABLE_PLACES,
    HSC_TABLE_COUNT
};

enum { HSC_TABLE_FIELDS = 6 };

/* The staging area of one kind: fields column by column, 8 bytes a value, then the texts. */
typedef struct hsc_table {
    unsigned char *memory;
    uint32_t count, capacity; /* records staged, records that fit */
    uint32_t text_used, text_capacity;
    uint64_t total; /* records ever */
} hsc_table;

/* Of so many parts of the memory, how many a kind gets. */
enum { HSC_TABLE_SHARES = 128 };
unsigned hsc_table_share(enum hsc_table_kind kind);

void hsc_table_init(hsc_table *table, enum hsc_table_kind kind, unsigned char *memory, size_t bytes);

/*
 * Adds a record. `fields` in the order of the kind's columns (table.c); the text (NULL: none) is the two
 * pieces, one behind the other. A text that does not fit into the staging area goes out at once, in a
 * block of its own.
 */
hsc_status hsc_table_add(hsc_writer *w, enum hsc_table_kind kind, const uint64_t *fields, const hsc_piece text[2]);

/* Writes what is staged of a kind. */
hsc_status hsc_table_flush(hsc_writer *w, enum hsc_table_kind kind);

#endif
