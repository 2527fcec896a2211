/*
 * Heap dumps of Go (runtime/debug.WriteHeapDump, "go1.7 heap dump"), and the stages that they go through:
 *
 *      scan    scan.c     the whole dump once: where objects begin (index.h), who allocated the sampled ones,
 *                                where the segments of globals lie
 *      types   typed.c    with an executable: from its globals through the bytes of the dump (go/types/typing.h)
 *      write   write.c    once more: objects with their references, roots, goroutines, metrics
 *
 * A dump names no types: it holds bytes, and which words of them are pointers. So a type that no executable tells is
 * called by what is known of it, its size and the places of its pointers: "object of 64 B, pointers at 0 8 40".
 * Pointers may lead into objects; the index finds the object that holds the place. Words in globals are named by their
 * segment and place in it, "bss+0x1b40", for the dump has no names for them either.
 *
 * Go does not move objects, so addresses are ids for life, and may be used again. The process instance is told by where
 * the arguments of the program lie on its first stack, which the kernel draws anew for each: the greatest pointer of
 * the globals into the part of memory that such stacks are in; with it by the thread that main began on, and the places
 * of the segments.
 *
 * Layout of a dump: runtime/heapdump.go of any Go from 1.7 on. All numbers are LEB128.
 */
#ifndef HSD_GO_HEAP_GOHEAP_H
#define HSD_GO_HEAP_GOHEAP_H

#include "base/buffer.h"
#include "go/heap/index.h"
#include "go/types/writer.h"
#include "import/id_table.h"
#include "import/importer.h"

#define GOHEAP_MAGIC       "go1.7 heap dump\n"
#define GOHEAP_MAGIC_BYTES 16

typedef enum goheap_tag {
    GOHEAP_END = 0,
    GOHEAP_OBJECT = 1,
    GOHEAP_OTHER_ROOT = 2,
    GOHEAP_TYPE = 3,
    GOHEAP_GOROUTINE = 4,
    GOHEAP_FRAME = 5,
    GOHEAP_PARAMS = 6,
    GOHEAP_FINALIZER = 7,
    GOHEAP_ITAB = 8,
    GOHEAP_THREAD = 9,
    GOHEAP_MEMSTATS = 10,
    GOHEAP_QUEUED_FINALIZER = 11,
    GOHEAP_DATA = 12,
    GOHEAP_BSS = 13,
    GOHEAP_DEFER = 14,
    GOHEAP_PANIC = 15,
    GOHEAP_BUCKET = 16,
    GOHEAP_SAMPLE = 17
} goheap_tag;

enum { GOHEAP_NAMED_POINTERS = 4, GOHEAP_LABELS = 514 };
/* Labels: of places without a name, the one of what waits (it keeps nothing alive), behind them those of typed words.
 */
enum { GOHEAP_WAITING_LABEL = GOHEAP_LABELS + 1, GOHEAP_FIRST_TYPED_LABEL };
enum { GOHEAP_STATS = 24, GOHEAP_PAUSES = 256, GOHEAP_FIELD_POINTER = 1 };

/* One frame of an allocation site: texts are numbers of `strings`. */
typedef struct goheap_site {
    uint32_t parent, function, file, line; /* parent: site that called it, 0 = none */
} goheap_site;

typedef struct goheap_sample {
    uint64_t address, bucket;
    uint32_t site; /* known when all buckets are */
} goheap_sample;

typedef struct goheap_start { /* of a goroutine */
    uint64_t created_at;      /* where the call that started it returns to */
    uint64_t wrapper_at;      /* in the compiler's wrapper around that function; 0 = there is none */
    uint32_t function;        /* string: the one that it was started with, 0 = not known */
    uint32_t wrapper;         /* string: its name */
    uint64_t own_at;          /* in the outermost frame of the program's own code; 0 = none, or not known */
} goheap_start;

typedef struct goheap_bucket {
    uint64_t id;
    uint32_t site;
} goheap_bucket;

typedef struct goheap {
    hsd_import *import;
    hsd_source *source;
    bool is_big_endian, is_cut;
    unsigned pointer_bytes;
    char version[64];    /* "go1.19.8" */
    uint64_t end_offset; /* of what the scan could read: the write stops there */
    uint64_t object_count, object_bytes;
    uint64_t stats[GOHEAP_STATS], collections; /* memstats; 0 without */
    bool has_stats;
    uint64_t segments, arguments, first_thread; /* what tells the process instance */
    bool scans_main;                            /* the goroutine whose frames are scanned is the main one */
    hsd_id_table slots;                         /* objects that words of frames lead to, whatever is said of these */
    uint8_t *is_referred;                       /* by their numbers - 1: an object refers to it, too */
    uint64_t globals_low, globals_high;         /* segments with pointers lie in between; 0,0 = there are none */
    hsd_id_table mapped;                        /* memory outside of the heap that is counted */
    goheap_index index;
    gowriter out;
    hsd_names patterns; /* size and places of pointers -> number, of types_of */
    uint32_t *types_of, pattern_room;
    bool has_label[GOHEAP_LABELS];
    struct goheap_typed *typed; /* NULL without an executable */
    hsd_id_table goroutines;    /* by address; starts by their number */
    goheap_start *starts;
    uint32_t start_room, start; /* start: of the goroutine that the scan is at */
    bool has_waiting_label;
    hsd_names frames; /* goheap_site -> number - 1 */
    goheap_bucket *buckets;
    goheap_sample *samples; /* by address, behind the scan */
    size_t bucket_count, bucket_room, sample_count, sample_room;
    hsd_buffer bytes, text;
} goheap;

/* ---- read.c: primitives. HSD_E_TRUNCATED at the end of the input ---- */

hsd_status hsd_goheap_number(goheap *go, uint64_t *out, hsd_error *err);
hsd_status hsd_goheap_numbers(goheap *go, uint64_t *out, size_t count, hsd_error *err);

/* The text, at most `most` bytes of it, in go->bytes until the next call. */
hsd_status hsd_goheap_text(goheap *go, size_t most, hsd_bytes *out, hsd_error *err);
hsd_status hsd_goheap_skip_text(goheap *go, hsd_error *err);

/* The next field: HSD_END behind the last. Offsets of pointers alone. */
hsd_status hsd_goheap_field(goheap *go, uint64_t *offset, hsd_error *err);
hsd_status hsd_goheap_skip_fields(goheap *go, hsd_error *err);

/* The record behind a tag that nobody wants, up to the next tag. HSD_E_CORRUPT for a tag that is none. */
hsd_status hsd_goheap_skip_record(goheap *go, uint64_t tag, hsd_error *err);

/* A word of the program's memory. */
uint64_t hsd_goheap_word(const goheap *go, const uint8_t *at);

hsd_status hsd_goheap_corrupt(const goheap *go, const char *what, hsd_error *err);

/* ---- fields.c: bytes whose list of pointers stands behind them ---- */

/* Told of each pointer that is not nil, in the order of the dump. */
typedef hsd_status (*goheap_pointer_fn)(void *context, uint64_t offset, uint64_t value, hsd_error *err);

/* What stands at the source: a length, so many bytes, a list of fields. */
typedef struct goheap_content {
    uint64_t size, bytes_offset, fields_offset; /* offsets in the input */
} goheap_content;

/* Reads the length and moves to the fields. */
hsd_status hsd_goheap_open_content(goheap *go, goheap_content *content, hsd_error *err);

/* Reads the fields, once or more often, and leaves the source behind them. `tell` NULL: skips them. */
hsd_status hsd_goheap_read_content(goheap *go, const goheap_content *content, goheap_pointer_fn tell, void *context,
                                   hsd_error *err);

/* The same of every word that is not 0, whatever the list says. */
hsd_status hsd_goheap_read_words(goheap *go, const goheap_content *content, goheap_pointer_fn tell, void *context,
                                 hsd_error *err);

/* What is known of an object beside its size. */
typedef struct goheap_pattern {
    uint64_t count, hash;
    uint64_t first[GOHEAP_NAMED_POINTERS]; /* places of the first pointers */
    bool is_dense;                         /* they are the first words, one behind the other */
} goheap_pattern;

/* Reads the fields at the source, which is left behind them. */
hsd_status hsd_goheap_read_pattern(goheap *go, goheap_pattern *pattern, hsd_error *err);

/* ---- mapped.c: memory that the program mapped itself ---- */

/* Of what the slices in an object of the write refer to, the bytes that no object before it has. Leaves the source
 * behind the fields. */
hsd_status hsd_goheap_mapped_bytes(goheap *go, const goheap_content *content, uint64_t *bytes, hsd_error *err);

/* ---- tables.c: strings, types and labels of the capture, defined when first asked for ---- */

hsd_status hsd_goheap_put_type(goheap *go, uint64_t size, const goheap_pattern *pattern, uint32_t *number,
                               hsd_error *err);

/* The label of a pointer at this place, and its index: the places of large objects and of lists count as elements. */
hsd_status hsd_goheap_put_label(goheap *go, const goheap_pattern *pattern, uint64_t offset, uint32_t *label,
                                uint64_t *index, hsd_error *err);

/* The label of a reference to what has a root of its own that says more: it keeps nothing alive. */
hsd_status hsd_goheap_put_waiting_label(goheap *go, uint32_t *label, hsd_error *err);

/* What the scan has met: strings and sites. Behind hsd_import_begin. */
hsd_status hsd_goheap_write_tables(goheap *go, hsd_error *err);

/* ---- sites.c: who allocated ---- */

hsd_status hsd_goheap_read_bucket(goheap *go, hsd_error *err);
hsd_status hsd_goheap_read_sample(goheap *go, hsd_error *err);
void hsd_goheap_sort_samples(goheap *go);

/* The site of an object, 0 = not sampled. */
uint32_t hsd_goheap_site_of(const goheap *go, uint64_t address);

/* ---- goroutines.c ---- */

/* Words of a frame that lead to objects, which are all known by then: go->slots. */
hsd_status hsd_goheap_note_slots(goheap *go, const goheap_content *content, hsd_error *err);

hsd_status hsd_goheap_note_goroutine(goheap *go, uint64_t address, uint64_t created_at, hsd_error *err);

/* The function of a frame of the goroutine that was noted last, and where in it that stands. */
hsd_status hsd_goheap_note_function(goheap *go, hsd_bytes name, uint64_t pc, hsd_error *err);

/* NULL for an object that is no goroutine. */
const goheap_start *hsd_goheap_start_of(const goheap *go, uint64_t address);

/* ---- typed.c: types by the executable, where there is one. All do nothing without ---- */

/* Before the scan: opens the executable. HSD_E_NOT_FOUND for one without DWARF; HSD_E_UNSUPPORTED for a dump of 32
 * bits. */
hsd_status hsd_goheap_open_types(goheap *go, hsd_error *err);

/* In the scan: an object whose bytes stand at an offset, a segment of globals, an itab with its type. */
hsd_status hsd_goheap_place_object(goheap *go, uint64_t address, uint64_t size, uint64_t offset, bool has_pointers,
                                   hsd_error *err);
void hsd_goheap_place_segment(goheap *go, bool is_bss, uint64_t address, uint64_t size, uint64_t offset);
hsd_status hsd_goheap_place_frame(goheap *go, uint64_t sp, uint64_t pc, bool is_innermost,
                                  const goheap_content *content, hsd_error *err);
hsd_status hsd_goheap_place_finalizer(goheap *go, uint64_t object, uint64_t pointer_type, hsd_error *err);
hsd_status hsd_goheap_place_itab(goheap *go, uint64_t itab, uint64_t type, hsd_error *err);

/* Behind the scan: HSD_E_UNSUPPORTED when the dump is of another program. */
hsd_status hsd_goheap_find_types(goheap *go, hsd_error *err);

/* ---- named.c: the same in the write ---- */

/* A reference out of a value without a name, from the word at this address; a root to one, unless it has one. */
hsd_status hsd_goheap_refer_static(goheap *go, uint64_t id, uint64_t address, uint64_t target, hsd_error *err);
hsd_status hsd_goheap_root_static(goheap *go, uint64_t id, uint32_t label, uint32_t flags, hsd_error *err);

/* Name and flags of a goroutine's roots. */
hsd_status hsd_goheap_goroutine_label(goheap *go, const goheap_start *start, uint32_t *label, uint32_t *flags,
                                      hsd_error *err);

/* True if objects of this type of the capture are lists in which timers wait, which have roots. */
bool hsd_goheap_is_timer_list(const goheap *go, uint32_t type);
bool hsd_goheap_is_timer(const goheap *go, uint64_t address);

/* *number stays as it is where nothing is known. */
hsd_status hsd_goheap_type_of(goheap *go, uint64_t address, uint32_t *number, hsd_error *err);
hsd_status hsd_goheap_label_of(goheap *go, uint64_t address, uint64_t offset, uint32_t *label, uint64_t *index,
                               hsd_error *err);
/* The variable at an address, with its field; *size 0 = none. */
void hsd_goheap_global_at(const goheap *go, uint64_t address, char *out, size_t room, size_t *size, bool *is_runtime);

/* Of the word at this address of the globals: the value without a name that it is in. *id is 0 where it is in none. */
void hsd_goheap_static_at(const goheap *go, uint64_t address, uint64_t *id);
uint64_t hsd_goheap_types_memory(const goheap *go);
void hsd_goheap_close_types(goheap *go);

/* ---- stages ---- */

/* HSD_E_OVER_BUDGET when names and tables take more than they may. */
hsd_status hsd_goheap_check_memory(const void *go, hsd_error *err);
hsd_status hsd_goheap_scan(goheap *go, hsd_error *err);
hsd_status hsd_goheap_write(goheap *go, hsd_error *err);

#endif
