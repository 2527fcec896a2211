/*
 * Heap profiles as text, in the forms before profile.proto: what jemalloc dumps (opt.prof), gperftools' heap profiler,
 * tcmalloc, and Go's /debug/pprof/heap?debug=1. Sums of stacks of return addresses: no objects, no references, no
 * roots, no types. Behind the stacks stands /proc/self/maps of the program, so that an address has a file.
 *
 *      lines      lines.c      one line after another
 *      entries    entries.c    what a line says: how it was sampled, a stack, sums, a frame, a mapping
 *      stacks     stacks.c     addresses and named frames -> sites; sums by site
 *      maps       maps.c       the file of an address, and the address as that file counts it
 *      write      write.c      strings, sites, types and sums of the capture, once the end has been read
 *
 *      heap_v2/524288                                     jemalloc: a mean of so many bytes between two samples
 *        t*: 10002: 1286016 [0: 0]                        all of it; passed over
 *      @ 0x7f81f6ea2630 0x55686ad6f22d                    a stack, innermost first, of return addresses
 *        t*: 5000: 240000 [0: 0]                          objects and bytes in use; [ever allocated], where that is kept
 *        t0: 5000: 240000 [0: 0]                          by thread; passed over
 *
 *      heap profile:  10001:  1179091 [ 13349:  1523531] @ heapprofile        not sampled; or @ heap_v2/N, @ heap/N
 *        5000:   960000 [  5000:   960000] @ 0x556a66f5b217 0x556a66f5b3a3
 *      #  0x47a5d5  main.fill+0x55  /srv/shop/main.go:13              Go alone: the frames of the stack above
 *
 *      MAPPED_LIBRARIES:
 *      55686ad6e000-55686ad6f000 r--p 00000000 fe:00 5390493     /srv/shop
 *
 * The sums are scaled as the tools of these allocators do it: an allocation of X bytes is sampled with probability
 * 1 - exp(-X / N), so that n of them with b bytes in all stand for n / (1 - exp(-b / n / N)). Of Go's heap/N the mean
 * is N / 2. Stacks and sums are in memory, within the budget; the lines never are.
 */
#ifndef HSD_IMPORT_HEAPPROFILE_H
#define HSD_IMPORT_HEAPPROFILE_H

#include "import/id_table.h"
#include "import/importer.h"
#include "import/pair_table.h"
#include "import/texts.h"

enum {
    HP_TEXT_BYTES = 4096, /* kept of any name */
    HP_FRAMES = 512,      /* kept of a stack, the innermost */
    HP_MAPPINGS = 65536
};

typedef enum hp_kind { HP_JEMALLOC, HP_GPERFTOOLS, HP_GO } hp_kind;

/* A place on a stack: a return address, or, of Go, a name with file and line. */
typedef struct hp_frame {
    uint64_t address;        /* 0: it has a name */
    uint32_t function, file; /* of hp.texts, + 1 */
    uint32_t line;
} hp_frame;

typedef struct hp_site {
    uint32_t parent, frame; /* the site of its caller, 0 = none; place in hp.frames */
} hp_site;

typedef struct hp_sum {
    uint32_t site; /* 0 = no stack */
    double objects, bytes;
} hp_sum;

typedef struct hp_mapping {
    uint64_t start, end, offset;
    uint32_t path; /* of hp.texts, + 1 */
} hp_mapping;

typedef struct hp {
    hsd_import *import;
    hsd_source *source;
    hp_kind kind;
    double period; /* mean bytes between samples; 0 = all are there */

    /* lines.c: the line, without its end; borrowed from the window until the next */
    const char *line, *line_end;
    bool is_whole_line; /* it has an end */
    uint64_t unreadable;

    /* stacks.c */
    uint32_t stack[HP_FRAMES]; /* of the entry that is read, innermost first: places in `frames` */
    size_t stack_count;
    bool has_stack, has_names; /* names: those of Go's comments */
    double entry[2];           /* objects, bytes: wait until the names of the stack are known */
    uint64_t cut_stacks;
    hsd_names texts;        /* functions and files of Go, paths of mappings */
    hsd_id_table addresses; /* address -> row + 1 in address_frames */
    uint32_t *address_frames;
    hsd_names named; /* frames with names, as bytes -> row in named_frames */
    uint32_t *named_frames;
    hp_frame *frames;
    hsd_pair_table site_rows; /* site of the caller, frame -> site */
    hp_site *sites;           /* by site - 1 */
    hsd_id_table sum_rows;    /* site -> row + 1 */
    hp_sum *sums;
    uint32_t address_room, named_room, frame_count, frame_room, site_room, sum_room;

    /* maps.c */
    hp_mapping *mappings; /* once sorted: by start */
    uint32_t mapping_count, mapping_room;
    bool is_in_maps;
    bool has_end; /* what stands behind the stacks was reached */

    /* write.c */
    hsd_import_texts strings;
    hsd_names types;
    uint32_t *functions; /* by frame: string of the capture */
    bool has_allocator;  /* it is a file of its own, by whose name its frames are known */
    uint32_t sum_count;  /* once stacks are one that differ in the allocator's own frames */
    uint64_t unknown;    /* frames in no file */
} hp;

/* ---- lines.c ---- */

/* The next line; HSD_END when there is none. HSD_E_DAMAGED for one of over a mebibyte. */
hsd_status hsd_hp_next_line(hp *p, hsd_error *err);

/* ---- entries.c ---- */

unsigned hsd_hp_probe(const uint8_t *prefix, size_t size);

/* All lines. HSD_E_UNSUPPORTED for a profile of something else than a heap; HSD_E_TRUNCATED where the end is missing.
 */
hsd_status hsd_hp_read(hp *p, hsd_error *err);

/* ---- stacks.c ---- */

hsd_status hsd_hp_push_address(hp *p, uint64_t address, hsd_error *err);
hsd_status hsd_hp_push_name(hp *p, hsd_bytes function, hsd_bytes file, uint32_t line, hsd_error *err);

/* Adds the sums that wait to the stack that was pushed, and begins a new one. */
hsd_status hsd_hp_end_stack(hp *p, hsd_error *err);

/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_hp_check_memory(const hp *p, hsd_error *err);

/* ---- maps.c ---- */

/* A line of maps; those without a file count as read. */
hsd_status hsd_hp_put_mapping(hp *p, hsd_error *err);
void hsd_hp_sort_mappings(hp *p);

/* The path of the file that is mapped at an address, and the address as that file counts it; empty = none. */
hsd_bytes hsd_hp_file_at(const hp *p, uint64_t address, uint64_t *offset);

/* ---- write.c ---- */

hsd_status hsd_hp_write(hp *p, hsd_error *err);

#endif
