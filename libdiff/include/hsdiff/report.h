/*
 * Answers as bytes: text for people, JSON and CSV for programs. A report only prints what a result
 * holds. Names are escaped by the rules of their format at the last moment. The same result and
 * options give the same bytes in every locale and on every machine.
 */
#ifndef HSDIFF_REPORT_H
#define HSDIFF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/diff.h>
#include <hsdiff/status.h>
#include <hsdiff/top.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes `size` bytes or fails; called with pieces of any size, in order. */
typedef hsd_status (*hsd_write_fn)(void *context, const void *data, size_t size, hsd_error *err);

typedef enum hsd_sort_by { /* of one capture there is no growth: the amounts themselves */
                           HSD_SORT_GROWTH,
                           HSD_SORT_PERCENT,
                           HSD_SORT_OBJECTS,
                           HSD_SORT_NAME,
                           HSD_SORT_RETAINED /* growth of what the row retains; by growth where that is not known */
} hsd_sort_by;

typedef enum hsd_report_table {
    HSD_TABLE_TYPES,
    HSD_TABLE_ROOTS,
    HSD_TABLE_HOLDERS,
    HSD_TABLE_LOST, /* what is lost; of a series, too */
    HSD_TABLE_TREE,
    HSD_TABLE_UNCOLLECTED, /* what is not collected yet */
    HSD_TABLE_OBJECTS      /* of one capture: the objects that retain most */
} hsd_report_table;

#define HSD_TOP_ALL SIZE_MAX

typedef struct hsd_report_options {
    size_t struct_bytes;    /* HSD_OPTIONS_INIT */
    size_t top;             /* rows of a table, the rest is folded into one; HSD_TOP_ALL = all;
                             * 0 = by format: text 20 types, 10 roots, and of the 3 largest holders those
                             * with 5 % of the growth; --plain and machine formats all */
    hsd_sort_by sort_by;    /* which types and roots are on top, and their order; holders: always growth */
    hsd_report_table table; /* csv holds one table: this one */
    unsigned width;         /* columns of the terminal; 0 = lines may be of any length, all columns */
    unsigned name_width;    /* where lines may: columns that a name for people may take; 0 = all that it has */
    bool use_color;
    bool use_utf8;        /* else ASCII only: for terminals that cannot show more */
    bool exact_bytes;     /* --bytes */
    bool tree;            /* also the type-path tree: text and json; csv has a table for it */
    bool plain;           /* one record a line, tab separated, never cut */
    uint64_t noise_bytes; /* below this a change prints as ~; 0 = hsd_noise_of the heap before */
    /* Inputs as the user named them, for "Next:" lines; NULL = no such lines. Quoted by the report. Of one capture: the
     * first. */
    const char *before_command, *after_command;
    bool before_is_foreign, after_is_foreign; /* imported on the fly: suggest to import once */
    /* html: what to type to get the same report, as harmless text whose words are quoted for a shell
     * (HSD_ESCAPE_SHELL); NULL = not told. The same for any number of threads and any memory, or the page is not. */
    const char *command;
    const char *html_path; /* the page that is written besides: text names it, or suggests one; NULL = none */
    size_t max_bytes;      /* markdown: rows are left out, and it says so, until it fits; 0 = 60,000 */
    /* series: the table of cohorts first, of three captures what came in between and is still there */
    bool survivors;
    /* check: where .hsdiff.yml lies from the root of the repository, for annotations; NULL = its name */
    const char *config_path;
} hsd_report_options;

struct hsd_check;
struct hsd_series;

/*
 * What each format can hold. NULL = it has no form for that (junit, sarif and github say what failed, so they hold
 * checks alone).
 *
 *      text      for people; with plain one record a line
 *      json      hsdiff.diff/1, hsdiff.series/1, hsdiff.check/1, hsdiff.top/1, hsdiff.paths/1
 *      ndjson    the same nouns, one JSON object a line, each with "record"; for stores of logs
 *      csv       one table
 *      markdown  GitHub step summary, comment of a merge request; at most max_bytes
 *      openmetrics  gauges, for Prometheus and GitLab
 *      html      one file that needs no network: static HTML, and the records of ndjson for its script. At most 10 MiB: past
 *                100,000 rows a table, or where they do not fit, the rest is summed up. HSD_E_UNSUPPORTED without zlib
 *      junit     one test case a rule
 *      sarif     2.1.0: one result a finding, with sites where they are known and fingerprints that stay
 *      github    workflow commands: one annotation a rule that failed
 */
typedef struct hsd_report_format {
    const char *name; /* "text", "json", "csv", … */
    const char *summary;
    hsd_status (*write_diff)(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context,
                             hsd_error *err);
    hsd_status (*write_series)(const struct hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                               void *context, hsd_error *err);
    hsd_status (*write_check)(const struct hsd_check *check, const hsd_report_options *options, hsd_write_fn write,
                              void *context, hsd_error *err);
    hsd_status (*write_top)(const hsd_top *top, const hsd_report_options *options, hsd_write_fn write, void *context,
                            hsd_error *err);
    hsd_status (*write_paths)(const hsd_paths *paths, const hsd_report_options *options, hsd_write_fn write,
                              void *context, hsd_error *err);
} hsd_report_format;

/* Row `i` of the registry of formats, counted from 0; NULL past the end. Constant: never freed. */
HSD_API const hsd_report_format *hsd_report_format_get(size_t i);

/* The format of that name; NULL if there is none. Constant: never freed. */
HSD_API const hsd_report_format *hsd_report_format_find(const char *name);

/*
 * The objects that changed, as CSV with the columns change,id,type,bytes,before,after:
 *   change  new | freed: by presence in the captures, live or not; else reached | unreached: the same
 *           object, live on one side alone; else resized
 *   id      0x and hexadecimal digits
 *   bytes   shallow size after, or before when it was freed
 *   before, after  absent | unreached | live
 * begin writes the heading; hsd_objects_csv_row is a hsd_changed_fn whose context is the hsd_objects_csv.
 */
typedef struct hsd_objects_csv {
    hsd_write_fn write;
    void *context;
    uint64_t row_count;
} hsd_objects_csv;

/*
 * Writes the heading of the list of objects that changed.
 *
 *   csv             filled; must live as long as rows are written
 *   write, context  where the text goes
 *
 * Returns HSD_OK, or what `write` returned (HSD_E_IO as a rule).
 */
HSD_API hsd_status hsd_objects_csv_begin(hsd_objects_csv *csv, hsd_write_fn write, void *context, hsd_error *err);

/*
 * Writes one row: passed as hsd_diff_options.changed, with the hsd_objects_csv as its context. Returns HSD_OK; what
 * its `write` returned, HSD_E_IO as a rule; HSD_E_NOMEM for a name that needs more room.
 */
HSD_API hsd_status hsd_objects_csv_row(void *csv, const hsd_changed_object *object, hsd_error *err);

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

/*
 * Writes the heading of the list of retained sizes. Takes the arguments of hsd_objects_csv_begin, and fails as that
 * does.
 */
HSD_API hsd_status hsd_retained_csv_begin(hsd_retained_csv *csv, hsd_write_fn write, void *context, hsd_error *err);

/*
 * Writes one row: passed as hsd_top_options.each, with the hsd_retained_csv as its context. Fails as
 * hsd_objects_csv_row does.
 */
HSD_API hsd_status hsd_retained_csv_row(void *csv, const hsd_retained *object, hsd_error *err);

/* ---- foreign text ---- */

/*
 * TERMINAL  what a terminal or a build log would obey becomes visible: \x1b, \u202e, \U000e0041. Bytes
 *           that are no UTF-8: \xff. A backslash is doubled where it could be taken for such a mark, so
 *           the original can be had back. "::" at the start of a text and "##" anywhere are broken up:
 *           build servers read commands there.
 * ASCII     the same, and whatever is not ASCII becomes visible too: for terminals without UTF-8.
 * JSON      the inside of a string: valid UTF-8 comes back exactly; the same characters as above stand as
 *           \uXXXX, so that a terminal can be shown the JSON; what is no UTF-8 becomes U+FFFD.
 * CSV       a field by RFC 4180: TERMINAL's marks for control characters, a leading ' before = + - @ that
 *           a spreadsheet would take for a formula, quoted where it holds a comma, a quote or such a mark.
 * SHELL     one word of a POSIX shell command that can be copied from a terminal: 'it'\''s', and
 *           $'\x1b' (bash, zsh, ksh) where control characters make that necessary.
 * The following have TERMINAL's marks, so that the original can be had back from what their readers see:
 * MARKDOWN  a code span, where nothing is a link, a mention, the number of an issue, or HTML. Also in a cell of a
 * table: | is
 *           \x7c. Nothing for an empty text.
 * MARKDOWN_PROSE  a sentence with foreign words in it: words that Markdown would take for more than words are code
 * spans. XML       text or the value of an attribute, in either quotes; XML 1.0 characters alone. OPENMETRICS  the
 * value of a label, without its quotes. GITHUB_DATA, GITHUB_PROPERTY  the message and the value of a property of a
 * workflow command.
 */
typedef enum hsd_escape_form {
    HSD_ESCAPE_TERMINAL,
    HSD_ESCAPE_ASCII,
    HSD_ESCAPE_JSON,
    HSD_ESCAPE_CSV,
    HSD_ESCAPE_SHELL,
    HSD_ESCAPE_MARKDOWN,
    HSD_ESCAPE_MARKDOWN_PROSE,
    HSD_ESCAPE_XML,
    HSD_ESCAPE_OPENMETRICS,
    HSD_ESCAPE_GITHUB_DATA,
    HSD_ESCAPE_GITHUB_PROPERTY
} hsd_escape_form;

/*
 * Writes a foreign text by the rules of a form.
 *
 *   text      `size` bytes, any; may be NULL when size is 0
 *   out       at most `capacity` bytes, with a NUL behind them; may be NULL with capacity 0
 *
 * Returns the length that the whole needs without the NUL: it was cut when that is `capacity` or more. Cannot fail,
 * allocates nothing.
 */
HSD_API size_t hsd_escape(hsd_escape_form form, const char *text, size_t size, char *out, size_t capacity);

/* hsd_escape with HSD_ESCAPE_TERMINAL: a name that may be shown in a terminal. */
HSD_API size_t hsd_escape_terminal(char *out, size_t capacity, const char *text, size_t size);

/* hsd_escape with HSD_ESCAPE_SHELL: one word of a command that may be copied. */
HSD_API size_t hsd_quote_shell(char *out, size_t capacity, const char *text, size_t size);

/* ---- numbers, the same in every locale ---- */

#define HSD_NUMBER_CHARS 32

/*
 * Writes an amount of bytes: "412.6 MiB", "5.70 MiB", "512 B", "0". Three significant figures, one decimal from 10 on.
 * Returns `out`. Cannot fail.
 */
HSD_API char *hsd_format_bytes(char out[HSD_NUMBER_CHARS], uint64_t bytes);

/* hsd_format_bytes with a sign: "+125.8 MiB", "-12 B"; zero has none. Returns `out`. */
HSD_API char *hsd_format_bytes_signed(char out[HSD_NUMBER_CHARS], int64_t bytes);

/* Writes a count with its digits in groups of three: "3,118,204". Returns `out`. */
HSD_API char *hsd_format_count(char out[HSD_NUMBER_CHARS], uint64_t count);

/* hsd_format_count with a sign: "+412,310"; zero has none. Returns `out`. */
HSD_API char *hsd_format_count_signed(char out[HSD_NUMBER_CHARS], int64_t count);

/* Writes a moment, given in ns since 1970: "2026-11-20 09:14:02Z", in UTC. Returns `out`. */
HSD_API char *hsd_format_time(char out[HSD_NUMBER_CHARS], uint64_t unix_ns);

/* Writes a time span, given in ns: "1d 04h", "1h 00m", "4m 05s", "12 s", "0.4 s". Returns `out`. */
HSD_API char *hsd_format_duration(char out[HSD_NUMBER_CHARS], uint64_t elapsed_ns);

/* A digest, a domain, an id of a capture: its 32 hexadecimal digits. */
#define HSD_HEX_CHARS 33

/* Writes a digest, a domain or an id of a capture: its 16 bytes as 32 hexadecimal digits and a NUL. Returns `out`. */
HSD_API char *hsd_format_hex(char out[HSD_HEX_CHARS], const uint8_t id[16]);

#ifdef __cplusplus
}
#endif
#endif
