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
 * why; so a producer may look at the status of hsc_finish alone. *What writing returns*, of every call
 * that takes a record:
 *
 *   HSC_E_IO      the sink refused; hsc_system_error has the errno
 *   HSC_E_NOMEM   the counters of types could not grow: the only memory taken behind hsc_open
 *   HSC_E_MISUSE  a call behind hsc_finish
 *
 * A writer belongs to one thread at a time. Writing to a pipe or socket whose reader is gone raises
 * SIGPIPE, which is the caller's to ignore. The bytes: capture/FORMAT.md.
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
#define HSC_FACT_REDACTED      0x200u /* names and values are pseudonyms; set by hsdiff redact alone */
#define HSC_FACT_BLURRED       0x400u /* sizes are classes; set by hsdiff redact alone */

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

/*
 * Sets every option to its default: all fields 0 or NULL, compression 1, no facts. Call it first, then set the fields
 * that differ. Cannot fail.
 */
HSC_API void hsc_options_init(hsc_options *options);

/*
 * Starts a capture into `sink` and writes the file header and the info block to it.
 *
 *   out      the writer; the caller closes it with hsc_close. NULL on failure
 *   sink     copied; what its `context` points to must live until hsc_close
 *   options  borrowed for the call, with all texts in it, but for `allocator`, which must outlive the writer
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: no sink, no `write` in it, no options; a compression level not from -7 to 19; an identity or a
 *     pointer size that does not exist; HSC_FACT_BASELINE without `baseline`, or `baseline` with has_site_totals;
 *     `memory_bytes` below 64 KiB.
 *   HSC_E_LIMIT: one of the texts is longer than 1,024 bytes.
 *   HSC_E_NOMEM: the memory of the writer could not be had.
 *   HSC_E_IO: the sink refused; errno says why.
 *
 * Allocates all that the writer ever needs, but for the counters of types.
 */
HSC_API hsc_status hsc_open(hsc_writer **out, const hsc_sink *sink, const hsc_options *options);

/*
 * hsc_open into an open descriptor: a file, a pipe or a socket. `fd` is borrowed: it stays open behind hsc_close, and
 * must stay open until then. Writes from where the descriptor stands. Fails as hsc_open does; a negative `fd` is
 * HSC_E_MISUSE.
 */
HSC_API hsc_status hsc_open_fd(hsc_writer **out, int fd, const hsc_options *options);

/*
 * hsc_open into a new file of that name, made with O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC and mode 0600. hsc_finish
 * closes the file and leaves it; hsc_close without hsc_finish removes it again. Fails as hsc_open does; a NULL or
 * empty `path` is HSC_E_MISUSE; a file that cannot be made (there is one of that name, the folder is not there) is
 * HSC_E_IO with errno.
 */
HSC_API hsc_status hsc_open_file(hsc_writer **out, const char *path, const hsc_options *options);

/* What runs a function while the producer goes on: a thread, as a rule. The library has none of its own. */
typedef struct hsc_helper {
    /* Runs job(argument) at once with the caller, and returns true; false: it cannot, and the caller does it itself. */
    bool (*start)(void *context, void (*job)(void *argument), void *argument);
    /* Returns when the job that was started last has ended. There is never more than one. */
    void (*wait)(void *context);
    void *context; /* lives until hsc_close */
} hsc_helper;

/*
 * From here on blocks of objects are encoded, compressed and written by a helper, so the sink is called there; never at
 * once with a call of it here. The capture has the same bytes. Takes about as much memory again as
 * hsc_options.memory_bytes.
 *
 *   helper  copied
 *
 * Returns HSC_OK; HSC_E_MISUSE behind the first object, called twice, or when a function is missing; HSC_E_NOMEM.
 */
HSC_API hsc_status hsc_use_helper(hsc_writer *w, const hsc_helper *helper);

/* ---- tables ---- */

/*
 * Defines text number `string`, which other records refer to by that number.
 *
 *   string  1 to 2,147,483,647; each number is defined once, which the writer does not check
 *   bytes   any bytes, UTF-8 expected; borrowed for the call
 *   size    0 to 65,536
 *
 * Returns HSC_OK; HSC_E_LIMIT when the number or the size is outside its range; or what writing returns (see the top
 * of this header).
 */
HSC_API hsc_status hsc_define_string(hsc_writer *w, uint32_t string, const void *bytes, size_t size);

/* Flags of a type: runtime-neutral hints that the engine folds by. */
#define HSC_TYPE_INTERNAL 0x1u /* helper of a container (hash node, backing array, hidden class) */
#define HSC_TYPE_PART     0x2u /* its bytes count as its sole owner's (see FORMAT.md §7.3) */
#define HSC_TYPE_CODE     0x4u /* code and metadata of the program, not its data */
#define HSC_TYPE_WHOLE    0x8u /* with HSC_TYPE_CODE: and so is all that is held by it alone */

/* Whether a type is what a runtime makes of a program, compiled code and what belongs to it: reports fold it, and it is
 * nobody's leak. Code alone is what it knows of the program, as classes of a JVM are. A closure, which a program makes
 * while it runs, and may keep, is neither. */
static inline bool hsc_type_is_program_code(uint32_t flags)
{
    const uint32_t own = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    return (flags & own) == own;
}

/* The runtime's own notes about code, which nothing of the program is among. */
static inline bool hsc_type_is_wholly_code(uint32_t flags)
{
    return hsc_type_is_program_code(flags) && (flags & HSC_TYPE_WHOLE) != 0;
}

/*
 * Defines type number `type` with its name. The name is what reports show, and what types are matched by between two
 * captures.
 *
 *   type   1 to 2,147,483,647, once each
 *   name   any bytes, UTF-8 expected; borrowed for the call
 *   size   bytes of the name, 0 to 65,536
 *   flags  HSC_TYPE_*, or 0
 *
 * Returns HSC_OK; HSC_E_LIMIT when the number or the size is outside its range; or what writing returns.
 */
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
#define HSC_LABEL_NAMED_ROOT 0x4u  /* starts an owner of its own: <name of source>.<name of label> */
#define HSC_LABEL_FOLD       0x8u  /* leads into a container's internals: reports skip it */
#define HSC_LABEL_WHOLE_NAME 0x10u /* with NAMED_ROOT: the label alone names that owner */

/*
 * Defines label number `label`: the kind, the strength and the name of references. Many references share one label.
 *
 *   label        1 to 2,147,483,647, once each
 *   flags        one HSC_STRENGTH_*, or-ed with HSC_LABEL_NAMED_ROOT and HSC_LABEL_FOLD as they apply
 *   name_string  number of a string, 0 = no name
 *
 * Returns HSC_OK; HSC_E_LIMIT when a number is outside its range; HSC_E_MISUSE for a kind or a strength that does not
 * exist; or what writing returns.
 */
HSC_API hsc_status hsc_define_label(hsc_writer *w, uint32_t label, hsc_label_kind kind, uint32_t flags,
                                    uint32_t name_string);

/*
 * Defines site number `site`: one frame of an allocation stack, and the frame that called it.
 *
 *   site             1 to 2,147,483,647, once each
 *   parent           site of the caller, 0 = none. It may be defined before or after this one
 *   function_string  number of a string, 0 = not known; `file_string` likewise
 *   line, column     from 1, 0 = not known
 *
 * Returns HSC_OK; HSC_E_LIMIT when a number is outside its range; or what writing returns.
 */
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
    uint64_t identity;     /* stored identity hash, 0 = derive from the id, or none (FORMAT.md 7.2) */
    uint64_t content;      /* hash of primitive content, 0 = none (FORMAT.md 7.9) */
    uint32_t type;
    uint32_t site;
    uint32_t age;      /* the runtime's scale, 0 = not known; where ids are addresses, the collection in which
                        * it was made, for life (FORMAT.md 7.1) */
    uint32_t flags;    /* HSC_OBJECT_* */
    uint32_t name;     /* string: a function's name, a class object's class … */
    uint32_t category; /* string: second type axis (heap, memory category) */
} hsc_object;

/*
 * Starts an object. Its ordinal is the number of objects that were begun before it. Its value and its references
 * follow, then hsc_end_object.
 *
 *   object  copied. Its `id` must be unique in the capture, which the writer does not check
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: the object before was not ended, or the flags have HSC_OBJECT_CONTINUES.
 *   HSC_E_LIMIT: a type, a site or a string above 2,147,483,647, or more than 2^40 objects.
 *   what writing returns.
 *
 * The hot path of a capture: a comparison and one store for each field of an object that fits its block. A full block
 * is compressed and written.
 */
HSC_API hsc_status hsc_begin_object(hsc_writer *w, const hsc_object *object);

/*
 * Adds one reference to the object that was begun. An object may have any number: the writer splits blocks where it
 * must.
 *
 *   target  id of the object referred to, or its ordinal with options.targets_are_ordinals. It need not be there
 *   label   number of a label, 0 = none
 *   index   element number for labels of kind HSC_LABEL_ELEMENT; free for others, 0 = none
 *
 * Returns HSC_OK; HSC_E_MISUSE outside an object; HSC_E_LIMIT for a label above 2,147,483,647; or what writing
 * returns.
 */
HSC_API hsc_status hsc_reference(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index);

/*
 * Adds `count` references at once. It is cheaper than one call of hsc_reference for each, from 16 on.
 *
 *   targets  `count` of them, borrowed for the call
 *   labels   `count` of them, or NULL: all 0; `indexes` likewise
 *
 * Fails as hsc_reference does; references in front of the one that failed are then in the capture.
 */
HSC_API hsc_status hsc_references(hsc_writer *w, const uint64_t *targets, const uint32_t *labels,
                                  const uint64_t *indexes, size_t count);

/*
 * Gives the object that was begun a value preview: once, and before its references.
 *
 *   bytes  any bytes, borrowed for the call. Fields in the form of FORMAT.md 7.10 can serve as keys of a diff
 *   size   0 to 4,096
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: outside an object, for the second time, behind a reference, or without HSC_FACT_VALUES in the
 *     options.
 *   HSC_E_LIMIT: more than 4,096 bytes.
 *   what writing returns.
 */
HSC_API hsc_status hsc_value(hsc_writer *w, const void *bytes, size_t size);

/*
 * Ends the object that was begun, behind its last reference. Returns HSC_OK; HSC_E_MISUSE when none was begun; or the
 * failure that stuck before. Writes nothing by itself.
 */
HSC_API hsc_status hsc_end_object(hsc_writer *w);

/*
 * Adds a reference apart from its source, for producers that discover references elsewhere than at the object.
 *
 *   source, target  ids, or ordinals with options.targets_are_ordinals
 *   label, index    as of hsc_reference
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: between begin and end of an object, or in a baseline.
 *   HSC_E_LIMIT: a label above 2,147,483,647.
 *   what writing returns.
 *
 * Readers sort these references into place, so hsc_reference is cheaper for everybody where it can be had.
 */
HSC_API hsc_status hsc_edge(hsc_writer *w, uint64_t source, uint64_t target, uint32_t label, uint64_t index);

/*
 * Adds `objects` objects of `bytes` bytes together to the totals of a type, without writing one object: for captures
 * that are a summary alone. Several calls for one type add up.
 *
 *   type  number of a type, 0 = none
 *
 * Returns HSC_OK; HSC_E_LIMIT for a type above 2,147,483,647; or what writing returns.
 */
HSC_API hsc_status hsc_count(hsc_writer *w, uint32_t type, uint64_t objects, uint64_t bytes);

/*
 * hsc_count for objects that were all allocated at `site`: for profiles, which know sums of stacks and no objects.
 * Several calls with one type and site add up.
 *
 *   site  number of a site, 1 to 2,147,483,647
 *
 * Returns HSC_OK; HSC_E_MISUSE without options.has_site_totals; HSC_E_LIMIT when a number is outside its range; or
 * what writing returns.
 */
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

/*
 * Adds one root. An object may have several roots. A root may come at any time, also between begin and end of an
 * object.
 *
 *   root  copied
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: a kind that does not exist, or a baseline, which has no roots.
 *   HSC_E_LIMIT: a label or a thread above 2,147,483,647.
 *   what writing returns.
 */
HSC_API hsc_status hsc_root(hsc_writer *w, const hsc_root_record *root);

/*
 * Defines thread number `thread` with its name. Roots and frames refer to threads.
 *
 *   thread       1 to 2,147,483,647, once each
 *   name_string  number of a string, 0 = no name
 *
 * Returns HSC_OK; HSC_E_LIMIT when a number is outside its range; or what writing returns.
 */
HSC_API hsc_status hsc_define_thread(hsc_writer *w, uint32_t thread, uint32_t name_string);

/*
 * Adds one frame to the stack of a thread.
 *
 *   thread           number of a thread
 *   depth            0 is the innermost frame
 *   function_string  number of a string, 0 = not known; `file_string` likewise
 *   line             from 1, 0 = not known
 *
 * Returns HSC_OK; HSC_E_LIMIT when a number is outside its range; or what writing returns.
 */
HSC_API hsc_status hsc_frame(hsc_writer *w, uint32_t thread, uint32_t depth, uint32_t function_string,
                             uint32_t file_string, uint32_t line);

/*
 * Adds one number about the process, such as "heap.used" in "bytes". FORMAT.md §8.3 lists names and units that readers
 * know; others are allowed.
 *
 *   name, unit  NUL-terminated, at most 65,536 bytes together; borrowed for the call
 *
 * Returns HSC_OK; HSC_E_LIMIT when they are longer; or what writing returns.
 */
HSC_API hsc_status hsc_metric(hsc_writer *w, const char *name, const char *unit, uint64_t value);

/*
 * Says that something is not in the capture: "events dropped", 17. Every report shows it, and the losses of a capture
 * add up.
 *
 *   what  NUL-terminated, at most 65,536 bytes; borrowed for the call
 *
 * Returns HSC_OK; HSC_E_LIMIT when it is longer; or what writing returns.
 */
HSC_API hsc_status hsc_loss(hsc_writer *w, const char *what, uint64_t count);

/* ---- sums: baselines alone, FORMAT.md 6.17 to 6.19 ---- */

typedef struct hsc_live_total { /* what hsc_count and objects say of a type, live and not, adds up to this */
    uint32_t type;
    uint64_t objects, bytes; /* live */
    uint64_t retained_bytes; /* of these objects and all that they dominate */
    uint64_t unreached_objects, unreached_bytes;
} hsc_live_total;

/*
 * Adds the sums of one type to a baseline.
 *
 *   total  copied. Types must ascend from call to call
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: the capture is no baseline, or the type is not above that of the call before.
 *   HSC_E_LIMIT: the type is not from 1 to 2,147,483,647.
 *   what writing returns.
 */
HSC_API hsc_status hsc_sum_type(hsc_writer *w, const hsc_live_total *total);

#define HSC_ROOT_TOTAL_SHARED 0x1u /* what several owners reach */

typedef struct hsc_root_total {
    uint32_t name; /* string */
    hsc_root_kind kind;
    uint32_t flags;          /* HSC_ROOT_TOTAL_SHARED */
    uint64_t objects, bytes; /* live, owned */
    uint64_t retained_bytes;
} hsc_root_total;

/*
 * Adds the sums of one root to a baseline.
 *
 *   total  copied. Names must ascend by their string number from call to call
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: the capture is no baseline, the kind does not exist, or the name is not above that of the call
 *     before.
 *   HSC_E_LIMIT: the name is not from 1 to 2,147,483,647.
 *   what writing returns.
 */
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

/*
 * Adds one place to a baseline. The first call gives the heap (parent and name 0); all others follow in preorder.
 *
 *   place  copied
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: the capture is no baseline, or the place before does not hang from this parent.
 *   HSC_E_LIMIT: more than 1,048,576 places, a depth above 255, or a number outside its range.
 *   what writing returns.
 */
HSC_API hsc_status hsc_sum_place(hsc_writer *w, const hsc_place *place);

/* ---- the end ---- */

/*
 * Marks the capture as cut short on purpose: a cap was reached, or the target is gone. Readers take it as incomplete,
 * and show `reason`.
 *
 *   reason  one clause, borrowed for the call; NULL = none. Cut to 511 bytes
 *
 * Returns HSC_OK; HSC_E_MISUSE behind hsc_finish; or the failure that stuck before.
 */
HSC_API hsc_status hsc_mark_incomplete(hsc_writer *w, const char *reason);

/*
 * Ends the capture: writes what is buffered, the summaries, the index, the end record and the trailer. No record may
 * follow. A file that hsc_open_file made is closed, and stays. The writer itself is still the caller's to close.
 *
 * Returns HSC_OK, or
 *   HSC_E_MISUSE: inside an object, for the second time, or when a baseline got references.
 *   what writing returns, of this call or of any before it.
 */
HSC_API hsc_status hsc_finish(hsc_writer *w);

/*
 * Releases the writer. Without hsc_finish before, the capture stays recognisably incomplete, and a file that
 * hsc_open_file made is removed. NULL is accepted.
 */
HSC_API void hsc_close(hsc_writer *w);

/* Bytes that the sink has taken so far. */
HSC_API uint64_t hsc_bytes_written(const hsc_writer *w);

/* Objects that were begun so far; the ordinal that the next one will have. */
HSC_API uint64_t hsc_object_count(const hsc_writer *w);

/* errno of the failure that stuck, when it was HSC_E_IO; else 0. */
HSC_API int hsc_system_error(const hsc_writer *w);

/*
 * What went wrong, in one sentence: the first failure, which stuck. "" when nothing failed. `w` may be NULL: the text
 * then says that the capture could not be opened. Borrowed until the next call for the writer.
 */
HSC_API const char *hsc_error_text(const hsc_writer *w);

#ifdef __cplusplus
}
#endif
#endif
