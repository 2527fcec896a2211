/*
 * One connection to one database: opening it, statements without rows, failing. Rows go into tables through
 * its sink (rows.h).
 */
#ifndef HSD_EXPORT_SQLITE_DATABASE_H
#define HSD_EXPORT_SQLITE_DATABASE_H

#include "base/note.h"
#include "export/sqlite/files.h"
#include "export/tables/sink.h"

struct sqlite3;

typedef struct hsd_database {
    hsd_sink sink; /* for rows; first: rows.c finds the database by it */
    struct sqlite3 *db;
    hsd_files *files;
    const char *stage; /* what is told while a statement runs; NULL = nothing, but it can be cancelled */
    bool is_cancelled;
} hsd_database; /* zeroed: not open */

typedef struct hsd_database_options {
    int fd; /* of the file, borrowed until close; -1 = a temporary one */
    bool is_read_only;
    uint64_t memory_bytes; /* for pages and sorts */
    hsd_temp_space *space; /* borrowed until close */
    hsd_reporter *reporter;
} hsd_database_options;

/*
 * Nothing of what can go wrong is undone: a database that failed is thrown away. One that is read only is not trusted:
 * its views and its pages may say what they like. HSD_E_NOT_THIS_FORMAT when it is no database.
 */
hsd_status hsd_database_open(hsd_database *database, const hsd_database_options *options, hsd_error *err);
void hsd_database_close(hsd_database *database); /* a zeroed one is accepted */

/* Runs statements that give no rows. `stage` as above. HSD_E_CANCELLED, HSD_E_IO, HSD_E_NOMEM, HSD_E_CORRUPT. */
hsd_status hsd_database_exec(hsd_database *database, const char *stage, const char *sql, hsd_error *err);

/* What the last call of SQLite failed with. */
hsd_status hsd_database_fail(hsd_database *database, hsd_error *err);

#endif
