/*
 * Files of valgrind's massif: a heap over time, as text. Every snapshot has its bytes, and some have the stacks that
 * allocated them, as a tree from malloc outwards: those are the heaps that can be compared. No objects are counted.
 *
 *      desc: --massif-out-file=massif.out
 *      cmd: ./shop
 *      time_unit: i
 *      #-----------
 *      snapshot=4
 *      #-----------
 *      time=1853374
 *      mem_heap_B=122320
 *      mem_heap_extra_B=6952
 *      mem_stacks_B=0
 *      heap_tree=detailed                              or empty, or peak
 *      n2: 122320 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *       n1: 114128 0x109236: make_order() (shop.cc:9)
 *        n0: 114128 0x109272: main (shop.cc:10)
 *       n0: 8192 in 3 places, all below massif's threshold (1.00%)
 *
 * One tree is in memory at a time, within the budget.
 */
#ifndef HSD_IMPORT_VALGRIND_MASSIF_H
#define HSD_IMPORT_VALGRIND_MASSIF_H

#include "import/lines.h"
#include "import/stack_sums.h"

enum { MASSIF_DEPTH = 512, MASSIF_LISTED = 8, MASSIF_PROGRAM_BYTES = 256 };

typedef struct massif_snapshot {
    uint64_t number, time, heap_bytes, extra_bytes, stack_bytes;
    bool has_tree, is_peak;
} massif_snapshot;

typedef struct massif {
    hsd_import *import;
    hsd_source *source;
    hsd_stack_sums sums;
    hsd_names frame_texts; /* a frame as it stands there -> row of frame_rows */
    uint32_t *frame_rows;
    uint32_t frame_room;

    hsd_import_line line;
    massif_snapshot now, chosen, last; /* `last` is the newest one, with or without stacks */
    uint64_t listed[MASSIF_LISTED];    /* numbers of the first that have stacks */
    uint64_t tree_count, newest_tree;
    bool has_chosen; /* a tree is in `sums` */
    bool is_cut;
    char program[MASSIF_PROGRAM_BYTES], unit[8];

    /* massif_tree.c: by depth */
    uint32_t frames[MASSIF_DEPTH + 1];
    uint64_t left[MASSIF_DEPTH + 1]; /* children that are still to come */
} massif;

/* The next line; HSD_END when there is none; HSD_E_CORRUPT for one that does not fit the window. */
hsd_status hsd_massif_next_line(massif *m, hsd_error *err);

/* A decimal number in front of `text`, which begins behind it then. False where there is none, or one of 2^64 and more.
 */
bool hsd_massif_take_number(hsd_bytes *text, uint64_t *out);

/* The lines of a tree, into `sums` if `is_wanted`. HSD_E_CORRUPT where it contradicts itself; HSD_E_TRUNCATED where the
 * file ends in it, and what is in `sums` is a part of it. */
hsd_status hsd_massif_read_tree(massif *m, bool is_wanted, hsd_error *err);

#endif
