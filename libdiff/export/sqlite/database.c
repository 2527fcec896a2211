/*
 * SQLite as this folder uses it. A database that is built: no journal, no syncs, pages of one size, one transaction, so that rows which
 * come in the order of their keys are written once. The same statements give the same bytes with one version of SQLite.
 */
#include "export/sqlite/database.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "export/sqlite/engine.h"

#define OPS_PER_TURN   20000 /* of SQLite's machine, between two looks at whether to go on: some tenths of a millisecond */
#define ROWS_PER_TURN  4096u
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
    if (fault == NULL) return hsd_fail(err, status_of(sqlite3_errcode(database->db)), "%.400s", sqlite3_errmsg(database->db));
    if (err != NULL) *err = *fault;
    return fault->status;
}

/* ---- opening */

static int take_turn(void *context)
{
    hsd_database *database = context;
    if (database->is_cancelled) return 1;
    if (database->is_told_by_others) return 0;
    if (hsd_progress(database->reporter, database->stage != NULL ? database->stage : "querying", 0, 0, NULL) == HSD_OK) return 0;
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
             "PRAGMA cache_size=-%llu; PRAGMA temp_store=FILE; PRAGMA mmap_size=0; PRAGMA cell_size_check=%d; PRAGMA threads=0;",
             (unsigned long long)kib, options->is_read_only);
    HSD_TRY(hsd_database_exec(database, NULL, text, err));
    if (options->is_read_only) return HSD_OK;
    return hsd_database_exec(database, NULL,
                             "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=OFF;"
                             "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA secure_delete=OFF; PRAGMA foreign_keys=OFF;",
                             err);
}

hsd_status hsd_database_open(hsd_database *database, const hsd_database_options *options, hsd_error *err)
{
    const int flags = options->is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    *database = (hsd_database){.reporter = options->reporter};
    HSD_TRY(hsd_files_new(&database->files, options->fd, options->is_read_only, options->space, err));
    hsd_status status = HSD_OK;
    if (sqlite3_open_v2("capture", &database->db, flags | SQLITE_OPEN_NOMUTEX, hsd_files_name(database->files)) != SQLITE_OK)
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

/* ---- rows */

static hsd_status prepare(hsd_inserter *in, const char *name, hsd_error *err)
{
    char text[256];
    struct sqlite3_stmt *look;
    snprintf(text, sizeof text, "SELECT * FROM %s", name);
    if (sqlite3_prepare_v2(in->database->db, text, -1, &look, NULL) != SQLITE_OK) return hsd_database_fail(in->database, err);
    const int columns = sqlite3_column_count(look);
    sqlite3_finalize(look);
    size_t used = (size_t)snprintf(text, sizeof text, "INSERT OR IGNORE INTO %s VALUES(?", name);
    for (int i = 1; i < columns; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",?");
    snprintf(text + used, sizeof text - used, ")");
    if (sqlite3_prepare_v3(in->database->db, text, -1, SQLITE_PREPARE_PERSISTENT, &in->statement, NULL) == SQLITE_OK) return HSD_OK;
    return hsd_database_fail(in->database, err);
}

hsd_status hsd_inserter_open(hsd_inserter *in, hsd_database *database, const char *prefix, const char *table, uint64_t expected,
                             hsd_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, table);
    *in = (hsd_inserter){.database = database, .expected = expected, .stage = "filling tables"};
    return prepare(in, name, err);
}

void hsd_inserter_close(hsd_inserter *in)
{
    sqlite3_finalize(in->statement);
    *in = (hsd_inserter){0};
}

static void note(hsd_inserter *in, int code) { in->has_failed |= code != SQLITE_OK; }

void hsd_put_null(hsd_inserter *in) { note(in, sqlite3_bind_null(in->statement, ++in->at)); }
void hsd_put_signed(hsd_inserter *in, int64_t number) { note(in, sqlite3_bind_int64(in->statement, ++in->at, number)); }
void hsd_put_id(hsd_inserter *in, uint64_t id) { hsd_put_signed(in, (int64_t)id); }

void hsd_put_count(hsd_inserter *in, uint64_t count) { hsd_put_signed(in, count > INT64_MAX ? INT64_MAX : (int64_t)count); }

void hsd_put_some(hsd_inserter *in, uint64_t number)
{
    if (number == 0) hsd_put_null(in);
    else hsd_put_count(in, number);
}

void hsd_put_text(hsd_inserter *in, hsd_text text)
{
    const char *data = text.size > 0 ? text.data : "";
    if (hsd_is_text(data, text.size))
        note(in, sqlite3_bind_text64(in->statement, ++in->at, data, text.size, SQLITE_STATIC, SQLITE_UTF8));
    else note(in, sqlite3_bind_blob64(in->statement, ++in->at, data, text.size, SQLITE_STATIC));
}

void hsd_put_text_or_null(hsd_inserter *in, hsd_text text)
{
    if (text.size == 0) hsd_put_null(in);
    else hsd_put_text(in, text);
}

void hsd_put_word(hsd_inserter *in, const char *word)
{
    if (word == NULL) hsd_put_null(in);
    else hsd_put_text(in, (hsd_text){.data = word, .size = strlen(word)});
}

hsd_status hsd_put_row(hsd_inserter *in, hsd_error *err)
{
    hsd_database *database = in->database;
    const bool has_failed = in->has_failed || in->at != sqlite3_bind_parameter_count(in->statement);
    in->at = 0;
    if (has_failed) {
        if (sqlite3_errcode(database->db) != SQLITE_OK) return hsd_database_fail(database, err);
        return hsd_fail(err, HSD_E_MISUSE, "a row with too few columns");
    }
    sqlite3_step(in->statement);
    if (sqlite3_reset(in->statement) != SQLITE_OK) return hsd_database_fail(database, err);
    if (++in->count - in->told < ROWS_PER_TURN) return HSD_OK;
    in->told = in->count;
    if (database->is_told_by_others) return HSD_OK;
    return hsd_progress(database->reporter, in->stage, in->count, in->expected, err);
}

/* ---- what is text */

/* Bytes of the character at `at`, of `left` that are there; 0 if it is none. Shortest forms alone, no surrogates, up to U+10FFFF. */
static size_t character(const uint8_t *at, size_t left)
{
    const uint8_t first = at[0];
    const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (size == 0 || size > left || first == 0) return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && at[1] < 0xa0) return 0;
    if (first == 0xed && at[1] > 0x9f) return 0;
    if (first == 0xf0 && at[1] < 0x90) return 0;
    if (first == 0xf4 && at[1] > 0x8f) return 0;
    return size;
}

bool hsd_is_text(const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const size_t taken = character(at, size);
        if (taken == 0) return false;
        at += taken;
        size -= taken;
    }
    return true;
}
