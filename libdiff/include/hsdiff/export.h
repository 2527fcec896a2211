/*
 * Captures into files that other tools open: Chrome's DevTools, MAT and VisualVM, pprof, SQLite and more. Whatever a
 * capture was made from, each of them can be written. An exporter is one folder and one row of the registry.
 */
#ifndef HSDIFF_EXPORT_H
#define HSDIFF_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/carries.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_exporter_info {
    const char *name;      /* "heapsnapshot" */
    const char *summary;   /* "heap snapshot of Chrome's DevTools" */
    const char *suffix;    /* ".heapsnapshot": of a file name that tells the format */
    const char *opened_by; /* "Chrome DevTools, Node" */
    hsd_carries carries;
    const char *lacks; /* as of hsd_importer_info */
    bool takes_pair;   /* growth between two captures can be written */
} hsd_exporter_info;

/* Row `i` of the registry of exporters, counted from 0; NULL past the end. Constant: never freed. */
HSD_API const hsd_exporter_info *hsd_exporter_get(size_t i);

/* What the stacks of profiles are. */
typedef enum hsd_export_stacks {
    HSD_STACKS_AUTO = 0,  /* sites if the capture has any, else paths */
    HSD_STACKS_SITES = 1, /* where objects were allocated */
    HSD_STACKS_PATHS = 2  /* what holds them: root, then types on the path from it (places, hsdiff/profile.h) */
} hsd_export_stacks;

typedef struct hsd_export_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    const char *format;  /* name of an exporter; NULL = by the suffix of the path */
    bool force;          /* replace a file that is there */
    bool partial;        /* the captures were opened with HSD_DAMAGE_SKIP */
    bool with_values;    /* write value previews that the capture holds */
    hsd_export_stacks stacks;
} hsd_export_options;

typedef struct hsd_export_result {
    const char *format;                  /* name of the exporter */
    uint64_t objects, references, bytes; /* written; 0 where the format has none */
    /* samples, places, rows: what the format counts itself by; 0 = nothing else than objects */
    uint64_t rows;
    const char *row_name; /* "sample", NULL likewise */
    uint64_t output_bytes;
    unsigned files; /* 1 unless it was split */
} hsd_export_result;

/*
 * Says whether there is such an exporter, and whether it can do what is asked: what hsd_export_file would refuse
 * before it looks at a capture.
 *
 *   path     "-" = standard output. NULL is not allowed
 *   options  may be NULL
 *   is_pair  growth between two captures is to be written
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED as hsd_export_file does. Opens nothing.
 */
HSD_API hsd_status hsd_export_check(const char *path, const hsd_export_options *options, bool is_pair, hsd_error *err);

/*
 * Writes `after`, or with `before` what grew between the two, into a file of another tool. The file is there whole or
 * not at all, mode 0600. The same captures and options give the same bytes.
 *
 *   before                NULL = one capture
 *   path                  "-" = standard output, where the format is a stream. NULL is not allowed
 *   options, run, result  may be NULL; `result` is filled on HSD_OK
 *
 * Returns HSD_OK, or
 *   HSD_E_UNSUPPORTED: no exporter of that name or suffix (the text names all), a pair for one that takes one capture,
 *     a baseline or a capture without objects for one that needs them, standard output for one that needs a file.
 *   HSD_E_OVER_BUDGET: run->memory_bytes is too small; the text names what suffices.
 *   HSD_E_IO: with EEXIST a file is there and not options.force; else the system's reason.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *   what reading returns (hsdiff/capture.h), and what hsd_diff_run returns.
 */
HSD_API hsd_status hsd_export_file(hsd_capture *before, hsd_capture *after, const char *path,
                                   const hsd_export_options *options, const hsd_run *run, hsd_export_result *result,
                                   hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
