/*
 * Capture files of memray (memray run -o FILE): what was allocated and not freed when memray stopped, by the stack that
 * allocated it. Sums of stacks: no objects, no references, no roots. The capture has them as type totals and site
 * totals (FORMAT.md 6.20). Versions 12 and 13 of the format, in both of its forms:
 *
 *      all allocations   records.c   each allocation and each free, each frame that begins or ends
 *      aggregated        sums.c      sums by stack, as memray itself has added them up
 *
 *      read      read.c      the head of a file, numbers and texts
 *      lines     lines.c     which line an instruction belongs to: Python's tables, by version
 *      stacks    stacks.c    frames into a tree of stacks, each once
 *      heap      heap.c      what is allocated: blocks by address, and mapped ranges
 *      write     write.c     what is left into sums by type and site
 *
 * Native frames (--native) are passed over: sums are by Python's stack.
 */
#ifndef HSD_IMPORT_MEMRAY_H
#define HSD_IMPORT_MEMRAY_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

enum {
    MR_TEXT_BYTES = 4096,   /* of a name; what is longer is cut */
    MR_RECENT = 15,         /* addresses that the file does not repeat */
    MR_MOST_RANGES = 65536, /* the kernel's own limit for a process is 65,530 */
    MR_OLDEST = 12,
    MR_NEWEST = 13
};

/* What the file calls allocators. */
enum { MR_PYMALLOC_FREE = 1, MR_FREE = 5, MR_MMAP = 14, MR_MUNMAP = 15 };

typedef struct mr_block {
    uint64_t address, bytes;
    uint32_t node; /* + 1; 0: this slot is empty */
} mr_block;

typedef struct mr_range {
    uint64_t begin, end;
    uint32_t node;
} mr_range;

typedef struct mr_heap {
    mr_block *slots; /* a power of two, at most 3/4 full */
    uint64_t factor;
    uint32_t shift, count; /* 64 - log2 of the slots */
    mr_range *ranges;
    uint32_t range_count, range_room;
    uint64_t bytes, peak_bytes;
} mr_heap;

/* A code object. */
typedef struct mr_code {
    uint32_t function, file; /* texts */
    int64_t first_line;
    uint64_t table_at;
    uint32_t table_bytes;
} mr_code;

typedef struct mr_place {
    uint32_t function, file, line;
} mr_place;

typedef struct mr_thread {
    uint64_t id, depth;
    uint32_t node;
} mr_thread;

/* A stack of an aggregated file, from its outermost frame, and without memray's own frames, as the main thread has it.
 */
typedef struct mr_trace {
    uint32_t node, main_node, depth;
} mr_trace;

typedef struct mr_sum {
    uint64_t objects, bytes;
} mr_sum;

typedef struct mr_file {
    hsd_import *import;
    hsd_source *source;
    /* read.c: the head */
    uint32_t version, python_version;
    bool has_native, is_aggregated, is_cut;
    uint64_t end_ms, main_thread, skipped_frames, rss_bytes;
    uint32_t pid;
    /* what numbers are told from: the last one of their kind */
    uint64_t last_address, last_native, last_ip, recent[MR_RECENT];
    int64_t last_line;
    /* stacks.c */
    hsd_names texts;
    hsd_id_table codes, moments; /* id -> code; code << 32 | offset -> place */
    hsd_id_table names, places;  /* function << 32 | file; name << 32 | line */
    hsd_id_table nodes;          /* parent << 32 | place */
    mr_code *code_rows;
    uint8_t *tables; /* of all code objects */
    uint64_t tables_bytes, tables_room;
    uint32_t *moment_places;
    mr_place *place_rows;
    uint32_t *node_parents, *node_places;
    uint32_t code_room, moment_room, place_room, parent_room, node_room;
    /* records.c */
    mr_heap heap;
    hsd_id_table thread_ids;
    mr_thread *threads;
    uint32_t thread_room, thread; /* number of the one that is read; 0: none yet */
    /* sums.c */
    uint32_t *frame_places;
    mr_trace *traces;
    uint32_t frame_count, frame_room, trace_count, trace_room;
    /* write.c */
    mr_sum *sums; /* by node */
    uint32_t *node_sites;
    uint32_t sum_room, site_room;
    hsd_import_texts strings;
    hsd_names types;
    uint64_t peak_bytes, unknown_codes;
} mr;

/* ---- read.c ---- */

unsigned hsd_mr_probe(const uint8_t *prefix, size_t size);

/* HSD_E_TOO_NEW, HSD_E_UNSUPPORTED for other versions. */
hsd_status hsd_mr_read_head(mr *m, hsd_error *err);

/* These give HSD_E_TRUNCATED past the end of the file. */
hsd_status hsd_mr_byte(mr *m, uint8_t *out, hsd_error *err);
hsd_status hsd_mr_word(mr *m, uint64_t *out, hsd_error *err);
hsd_status hsd_mr_number(mr *m, uint64_t *out, hsd_error *err);
hsd_status hsd_mr_signed(mr *m, int64_t *out, hsd_error *err);
/* A difference to *last, which becomes the number. */
hsd_status hsd_mr_delta(mr *m, uint64_t *last, hsd_error *err);
/* To its NUL; its number among m->texts. */
hsd_status hsd_mr_text(mr *m, uint32_t *number, hsd_error *err);
hsd_status hsd_mr_skip_text(mr *m, hsd_error *err);

hsd_status hsd_mr_corrupt(const mr *m, const char *what, hsd_error *err);

/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_mr_check_memory(const mr *m, hsd_error *err);

/* ---- records.c, sums.c: to the end of the file ---- */

hsd_status hsd_mr_read_records(mr *m, hsd_error *err);
hsd_status hsd_mr_read_sums(mr *m, hsd_error *err);

/* Records that both forms have: code objects, threads, native frames, mappings. *is_mine false: another one. */
hsd_status hsd_mr_read_common(mr *m, uint8_t token, bool *is_mine, hsd_error *err);

/* ---- lines.c ---- */

/* The line of an instruction, 0 where the table does not say. `offset` is what Python calls f_lasti. */
uint32_t hsd_mr_line(uint32_t python_version, const uint8_t *table, size_t size, int64_t first_line, int64_t offset);

/* ---- stacks.c ---- */

hsd_status hsd_mr_read_code(mr *m, hsd_error *err);
hsd_status hsd_mr_place(mr *m, uint64_t code_id, int64_t offset, uint32_t *place, hsd_error *err);
/* The stack of `place` called by what `parent` is (0: the outermost). */
hsd_status hsd_mr_node(mr *m, uint32_t parent, uint32_t place, uint32_t *node, hsd_error *err);

/* ---- heap.c ---- */

hsd_status hsd_mr_heap_add(mr_heap *heap, uint64_t address, uint64_t bytes, uint32_t node, hsd_error *err);
void hsd_mr_heap_remove(mr_heap *heap, uint64_t address);
hsd_status hsd_mr_heap_map(mr_heap *heap, uint64_t address, uint64_t bytes, uint32_t node, hsd_error *err);
hsd_status hsd_mr_heap_unmap(mr_heap *heap, uint64_t address, uint64_t bytes, hsd_error *err);
uint64_t hsd_mr_heap_memory(const mr_heap *heap);
void hsd_mr_heap_release(mr_heap *heap);

/* ---- write.c ---- */

hsd_status hsd_mr_add_sum(mr *m, uint32_t node, uint64_t objects, uint64_t bytes, hsd_error *err);
/* What the heap holds, into the sums. */
hsd_status hsd_mr_sum_heap(mr *m, hsd_error *err);
hsd_status hsd_mr_write_sums(mr *m, hsd_error *err);

#endif
