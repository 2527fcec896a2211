/*
 * Heap profiles of pprof (profile.proto): what Go, Node, Fuchsia, tcmalloc and jemalloc say of their heaps. Sums of
 * stacks: no objects, no references, no roots. The capture has them as type totals and site totals (FORMAT.md 6.20);
 * with Fuchsia's tags an allocation is an object of its own.
 *
 *      probe      probe.c      whether bytes may be such a message
 *      tables     tables.c     first pass: strings, functions, locations, mappings, sample types, in whatever order they stand
 *      columns    columns.c    which two of a sample's values are the objects and bytes of a heap
 *      processes  processes.c  a pass of its own where samples name their process
 *      sample     sample.c     last pass: one sample after another
 *      frames     frames.c     the stack of a sample as sites of the capture
 *      sums       sums.c       sums by type and site: samples may come twice, and may be negative
 *      write      write.c      types, sites, totals, objects
 *
 * All references go by id or by place in a table that may stand behind them, so there are two passes: Go writes its
 * strings last, all others their samples first. Tables are in memory, within the budget; samples never are. An id that
 * nothing has and a string that is not there read as none: files are cut and spliced in the field.
 */
#ifndef HSD_IMPORT_PPROF_H
#define HSD_IMPORT_PPROF_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/pair_table.h"
#include "import/protobuf.h"
#include "import/texts.h"

enum {
    PPROF_TEXT_BYTES = 4096,       /* kept of any text */
    PPROF_FRAMES = 512,            /* kept of a stack, the innermost */
    PPROF_VALUES = 64,             /* of a sample that are looked at */
    PPROF_PROCESSES = 64,          /* of one file that are told apart */
    PPROF_STACK_SETS_MOST = 16384, /* of stacks that are known again by their hash */
    PPROF_STACK_WAYS = 4,
    PPROF_KNOWN_TYPES = 4096 /* that are found without asking for their key; a power of two */
};

typedef struct pprof_span {
    uint64_t at;
    uint32_t size;
} pprof_span; /* of pprof.texts */

typedef struct pprof_value_type {
    uint64_t type, unit;
} pprof_value_type; /* strings */

typedef struct pprof_mapping {
    uint64_t start, limit, offset, file, build_id;
} pprof_mapping;

typedef struct pprof_function {
    uint64_t name, system_name, file;
} pprof_function;

typedef struct pprof_line {
    uint64_t function, line, column;
} pprof_line;

/* Lines [first_line, + line_count), the innermost first; frames likewise once they are known, and one alone stands
 * right here. */
typedef struct pprof_location {
    uint64_t id, mapping, address;
    /* frame_count 0 = not known yet; 1: first_frame is it */
    uint32_t first_line, line_count, first_frame, frame_count;
} pprof_location;

typedef struct pprof_frame { /* numbers of strings of the capture */
    uint32_t function, file, line, column;
    bool allocates;     /* for others: it says nothing of what was allocated */
    bool is_unresolved; /* its function is an address (FORMAT.md 7.12) */
} pprof_frame;

/* One sample. Locations leaf first; strings and numbers of labels that are known, 0 = not there. */
typedef struct pprof_sample {
    uint64_t locations[PPROF_FRAMES];
    size_t location_count;
    uint64_t stack_hash; /* of the first `hashed_count` locations, 0 = of none */
    size_t hashed_count;
    int64_t values[PPROF_VALUES];
    size_t value_count;
    uint64_t process_name, process_koid, address, bytes, timestamp, thread, type;
    bool has_process, has_address, has_bytes, is_cut;
} pprof_sample;

/* What came of a list of locations, by its hash; as hsd_pprof_site says. */
typedef struct pprof_stack {
    uint64_t hash; /* 0 = empty */
    uint32_t site, frame;
} pprof_stack;

/* What was allocated, as far as it makes a type. No padding: it is compared as bytes. */
typedef struct pprof_type_key {
    uint64_t size; /* by label: string */
    uint32_t frame, by;
} pprof_type_key;

typedef struct pprof_known_type {
    pprof_type_key key;
    uint64_t number; /* 0 = empty */
} pprof_known_type;

typedef struct pprof_process {
    uint64_t koid, name;
} pprof_process;

typedef struct pprof_sum {
    uint32_t type, site;
    int64_t objects, bytes; /* stay at their most */
} pprof_sum;

typedef struct pprof {
    hsd_import *import;
    hsd_source *source;
    hsd_buffer texts;
    pprof_span *strings;
    pprof_mapping *mappings;
    pprof_function *functions;
    pprof_location *locations;
    pprof_line *lines;
    uint32_t *location_frames; /* frame numbers, of all locations */
    pprof_frame *frames;
    uint32_t string_count, string_room, mapping_room, function_room, location_room, line_count, line_room,
        location_frame_count, location_frame_room, frame_room;
    hsd_id_table mapping_rows, function_rows, location_rows; /* ids -> row + 1 */
    pprof_value_type sample_types[PPROF_VALUES], period_type;
    size_t sample_type_count;
    uint64_t period, taken_unix_ns, sample_count;

    /* columns.c */
    size_t objects_column, bytes_column; /* SIZE_MAX = none */
    uint64_t bytes_unit;
    bool is_of_allocations; /* all that was ever allocated */
    /* strings of label keys, UINT64_MAX = not in the file */
    uint64_t key_process_name, key_process_koid, key_address, key_bytes, key_timestamp, key_thread, key_type;

    pprof_process processes[PPROF_PROCESSES];
    size_t process_count;
    uint64_t process_total;       /* also those that are not told apart */
    const pprof_process *process; /* whose samples are read; NULL = all */

    pprof_sample sample;
    hsd_import_texts names;          /* strings of the capture */
    hsd_names frame_keys, type_keys; /* frames; types, number - 1 */
    hsd_pair_table sites;            /* parent, frame -> site */
    uint32_t gathered[PPROF_FRAMES]; /* of the sample, innermost first */
    /* of the sample before, outermost first: stacks begin alike */
    uint32_t last_frames[PPROF_FRAMES], last_sites[PPROF_FRAMES];
    size_t last_count;
    pprof_stack *stacks; /* stack_sets of PPROF_STACK_WAYS, the last that came first */
    size_t stack_sets;   /* a power of two */
    uint64_t stack_seed;
    pprof_known_type known_types[PPROF_KNOWN_TYPES];
    hsd_id_table objects;    /* addresses that are taken */
    hsd_pair_table sum_rows; /* site, type -> row + 1 */
    pprof_sum *sums;
    uint32_t sum_room;
    /* samples: with values below 0, with too few or many values, of an address that had one */
    uint64_t negative, surplus, repeated;
} pprof;

/* ---- probe.c ---- */

unsigned hsd_pprof_probe(const uint8_t *prefix, size_t size);

/* ---- tables.c ---- */

hsd_status hsd_pprof_read_tables(pprof *p, hsd_error *err);

/* The text of a string; empty if there is none of that number. Borrowed until the tables grow. */
hsd_bytes hsd_pprof_text(const pprof *p, uint64_t string);
bool hsd_pprof_text_is(const pprof *p, uint64_t string, const char *words);

/* The number of the first string that reads so, UINT64_MAX = there is none. */
uint64_t hsd_pprof_find_text(const pprof *p, const char *words);

/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_pprof_check_memory(const pprof *p, hsd_error *err);

/* ---- columns.c ---- */

/* HSD_E_UNSUPPORTED, with what it has, when that is no heap profile. */
hsd_status hsd_pprof_choose_columns(pprof *p, hsd_error *err);

/* ---- processes.c ---- */

/* Which process is meant. HSD_E_UNSUPPORTED, with all that there are, when there are several and none was named. */
hsd_status hsd_pprof_choose_process(pprof *p, hsd_error *err);

/* ---- sample.c ---- */

typedef hsd_status (*pprof_sample_fn)(pprof *p, hsd_error *err);

/* From the start: each sample into p->sample. With labels alone stacks and values are passed over. */
hsd_status hsd_pprof_each_sample(pprof *p, bool labels_alone, pprof_sample_fn take, hsd_error *err);

/* ---- frames.c ---- */

/* The site of p->sample and the frame by which what it allocated is called, UINT32_MAX = none; site 0 = no stack. */
hsd_status hsd_pprof_site(pprof *p, uint32_t *site, uint32_t *frame, hsd_error *err);

/* What the stack of p->sample came to will be asked for: the table is read at random, and the rest of the sample is
 * decoded meanwhile. */
void hsd_pprof_expect_stack(pprof *p);

/* The number of a text in the capture, 0 for an empty one. */
hsd_status hsd_pprof_string(pprof *p, hsd_bytes text, uint32_t *number, hsd_error *err);

/* ---- sums.c ---- */

hsd_status hsd_pprof_add(pprof *p, uint32_t type, uint32_t site, int64_t objects, int64_t bytes, hsd_error *err);
hsd_status hsd_pprof_write_sums(pprof *p, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_pprof_begin(pprof *p, hsd_error *err);
hsd_status hsd_pprof_take_sample(pprof *p, hsd_error *err);

#endif
