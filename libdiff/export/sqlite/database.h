/*
 * One connection to one database, and rows that go into its tables: all that the exporter and the queries need of SQLite to write.
 * Reading is query.c's.
 */
#ifndef HSD_EXPORT_SQLITE_DATABASE_H
#define HSD_EXPORT_SQLITE_DATABASE_H

#include <hsdiff/capture.h>

#include "base/note.h"
#include "export/sqlite/files.h"

struct sqlite3;
struct sqlite3_stmt;

typedef struct hsd_database {
    struct sqlite3 *db;
    hsd_files *files;
    hsd_reporter *reporter; /* borrowed; may be NULL */
    const char *stage;      /* what is told while a statement runs; NULL = nothing, but it can be cancelled */
    bool is_told_by_others; /* another operation tells of progress, and rows come from its callbacks */
    bool is_cancelled;
} hsd_database; /* zeroed: not open */

typedef struct hsd_database_options {
    int fd;                /* of the file, borrowed until close; -1 = a temporary one */
    bool is_read_only;
    uint64_t memory_bytes; /* for pages and sorts */
    hsd_temp_space *space; /* borrowed until close */
    hsd_reporter *reporter;
} hsd_database_options;

/*
 * Nothing of what can go wrong is undone: a database that failed is thrown away. One that is read only is not trusted: its views and its
 * pages may say what they like. HSD_E_NOT_THIS_FORMAT when it is no database.
 */
hsd_status hsd_database_open(hsd_database *database, const hsd_database_options *options, hsd_error *err);
void hsd_database_close(hsd_database *database); /* a zeroed one is accepted */

/* Runs statements that give no rows. `stage` as above. HSD_E_CANCELLED, HSD_E_IO, HSD_E_NOMEM, HSD_E_CORRUPT. */
hsd_status hsd_database_exec(hsd_database *database, const char *stage, const char *sql, hsd_error *err);

/* What the last call of SQLite failed with. */
hsd_status hsd_database_fail(hsd_database *database, hsd_error *err);

/* ---- rows of a table: all columns in their order, then put */

typedef struct hsd_inserter {
    hsd_database *database;
    struct sqlite3_stmt *statement;
    int at;                  /* columns that have their value */
    bool has_failed;         /* a column could not be bound: put says so */
    uint64_t count, told;    /* rows; when progress was told */
    uint64_t expected;       /* 0 = not known */
    const char *stage;
} hsd_inserter; /* zeroed: not open */

/* `prefix` and `table` make the name ("before_", "objects"). A row whose key is there already is left out. */
hsd_status hsd_inserter_open(hsd_inserter *in, hsd_database *database, const char *prefix, const char *table, uint64_t expected,
                             hsd_error *err);
void hsd_inserter_close(hsd_inserter *in);

void hsd_put_null(hsd_inserter *in);
void hsd_put_id(hsd_inserter *in, uint64_t id);         /* the same 64 bits: ids from 2^63 on are negative numbers */
void hsd_put_count(hsd_inserter *in, uint64_t count);   /* at most 2^63 - 1 */
void hsd_put_signed(hsd_inserter *in, int64_t number);
void hsd_put_some(hsd_inserter *in, uint64_t number);   /* NULL for 0, else as a count */
void hsd_put_text(hsd_inserter *in, hsd_text text);     /* a BLOB if it is no UTF-8 or holds a NUL. Borrowed until put */
void hsd_put_text_or_null(hsd_inserter *in, hsd_text text); /* NULL for "" */
void hsd_put_word(hsd_inserter *in, const char *word);  /* NULL for NULL. Borrowed until put */

/* Ends the row, and tells of progress. */
hsd_status hsd_put_row(hsd_inserter *in, hsd_error *err);

/* True if these bytes can be a TEXT that every reader takes: UTF-8 without a NUL. */
bool hsd_is_text(const void *data, size_t size);

#endif
