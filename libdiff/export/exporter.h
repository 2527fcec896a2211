/*
 * What an exporter is to the registry: a row of facts and a run from one or two open captures into a file. Exporters
 * know no importer and no other exporter; what they share stands beside this header:
 *
 *      joined.h     all objects in order, each with its references resolved, and the roots; in bounded memory
 *      format/tables.h   types, labels and chosen texts of a capture
 */
#ifndef HSD_EXPORT_EXPORTER_H
#define HSD_EXPORT_EXPORTER_H

#include "base/note.h"
#include "io/output.h"
#include "io/temp.h"
#include <hsdiff/export.h>

/* Everything one export works with. */
typedef struct hsd_export {
    hsd_capture *before; /* NULL: `after` alone is written */
    hsd_capture *after;
    const hsd_export_options *options; /* never NULL */
    const hsd_run *run;                /* for calls of public headers; never NULL, memory_bytes never 0 */
    hsd_reporter *reporter;
    hsd_temp_space *space;
    uint64_t memory_bytes; /* for tables, sorters and buffers of the exporter */
    const char *path;      /* as given; whoever needs more than `output` looks at it */
    /* opened before run, finished behind it; not opened for those that open the file themselves */
    hsd_output output;
    hsd_export_result *result; /* never NULL; output_bytes and files are filled in unless the exporter did */
} hsd_export;

typedef struct hsd_exporter {
    hsd_exporter_info info;
    bool needs_objects; /* captures that hold totals or sums alone are refused before run */
    bool opens_file;    /* writes to x->path itself, and cleans up itself: whole or not at all */
    hsd_status (*run)(hsd_export *x, hsd_error *err);
} hsd_exporter;

extern const hsd_exporter hsd_export_pprof, hsd_export_collapsed, hsd_export_speedscope, hsd_export_sqlite;
extern const hsd_exporter hsd_export_heapsnapshot;
extern const hsd_exporter hsd_export_hprof;
extern const hsd_exporter hsd_export_parquet;

/* The exporter of row i; NULL past the end. */
const hsd_exporter *hsd_exporter_row(size_t i);

/* One whose name is `format`, or, if that is NULL, whose suffix `path` has (the longest counts). HSD_E_UNSUPPORTED with
 * all names. */
hsd_status hsd_exporter_choose(const hsd_exporter **out, const char *format, const char *path, hsd_error *err);

/* Writes to x->output. */
hsd_status hsd_export_write(hsd_export *x, const void *data, size_t size, hsd_error *err);

#endif
