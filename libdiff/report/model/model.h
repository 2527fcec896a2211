/*
 * What a report says, apart from how a format writes it: a document of parts. A part is a record, a list of texts, or a
 * table: rows, whose columns have a key, a type and a place in the row, and what the rows that are not shown add up to.
 * Formats are over here (report/write); a new one walks the parts. Results are over there (model/diff.c …); a new
 * column is one line of theirs.
 *
 *      model/diff.c    ─┐                                       ┌─ write/json.c      a member for each part
 *      model/series.c   │                                       ├─ write/ndjson.c    a line for each record and row
 *      model/check.c    ├─► hsd_model: parts, columns, rows ────┼─ write/csv.c       one table
 *      model/top.c      │                                       ├─ write/plain.c     all tables, fields behind tabs
 *      model/paths.c   ─┘                                       └─ write/text.c …    what people read: markdown, html, gauges
 *
 * Rows are never copied: a column takes its value out of the row when a writer asks for it.
 */
#ifndef HSD_REPORT_MODEL_MODEL_H
#define HSD_REPORT_MODEL_MODEL_H

#include "base/buffer.h"
#include "report/write/out.h"
#include <hsdiff/report.h>

/* ---- which formats have a part or a column; 0 = all ---- */

enum {
    HSD_IN_DOCUMENT = 1u, /* JSON */
    HSD_IN_RECORDS = 2u,  /* newline-delimited JSON, and what a page of HTML carries along */
    HSD_IN_JSON = HSD_IN_DOCUMENT | HSD_IN_RECORDS,
    HSD_IN_CSV = 4u,
    HSD_IN_PLAIN = 8u,
    HSD_IN_PEOPLE = 16u,    /* sentences and tables with headings: text, Markdown, HTML */
    HSD_IN_GAUGES = 32u,    /* the same tables as gauges: OpenMetrics */
    HSD_IN_TEXT = 64u,      /* of those for people text alone, */
    HSD_IN_MARKDOWN = 128u, /* Markdown alone, */
    HSD_IN_HTML = 256u,     /* and HTML alone */
    HSD_IN_TABLES = HSD_IN_PEOPLE | HSD_IN_GAUGES,
    /* the formats of the writers of text, of Markdown and of HTML */
    HSD_AS_TEXT = HSD_IN_PEOPLE | HSD_IN_TEXT,
    HSD_AS_MARKDOWN = HSD_IN_PEOPLE | HSD_IN_MARKDOWN,
    HSD_AS_HTML = HSD_IN_PEOPLE | HSD_IN_HTML,
    HSD_IN_PROGRAMS = HSD_IN_JSON | HSD_IN_CSV,
    HSD_IN_ALL = HSD_IN_PROGRAMS | HSD_IN_PLAIN | HSD_IN_TABLES
};

/* ---- values ---- */

typedef enum hsd_kind {
    HSD_KIND_END,        /* of a list of columns */
    HSD_KIND_ABSENT,     /* of a value: this row has no such member */
    HSD_KIND_NULL,       /* of a value: not known */
    HSD_KIND_TEXT,       /* hsd_text, foreign */
    HSD_KIND_STRING,     /* const char *; foreign, too */
    HSD_KIND_WORDS,      /* foreign text that `words` makes of the row */
    HSD_KIND_LABEL,      /* text of ours that `words` makes of the row */
    HSD_KIND_TOLD,       /* text of ours with foreign names in it, which `tell` writes */
    HSD_KIND_COUNT,      /* uint64_t */
    HSD_KIND_SIZE,       /* size_t: a count */
    HSD_KIND_COUNT32,    /* uint32_t: a count */
    HSD_KIND_BYTES,      /* uint64_t: a count of bytes, which people read as a size */
    HSD_KIND_SIGNED,     /* int64_t */
    HSD_KIND_FLAG,       /* bool */
    HSD_KIND_ID,         /* uint64_t: of an object */
    HSD_KIND_AMOUNT,     /* hsd_amount */
    HSD_KIND_NET,        /* objects and bytes with a sign; of `get` alone */
    HSD_KIND_MILLIONTHS, /* uint32_t: a probability */
    HSD_KIND_TIME,       /* uint64_t: nanoseconds since 1970, empty at 0 */
    HSD_KIND_HEX,        /* uint8_t[16], empty where all are 0 */
    HSD_KIND_ROOT,       /* uint32_t: hsc_root_kind */
    HSD_KIND_SHARE,      /* a part of a whole; of `get` alone */
    HSD_KIND_FRACTION,   /* the same, told more exactly: "2.1%" */
    HSD_KIND_PERCENT,    /* from `part` to `whole`, "+63%"; of `get` alone */
    HSD_KIND_GROWTH,     /* bytes with a sign; of `get` alone */
    HSD_KIND_TREND,      /* items, each an hsd_amount, as a picture; of `get` alone */
    HSD_KIND_RECORD,     /* a record in the record: its columns */
    HSD_KIND_SPREAD,     /* the columns of a part of the row stand among those of the row */
    HSD_KIND_LIST        /* items with columns. Columns without keys: an item is its value, or a list of its values */
} hsd_kind;

typedef struct hsd_items {
    const void *first; /* of `count`, `stride` bytes apart */
    size_t count, stride;
    bool are_pointers; /* each is a pointer to the item */
} hsd_items;

typedef struct hsd_value {
    /* TEXT, COUNT, BYTES, SIGNED, FLAG, ID, AMOUNT, NET, MILLIONTHS, SHARE …, LIST; or NULL, ABSENT; WORDS, LABEL,
     * RECORD, SPREAD as of the column */
    hsd_kind kind;
    union {
        hsd_text text;
        uint64_t count;
        int64_t number;
        bool flag;
        hsd_amount amount;
        struct {
            int64_t objects, bytes;
        } net;
        struct {
            uint64_t part, whole;
        } share;
        hsd_items items;
        char hex[HSD_HEX_CHARS]; /* TIME, HEX */
    };
} hsd_value;

hsd_value hsd_value_text(hsd_text text);
hsd_value hsd_value_string(const char *text); /* NULL = "" */
hsd_value hsd_value_count(uint64_t count);
hsd_value hsd_value_signed(int64_t number);
hsd_value hsd_value_amount(hsd_amount amount);
hsd_value hsd_value_net(int64_t objects, int64_t bytes);
hsd_value hsd_value_share(uint64_t part, uint64_t whole);
hsd_value hsd_value_items(const void *first, size_t count, size_t stride);
hsd_value hsd_value_bytes(uint64_t bytes);
hsd_value hsd_value_growth(int64_t bytes);
hsd_value hsd_value_percent(uint64_t before, uint64_t after);
hsd_value hsd_value_null(void);

/* ---- columns ---- */

typedef struct hsd_scope {
    const struct hsd_model *model; /* for people */
    const void *result;            /* hsd_diff, hsd_series, hsd_check, hsd_top, hsd_paths */
    const void *row;               /* NULL: there is none, so no column has a value */
    const struct hsd_scope *above; /* the row that this one is a part of */
    size_t index;                  /* in its table or list */
    bool is_rest;                  /* the row sums up others */
} hsd_scope;

/* Of a column. */
enum {
    HSD_IF_ANY = 1u,         /* absent where it is empty: "", 0, no items */
    HSD_OR_NULL = 2u,        /* null where it is empty */
    HSD_ON_LINES = 4u,       /* of a list in a document: an item a line, */
    HSD_CLOSED_BEHIND = 32u, /* the bracket behind the last one and not on a line of its own */
    HSD_AS_MAP = 8u,         /* of a list: an object whose keys are the first column, whose values the second */
    HSD_OF_POINTERS = 16u,   /* of a list: its items are pointers */
    HSD_NULL_AT_MOST = 64u,  /* null where it is UINT64_MAX */
    HSD_ON_RIGHT = 128u,     /* of a LABEL: it is a number in words */
    HSD_AS_STATE = 256u,     /* gauges: a text that is no label but a family of its own, whose samples are 1 */
    HSD_TITLE_STAYS = 512u,  /* for people: the title is no word, so no capitals are made of it */
    HSD_TO_THE_LAST = 1024u  /* text: a terminal that is too narrow for all columns has it, and not those beside it */
};

typedef struct hsd_column {
    const char *key;
    hsd_kind kind;
    size_t at; /* of the member in the row: HSD_AT(hsd_change, before) */
    unsigned in, flags;
    const char *title;                        /* in tables for people */
    bool (*has)(const hsd_scope *scope);      /* false: absent */
    bool (*is_known)(const hsd_scope *scope); /* false: null */
    hsd_value (*get)(const hsd_scope *scope); /* instead of `at` */
    /* for people: what stands in place of a value that says nothing, "~", "?"; NULL: the value */
    const char *(*instead)(const hsd_scope *scope);
    int64_t (*sign)(const hsd_scope *scope);   /* for people: what grew is painted, and what shrank */
    uint64_t (*noise)(const hsd_scope *scope); /* of TREND: values that differ by no more lie at the bottom */
    /* for people: the title where it depends on the result */
    hsd_status (*heading)(hsd_buffer *text, const hsd_scope *scope, hsd_error *err);
    hsd_status (*words)(hsd_buffer *text, const hsd_scope *scope, hsd_error *err); /* of WORDS, LABEL */
    void (*tell)(hsd_out *out, const hsd_scope *scope, hsd_escape_form form);      /* of TOLD */
    const struct hsd_column *columns; /* of RECORD, SPREAD, LIST; they end with {0} */
    /* of RECORD, SPREAD: the row that these columns are of; else what is at `at`. NULL: null */
    const void *(*into)(const hsd_scope *scope);
    /* of LIST: of the member with the count; `at` is that of the pointer */
    size_t count_at, stride;
    const char *unit; /* gauges: what the name ends in; NULL: "bytes" of BYTES, else none */
} hsd_column;

#define HSD_AT(type, member) .at = offsetof(type, member)
#define HSD_LIST_AT(type, member, count, item)                                                                         \
    .at = offsetof(type, member), .count_at = offsetof(type, count), .stride = sizeof(item)

/* The value of a column in a row. */
hsd_value hsd_column_value(const hsd_column *column, const hsd_scope *scope);

/* The scope of a RECORD or SPREAD, and that of item i of a list. */
hsd_scope hsd_scope_into(const hsd_column *column, const hsd_scope *scope);
hsd_scope hsd_scope_item(const hsd_items *items, size_t i, const hsd_scope *scope);

static inline bool hsd_column_is_in(const hsd_column *column, unsigned format)
{
    return column->in == 0 || (column->in & format) != 0;
}

/* The word for an hsc_root_kind. */
const char *hsd_root_kind_word(uint32_t kind);

/* ---- parts ---- */

typedef struct hsd_model hsd_model;
typedef struct hsd_sheet hsd_sheet;

struct hsd_sheet { /* the rows of a table */
    hsd_items rows;
    /* where they are no array: row i, valid until the next; asked in order */
    const void *(*row_at)(const hsd_sheet *sheet, size_t i);
    void *state;     /* for it */
    bool is_unknown; /* there are no rows, and `why` says why not */
    hsd_text why;
    const char *why_member; /* JSON: "why_no_holders"; NULL: it is not said */
    /* records: {"record": …, "text": why}; NULL: {"record": "unknown", "table": …, "why": …} */
    const char *why_record;
    const char *why_plain;                                                          /* --plain: {"no-holders", why} */
    uint64_t other_count;                                                           /* rows that are not shown */
    void (*tell_below)(hsd_out *out, const hsd_scope *scope, hsd_escape_form form); /* text: paragraphs below a row */
    uint64_t unlisted_count; /* Markdown: rows that are nowhere, and count as left out */
    const void *others;      /* their sum, a row */
    const hsd_column *other_columns;
    const char *others_name; /* for people; NULL: "1,204 other types" */
    /* for people: a row behind the others that is always there, and its name where that is text of ours */
    const void *aside;
    const char *aside_name;
    /* for people: how deep a row stands below the last one that is higher; NULL: all are rows by themselves */
    size_t (*depth)(const hsd_scope *scope);
    /* HTML: true where a row is named by words with names in them, of which more is shown than of a name */
    bool (*is_said)(const hsd_scope *scope);
    const void *total;   /* what all rows add up to, a row; NULL: they do not */
    bool is_total_first; /* Markdown: the total leads, so it and the others may be left out as rows are */
    enum {
        HSD_OTHERS_NONE,
        HSD_OTHERS_BESIDE,
        HSD_OTHERS_TOGETHER,
        HSD_OTHERS_ALWAYS
    } others_in; /* a document: "other_sites" behind the
                  * table, or in "others" at the end; ALWAYS: there also where nothing was left out */
};

/* What stands below each row of a table, as records of its own: the findings of a rule. A document has it in the row,
 * as a list. */
typedef struct hsd_below {
    const char *record;
    const hsd_column *list;    /* a LIST of the row */
    const char *names, *plain; /* as of a part */
} hsd_below;

typedef enum hsd_part_kind {
    HSD_PART_FACTS, /* members of the document itself */
    HSD_PART_RECORD,
    HSD_PART_TEXTS,
    HSD_PART_TABLE,
    HSD_PART_SAID,     /* for programs: the sentences that people read first, on one line */
    HSD_PART_ANSWER,   /* for people: what is said first, */
    HSD_PART_RELATION, /* of what it is said, */
    HSD_PART_SENTENCE, /* and other paragraphs */
    HSD_PART_LINES     /* lines that `tell` lays out by itself */
} hsd_part_kind;

/*
 * JSON, records and CSV have all columns that are theirs, in their order. --plain has an order of its own, so a part
 * names its fields: KEY of a column, or KEY_bytes and KEY_objects of an amount. A key is that of the first column which
 * is for all formats, CSV or --plain.
 */
typedef enum hsd_fit {
    HSD_FIT_NAMES,  /* names are cut */
    HSD_FIT_OTHERS, /* and "1,204 other types" loses a word */
    HSD_FIT_STACKED /* that, and then names stand above their rows */
} hsd_fit;

typedef struct hsd_part {
    hsd_part_kind kind;
    unsigned in;
    const char *member;     /* of a document; of a page, the section that a table stands in */
    const char *record;     /* of records, and what the first field of CSV and of --plain says */
    const char *title;      /* for people: what the table is of */
    const char *one, *many; /* what people call a row */
    /* gauges: "heap_root", with which names begin that end in the keys of columns; NULL: of the schema and `one`. Then
     * the title of a column says what is gauged, and `gauges_of` of what: ", by type" */
    const char *gauges, *gauges_of;
    /* of SAID, ANSWER … SENTENCE: foreign text; "" = nothing to say */
    hsd_status (*say)(hsd_buffer *text, const hsd_model *model, hsd_error *err);
    /* instead of `say`: words whose foreign pieces are escaped in `form` already */
    void (*tell)(hsd_out *out, const hsd_model *model, hsd_escape_form form);
    bool
        is_close; /* of a SENTENCE: right below the one before, where there is one; LINES bring their own blank lines */
    bool has_ids; /* another column tells rows apart: names that are cut may look alike */
    bool is_loose;    /* text: blanks between columns are more, and names in logs less wide */
    bool is_shared;   /* text: the first two columns share their room */
    bool is_set_off;  /* text: a blank line stands behind it in any case */
    bool is_list;     /* Markdown: a TABLE of one column, TOLD, whose rows are entries of a list */
    hsd_fit fit;      /* text: what is done where a terminal is too narrow */
    const char *mark; /* of TEXTS in Markdown: before each */
    const char *lead; /* of TEXTS in text, before each; NULL: "! " */
    /* --plain: the records that the heading names; NULL: the heading is that of the part before */
    const char *names;
    /* --plain: the keys of the fields, "name before_bytes after_bytes"; a key without a column is a field that is empty
     */
    const char *plain;
    const char *others_record; /* --plain: "others-type" */
    /* CSV: the heading of the first field, which says what a record is; NULL: there is no such field */
    const char *first;
    const hsd_column *columns;
    const void *row;  /* of FACTS and RECORD */
    bool is_one_line; /* FACTS of a document */
    bool is_hanging;  /* a RECORD of a document: each member but the first on a line of its own */
    const hsd_text *texts;
    size_t text_count;
    hsd_sheet sheet;
    hsd_below below[2]; /* the second one, or both, may be none */
} hsd_part;

#define HSD_PARTS_MOST 40u

struct hsd_model {
    const char *schema;
    const void *result;
    const hsd_report_options *options;
    unsigned format;        /* the one that it was made for: parts of others are not here */
    const char *others_key; /* records of others: what they are of */
    bool has_folded;        /* text: rows that did change are not shown */
    bool others_below;      /* a document: "others" is always there, each member on its line */
    hsd_part parts[HSD_PARTS_MOST];
    size_t part_count;
    void (*release)(hsd_model *model); /* lets go what rows hold; safe after a failure halfway */
};

/* What one family of gauges has at most: each combination of labels is a series in somebody's store. */
#define HSD_GAUGES_MOST 500u

/* Of a diff: what prints as ~, as --noise says or as is usual. */
uint64_t hsd_model_noise(const hsd_model *model);
/* The same of a diff that is a part of the result. */
uint64_t hsd_model_noise_of(const hsd_model *model, const hsd_diff *diff);

/* Rows of each table at most, 0 of the tree = none; the rest of a table is summed up. */
typedef struct hsd_most {
    size_t types, roots, holders;
    size_t sites; /* of a diff: where things were allocated, what is lost, what is not collected */
    size_t tree;  /* of a diff: the heaviest places, never one without the place above it */
    size_t sizes; /* of a diff: types with their sizes */
    size_t ages;  /* of a series: types of cohorts */
} hsd_most;

/* As --top and --tree say, and where they do not, as many as the format usually has. */
hsd_most hsd_most_of(const hsd_report_options *options, unsigned format);

/* Rows of one table for people: as many as --top says, and where it says nothing, as is usual. A page never has more
 * than is usual: its script shows the rest. */
size_t hsd_model_rows(const hsd_model *model, size_t usual);

/* Appends a part if the model's format has it. */
void hsd_model_add(hsd_model *model, hsd_part part);

/* Row i of a table. */
hsd_scope hsd_sheet_row(const hsd_model *model, const hsd_sheet *sheet, size_t i);
hsd_scope hsd_sheet_others(const hsd_model *model, const hsd_sheet *sheet);

#endif
