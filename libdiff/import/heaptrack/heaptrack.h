/*
 * Files of heaptrack (heaptrack.PROGRAM.PID.zst, or .gz): every allocation and every free, as text. What was allocated
 * and not freed at the end, by the stack that allocated it. Sums of stacks: no objects, no references, no roots.
 *
 *      records    records.c    lines, and the hot loop of those that allocate and free
 *      tables     tables.c     strings, places in the code, stacks, and allocations of one size by one stack
 *
 *      v 10400 3                      heaptrack's version, and the form's: all numbers are hexadecimal
 *      X ./shop                       the command line
 *      s c make_order()               string 1, 2, 3 …; its size, since form 3
 *      i 564ec7973236 1 17 15 9       place 1, 2, 3 …: address, module; function, file, line; those it was inlined in
 *      t a 9                          stack 1, 2, 3 …: place, the stack of its caller
 *      a 30 b                         allocation 0, 1, 2 …: bytes, stack
 *      + 1                            one of allocation 1 is made
 *      - 1                            and one is freed
 *      c 169, R 478, # strings: 53    time, resident pages, a comment
 */
#ifndef HSD_IMPORT_HEAPTRACK_H
#define HSD_IMPORT_HEAPTRACK_H

#include "import/lines.h"
#include "import/stack_sums.h"

enum { HT_OLDEST = 1, HT_NEWEST = 3, HT_SIZED = 3, HT_PROGRAM_BYTES = 256 };

typedef struct ht_place {
    uint32_t first, count; /* in `place_frames`, the innermost first */
} ht_place;

typedef struct ht_allocation {
    uint64_t bytes, live; /* of one; how many there are */
    uint32_t site;
} ht_allocation;

typedef struct ht_file {
    hsd_import *import;
    hsd_source *source;
    hsd_stack_sums sums;
    hsd_import_line line;
    uint64_t version;
    char program[HT_PROGRAM_BYTES];

    /* tables.c: by number - 1, allocations by number */
    hsd_names texts;
    uint32_t *strings; /* number of `texts` */
    ht_place *places;
    uint32_t *place_frames; /* of `sums` */
    uint32_t *stack_sites;
    ht_allocation *allocations;
    uint32_t string_count, string_room, place_count, place_room, frame_count, frame_room, stack_count, stack_room,
        allocation_count, allocation_room;

    uint64_t bytes, peak_bytes, rss_pages, page_bytes, unreadable, strange_frees;
    bool has_end, is_cut;
} ht;

/* ---- records.c ---- */

unsigned hsd_ht_probe(const uint8_t *prefix, size_t size);

/* All records. HSD_E_TOO_NEW, HSD_E_UNSUPPORTED for other forms and for what has not been interpreted;
 * HSD_E_TRUNCATED where the end is missing. */
hsd_status hsd_ht_read(ht *h, hsd_error *err);

/* A hexadecimal number in front of `text`, which begins behind it and the blanks around it then. False where there is
 * none, or one of 2^64 and more. */
bool hsd_ht_take_number(hsd_bytes *text, uint64_t *out);

/* ---- tables.c ---- */

/* What follows the letter of a line. HSD_E_CORRUPT for what names something that is not there. */
hsd_status hsd_ht_put_string(ht *h, hsd_bytes text, hsd_error *err);
hsd_status hsd_ht_put_place(ht *h, hsd_bytes text, hsd_error *err);
hsd_status hsd_ht_put_stack(ht *h, hsd_bytes text, hsd_error *err);
hsd_status hsd_ht_put_allocation(ht *h, hsd_bytes text, hsd_error *err);

/* What is left of each allocation, to its stack. */
hsd_status hsd_ht_add_sums(ht *h, hsd_error *err);

/* HSD_E_CORRUPT: this file of heaptrack is damaged, in this line. */
hsd_status hsd_ht_corrupt(const ht *h, const char *what, hsd_error *err);

void hsd_ht_release(ht *h);

#endif
