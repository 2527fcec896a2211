/*
 * Rows into tables, some with one statement. A statement costs as much as a row or two to begin and to end, and loses
 * its place at the end of the table; with 32 rows each, references take half of the instructions (3,100 a row and not
 * 6,100), objects two thirds.
 */
#include "export/sqlite/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "export/sqlite/database.h"
#include "export/sqlite/engine.h"

/* A table that rows are put into. */
typedef struct sqlite_rows {
    hsd_database *database;
    struct sqlite3_stmt *many; /* of HSD_ROWS_HELD rows; NULL until there are so many */
    char name[64];
    unsigned columns;
} sqlite_rows;

/* The sink is its first member. */
static hsd_database *database_of(hsd_sink *sink) { return (hsd_database *)(void *)sink; }

static hsd_status count_columns(sqlite_rows *r, hsd_error *err)
{
    char text[128];
    struct sqlite3_stmt *look;
    snprintf(text, sizeof text, "SELECT * FROM %s", r->name);
    if (sqlite3_prepare_v2(r->database->db, text, -1, &look, NULL) != SQLITE_OK)
        return hsd_database_fail(r->database, err);
    r->columns = (unsigned)sqlite3_column_count(look);
    sqlite3_finalize(look);
    return HSD_OK;
}

static hsd_status open_sqlite_rows(hsd_sink *sink, const char *prefix, const char *table, void **rows,
                                   unsigned *columns, hsd_error *err)
{
    sqlite_rows *r = malloc(sizeof *r);
    if (r == NULL) return hsd_fail_nomem(err, "a table of a database");
    *r = (sqlite_rows){.database = database_of(sink)};
    *rows = r;
    snprintf(r->name, sizeof r->name, "%s%s", prefix, table);
    HSD_TRY(count_columns(r, err));
    *columns = r->columns;
    return HSD_OK;
}

/* A statement for so many rows. */
static hsd_status prepare_sqlite_rows(const sqlite_rows *r, unsigned rows, struct sqlite3_stmt **out, hsd_error *err)
{
    const size_t capacity = 128 + (size_t)rows * (r->columns * 2 + 2);
    char *text = malloc(capacity);
    if (text == NULL) return hsd_fail_nomem(err, "a statement");
    size_t used = (size_t)snprintf(text, capacity, "INSERT OR IGNORE INTO %s VALUES", r->name);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned i = 0; i < r->columns; i++) {
            text[used++] = i > 0 || row > 0 ? ',' : ' ';
            if (i == 0) text[used++] = '(';
            text[used++] = '?';
            if (i + 1 == r->columns) text[used++] = ')';
        }
    const int code = sqlite3_prepare_v3(r->database->db, text, (int)used, SQLITE_PREPARE_PERSISTENT, out, NULL);
    free(text);
    return code == SQLITE_OK ? HSD_OK : hsd_database_fail(r->database, err);
}

static int bind(struct sqlite3_stmt *statement, int at, const hsd_cell *cell, const uint8_t *texts)
{
    const char *text = cell->size > 0 ? (const char *)texts + cell->number : "";
    switch (cell->kind) {
    case HSD_CELL_NUMBER: return sqlite3_bind_int64(statement, at, cell->number);
    case HSD_CELL_TEXT: return sqlite3_bind_text64(statement, at, text, cell->size, SQLITE_STATIC, SQLITE_UTF8);
    case HSD_CELL_BYTES: return sqlite3_bind_blob64(statement, at, text, cell->size, SQLITE_STATIC);
    case HSD_CELL_NULL: break;
    }
    return sqlite3_bind_null(statement, at);
}

static hsd_status run_sqlite_rows(const sqlite_rows *r, struct sqlite3_stmt *statement, const hsd_cell *cells,
                                  unsigned count, const uint8_t *texts, hsd_error *err)
{
    int code = SQLITE_OK;
    for (unsigned i = 0; i < count * r->columns && code == SQLITE_OK; i++)
        code = bind(statement, (int)i + 1, &cells[i], texts);
    if (code == SQLITE_OK) {
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
    }
    return code == SQLITE_OK ? HSD_OK : hsd_database_fail(r->database, err);
}

static hsd_status put_sqlite_rows(hsd_sink *sink, void *rows, const hsd_cell *cells, unsigned count,
                                  const uint8_t *texts, hsd_error *err)
{
    sqlite_rows *r = rows;
    struct sqlite3_stmt *fewer = NULL;
    (void)sink;
    if (count == HSD_ROWS_HELD) {
        if (r->many == NULL) HSD_TRY(prepare_sqlite_rows(r, count, &r->many, err));
        return run_sqlite_rows(r, r->many, cells, count, texts, err);
    }
    HSD_TRY(prepare_sqlite_rows(r, count, &fewer, err));
    const hsd_status status = run_sqlite_rows(r, fewer, cells, count, texts, err);
    sqlite3_finalize(fewer);
    return status;
}

static hsd_status close_sqlite_rows(hsd_sink *sink, void *rows, hsd_status status, hsd_error *err)
{
    sqlite_rows *r = rows;
    (void)sink;
    (void)err;
    if (r != NULL) sqlite3_finalize(r->many);
    free(r);
    return status;
}

static hsd_status begin_sqlite_rows(hsd_sink *sink, hsd_error *err)
{
    return hsd_database_exec(database_of(sink), NULL, "BEGIN", err);
}

static hsd_status finish_sqlite_rows(hsd_sink *sink, hsd_error *err)
{
    return hsd_database_exec(database_of(sink), "writing", "COMMIT", err);
}

const hsd_sink_kind hsd_sqlite_rows = {.open = open_sqlite_rows,
                                       .put = put_sqlite_rows,
                                       .close = close_sqlite_rows,
                                       .begin = begin_sqlite_rows,
                                       .finish = finish_sqlite_rows};
