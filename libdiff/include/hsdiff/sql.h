/*
 * Questions to a heap in SQL: captures as tables (doc/sql.md), one statement at a time, rows as they come. The tables
 * that a statement reads are made when it is prepared, in an unnamed temporary database, and no others; so what asks
 * for types alone is answered at once, however many objects there are. A database that hsdiff export --to sqlite wrote
 * is read as it is.
 *
 * Statements only read: whatever they hold, they change nothing, open no file and load no code.
 */
#ifndef HSDIFF_SQL_H
#define HSDIFF_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_sql hsd_sql;

typedef struct hsd_sql_options {
    bool partial; /* the captures were opened with HSD_DAMAGE_SKIP */
} hsd_sql_options;

/*
 * Over one capture, or a pair (`before` not NULL), which outlive it. `run` is borrowed until close; `options` and `run`
 * may be NULL. HSD_E_UNSUPPORTED in a build without SQLite.
 */
HSD_API hsd_status hsd_sql_open(hsd_sql **out, hsd_capture *before, hsd_capture *after, const hsd_sql_options *options,
                                const hsd_run *run, hsd_error *err);

/* True if the first bytes of a file (100 or more) are those of a database that hsdiff made. */
HSD_API bool hsd_sql_probe(const void *prefix, size_t size);

/* Over such a database; `fd` is borrowed until close, `name` for messages. HSD_E_NOT_THIS_FORMAT, HSD_E_TOO_NEW,
 * HSD_E_CORRUPT. */
HSD_API hsd_status hsd_sql_open_file(hsd_sql **out, int fd, const char *name, const hsd_run *run, hsd_error *err);

/*
 * Prepares one statement, in place of the one before, and makes the tables that it reads. HSD_E_UNSUPPORTED: it is no
 * SQL, names what is not there, does more than read, or is not one statement; the text says which, and
 * err->offset_bytes where in the statement, if that is known. Else as reading captures and running a diff fails;
 * nothing more can be asked then. `text` need not end with a NUL.
 */
HSD_API hsd_status hsd_sql_prepare(hsd_sql *sql, const char *text, size_t size, hsd_error *err);

/* Columns of the statement, and their names (borrowed until the next prepare). */
HSD_API unsigned hsd_sql_column_count(const hsd_sql *sql);
/* The name of a column, which counts from 0; borrowed until the next prepare. */
HSD_API const char *hsd_sql_column_name(const hsd_sql *sql, unsigned column);

/* The next row. HSD_END behind the last; HSD_E_CANCELLED when the callback of the run said so. */
HSD_API hsd_status hsd_sql_next(hsd_sql *sql, hsd_error *err);

typedef enum hsd_sql_kind { HSD_SQL_NULL, HSD_SQL_INTEGER, HSD_SQL_REAL, HSD_SQL_TEXT, HSD_SQL_BYTES } hsd_sql_kind;

typedef struct hsd_sql_value {
    hsd_sql_kind kind;
    int64_t integer; /* of INTEGER */
    hsd_text text;   /* of all but NULL: the number, the text or the bytes; the same in every locale */
} hsd_sql_value;

/* A value of the row; borrowed until next, and until the same column is asked for again. */
HSD_API hsd_sql_value hsd_sql_get(hsd_sql *sql, unsigned column);

/* NULL is accepted. */
HSD_API void hsd_sql_close(hsd_sql *sql);

#ifdef __cplusplus
}
#endif
#endif
