/*
 * Foreign heap dumps into .hs captures: streaming, in bounded memory, from a file or a pipe. An
 * importer is one file and one row of the registry; the best bid of their probes wins.
 */
#ifndef HSDIFF_IMPORT_H
#define HSDIFF_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hsdiff/carries.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One number about a capture, as in FORMAT.md 8.3. Texts are borrowed. */
typedef struct hsd_origin_metric {
    const char *name, *unit;
    uint64_t value;
} hsd_origin_metric;

/* Whose heap it is, for dumps that arrive from a running process: what stands here goes before what the dump says. */
typedef struct hsd_import_origin {
    const char *process_name, *runtime;           /* NULL = as the dump says */
    uint64_t pid, started_unix_ns, taken_unix_ns; /* 0 likewise */
    uint8_t domain[16];                           /* all 0 likewise */
    /* Asked once, when all records are written: up to `most` metrics, how many there are. May be NULL. */
    size_t (*metrics)(void *context, hsd_origin_metric *out, size_t most);
    /* Called when the dump says that its heap has been told in full, before its rest: for sources that end only when
     * asked to. May be NULL. */
    void (*heap_end)(void *context);
    void *context;
} hsd_import_origin;

#define HSD_IMPORT_METRICS_MAX 32

typedef struct hsd_import_options {
    size_t struct_bytes;  /* HSD_OPTIONS_INIT */
    const char *format;   /* name of an importer, NULL = by content */
    unsigned dump_number; /* which heap dump of a file that holds several, from 1; 0 = the only one
                           * (HSD_E_UNSUPPORTED with the number found when there are several), or, of profiles that are
                           * of one heap over time (massif, DHAT), the latest */
    bool summary_only;    /* type totals alone: no objects, no references; the fast scan */
    bool with_values;     /* keep map keys and value previews that are user data */
    const char *const
        *value_types; /* types by their whole names: their instances get value previews, longer ones than
                       * with_values gives, with it or without. JVM dumps alone: what V8 writes of a node is no
                       * list of fields, and V8's objects have ids for life. Borrowed for the import */
    size_t value_type_count;
    bool final_is_strong; /* JVM: FinalReference.referent retains */
    bool salvage;         /* a cut-off dump gives what is there, marked incomplete */
    int compression;      /* of the capture written: zstd level, 0 = none */
    /* also hsd_import_result.digest: what the importer leaves out is then read for it */
    bool with_digest;
    /* the program whose heap it is, for dumps that leave its types there (Go); NULL = not given. Borrowed */
    const char *executable;
    const hsd_import_origin *origin; /* NULL = only the dump is known; borrowed for the import */
    /* Opens for reading what a dump names besides itself (a core: its program and libraries; a snapshot of V8: its
     * scripts, and what these name as their source maps), and `executable`: the descriptor, which the import closes,
     * or -1 with errno. So callers decide what files a dump can have opened. NULL = as the system does. Borrowed for
     * the import */
    int (*open_file)(void *context, const char *path);
    void *open_context;
    /* V8: references lose their indexes (element 7 of an array), which only what shows single references asks for */
    bool without_indexes;
} hsd_import_options;

/*
 * Bytes of the type at the front of "Type:field", a key of hsd_diff_options; the field stands behind the colon. The
 * last colon separates, for types may have some themselves. 0 when it is no such thing: no colon, a part is empty, or
 * it ends as "std::vector" does, in a type alone. What hsd_import_options.value_types needs of a key.
 */
static inline size_t hsd_key_type_bytes(const char *key)
{
    const char *colon = strrchr(key, ':');
    if (colon == NULL || colon == key || colon[1] == '\0' || colon[-1] == ':') return 0;
    return (size_t)(colon - key);
}

typedef struct hsd_importer_info {
    const char *name;     /* "hprof" */
    const char *summary;  /* "JVM binary heap dump (HotSpot, hprof agent, Android)" */
    const char *suffixes; /* ".hprof .hprof.gz" */
    hsd_carries carries;
    /* what the format cannot say, a clause for the table of formats: "no field names"; NULL = nothing to add */
    const char *lacks;
} hsd_importer_info;

/* Row `i` of the registry of importers, counted from 0; NULL past the end. Constant: never freed. */
HSD_API const hsd_importer_info *hsd_importer_get(size_t i);

typedef struct hsd_import_result {
    const char *format; /* name of the importer that read it */
    uint64_t objects, references, bytes;
    uint64_t input_bytes, output_bytes;
    bool is_complete;
    bool has_digest; /* with_digest, and the input was a file or came to its end */
    /* XXH3-128 of the bytes of the input as they are (of a gzip, zstd or lz4 file packed): what xxh128sum prints */
    uint8_t digest[16];
} hsd_import_result;

/*
 * Imports a foreign heap dump into a new capture. On failure nothing is left behind.
 *
 *   path                  "-" = standard input
 *   out_path              "-" = standard output; a file is there whole or not at all, mode 0600
 *   force                 replace a file that is there
 *   options, run, result  may be NULL; `result` is filled on HSD_OK
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_THIS_FORMAT: no importer knows the content; the text names what was found and what is supported.
 *   HSD_E_CORRUPT: the dump contradicts its format; the text says where.
 *   HSD_E_TRUNCATED: the dump was cut off, and options.salvage is not set.
 *   HSD_E_TOO_NEW: a version of the format that this build does not know.
 *   HSD_E_UNSUPPORTED: a kind of dump that is known and not read; several dumps in one file and no
 *     options.dump_number.
 *   HSD_E_OVER_BUDGET: run->memory_bytes is too small; the text names what suffices.
 *   HSD_E_IO: a file cannot be read or written; with EEXIST `out_path` is there and not `force`.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *   HSD_E_NOMEM: no memory.
 *
 * Streams: memory does not grow with the dump beyond run->memory_bytes.
 */
HSD_API hsd_status hsd_import_file(const char *path, const char *out_path, bool force,
                                   const hsd_import_options *options, const hsd_run *run, hsd_import_result *result,
                                   hsd_error *err);

/*
 * hsd_import_file into a temporary file without a name in run->temp_dir.
 *
 *   out_fd  owned by the caller, who closes it; positioned anywhere. -1 on failure
 *
 * Fails as hsd_import_file does.
 */
HSD_API hsd_status hsd_import_temp(const char *path, const hsd_import_options *options, const hsd_run *run, int *out_fd,
                                   hsd_import_result *result, hsd_error *err);

/*
 * hsd_import_temp from an open descriptor.
 *
 *   in_fd  a file, a pipe or a socket, read from where it stands; borrowed, and open afterwards
 *   name   what errors call it; borrowed for the call
 *
 * Fails as hsd_import_file does.
 */
HSD_API hsd_status hsd_import_temp_fd(int in_fd, const char *name, const hsd_import_options *options,
                                      const hsd_run *run, int *out_fd, hsd_import_result *result, hsd_error *err);

/*
 * Imports between open descriptors, which are borrowed and stay open.
 *
 *   in_fd   a file, a pipe or a socket, read from where it stands
 *   name    what errors call it; borrowed for the call
 *   out_fd  written from where it stands
 *
 * Fails as hsd_import_file does. What was written before a failure stays, as an incomplete capture.
 */
HSD_API hsd_status hsd_import_descriptor(int in_fd, const char *name, int out_fd, const hsd_import_options *options,
                                         const hsd_run *run, hsd_import_result *result, hsd_error *err);

/*
 * Says which importer would read a dump that begins so. Looks into gzip members, zstd and LZ4 frames.
 *
 *   prefix  `size` bytes from the start; 4 KiB or more, if the dump has them
 *
 * Returns the importer's name, a constant; NULL when there is none, or no memory to unpack the prefix.
 */
HSD_API const char *hsd_import_probe(const void *prefix, size_t size);

#define HSD_IMPORT_PACKED_BYTES 16u /* that tell whether a dump is packed */

/*
 * True if a dump that begins so is packed as a whole (gzip, LZ4, zstd), and is unpacked while it is read: its size says
 * little of what is in it.
 *
 *   prefix  `size` bytes from the start; HSD_IMPORT_PACKED_BYTES, if the dump has them
 */
HSD_API bool hsd_import_is_packed(const void *prefix, size_t size);

#ifdef __cplusplus
}
#endif
#endif
