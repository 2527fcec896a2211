/*
 * SQLite as this folder uses it. A database that is built: no journal, no syncs, pages of one size, one transaction, so
 * that rows which come in the order of their keys are written once. The same statements give the same bytes with one
 * version of SQLite.
 */
#include "export/sqlite/database.h"

#include <stdio.h>

#include "base/check.h"
#include "export/sqlite/engine.h"
#include "export/sqlite/rows.h"

/* of SQLite's machine, between two looks at whether to go on: some tenths of a millisecond */
#define OPS_PER_TURN   20000
#define MOST_TEXT      (64 << 20)
#define MOST_STATEMENT (1 << 20)

/* ---- failing */

static hsd_status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM: return HSD_E_NOMEM;
    case SQLITE_INTERRUPT: return HSD_E_CANCELLED;
    case SQLITE_CORRUPT: return HSD_E_CORRUPT;
    case SQLITE_NOTADB: return HSD_E_NOT_THIS_FORMAT;
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY: return HSD_E_IO;
    default: return HSD_E_UNSUPPORTED;
    }
}

hsd_status hsd_database_fail(hsd_database *database, hsd_error *err)
{
    const hsd_error *fault = database->files != NULL ? hsd_files_fault(database->files) : NULL;
    if (database->is_cancelled) return hsd_fail(err, HSD_E_CANCELLED, "cancelled");
    if (fault == NULL)
        return hsd_fail(err, status_of(sqlite3_errcode(database->db)), "%.400s", sqlite3_errmsg(database->db));
    if (err != NULL) *err = *fault;
    return fault->status;
}

/* ---- opening */

static int take_turn(void *context)
{
    hsd_database *database = context;
    if (database->is_cancelled) return 1;
    if (database->sink.is_told_by_others) return 0;
    if (hsd_progress(database->sink.reporter, database->stage != NULL ? database->stage : "querying", 0, 0, NULL) ==
        HSD_OK)
        return 0;
    database->is_cancelled = true;
    return 1;
}

static void set_limits(struct sqlite3 *db, bool is_read_only)
{
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, MOST_STATEMENT);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0); /* spilled sorts would differ in how they are cut */
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (is_read_only) sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static hsd_status configure(hsd_database *database, const hsd_database_options *options, hsd_error *err)
{
    char text[400];
    const uint64_t kib = hsd_min_u64(hsd_max_u64(options->memory_bytes / 1024, 512), 1 << 20);
    snprintf(text, sizeof text,
             "PRAGMA cache_size=-%llu; PRAGMA temp_store=FILE; PRAGMA mmap_size=0; PRAGMA cell_size_check=%d; PRAGMA "
             "threads=0;",
             (unsigned long long)kib, options->is_read_only);
    HSD_TRY(hsd_database_exec(database, NULL, text, err));
    if (options->is_read_only) return HSD_OK;
    return hsd_database_exec(
        database, NULL,
        "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=OFF;"
        "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA secure_delete=OFF; PRAGMA foreign_keys=OFF;",
        err);
}

hsd_status hsd_database_open(hsd_database *database, const hsd_database_options *options, hsd_error *err)
{
    const int flags = options->is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    *database = (hsd_database){.sink = {.kind = &hsd_sqlite_rows, .reporter = options->reporter}};
    HSD_TRY(hsd_files_new(&database->files, options->fd, options->is_read_only, options->space, err));
    hsd_status status = HSD_OK;
    if (sqlite3_open_v2("capture", &database->db, flags | SQLITE_OPEN_NOMUTEX, hsd_files_name(database->files)) !=
        SQLITE_OK)
        status = hsd_database_fail(database, err);
    if (status == HSD_OK) {
        set_limits(database->db, options->is_read_only);
        sqlite3_progress_handler(database->db, OPS_PER_TURN, take_turn, database);
        status = configure(database, options, err);
    }
    if (status != HSD_OK) hsd_database_close(database);
    return status;
}

void hsd_database_close(hsd_database *database)
{
    if (database->db != NULL) sqlite3_close(database->db);
    hsd_files_free(database->files);
    *database = (hsd_database){0};
}

hsd_status hsd_database_exec(hsd_database *database, const char *stage, const char *sql, hsd_error *err)
{
    database->stage = stage;
    const int code = sqlite3_exec(database->db, sql, NULL, NULL, NULL);
    database->stage = NULL;
    return code == SQLITE_OK ? HSD_OK : hsd_database_fail(database, err);
}
