/*
 * hsdiff/sql.h. Over captures a statement is compiled twice: against empty tables, to see what it reads, and again when
 * these have their rows and the indexes that are of use to it.
 */
#include <hsdiff/sql.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "export/sqlite/engine.h"
#include "export/sqlite/guard.h"
#include "export/tables/fill.h"
#include "io/fd.h"

#define HEADER_BYTES   100u /* of a database: sqlite.org/fileformat.html, 1.3 */
#define VERSION_AT     60u
#define APPLICATION_AT 68u

struct hsd_sql {
    hsd_run run;
    hsd_reporter reporter;
    hsd_temp_space space;
    hsd_database database;
    hsd_filling filling; /* of captures; captures[1] NULL: a database that is there */
    hsd_wanted done;
    hsd_guard guard;
    sqlite3_stmt *statement;
    bool is_spoilt;   /* tables could not be made: what is in them is half of it */
    const char *name; /* of a database that is there; else NULL */
};

static hsd_status new_sql(hsd_sql **out, const hsd_run *run, hsd_error *err)
{
    hsd_sql *sql = calloc(1, sizeof *sql);
    *out = NULL;
    if (sql == NULL) return hsd_fail_nomem(err, "a query");
    if (run != NULL) sql->run = *run;
    if (sql->run.memory_bytes == 0) sql->run.memory_bytes = hsd_run_default_memory();
    hsd_reporter_init(&sql->reporter, &sql->run);
    hsd_temp_space_of(&sql->space, &sql->run);
    *out = sql;
    return HSD_OK;
}

void hsd_sql_close(hsd_sql *sql)
{
    if (sql == NULL) return;
    sqlite3_finalize(sql->statement);
    hsd_filling_release(&sql->filling);
    hsd_database_close(&sql->database);
    hsd_reporter_release(&sql->reporter);
    free(sql);
}

static hsd_status give_sqlite_query(hsd_sql **out, hsd_sql *sql, hsd_status status)
{
    if (status != HSD_OK) {
        hsd_sql_close(sql);
        sql = NULL;
    }
    *out = sql;
    return status;
}

/* ---- captures */

static hsd_status open_captures(hsd_sql *sql, hsd_error *err)
{
    const hsd_database_options options = {
        .fd = -1, .memory_bytes = sql->run.memory_bytes / 8, .space = &sql->space, .reporter = &sql->reporter};
    HSD_TRY(hsd_database_open(&sql->database, &options, err));
    HSD_TRY(hsd_schema_make(&sql->database, hsd_filling_is_pair(&sql->filling), err));
    return hsd_filling_init(&sql->filling, err);
}

hsd_status hsd_sql_open(hsd_sql **out, hsd_capture *before, hsd_capture *after, const hsd_sql_options *options,
                        const hsd_run *run, hsd_error *err)
{
    hsd_sql *sql;
    hsd_sql_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_sql_options, partial, &own, options, err));
    HSD_TRY(new_sql(&sql, run, err));
    sql->filling = (hsd_filling){.sink = &sql->database.sink,
                                 .captures = {before, after},
                                 .run = &sql->run,
                                 .reporter = &sql->reporter,
                                 .space = &sql->space,
                                 .memory_bytes = hsd_filling_memory(sql->run.memory_bytes),
                                 .partial = own.partial,
                                 .with_values = true};
    return give_sqlite_query(out, sql, open_captures(sql, err));
}

/* ---- a database that is there */

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

bool hsd_sql_probe(const void *prefix, size_t size)
{
    static const char magic[16] = "SQLite format 3";
    return size >= HEADER_BYTES && memcmp(prefix, magic, sizeof magic) == 0 &&
           read_u32((const uint8_t *)prefix + APPLICATION_AT) == HSD_SCHEMA_APPLICATION;
}

static hsd_status check_header(int fd, hsd_error *err)
{
    uint8_t header[HEADER_BYTES];
    size_t size = 0, got = 1;
    while (size < sizeof header && got > 0) {
        const int error = hsd_fd_read(fd, header + size, sizeof header - size, (off_t)size, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot be read");
        size += got;
    }
    if (!hsd_sql_probe(header, size)) return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no database that hsdiff made");
    const uint32_t version = read_u32(header + VERSION_AT);
    if (version <= HSD_SCHEMA_VERSION) return HSD_OK;
    hsd_fail(err, HSD_E_TOO_NEW, "has tables of version %u; this hsdiff knows version %d", version, HSD_SCHEMA_VERSION);
    hsd_error_set_hint(err, "use a newer hsdiff, or ask it with sqlite3");
    return HSD_E_TOO_NEW;
}

static hsd_status open_there(hsd_sql *sql, int fd, hsd_error *err)
{
    const hsd_database_options options = {.fd = fd,
                                          .is_read_only = true,
                                          .memory_bytes = sql->run.memory_bytes / 4,
                                          .space = &sql->space,
                                          .reporter = &sql->reporter};
    HSD_TRY(check_header(fd, err));
    return hsd_database_open(&sql->database, &options, err);
}

hsd_status hsd_sql_open_file(hsd_sql **out, int fd, const char *name, const hsd_run *run, hsd_error *err)
{
    hsd_sql *sql;
    HSD_TRY(new_sql(&sql, run, err));
    sql->name = name;
    const hsd_status status = open_there(sql, fd, err);
    if (status != HSD_OK) hsd_error_set_file(err, name);
    return give_sqlite_query(out, sql, status);
}

/* ---- statements */

/* Whoever asks how a statement would be answered needs the indexes, and no rows. */
static hsd_status make_tables(hsd_sql *sql, bool is_explained, hsd_error *err)
{
    const hsd_wanted wanted = sql->guard.wanted;
    hsd_wanted missing = wanted;
    hsd_guard_end(&sql->database);
    for (unsigned side = 0; side < 2; side++) {
        missing.indexes[side] &= ~sql->done.indexes[side];
        sql->done.indexes[side] |= missing.indexes[side];
    }
    if (!is_explained) HSD_TRY(hsd_fill(&sql->filling, &wanted, &sql->done, err));
    return hsd_schema_index(&sql->database, &missing, err);
}

static hsd_status prepare_sqlite_query(hsd_sql *sql, const char *text, size_t size, hsd_error *err)
{
    HSD_TRY(hsd_guard_prepare(&sql->guard, &sql->database, text, size, &sql->statement, err));
    if (sql->filling.captures[1] == NULL) return HSD_OK;
    const bool is_explained = sqlite3_stmt_isexplain(sql->statement) != 0;
    sqlite3_finalize(sql->statement);
    sql->statement = NULL;
    const hsd_status status = make_tables(sql, is_explained, err);
    sql->is_spoilt = status != HSD_OK;
    if (status != HSD_OK) return status;
    return hsd_guard_prepare(&sql->guard, &sql->database, text, size, &sql->statement, err);
}

hsd_status hsd_sql_prepare(hsd_sql *sql, const char *text, size_t size, hsd_error *err)
{
    sqlite3_finalize(sql->statement);
    sql->statement = NULL;
    if (sql->is_spoilt) return hsd_fail(err, HSD_E_MISUSE, "a statement after one whose tables could not be made");
    const hsd_status status = prepare_sqlite_query(sql, text, size, err);
    if (status == HSD_E_CORRUPT || status == HSD_E_NOT_THIS_FORMAT) hsd_error_set_file(err, sql->name);
    return status;
}

unsigned hsd_sql_column_count(const hsd_sql *sql)
{
    return sql->statement != NULL ? (unsigned)sqlite3_column_count(sql->statement) : 0;
}

const char *hsd_sql_column_name(const hsd_sql *sql, unsigned column)
{
    const char *name = sql->statement != NULL ? sqlite3_column_name(sql->statement, (int)column) : NULL;
    return name != NULL ? name : "";
}

hsd_status hsd_sql_next(hsd_sql *sql, hsd_error *err)
{
    if (sql->statement == NULL) return hsd_fail(err, HSD_E_MISUSE, "the next row of no statement");
    const int code = sqlite3_step(sql->statement);
    if (code == SQLITE_ROW) return HSD_OK;
    if (code == SQLITE_DONE) return HSD_END;
    const hsd_status status = hsd_database_fail(&sql->database, err);
    if (status == HSD_E_CORRUPT) hsd_error_set_file(err, sql->name);
    return status;
}

hsd_sql_value hsd_sql_get(hsd_sql *sql, unsigned column)
{
    static const hsd_sql_kind kinds[] = {[SQLITE_INTEGER] = HSD_SQL_INTEGER,
                                         [SQLITE_FLOAT] = HSD_SQL_REAL,
                                         [SQLITE_TEXT] = HSD_SQL_TEXT,
                                         [SQLITE_BLOB] = HSD_SQL_BYTES,
                                         [SQLITE_NULL] = HSD_SQL_NULL};
    hsd_sql_value value = {.kind = HSD_SQL_NULL, .text = {.data = ""}};
    if (column >= hsd_sql_column_count(sql)) return value;
    const int at = (int)column;
    value.kind = kinds[sqlite3_column_type(sql->statement, at)];
    if (value.kind == HSD_SQL_NULL) return value;
    if (value.kind == HSD_SQL_INTEGER) value.integer = sqlite3_column_int64(sql->statement, at);
    const void *data =
        value.kind == HSD_SQL_BYTES ? sqlite3_column_blob(sql->statement, at) : sqlite3_column_text(sql->statement, at);
    value.text = (hsd_text){.data = data != NULL ? data : "",
                            .size = data != NULL ? (size_t)sqlite3_column_bytes(sql->statement, at) : 0};
    return value;
}
