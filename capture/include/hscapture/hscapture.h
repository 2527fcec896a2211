/*
 * hscapture: streams the heap of a running program into a .hs capture.
 *
 * What a runtime embeds, and what every importer and agent writes through. One pass, no seek, no
 * back-patching, into a callback, a descriptor or a file. Memory is bounded: hsc_open takes all that
 * the writer ever needs but for the growth of the per-type counters. Usable from C11 and C++.
 *
 *      hsc_writer *w;
 *      hsc_options options;
 *      hsc_options_init(&options);
 *      options.runtime = "Lua 5.4.6";
 *      options.identity = HSC_IDENTITY_ADDRESS;
 *      if (hsc_open_file(&w, "before.hs", &options) != HSC_OK) …
 *      hsc_define_type(w, 1, "Session", 7, 0);
 *      hsc_begin_object(w, &(hsc_object){.id = 0x1000, .type = 1, .size_bytes = 64});
 *      hsc_reference(w, 0x2000, label, 0);
 *      hsc_end_object(w);
 *      hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = s, .target = 0x1000});
 *      hsc_finish(w);                       // end record, index, trailer
 *      hsc_close(w);
 *
 * Numbers of tables (strings, types, labels, sites, threads) are chosen by the caller, from 1 up to
 * 2^31-1; 0 means none. They may be defined before or after their first use, once each, in any order.
 * Errors stick: after the first failure every call returns the same status, and hsc_error_text says
 * why; so a producer may look at the status of hsc_finish alone. A writer belongs to one thread at a
 * time. Writing to a pipe or socket whose reader is gone raises SIGPIPE, which is the caller's to
 * ignore. The bytes: capture/FORMAT.md.
 */
#ifndef HSCAPTURE_H
#define HSCAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* of the library; CMake reads it here. What the bytes are is HSC_VERSION_MAJOR of the format */
#define HSCAPTURE_VERSION "0.1.0"

/* Before each function that programs may call: the shared library shows these and no others. */
#ifndef HSC_API
#if defined(__GNUC__)
#define HSC_API __attribute__((visibility("default")))
#else
#define HSC_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsc_status {
    HSC_OK = 0,
    HSC_E_IO = -1,    /* the sink refused; hsc_system_error() has errno */
    HSC_E_NOMEM = -2, /* an allocation failed */
    HSC_E_LIMIT = -3, /* a documented limit was passed (name too long, number too big) */
    HSC_E_MISUSE = -4 /* calls in the wrong order, or a wrong argument */
} hsc_status;

/*
 * Where the bytes go. Returns how many of `size` were taken (> 0), or -1 with errno set. EINTR and
 * EAGAIN are tried again by the writer (for EAGAIN it calls `wait` first; NULL = poll(2) on the
 * descriptor for the built-in sinks, a 1 ms pause for callbacks). Anything else sticks as HSC_E_IO.
 */
typedef struct hsc_sink {
    ptrdiff_t (*write)(void *context, const void *data, size_t size);
    int (*wait)(void *context); /* 0 = try again, -1 with errno = give up; may be NULL */
    void *context;
} hsc_sink;

/*
 * Where the memory of a writer comes from, for producers that must not call malloc: the child of a fork of a program
 * with threads, a world that stands still. `take` gives zeroed memory aligned for anything, or NULL; `give` may do
 * nothing.
 */
typedef struct hsc_allocator {
    void *(*take)(void *context, size_t size);
    void (*give)(void *context, void *memory);
    void *context;
} hsc_allocator;

typedef enum hsc_identity {
    HSC_IDENTITY_NONE = 0,    /* ids mean nothing outside this capture's references */
    HSC_IDENTITY_EXACT = 1,   /* unique for the life of the process, never reused */
    HSC_IDENTITY_ADDRESS = 2, /* stable while the object lives, then reusable */
    HSC_IDENTITY_MOVING = 3   /* addresses of a moving collector */
} hsc_identity;

/* Facts about the capture that are only known to the producer. Flags of hsc_options.facts. */
#define HSC_FACT_COLLECTED     0x1u   /* a full collection ran just before: no garbage inside */
#define HSC_FACT_SAMPLED       0x2u   /* counts are scaled from samples */
#define HSC_FACT_VALUES        0x4u   /* value previews or keys of user data are inside */
#define HSC_FACT_NO_ROOTS      0x8u   /* the source cannot say what is a root: everything counts as live */
#define HSC_FACT_NO_REFERENCES 0x10u  /* the source has no references */
#define HSC_FACT_CONSERVATIVE  0x20u  /* references were guessed from words that look like pointers */
#define HSC_FACT_BASELINE      0x40u  /* the sums of another capture; set by hsc_options.baseline alone */
#define HSC_FACT_MANUAL        0x80u  /* no collector: nothing will ever free what no root reaches, it is lost */
#define HSC_FACT_ESTIMATED     0x100u /* sizes of some objects are estimates; how many there are is not */

/* What there was to add up, in a baseline (FORMAT.md 7.11). Flags of hsc_baseline.sums. */
#define HSC_SUMS_ROOTS      0x1u /* the capture had roots … */
#define HSC_SUMS_REFERENCES 0x2u /* … and references; without one of both all its objects count as live */
#define HSC_SUMS_PLACES     0x4u /* places, retained and soft are known */
#define HSC_SUMS_SUMMARY    0x8u /* only type totals were there */

typedef struct hsc_baseline {
    uint32_t sums;             /* HSC_SUMS_* */
    const char *why_no_places; /* a clause, without HSC_SUMS_PLACES; NULL = not said */
    /* places with fewer bytes in and below them count for the place above; 0 = none was cut */
    uint64_t place_least_bytes;
    uint64_t soft_objects, soft_bytes; /* live ones that are softly held */
    uint64_t dangling;                 /* references of the capture that led nowhere */
} hsc_baseline;

typedef struct hsc_options {
    const char *producer;      /* "hsdiff 0.1.0 import hprof" */
    const char *runtime;       /* "V8", "HotSpot 17.0.21", … */
    const char *process_name;  /* NULL = not recorded */
    const char *source_format; /* foreign format it was imported from, NULL = captured live */
    uint64_t pid;              /* 0 = unknown */
    uint64_t started_unix_ns;  /* start of the process, 0 = unknown */
    uint64_t taken_unix_ns;    /* moment of the capture, 0 = now; UINT64_MAX = unknown */
    uint32_t facts;            /* HSC_FACT_* */
    hsc_identity identity;
    uint8_t domain[16];        /* identity domain: the process instance; all 0 = unknown */
    uint8_t capture_id[16];    /* all 0 = random */
    unsigned pointer_bytes;    /* 4 or 8; 0 = unknown */
    size_t memory_bytes;       /* for block buffers and compressor; 0 = 1 MiB; at least 64 KiB */
    int compression;           /* zstd level; 0 = store blocks as they are; default 1 */
    bool targets_are_ordinals; /* references and roots name objects by ordinal (0-based order of
                                * hsc_begin_object) instead of by id */
    /* hsc_count_site will be called; HSC_E_MISUSE with a baseline. The capture is of format 1.2 */
    bool has_site_totals;
    const hsc_allocator *allocator; /* NULL = calloc and free. What it points to outlives the writer */
    const hsc_baseline
        *baseline; /* not NULL: the sums of another capture, whose facts stand here. No roots, edges and
                    * references; facts BASELINE, NO_ROOTS and NO_REFERENCES are set. Borrowed for the call */
} hsc_options;

typedef struct hsc_writer hsc_writer;

/* Defaults: everything zero but compression 1, facts 0. */
HSC_API void hsc_options_init(hsc_options *options);

/*
 * Starts a capture into `sink`: writes the file header and the info block. On failure *out is NULL, and
 * errno says why for HSC_E_IO. HSC_E_LIMIT: a text of more than 1,024 bytes. HSC_E_MISUSE: no sink, a
 * compression level not from -7 to 19, an identity or pointer size that does not exist, too little memory.
 */
HSC_API hsc_status hsc_open(hsc_writer **out, const hsc_sink *sink, const hsc_options *options);

/* Into an open descriptor (file, pipe, socket), which stays open. */
HSC_API hsc_status hsc_open_fd(hsc_writer **out, int fd, const hsc_options *options);

/* Into a new file: O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600. Removed again if it is not finished. */
HSC_API hsc_status hsc_open_file(hsc_writer **out, const char *path, const hsc_options *options);

/* ---- tables ---- */

/* At most 65,536 bytes, any bytes; UTF-8 expected. */
HSC_API hsc_status hsc_define_string(hsc_writer *w, uint32_t string, const void *bytes, size_t size);

/* Flags of a type: runtime-neutral hints that the engine folds by. */
#define HSC_TYPE_INTERNAL 0x1u /* helper of a container (hash node, backing array, hidden class) */
#define HSC_TYPE_PART     0x2u /* its bytes count as its sole owner's (see FORMAT.md §7.3) */
#define HSC_TYPE_CODE     0x4u /* code and metadata of the program, not its data */

/* Whether a type is what a runtime makes of a program, compiled code and what belongs to it: reports fold it, and it is
 * nobody's leak. Code alone is not: it is a function somewhere, as closures of Lua are. */
static inline bool hsc_type_is_program_code(uint32_t flags)
{
    const uint32_t own = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    return (flags & own) == own;
}

/* The name is what reports show and what types are matched by between captures. */
HSC_API hsc_status hsc_define_type(hsc_writer *w, uint32_t type, const void *name, size_t size, uint32_t flags);

typedef enum hsc_label_kind {
    HSC_LABEL_FIELD = 0,    /* .name */
    HSC_LABEL_ELEMENT = 1,  /* [index]; has no name of its own */
    HSC_LABEL_VARIABLE = 2, /* captured variable of a closure */
    HSC_LABEL_STATIC = 3,   /* static field of a type */
    HSC_LABEL_KEY = 4,      /* key of a map */
    HSC_LABEL_VALUE = 5,    /* value of a map */
    HSC_LABEL_INTERNAL = 6, /* the runtime's own: <name> */
    HSC_LABEL_CLASS = 7     /* object -> its type object */
} hsc_label_kind;

/* How strongly a reference holds; or-ed with the flags below. */
#define HSC_STRENGTH_STRONG  0x0u
#define HSC_STRENGTH_WEAK    0x1u /* never retains */
#define HSC_STRENGTH_SOFT    0x2u /* retains, counted apart */
#define HSC_STRENGTH_MASK    0x3u
#define HSC_LABEL_NAMED_ROOT 0x4u /* starts an owner of its own: <name of source>.<name of label> */
#define HSC_LABEL_FOLD       0x8u /* leads into a container's internals: reports skip it */

/* A label is the kind, strength and name of references; many references share one. */
HSC_API hsc_status hsc_define_label(hsc_writer *w, uint32_t label, hsc_label_kind kind, uint32_t flags,
                                    uint32_t name_string);

/* One stack frame that calls on to `parent` (0 = none). Parents before or after children. */
HSC_API hsc_status hsc_define_site(hsc_writer *w, uint32_t site, uint32_t parent, uint32_t function_string,
                                   uint32_t file_string, uint32_t line, uint32_t column);

/* ---- objects ---- */

#define HSC_OBJECT_PSEUDO    0x1u  /* a node of the graph that is no object: never counted */
#define HSC_OBJECT_DETACHED  0x2u  /* the runtime says: detached from where it belongs (DOM) */
#define HSC_OBJECT_CUT       0x4u  /* the source truncated it: the size is a lower bound */
#define HSC_OBJECT_CONTINUES 0x80u /* set by the writer alone: references of the object before */

typedef struct hsc_object {
    uint64_t id;           /* any value, unique in the capture */
    uint64_t size_bytes;   /* shallow */
    uint64_t native_bytes; /* outside the heap, owned */
    uint64_t elements;     /* length of an array or container, 0 = none */
    uint64_t identity;     /* stored identity hash, 0 = derive from the id */
    uint64_t content;      /* hash of primitive content, 0 = none (FORMAT.md 7.9) */
    uint32_t type;
    uint32_t site;
    uint32_t age;      /* the runtime's scale, 0 = not known; where ids are addresses, the collection in which
                        * it was made, for life (FORMAT.md 7.1) */
    uint32_t flags;    /* HSC_OBJECT_* */
    uint32_t name;     /* string: a function's name, a class object's class … */
    uint32_t category; /* string: second type axis (heap, memory category) */
} hsc_object;

/* Starts an object; its ordinal is the number of objects begun before it. */
HSC_API hsc_status hsc_begin_object(hsc_writer *w, const hsc_object *object);

/* A reference of the object that was begun. Any number: the writer splits blocks where it must.
 * `index` is used by labels of kind ELEMENT and is free for others (0). */
HSC_API hsc_status hsc_reference(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index);

/* Several at once: labels and indexes may be NULL (all 0). Cheaper than one call each. */
HSC_API hsc_status hsc_references(hsc_writer *w, const uint64_t *targets, const uint32_t *labels,
                                  const uint64_t *indexes, size_t count);

/* Value preview of the object that was begun, at most 4,096 bytes, once and before its references;
 * refused unless the options have HSC_FACT_VALUES. Fields in the form of FORMAT.md 7.10 can be keys. */
HSC_API hsc_status hsc_value(hsc_writer *w, const void *bytes, size_t size);

/* After its last reference. */
HSC_API hsc_status hsc_end_object(hsc_writer *w);

/* A reference apart from its source, for producers that discover them elsewhere. Not between begin
 * and end. Source and target are ids, or ordinals with targets_are_ordinals. */
HSC_API hsc_status hsc_edge(hsc_writer *w, uint64_t source, uint64_t target, uint32_t label, uint64_t index);

/* Adds objects to the summary without writing them: for captures that are a summary alone. */
HSC_API hsc_status hsc_count(hsc_writer *w, uint32_t type, uint64_t objects, uint64_t bytes);

/* The same, and that all of them were allocated at a site: for profiles, which know sums of stacks and no objects.
 * Several calls with one type and site add up. HSC_E_MISUSE without options.has_site_totals. */
HSC_API hsc_status hsc_count_site(hsc_writer *w, uint32_t type, uint32_t site, uint64_t objects, uint64_t bytes);

/* ---- roots, threads, metrics, losses ---- */

typedef enum hsc_root_kind {
    HSC_ROOT_UNKNOWN = 0,
    HSC_ROOT_GLOBAL = 1,
    HSC_ROOT_STATIC = 2,
    HSC_ROOT_STACK = 3,
    HSC_ROOT_THREAD = 4,
    HSC_ROOT_HANDLE = 5, /* handles of native code, JNI, persistent */
    HSC_ROOT_CLASS = 6,
    HSC_ROOT_INTERNED = 7,
    HSC_ROOT_FINALIZER = 8,
    HSC_ROOT_MONITOR = 9,
    HSC_ROOT_RUNTIME = 10, /* the runtime's own structures */
    HSC_ROOT_REGISTER = 11,
    HSC_ROOT_KIND_COUNT = 12
} hsc_root_kind;

typedef struct hsc_root_record {
    hsc_root_kind kind;
    uint32_t label;  /* string: what growth by root calls it; 0 = by kind */
    uint64_t target; /* id, or ordinal with targets_are_ordinals */
    uint32_t thread; /* 0 = none */
    uint32_t frame;  /* depth + 1 in that thread, 0 = none */
    uint32_t flags;  /* HSC_ROOT_SECONDARY */
} hsc_root_record;

/* Keeps alive what no other root reaches, and owns and holds nothing of what one does (FORMAT.md §7.8): handles and
 * stacks of the runtime itself that happen to point into the program's data for a moment. */
#define HSC_ROOT_SECONDARY 0x1u

/* One root; an object may have several. May come at any time, also between begin and end. */
HSC_API hsc_status hsc_root(hsc_writer *w, const hsc_root_record *root);

/* A thread, and the frames of its stack: depth 0 is the innermost. */
HSC_API hsc_status hsc_define_thread(hsc_writer *w, uint32_t thread, uint32_t name_string);
HSC_API hsc_status hsc_frame(hsc_writer *w, uint32_t thread, uint32_t depth, uint32_t function_string,
                             uint32_t file_string, uint32_t line);

/* "heap.used" in "bytes"; names and units as in FORMAT.md §8.3, others allowed. */
HSC_API hsc_status hsc_metric(hsc_writer *w, const char *name, const char *unit, uint64_t value);

/* Something that is not in the capture: "events dropped", 17. Shown in every report. */
HSC_API hsc_status hsc_loss(hsc_writer *w, const char *what, uint64_t count);

/* ---- sums: baselines alone, FORMAT.md 6.17 to 6.19. HSC_E_MISUSE in other captures ---- */

typedef struct hsc_live_total { /* what hsc_count and objects say of a type, live and not, adds up to this */
    uint32_t type;
    uint64_t objects, bytes; /* live */
    uint64_t retained_bytes; /* of these objects and all that they dominate */
    uint64_t unreached_objects, unreached_bytes;
} hsc_live_total;

/* Types ascend; HSC_E_MISUSE else. */
HSC_API hsc_status hsc_sum_type(hsc_writer *w, const hsc_live_total *total);

#define HSC_ROOT_TOTAL_SHARED 0x1u /* what several owners reach */

typedef struct hsc_root_total {
    uint32_t name; /* string */
    hsc_root_kind kind;
    uint32_t flags;          /* HSC_ROOT_TOTAL_SHARED */
    uint64_t objects, bytes; /* live, owned */
    uint64_t retained_bytes;
} hsc_root_total;

/* Names ascend by their number; HSC_E_MISUSE else. */
HSC_API hsc_status hsc_sum_root(hsc_writer *w, const hsc_root_total *total);

#define HSC_PLACE_IS_ROOT  0x1u /* `name` is the string of a root's name */
#define HSC_PLACE_CAN_HOLD 0x2u /* no helper of a container and no insides of one */
#define HSC_PLACE_IS_FOLD  0x4u /* `edge` leads into the insides of a container (HSC_LABEL_FOLD) */

typedef struct hsc_place {
    uint32_t parent;         /* number of the place above: places count from 0 in the order of the calls */
    uint32_t edge;           /* string, 0 = by no one reference */
    uint32_t name;           /* type; with HSC_PLACE_IS_ROOT string */
    uint32_t flags;          /* HSC_PLACE_* */
    uint64_t objects, bytes; /* in this very place */
} hsc_place;

/* The first is the heap (parent and name 0), all others follow in preorder: HSC_E_MISUSE for a parent from which the
 * place before does not hang, HSC_E_LIMIT past 1,048,576 places or depth 255. */
HSC_API hsc_status hsc_sum_place(hsc_writer *w, const hsc_place *place);

/* ---- the end ---- */

/* Marks the capture as cut short on purpose (cap reached, target gone): it will be read as
 * incomplete, with this reason (cut to 511 bytes). */
HSC_API hsc_status hsc_mark_incomplete(hsc_writer *w, const char *reason);

/* Writes what is buffered, the summaries, the index, the end record and the trailer. No record may
 * follow. A file made by hsc_open_file is closed, and stays. */
HSC_API hsc_status hsc_finish(hsc_writer *w);

/* Releases everything. Without hsc_finish before, the capture stays recognisably incomplete (and a
 * file made by hsc_open_file is removed). NULL is accepted. */
HSC_API void hsc_close(hsc_writer *w);

/* What the sink has taken so far; objects begun so far. */
HSC_API uint64_t hsc_bytes_written(const hsc_writer *w);
HSC_API uint64_t hsc_object_count(const hsc_writer *w);
HSC_API int hsc_system_error(const hsc_writer *w);       /* errno of HSC_E_IO */
HSC_API const char *hsc_error_text(const hsc_writer *w); /* one sentence; borrowed until the next call */

#ifdef __cplusplus
}
#endif
#endif
