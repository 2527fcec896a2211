/*
 * Reading .hs captures. One open capture, its facts, and one iterator for each kind of record. Driven
 * by the index when the capture has its end; what is damaged or cut off is found block after block
 * from the start (HSD_DAMAGE_SKIP). Every block's checksum is verified before its bytes are looked at,
 * and nothing is mapped: a file that shrinks while it is open is an error and no signal.
 *
 * An open capture does not change: any number of readers may be open on it, each in one thread.
 *
 * *What reading returns*, wherever this and other headers say so:
 *
 *   HSD_E_IO         the file cannot be read, or is shorter than it was when it was opened
 *   HSD_E_CORRUPT    bytes contradict their checksum or the format: the text says which block and rule
 *   HSD_E_TRUNCATED  the file ends before its end record
 *   HSD_E_TOO_NEW    a block of a kind, or packed in a way, that this build does not know
 *   HSD_E_NOMEM      no memory for a block and its columns
 *
 * With HSD_DAMAGE_SKIP a block that is damaged or cut off is skipped, and none of the middle three is
 * returned for it.
 */
#ifndef HSDIFF_CAPTURE_H
#define HSDIFF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_capture hsd_capture;

typedef enum hsd_identity {
    HSD_IDENTITY_NONE = 0,
    HSD_IDENTITY_EXACT = 1,
    HSD_IDENTITY_ADDRESS = 2,
    HSD_IDENTITY_MOVING = 3
} hsd_identity;

/* What the capture says of itself. Strings are borrowed from the capture, UTF-8 not guaranteed. */
typedef struct hsd_capture_info {
    const char *path; /* as given */
    const char *producer, *runtime, *process_name, *source_format;
    uint64_t pid, started_unix_ns, taken_unix_ns; /* 0 = unknown */
    uint32_t facts;                               /* HSC_FACT_* of hscapture.h */
    hsd_identity identity;
    uint8_t domain[16], capture_id[16];
    unsigned pointer_bytes;
    unsigned version_major, version_minor;
    bool is_complete; /* the end record is there and says so, and no block is missing */
    bool is_salvaged; /* made by hsd_capture_salvage: blocks and ordinals have gaps */
    bool has_index;
    bool targets_are_ordinals;
    const char *incomplete_reason; /* one clause: "it was cut off at byte 17, inside the file header",
                                    * "the producer stopped: 2 GiB written"; "" when complete */
    bool has_digest;               /* by which the same capture is known again; of complete ones alone */
    uint8_t digest[16];            /* FORMAT.md 11.8; of what was imported on the fly hsd_import_result's */
    unsigned dump_number;          /* of what was imported from a file that holds several: which one, from 1; else 0 */
    uint64_t file_bytes;
    uint64_t blocks;         /* intact ones, end record included */
    uint64_t damaged_blocks; /* damaged or missing in front of an intact one; HSD_DAMAGE_SKIP only */
    /* Counts of the end record; of what is intact when the capture is damaged or cut off. */
    uint64_t objects;        /* records of objects, pseudo ones included */
    uint64_t ordinals;       /* one past the greatest ordinal: what arrays by ordinal need. More than
                              * `objects` only where blocks are lost */
    uint64_t pseudo_objects; /* of `objects`: nodes that count nowhere */
    uint64_t references, edges, roots, types, strings, labels, sites, threads, frames, metrics, losses;
    uint64_t bytes, native_bytes;            /* sums over objects that are not pseudo */
    uint64_t summary_objects, summary_bytes; /* stand in the type totals alone */
    uint64_t site_totals;                    /* records that say where of these some were allocated */
    uint64_t lost;                           /* sum of all losses */
    bool has_parts;                          /* some type carries HSC_TYPE_PART */
    /* Baselines (FORMAT.md 7.11): sums of the capture of which all of the above tells, but for ids of capture and
     * counts. */
    bool is_baseline;
    uint64_t live_totals, root_totals, places; /* records of these */
    uint32_t sums;                             /* HSC_SUMS_* of hscapture.h: what there was to add up */
    const char *why_no_places;                 /* a clause; "" with HSC_SUMS_PLACES, or not said */
    /* places with fewer bytes in and below them count for the place above; 0 = none was cut */
    uint64_t place_least_bytes;
    uint64_t soft_objects, soft_bytes; /* live ones that are softly held; with HSC_SUMS_PLACES */
    uint64_t dangling;                 /* references of the capture that led nowhere */
} hsd_capture_info;

/* How a damaged or cut-off capture is treated. */
typedef enum hsd_damage {
    HSD_DAMAGE_REFUSE = 0, /* the first fault is an error with its offset and the next command */
    HSD_DAMAGE_SKIP = 1    /* bad blocks are skipped, counted and noted: lower bounds (--partial) */
} hsd_damage;

/*
 * Opens a capture.
 *
 *   out     the capture, which the caller closes with hsd_capture_close; NULL on failure
 *   path    "-" = standard input. What cannot be read at any place, as a pipe, is first copied to a temporary file
 *   damage  see below
 *   run     memory, temporary folder, notes; borrowed until close. NULL = defaults
 *
 * HSD_DAMAGE_REFUSE reads header, info, trailer, end record, index, and of tables the headers (for the digest); blocks
 * are checked when they are read. HSD_DAMAGE_SKIP reads and checks the whole file once, block after block: afterwards
 * the info is final, every reader skips the same blocks, and each damage was noted (HSD_NOTE_DAMAGE) once. It fails
 * only when nothing can be read: not a capture, too new, header and info both gone.
 *
 * Returns HSD_OK, or
 *   HSD_E_IO: the file cannot be opened or read.
 *   HSD_E_NOT_THIS_FORMAT: it is no capture.
 *   HSD_E_TOO_NEW: it has a version or a required feature that this build does not know.
 *   HSD_E_TRUNCATED: it ends before its end record. err->text begins with a verb ("was cut off at byte 64,313,344,
 *     inside block 107"), to be read behind the name of the file; the hint names --partial and salvage.
 *   HSD_E_CORRUPT: its bytes contradict their checksum or the format; worded like any other error.
 *   HSD_E_OVER_BUDGET: the list of blocks, 40 bytes each, would take more than half of run->memory_bytes.
 *   HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_capture_open(hsd_capture **out, const char *path, hsd_damage damage, const hsd_run *run,
                                    hsd_error *err);

/*
 * hsd_capture_open over an open regular file.
 *
 *   fd    moved in: closed with the capture, and on failure as well
 *   name  what errors call the file; copied
 *
 * Fails as hsd_capture_open does.
 */
HSD_API hsd_status hsd_capture_open_fd(hsd_capture **out, int fd, const char *name, hsd_damage damage,
                                       const hsd_run *run, hsd_error *err);

/* True if the first bytes of a file are those of a capture. Looks at 8 bytes; fewer are never those of a capture. */
HSD_API bool hsd_capture_probe(const void *prefix, size_t size);

/* What the capture says of itself. Borrowed, with all texts in it, until the capture is closed. Costs nothing. */
HSD_API const hsd_capture_info *hsd_capture_get_info(const hsd_capture *capture);

/*
 * What the ids of objects say of two captures that do not tell when they were taken, where a runtime gives ids in turn:
 * CONTRADICTORY, that each capture has ids of its own among those of the other, as two processes have.
 */
typedef enum hsd_order { HSD_ORDER_UNKNOWN, HSD_ORDER_AS_GIVEN, HSD_ORDER_REVERSED, HSD_ORDER_CONTRADICTORY } hsd_order;

/* Whether two captures are of one process, as far as they say so. */
typedef enum hsd_processes { HSD_PROCESSES_UNKNOWN, HSD_PROCESSES_ONE, HSD_PROCESSES_TWO } hsd_processes;

/*
 * One domain is one process: it is drawn once for each. Else its number and the moment at which it started tell, by
 * both of which a process is known again that numbered its objects anew. Two domains alone are two processes.
 */
static inline hsd_processes hsd_capture_processes(const hsd_capture_info *a, const hsd_capture_info *b)
{
    static const uint8_t none[16] = {0};
    const bool have_domains = memcmp(a->domain, none, sizeof none) != 0 && memcmp(b->domain, none, sizeof none) != 0;
    if (have_domains && memcmp(a->domain, b->domain, sizeof a->domain) == 0) return HSD_PROCESSES_ONE;
    if (a->pid > 0 && b->pid > 0 && a->pid != b->pid) return HSD_PROCESSES_TWO;
    if (a->pid > 0 && b->pid > 0 && a->started_unix_ns > 0 && b->started_unix_ns > 0)
        return a->started_unix_ns == b->started_unix_ns ? HSD_PROCESSES_ONE : HSD_PROCESSES_TWO;
    return have_domains ? HSD_PROCESSES_TWO : HSD_PROCESSES_UNKNOWN;
}

static inline bool hsd_capture_same_process(const hsd_capture_info *a, const hsd_capture_info *b)
{
    return hsd_capture_processes(a, b) == HSD_PROCESSES_ONE;
}

/* True if two captures of one process stand in the wrong order: `before` was taken a second or more after `after`. */
static inline bool hsd_capture_is_younger(const hsd_capture_info *before, const hsd_capture_info *after)
{
    const hsd_processes processes = hsd_capture_processes(before, after);
    const bool has_number = processes == HSD_PROCESSES_UNKNOWN && before->pid != 0 && before->pid == after->pid;
    return (processes == HSD_PROCESSES_ONE || has_number) && after->taken_unix_ns != 0 &&
           before->taken_unix_ns / 1000000000 > after->taken_unix_ns / 1000000000;
}

/*
 * True if both are one capture: the same bytes, whatever their files are called. Baselines of two captures may be
 * alike, and no two captures are.
 */
static inline bool hsd_capture_is_same(const hsd_capture_info *a, const hsd_capture_info *b)
{
    return a->has_digest && b->has_digest && !(a->is_baseline && b->is_baseline) && a->dump_number == b->dump_number &&
           memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

/* Closes a capture; its readers must be closed before. NULL is accepted. */
HSD_API void hsd_capture_close(hsd_capture *capture);

/*
 * Gives a capture that was imported on the fly the digest of what it was imported from: such a capture has other bytes
 * each time, so its own says nothing. To be called before anything else is done with the capture.
 *
 *   digest  16 bytes, copied; NULL = not known. An incomplete capture has none in any case
 */
HSD_API void hsd_capture_set_digest(hsd_capture *capture, const uint8_t digest[16]);

/* Says which of several dumps in one file a capture was imported from, 0 = its only one. Likewise before anything else.
 */
HSD_API void hsd_capture_set_dump_number(hsd_capture *capture, unsigned number);

/* ---- records ---- */

typedef struct hsd_text { /* bytes, borrowed; NUL-terminated behind size when from a table */
    const char *data;
    size_t size;
} hsd_text;

typedef struct hsd_reference {
    uint64_t target; /* object id, or ordinal with targets_are_ordinals */
    uint64_t index;
    uint32_t label;
} hsd_reference;

typedef struct hsd_object {
    uint64_t id, ordinal, size_bytes, native_bytes, elements;
    uint64_t identity; /* as stored; 0: to be derived from the id (FORMAT.md 7.2) */
    uint64_t content;
    uint32_t type, site, age; /* age: with HSD_IDENTITY_ADDRESS the collection that it was made in, else
                               * the runtime's scale; 0 = not known (FORMAT.md 7.1) */
    uint32_t flags, name, category;
    uint32_t reference_count; /* in this part; long lists come in several parts */
    bool is_continuation;     /* more references of the object before; nothing else is new
                               * (id and ordinal are that object's) */
    const uint64_t *targets;  /* reference_count each; borrowed until next */
    const uint32_t *labels;
    const uint64_t *indexes;
    hsd_text value;
} hsd_object;

/* Objects of a capture that are walked, one by one, by libhsdiff. Of a capture with more, sums by type alone are told.
 */
#define HSD_MOST_WALKED UINT64_C(0xFFFFFF00)

/* The same of the library that is linked: HSD_MOST_WALKED, or in hsdiff-huge as many as a capture can have, 2^40. */
HSD_API uint64_t hsd_most_walked(void);

/* What an object iterator must decode; what is not asked for is 0 / NULL. */
#define HSD_WANT_REFERENCES 0x1u /* targets */
#define HSD_WANT_LABELS     0x2u
#define HSD_WANT_INDEXES    0x4u
#define HSD_WANT_SIZES      0x8u  /* size, native size, elements */
#define HSD_WANT_IDS        0x10u /* ids, identity, content */
#define HSD_WANT_DETAILS    0x20u /* site, age, name, category, value */
#define HSD_WANT_ALL        0x3Fu /* type, flags and ordinal always come */

typedef struct hsd_object_reader hsd_object_reader;

/*
 * Opens an iterator over the objects, in stream order.
 *
 *   out   closed by the caller with hsd_object_reader_close; NULL on failure
 *   want  HSD_WANT_*, or-ed: what is to be decoded; less is faster
 *
 * Returns HSD_OK or HSD_E_NOMEM. Memory: one block, raw and stored, and its decoded columns: about 2 MiB with blocks
 * as hscapture writes them, at most 24 MiB whatever the file says.
 */
HSD_API hsd_status hsd_object_reader_open(hsd_object_reader **out, hsd_capture *capture, unsigned want, hsd_error *err);

/*
 * Reads the next object.
 *
 *   object  filled on HSD_OK; its arrays and texts are borrowed until the next call for this reader
 *
 * Returns HSD_OK, HSD_END behind the last object, or what reading returns (see the top of this header). A failure
 * sticks: later calls return it again.
 */
HSD_API hsd_status hsd_object_reader_next(hsd_object_reader *reader, hsd_object *object, hsd_error *err);

/*
 * Goes to the object with this ordinal: hsd_object_reader_next gives it then. Reads one block.
 *
 * Returns HSD_OK; HSD_END when there is no such object (it is past the last, or stood in a lost block), and then the
 * reader stands behind the place where it would be; or what reading returns.
 */
HSD_API hsd_status hsd_object_reader_seek(hsd_object_reader *reader, uint64_t ordinal, hsd_error *err);

/* Closes a reader of objects. NULL is accepted. */
HSD_API void hsd_object_reader_close(hsd_object_reader *reader);

typedef struct hsd_edge {
    uint64_t source, target, index;
    uint32_t label;
    bool source_is_ordinal;
} hsd_edge;
typedef struct hsd_root {
    uint64_t target;
    uint32_t kind, label, thread, frame, flags;
} hsd_root;
typedef struct hsd_type {
    uint32_t id, flags;
    hsd_text name;
} hsd_type;
typedef struct hsd_label {
    uint32_t id, kind, flags, name;
} hsd_label;
typedef struct hsd_string {
    uint32_t id;
    hsd_text text;
} hsd_string;
typedef struct hsd_site {
    uint32_t id, parent, function, file, line, column;
} hsd_site;
typedef struct hsd_thread {
    uint32_t id, name;
} hsd_thread;
typedef struct hsd_frame {
    uint32_t thread, depth, function, file, line;
} hsd_frame;
typedef struct hsd_metric {
    hsd_text name, unit;
    uint64_t value;
} hsd_metric;
typedef struct hsd_loss {
    hsd_text what;
    uint64_t count;
} hsd_loss;
typedef struct hsd_type_total {
    uint32_t type;
    uint64_t objects, bytes, native_bytes;
    uint32_t bucket_count;  /* log2 size histogram, sparse */
    const uint8_t *buckets; /* bucket numbers, 0..64 */
    const uint64_t *bucket_objects, *bucket_bytes;
} hsd_type_total;
typedef struct hsd_group_total {
    uint32_t kind; /* 0 category, 1 root kind */
    uint32_t key;
    uint64_t count, bytes;
} hsd_group_total;

/* Sums of a baseline, in amounts as tables count them: parts folded, pseudo objects left out, native bytes included.
 * Types and names ascend by number, each once; two types may have one name. */
typedef struct hsd_live_total {
    uint32_t type;
    uint64_t objects, bytes, retained_bytes; /* live */
    uint64_t unreached_objects, unreached_bytes;
} hsd_live_total;
typedef struct hsd_root_total {
    uint32_t name, kind, flags; /* string; hsc_root_kind; HSC_ROOT_TOTAL_SHARED */
    uint64_t objects, bytes, retained_bytes;
} hsd_root_total;
/* In preorder: number 0 is the heap, a parent is the place before or one that this hangs from, so parent < number. */
typedef struct hsd_place_total {
    uint32_t number, parent, depth; /* depth: 0 for number 0, at most 255 */
    /* string, 0 = by no one reference; type, with HSC_PLACE_IS_ROOT string; HSC_PLACE_* */
    uint32_t edge, name, flags;
    uint64_t objects, bytes; /* in this very place */
} hsd_place_total;

/* Of the objects that stand in the type totals alone, those of a type that were allocated at a site. Records of one
 * type and site add up. */
typedef struct hsd_site_total {
    uint32_t type, site;
    uint64_t objects, bytes;
} hsd_site_total;

/* All other records: one reader type, the kind chosen at open, the matching next. */
typedef struct hsd_record_reader hsd_record_reader;
typedef enum hsd_record_kind {
    HSD_RECORD_STRING,
    HSD_RECORD_TYPE,
    HSD_RECORD_LABEL,
    HSD_RECORD_SITE,
    HSD_RECORD_EDGE,
    HSD_RECORD_ROOT,
    HSD_RECORD_THREAD,
    HSD_RECORD_FRAME,
    HSD_RECORD_METRIC,
    HSD_RECORD_LOSS,
    HSD_RECORD_TYPE_TOTAL,
    HSD_RECORD_GROUP_TOTAL,
    HSD_RECORD_LIVE_TOTAL,
    HSD_RECORD_ROOT_TOTAL,
    HSD_RECORD_PLACE, /* none in a capture that is no baseline */
    HSD_RECORD_SITE_TOTAL
} hsd_record_kind;

typedef union hsd_record {
    hsd_string string;
    hsd_type type;
    hsd_label label;
    hsd_site site;
    hsd_edge edge;
    hsd_root root;
    hsd_thread thread;
    hsd_frame frame;
    hsd_metric metric;
    hsd_loss loss;
    hsd_type_total type_total;
    hsd_group_total group_total;
    hsd_live_total live_total;
    hsd_root_total root_total;
    hsd_place_total place_total;
    hsd_site_total site_total;
} hsd_record;

/*
 * Opens an iterator over the records of one kind, in stream order, a block at a time.
 *
 *   out  closed by the caller with hsd_record_reader_close; NULL on failure
 *
 * Returns HSD_OK; HSD_E_MISUSE for a kind that does not exist; HSD_E_NOMEM. Memory as of hsd_object_reader_open.
 */
HSD_API hsd_status hsd_record_reader_open(hsd_record_reader **out, hsd_capture *capture, hsd_record_kind kind,
                                          hsd_error *err);

/*
 * Reads the next record.
 *
 *   record  the member of the kind that was asked for is filled on HSD_OK; its texts and arrays are borrowed until the
 *           next call for this reader
 *
 * Returns HSD_OK, HSD_END behind the last record, or what reading returns.
 */
HSD_API hsd_status hsd_record_reader_next(hsd_record_reader *reader, hsd_record *record, hsd_error *err);

/* Closes a reader of records. NULL is accepted. */
HSD_API void hsd_record_reader_close(hsd_record_reader *reader);

/* ---- checking and saving ---- */

typedef struct hsd_verify_result {
    uint64_t blocks, records, bytes, faults;
} hsd_verify_result;

/* Called for each rule that is broken: FORMAT.md's rule number ("4.3"), offset, block, sentence. */
typedef void (*hsd_fault_fn)(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text);

/*
 * Holds every rule of FORMAT.md against a file. Changes nothing, and goes on after a fault where it can.
 *
 *   run      may be NULL
 *   fault    called for each rule that is broken, with `context`
 *   result   counts; filled on HSD_OK
 *
 * Returns HSD_OK when the file could be read to its end, also with faults (result->faults > 0); else as
 * hsd_capture_open fails: HSD_E_IO, HSD_E_NOT_THIS_FORMAT, HSD_E_TOO_NEW, HSD_E_OVER_BUDGET, HSD_E_NOMEM,
 * HSD_E_CANCELLED. Time: one pass over the file.
 */
HSD_API hsd_status hsd_capture_verify(const char *path, const hsd_run *run, hsd_fault_fn fault, void *context,
                                      hsd_verify_result *result, hsd_error *err);

typedef struct hsd_salvage_result {
    uint64_t blocks_kept, blocks_lost, bytes_skipped, objects, bytes;
    bool was_complete;
} hsd_salvage_result;

/*
 * Writes every intact block of a damaged capture into a new one, which is marked incomplete with the reason. Never
 * touches the input; a whole capture is copied as it is.
 *
 *   out_path  "-" = standard output; a file is there whole or not at all, mode 0600
 *   force     replace a file that is there
 *   result    filled on HSD_OK
 *
 * Returns HSD_OK, or
 *   HSD_E_MISUSE: `out_path` is the input itself.
 *   HSD_E_IO: with EEXIST a file is there and not `force`; else the system's reason.
 *   as hsd_capture_open with HSD_DAMAGE_SKIP fails.
 */
HSD_API hsd_status hsd_capture_salvage(const char *path, const char *out_path, bool force, const hsd_run *run,
                                       hsd_salvage_result *result, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
