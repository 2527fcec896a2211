/*
 * Snapshots of Python's tracemalloc (Snapshot.dump): where each block that is alive was allocated. Sums of stacks: no
 * objects, no references, no roots. The capture has them as type totals and site totals (FORMAT.md 6.20).
 *
 *      pickle   pickle.c   what the file is made of: a stack, a memo, and the few instructions that such a snapshot takes
 *      write    write.c    a trace into sums by type and site
 *
 * The file is a pickle, which is a program: Python would import and call what it names. Nothing is run here. A machine
 * of our own knows numbers, texts, tuples, lists, dicts and the two classes of a snapshot; whatever else is named is
 * refused with its name.
 */
#ifndef HSD_IMPORT_TRACEMALLOC_H
#define HSD_IMPORT_TRACEMALLOC_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

enum { TM_TEXT_BYTES = 4096, TM_FRAMES = 512 };

/* A value: its kind in the low bits, and above them a number, the number of a text, or where a tuple stands in `pool`.
 */
typedef uint64_t tm_value;
typedef enum tm_kind { TM_OTHER, TM_NUMBER, TM_TEXT, TM_TUPLE, TM_LIST, TM_CLASS } tm_kind;
enum { TM_KIND_BITS = 3 };

static inline tm_kind tm_kind_of(tm_value value) { return (tm_kind)(value & ((1 << TM_KIND_BITS) - 1)); }
static inline uint64_t tm_number_of(tm_value value) { return value >> TM_KIND_BITS; }
static inline tm_value tm_make(tm_kind kind, uint64_t number) { return number << TM_KIND_BITS | (uint64_t)kind; }

typedef struct tm_sum {
    uint32_t type, site;
    uint64_t objects, bytes;
} tm_sum;

typedef struct tm_file {
    hsd_import *import;
    hsd_source *source;
    /* pickle.c */
    tm_value *stack, *memo, *pool;
    uint32_t *marks;
    uint32_t stack_count, stack_room, memo_count, memo_room, mark_count, mark_room, pool_count, pool_room;
    hsd_names texts; /* of the file */
    bool has_list, is_cut;
    /* write.c */
    hsd_import_texts strings;
    hsd_names types; /* number - 1 */
    /* text << 32 | line; parent << 32 | frame; tuple -> site; type << 32 | site */
    hsd_id_table frames, sites, stacks, sum_rows;
    tm_sum *sums;
    uint32_t *stack_types; /* of a stack, by its number: the type of what it allocated */
    uint32_t *stack_sites;
    uint32_t sum_room, type_room, site_room;
    uint64_t traces, cut_frames, strange;
} tm;

/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_tm_check_memory(const tm *t, hsd_error *err);

/* ---- pickle.c ---- */

unsigned hsd_tm_probe(const uint8_t *prefix, size_t size);

/* To its end. HSD_E_UNSUPPORTED: it has what a snapshot has not; HSD_E_CORRUPT, HSD_E_TRUNCATED. */
hsd_status hsd_tm_read(tm *t, hsd_error *err);

/* The members of a tuple; *count of them. Borrowed until the pool grows. */
const tm_value *hsd_tm_tuple(const tm *t, tm_value tuple, uint64_t *count);

/* ---- write.c ---- */

hsd_status hsd_tm_take_trace(tm *t, tm_value trace, hsd_error *err);
hsd_status hsd_tm_write_sums(tm *t, hsd_error *err);

#endif
