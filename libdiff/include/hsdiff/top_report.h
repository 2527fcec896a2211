/*
 * Answers about one capture as bytes: what is in it (hsd_top) and how objects are reached (hsd_paths), in the
 * formats and by the rules of hsdiff/report.h.
 */
#ifndef HSDIFF_TOP_REPORT_H
#define HSDIFF_TOP_REPORT_H

#include <hsdiff/report.h>
#include <hsdiff/top.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsd_single_format {
    HSD_SINGLE_TEXT, /* tables for people; with plain one record a line */
    HSD_SINGLE_JSON, /* schema hsdiff.top/1, hsdiff.paths/1 */
    HSD_SINGLE_CSV   /* one table */
} hsd_single_format;

typedef enum hsd_top_sort {
    HSD_TOP_BY_RETAINED, /* by bytes where that is not known */
    HSD_TOP_BY_BYTES, HSD_TOP_BY_OBJECTS, HSD_TOP_BY_NAME
} hsd_top_sort;

typedef enum hsd_top_table { HSD_TOP_TYPES, HSD_TOP_ROOTS, HSD_TOP_OBJECTS } hsd_top_table;

typedef struct hsd_single_options {
    hsd_single_format format;
    size_t top;          /* rows of the tables of types and roots, the rest is folded into one; HSD_TOP_ALL = all;
                          * 0 = text 20 types and 10 roots, else all. Objects and paths: as many as the result has */
    hsd_top_sort sort_by; /* which types and roots are on top, and their order */
    hsd_top_table table; /* csv of hsd_report_top holds this one */
    unsigned width;      /* columns of the terminal; 0 = lines may be of any length */
    unsigned name_width; /* where lines may: columns that a name for people may take; 0 = all that it has */
    bool use_color, use_utf8, exact_bytes, plain;
    const char *command; /* the input as the user named it, for "Next:" lines; NULL = no such lines */
    bool is_foreign;     /* imported on the fly: suggest to import once */
} hsd_single_options;

/* Types, roots, and the objects that dominate most. HSD_OK, or what `write` returned, or HSD_E_NOMEM. */
HSD_API hsd_status hsd_report_top(const hsd_top *top, const hsd_single_options *options, hsd_write_fn write, void *context,
                                  hsd_error *err);

/* Paths with what is reached over them. The same statuses. */
HSD_API hsd_status hsd_report_paths(const hsd_paths *paths, const hsd_single_options *options, hsd_write_fn write,
                                    void *context, hsd_error *err);

/*
 * Every live object with what it retains, as CSV with the columns id,type,bytes,retained_bytes,retained_objects,
 * dominator: ids as 0x and hexadecimal digits, dominator empty where only a root dominates. begin writes the
 * heading; hsd_retained_csv_row is a hsd_retained_fn whose context is the hsd_retained_csv.
 */
typedef struct hsd_retained_csv {
    hsd_write_fn write;
    void *context;
    uint64_t row_count;
} hsd_retained_csv;

/* HSD_OK, or what `write` returned. */
HSD_API hsd_status hsd_retained_csv_begin(hsd_retained_csv *csv, hsd_write_fn write, void *context, hsd_error *err);
/* Passed as hsd_top_options.each. */
HSD_API hsd_status hsd_retained_csv_row(void *csv, const hsd_retained *object, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
