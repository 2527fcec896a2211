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
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    bool partial;        /* the captures were opened with HSD_DAMAGE_SKIP */
} hsd_sql_options;

/*
 * Opens one capture, or a pair, for questions. Makes no table yet.
 *
 *   out      closed by the caller with hsd_sql_close; NULL on failure
 *   before   NULL = one capture. Both must stay open until close
 *   options  NULL = defaults
 *   run      borrowed until close; NULL = defaults
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED in a build without SQLite; HSD_E_IO when there is no temporary file to be had;
 * HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_sql_open(hsd_sql **out, hsd_capture *before, hsd_capture *after, const hsd_sql_options *options,
                                const hsd_run *run, hsd_error *err);

/* True if the first bytes of a file are those of a database that hsdiff made. Needs 100 bytes of it. */
HSD_API bool hsd_sql_probe(const void *prefix, size_t size);

/*
 * Opens such a database for questions.
 *
 *   out   closed by the caller with hsd_sql_close; NULL on failure
 *   fd    borrowed until close, which leaves it open
 *   name  what errors call it
 *   run   borrowed until close; NULL = defaults
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_THIS_FORMAT: it is no database that hsdiff made.
 *   HSD_E_TOO_NEW: its tables are of a version that this build does not know.
 *   HSD_E_CORRUPT: SQLite finds it damaged.
 *   HSD_E_IO: it cannot be read.
 *   HSD_E_UNSUPPORTED: a build without SQLite.
 *   HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_sql_open_file(hsd_sql **out, int fd, const char *name, const hsd_run *run, hsd_error *err);

/*
 * Prepares one statement, in place of the one before, and makes the tables that it reads.
 *
 *   text  `size` bytes; it need not end with a NUL. Borrowed for the call
 *
 * Returns HSD_OK, or
 *   HSD_E_UNSUPPORTED: it is no SQL, names what is not there, does more than read, or is not one statement. The text
 *     says which, and err->offset_bytes where in the statement, if that is known. Another statement may follow.
 *   HSD_E_MISUSE: a call behind one whose tables could not be made: nothing more can be asked then.
 *   as reading captures and hsd_diff_run fail, while tables are made.
 *
 * Cost: a pass over the capture for tables of objects and references; types alone are there at once.
 */
HSD_API hsd_status hsd_sql_prepare(hsd_sql *sql, const char *text, size_t size, hsd_error *err);

/* How many columns the rows of the statement have; 0 without a statement. */
HSD_API unsigned hsd_sql_column_count(const hsd_sql *sql);

/* The name of a column, which counts from 0; "" past the last. Borrowed until the next prepare. */
HSD_API const char *hsd_sql_column_name(const hsd_sql *sql, unsigned column);

/*
 * Goes to the next row. Returns HSD_OK; HSD_END behind the last row; HSD_E_CANCELLED when the progress of the run said
 * so; HSD_E_MISUSE without a statement; HSD_E_UNSUPPORTED, HSD_E_CORRUPT, HSD_E_IO or HSD_E_NOMEM as SQLite says.
 */
HSD_API hsd_status hsd_sql_next(hsd_sql *sql, hsd_error *err);

typedef enum hsd_sql_kind { HSD_SQL_NULL, HSD_SQL_INTEGER, HSD_SQL_REAL, HSD_SQL_TEXT, HSD_SQL_BYTES } hsd_sql_kind;

typedef struct hsd_sql_value {
    hsd_sql_kind kind;
    int64_t integer; /* of INTEGER */
    hsd_text text;   /* of all but NULL: the number, the text or the bytes; the same in every locale */
} hsd_sql_value;

/*
 * A value of the row, of a column that counts from 0; past the last it is NULL. Borrowed until hsd_sql_next, and until
 * the same column is asked for again.
 */
HSD_API hsd_sql_value hsd_sql_get(hsd_sql *sql, unsigned column);

/* Closes the question with its tables and temporary files. The captures stay open. NULL is accepted. */
HSD_API void hsd_sql_close(hsd_sql *sql);

#ifdef __cplusplus
}
#endif
#endif
