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
    const char *format;   /* name of an importer, NULL = by content */
    unsigned dump_number; /* which heap dump of a file that holds several, from 1; 0 = the only one
                           * (HSD_E_UNSUPPORTED with the number found when there are several) */
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

/* Row i of the registry; NULL past the end. */
HSD_API const hsd_importer_info *hsd_importer_get(size_t i);

typedef struct hsd_import_result {
    const char *format; /* name of the importer that read it */
    uint64_t objects, references, bytes;
    uint64_t input_bytes, output_bytes;
    bool is_complete;
    bool has_digest; /* with_digest, and the input was a file or came to its end */
    /* XXH3-128 of the bytes of the input as they are (of a gzip file packed): what xxh128sum prints */
    uint8_t digest[16];
} hsd_import_result;

/*
 * Imports `path` ("-" = standard input) into a new capture `out_path`. HSD_E_NOT_THIS_FORMAT when no
 * importer knows the content: the text names what was found and what is supported. Otherwise the
 * statuses of reading. On failure nothing is left behind.
 */
HSD_API hsd_status hsd_import_file(const char *path, const char *out_path, bool force,
                                   const hsd_import_options *options, const hsd_run *run, hsd_import_result *result,
                                   hsd_error *err);

/* The same into an unnamed temporary file: *out_fd, owned by the caller, positioned anywhere. */
HSD_API hsd_status hsd_import_temp(const char *path, const hsd_import_options *options, const hsd_run *run, int *out_fd,
                                   hsd_import_result *result, hsd_error *err);

/* The same from an open descriptor, which stays open: from where it stands (file, pipe, socket). `name` stands in
 * errors. */
HSD_API hsd_status hsd_import_temp_fd(int in_fd, const char *name, const hsd_import_options *options,
                                      const hsd_run *run, int *out_fd, hsd_import_result *result, hsd_error *err);

/* The same between open descriptors, which stay open: from where `in_fd` stands (file, pipe, socket) to where `out_fd`
 * stands. `name` stands in errors. What was written before a failure stays, as an incomplete capture. */
HSD_API hsd_status hsd_import_descriptor(int in_fd, const char *name, int out_fd, const hsd_import_options *options,
                                         const hsd_run *run, hsd_import_result *result, hsd_error *err);

/* Name of the importer that would read this prefix (at least 4 KiB of it, if there are), NULL = none.
 * gzip members are looked into. */
HSD_API const char *hsd_import_probe(const void *prefix, size_t size);

#ifdef __cplusplus
}
#endif
#endif
