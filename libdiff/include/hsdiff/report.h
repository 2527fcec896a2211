/*
 * Answers as bytes: text for people, JSON and CSV for programs. A report only prints what a result
 * holds. Names are escaped by the rules of their format at the last moment.
 */
#ifndef HSDIFF_REPORT_H
#define HSDIFF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/diff.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef hsd_status (*hsd_write_fn)(void *context, const void *data, size_t size, hsd_error *err);

typedef enum hsd_sort_by {
    HSD_SORT_GROWTH, HSD_SORT_PERCENT, HSD_SORT_OBJECTS, HSD_SORT_NAME
} hsd_sort_by;

typedef struct hsd_report_options {
    size_t top;            /* rows of a table; SIZE_MAX = all; text default 20, machine formats all */
    hsd_sort_by sort_by;
    unsigned width;        /* columns of the terminal; 0 = do not cut names */
    bool use_color;
    bool use_utf8;         /* else ASCII only */
    bool exact_bytes;      /* --bytes */
    bool plain;            /* one record a line, tab separated, never cut */
    uint64_t noise_bytes;  /* below this a change prints as ~; 0 = max(64 KiB, 0.1 %) */
    const char *before_command, *after_command; /* names to use in "Next:" lines */
} hsd_report_options;

typedef struct hsd_report_format {
    const char *name;    /* "text", "json", "csv" */
    const char *summary;
    hsd_status (*write_diff)(const hsd_diff *diff, const hsd_report_options *options,
                             hsd_write_fn write, void *context, hsd_error *err);
} hsd_report_format;

/* Row i of the registry; NULL past the end. */
const hsd_report_format *hsd_report_format_get(size_t i);
const hsd_report_format *hsd_report_format_find(const char *name);

/*
 * Foreign text made harmless for a terminal: control characters, C1, bidi controls, zero-width
 * characters and invalid UTF-8 become visible (\x1b, \u202e). Appends at most `capacity` bytes with the
 * NUL; returns the length it would need. For the command line's own messages.
 */
size_t hsd_escape_terminal(char *out, size_t capacity, const char *text, size_t size);

/* "412.6 MiB", "+125 KiB", "3,118,204": three significant figures / thousands separators. Returns out. */
#define HSD_NUMBER_CHARS 32
char *hsd_format_bytes(char out[HSD_NUMBER_CHARS], uint64_t bytes);
char *hsd_format_bytes_signed(char out[HSD_NUMBER_CHARS], int64_t bytes);
char *hsd_format_count(char out[HSD_NUMBER_CHARS], uint64_t count);
char *hsd_format_count_signed(char out[HSD_NUMBER_CHARS], int64_t count);

#ifdef __cplusplus
}
#endif
#endif
