/*
 * One side of a diff walked by itself, for tests: a capture with labels of every kind in a file of its own, and
 * the walk with as much memory for each step as the test says.
 */
#ifndef HSD_TESTS_SIDE_KIT_H
#define HSD_TESTS_SIDE_KIT_H

#include "walk/edges.h"
#include "walk/side/side.h"
#include <hscapture/hscapture.h>

typedef struct kit_label { /* number of the row + 1 in the capture */
    hsc_label_kind kind;
    uint32_t flags;
    const char *name, *text; /* NULL: without a name */
} kit_label;

enum { KIT_LABELS = 9, KIT_WEAK = 5, KIT_NAMED = 6 }; /* rows of the weak label and of that of named roots */
enum { KIT_TYPES = 5, KIT_PART_TYPE = 3 };            /* "T0" …, number + 1 in the capture */
#define KIT_ROOT_STRING 100u                          /* strings of roots "r0" …: 100 … */
extern const kit_label kit_labels[KIT_LABELS];

extern char kit_path[];
extern hsd_temp_space kit_space;
extern hsd_error kit_err;
void kit_setup(void);
void kit_teardown(void);

/* Types, labels, strings. */
void kit_write_tables(hsc_writer *w);

/* `count` objects, their references mostly near, roots primary and secondary; the same for the same arguments. */
void kit_write_large(uint64_t count, bool by_ordinal);

/* Likewise. */
typedef struct kit_large {
    bool by_ordinal;
    bool is_tree;        /* and few references besides */
    uint32_t named_each; /* only of so many objects one may have named roots */
} kit_large;

void kit_write_as(uint64_t count, const kit_large *how);

typedef struct kit_side {
    hsd_capture *capture;
    hsd_type_names types;
    hsd_edge_names edges;
    hsd_reporter reporter;
    hsd_walk_request request;
    hsd_side_walk side;
} kit_side;

/* Opens the capture, for a walk with `bytes` for each step. With sorts_places there is no room for an array of
 * places (walk/places.h). To be released whatever comes of the walk. */
void kit_open(kit_side *kit, uint64_t bytes, bool sorts_places);
hsd_status kit_begin(kit_side *kit); /* what comes before hsd_side_run, which kit_walk is, too */
hsd_status kit_walk(kit_side *kit);
void kit_release(kit_side *kit);

#endif
