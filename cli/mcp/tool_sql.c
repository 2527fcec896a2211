/*
 * sql: a question to one heap, or to what grew between two, in SQL.
 */
#include <string.h>

#include "tools.h"

#define ANSWER_BYTES    ((size_t)32 << 10)
#define VALUE_BYTES     400u
#define STATEMENT_BYTES 65536u

static void put_value(mcp_text *text, const hsd_sql_value *value)
{
    if (value->kind == HSD_SQL_NULL)
        mcp_put(text, "NULL");
    else if (value->kind == HSD_SQL_BYTES)
        mcp_put_format(text, "(%zu bytes)", value->text.size);
    else
        mcp_put_name(text, value->text, VALUE_BYTES);
}

static void put_heading(mcp_text *text, const hsd_sql *sql)
{
    for (unsigned i = 0; i < hsd_sql_column_count(sql); i++) {
        const char *name = hsd_sql_column_name(sql, i);
        mcp_put(text, i > 0 ? " | " : "COLUMNS: ");
        mcp_put_name(text, (hsd_text){name, strlen(name)}, VALUE_BYTES);
    }
    mcp_put(text, "\n");
}

/* Rows until there are no more, or 32 KiB of them. */
static hsd_status put_rows(mcp_text *rows, hsd_sql *sql, uint64_t *count, hsd_error *err)
{
    hsd_status status = HSD_OK;
    while (rows->size < ANSWER_BYTES && (status = hsd_sql_next(sql, err)) == HSD_OK) {
        for (unsigned i = 0; i < hsd_sql_column_count(sql); i++) {
            const hsd_sql_value value = hsd_sql_get(sql, i);
            mcp_put(rows, i > 0 ? " | " : "");
            put_value(rows, &value);
        }
        mcp_put(rows, "\n");
        ++*count;
    }
    return status;
}

static hsd_status answer_sql(mcp_call *call, hsd_sql *sql, hsd_error *err)
{
    mcp_text rows = {0};
    uint64_t count = 0;
    const hsd_status status = put_rows(&rows, sql, &count, err);
    const bool is_whole = status == HSD_END;
    mcp_put_format(&call->text, "%s%llu row%s%s.\n\n", is_whole ? "" : "The first ", (unsigned long long)count,
                   count == 1 ? "" : "s", is_whole ? "" : "; there are more: use LIMIT and OFFSET");
    put_heading(&call->text, sql);
    mcp_put_bytes(&call->text, rows.data ? rows.data : "", rows.size);
    mcp_text_release(&rows);
    mcp_put_fact_number(call, "rows", (int64_t)count);
    return is_whole ? HSD_OK : status;
}

static const char *const arguments[] = {"captures", "statement", "partial", NULL};

/* Errors without a file are those of the statement. */
static hsd_status explain_error(mcp_call *call, const char *statement, hsd_status status, hsd_error *err)
{
    if (status != HSD_E_UNSUPPORTED || !err || err->file[0] != 0) return status;
    if (err->offset_bytes != HSD_NO_OFFSET && err->offset_bytes < strlen(statement)) {
        const char *at = statement + err->offset_bytes;
        mcp_put(&call->notes_of_error, "It is wrong at: ");
        mcp_put_name(&call->notes_of_error, (hsd_text){at, strlen(at)}, 60);
        mcp_put(&call->notes_of_error, "\n");
        err->offset_bytes = HSD_NO_OFFSET;
    }
    return status;
}

static hsd_status run_sql(mcp_call *call, hsd_error *err)
{
    const char *paths[2], *statement;
    size_t count;
    bool partial = false;
    mcp_heaps *heaps = &call->state->heaps;
    mcp_heap_view view;
    HSD_TRY(mcp_take_texts(call, "captures", 1, 2, paths, &count, err));
    HSD_TRY(mcp_take_text(call, "statement", true, &statement, err));
    HSD_TRY(mcp_take_flag(call, "partial", &partial, err));
    if (strlen(statement) > STATEMENT_BYTES)
        return hsd_fail(err, HSD_E_MISUSE, "the statement is longer than %u bytes", STATEMENT_BYTES);
    HSD_TRY(mcp_heaps_open(heaps, paths, count, partial, false, &view, err));
    HSD_TRY(mcp_heaps_ask(heaps, view.heap, err));
    hsd_status status = hsd_sql_prepare(view.heap->sql, statement, strlen(statement), err);
    if (status == HSD_OK) status = answer_sql(call, view.heap->sql, err);
    if (status == HSD_OK || (status == HSD_E_UNSUPPORTED && err && err->file[0] == 0))
        return explain_error(call, statement, status, err);
    hsd_sql_close(view.heap->sql); /* tables that are half made: the next question makes them anew */
    view.heap->sql = NULL;
    return status;
}

const mcp_tool mcp_tool_sql = {
    .name = "sql",
    .title = "Ask in SQL",
    .description =
        "Runs one SELECT (SQLite) over a heap, or over the growth between two. Tables: types, v_objects(id, type, "
        "bytes, ...), v_references, v_roots, heap_types, v_retained; with two captures also growth_types, "
        "growth_roots, "
        "holders, and before_objects and so on. Columns: select sql from sqlite_schema where name='v_objects'. For "
        "questions that compare and look do not answer: always with LIMIT.",
    .schema = "\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,\"maxItems\":2,"
              "\"description\":\"one file, or before and after; also a database of hsdiff export\"},"
              "\"statement\":{\"type\":\"string\",\"description\":\"select name, objects, bytes from types order "
              "by bytes desc limit 10\"},"
              "\"partial\":{\"type\":\"boolean\"}},"
              "\"required\":[\"captures\",\"statement\"]",
    .arguments = arguments,
    .next = "sql {\"captures\":[\"after.hs\"],\"statement\":\"select name, sql from sqlite_schema limit 40\"}",
    .run = run_sql,
};
