/*
 * The guard of statements, and compiling under it.
 */
#include "export/sqlite/guard.h"

#include <stdio.h>
#include <string.h>

#include "export/sqlite/engine.h"

/* ---- what may be done */

static bool is_one_of_sql_statements(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (sqlite3_stricmp(word, *words) == 0) return true;
    return false;
}

/* Pragmas that tell of the schema, with what they take as argument; table_info also comes as a function. */
static bool may_ask(const char *pragma, const char *argument)
{
    static const char *const told[] = {"table_info", "table_xinfo", "table_list", "index_list",
                                       "index_info", "index_xinfo", NULL};
    static const char *const asked[] = {"user_version", "application_id", "integrity_check", "quick_check", "page_size",
                                        "page_count",   "encoding",       "compile_options", NULL};
    return is_one_of_sql_statements(pragma, told) || (argument == NULL && is_one_of_sql_statements(pragma, asked));
}

static bool may_call(const char *function)
{
    static const char *const never[] = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", NULL};
    return function != NULL && !is_one_of_sql_statements(function, never);
}

static bool is_schema(const char *table)
{
    static const char *const names[] = {"sqlite_master", "sqlite_temp_master", NULL};
    return is_one_of_sql_statements(table, names);
}

static const char *word_of(int action)
{
    switch (action) {
    case SQLITE_INSERT: return "it inserts rows";
    case SQLITE_UPDATE: return "it updates rows";
    case SQLITE_DELETE: return "it deletes rows";
    case SQLITE_ATTACH:
    case SQLITE_DETACH: return "it attaches another database";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return "it begins or ends a transaction";
    case SQLITE_PRAGMA: return "this pragma";
    case SQLITE_FUNCTION: return "this function";
    default: return "it changes the database";
    }
}

static int decide(void *context, int action, const char *first, const char *second, const char *database,
                  const char *within)
{
    hsd_guard *guard = context;
    (void)database, (void)within;
    bool is_fine = false;
    if (action == SQLITE_READ) hsd_wanted_add(&guard->wanted, first, second != NULL ? second : "");
    if (action == SQLITE_READ || action == SQLITE_SELECT || action == SQLITE_RECURSIVE) is_fine = true;
    /* asked for table-valued functions; SQLite itself lets nobody write there */
    if (action == SQLITE_UPDATE) is_fine = is_schema(first);
    if (action == SQLITE_FUNCTION) is_fine = may_call(second);
    if (action == SQLITE_PRAGMA) is_fine = may_ask(first, second);
    if (is_fine) return SQLITE_OK;
    const char *name = action == SQLITE_PRAGMA ? first : action == SQLITE_FUNCTION ? second : NULL;
    if (guard->refused[0] == '\0')
        snprintf(guard->refused, sizeof guard->refused, "%s%s%.80s", word_of(action), name != NULL ? ": " : "",
                 name != NULL ? name : "");
    return SQLITE_DENY;
}

/* ---- compiling */

/* Where in the statement the last error is; HSD_NO_OFFSET where that is not known. */
static uint64_t error_offset(hsd_database *database)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    const int at = sqlite3_error_offset(database->db);
    if (at >= 0) return (uint64_t)at;
#endif
    (void)database;
    return HSD_NO_OFFSET;
}

static hsd_status refuse_sql_statement(hsd_error *err, const char *why)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "the statement does more than read: %s", why);
    hsd_error_set_hint(err, "one SELECT (or WITH … SELECT, VALUES, EXPLAIN) is what can be asked");
    return HSD_E_UNSUPPORTED;
}

static hsd_status fail_sql_statement(const hsd_guard *guard, hsd_database *database, hsd_error *err)
{
    const uint64_t at = error_offset(database);
    if (guard->refused[0] != '\0') return refuse_sql_statement(err, guard->refused);
    if (database->is_cancelled || sqlite3_errcode(database->db) != SQLITE_ERROR)
        return hsd_database_fail(database, err);
    const char *message = sqlite3_errmsg(database->db);
    hsd_fail_at(err, HSD_E_UNSUPPORTED, at, "%.400s", message);
    if (strncmp(message, "no such table", 13) == 0)
        hsd_error_set_hint(
            err, "\"select name from sqlite_schema\" lists what is there; tables of growth need two captures");
    else if (strncmp(message, "no such column", 14) == 0)
        hsd_error_set_hint(err,
                           "\"select sql from sqlite_schema\" lists the columns of every table and what they mean");
    return HSD_E_UNSUPPORTED;
}

/* Whether nothing but spaces and comments is left. */
static bool is_end(hsd_database *database, const char *text, size_t size)
{
    struct sqlite3_stmt *next = NULL;
    while (size > 0) {
        const char *tail;
        const int code = sqlite3_prepare_v2(database->db, text, (int)size, &next, &tail);
        sqlite3_finalize(next);
        if (code != SQLITE_OK || next != NULL) return false;
        if (tail <= text) break;
        size -= (size_t)(tail - text);
        text = tail;
    }
    return true;
}

static hsd_status check_sql_statement(hsd_database *database, struct sqlite3_stmt *statement, const char *tail,
                                      size_t left, hsd_error *err)
{
    if (statement == NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no statement");
        hsd_error_set_hint(err, "\"select name from sqlite_schema\" lists the tables");
        return HSD_E_UNSUPPORTED;
    }
    if (!sqlite3_stmt_readonly(statement)) return refuse_sql_statement(err, "it writes");
    if (is_end(database, tail, left)) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is more than one statement");
    hsd_error_set_hint(err, "ask one after the other; export the capture once with --to sqlite when there are many");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_guard_prepare(hsd_guard *guard, hsd_database *database, const char *text, size_t size,
                             struct sqlite3_stmt **out, hsd_error *err)
{
    const char *tail = text;
    *guard = (hsd_guard){.refused = ""};
    *out = NULL;
    if (size > 1 << 20 || memchr(text, '\0', size) != NULL)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the statement is longer than 1 MiB, or holds a NUL");
    sqlite3_set_authorizer(database->db, decide, guard);
    if (sqlite3_prepare_v2(database->db, text, (int)size, out, &tail) != SQLITE_OK)
        return fail_sql_statement(guard, database, err);
    const hsd_status status = check_sql_statement(database, *out, tail, size - (size_t)(tail - text), err);
    if (status == HSD_OK) return HSD_OK;
    sqlite3_finalize(*out);
    *out = NULL;
    return status;
}

void hsd_guard_end(hsd_database *database) { sqlite3_set_authorizer(database->db, NULL, NULL); }
