/*
 * Rows of a statement. Every value is text of somebody else, escaped by the rules of its form at the last moment.
 */
#include "sql_rows.h"

#include <stdlib.h>
#include <string.h>

#define HELD_ROWS     1000u
#define HELD_BYTES    (1u << 20)
#define GAP           2u
#define WIDEST_COLUMN 400u /* of the first rows: what is longer is not aligned with */

/* ---- cells of a table */

static hsd_escape_form escape_of(const cli_rows *rows)
{
    return rows->screen.has_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII;
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != 0; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

/* Cuts it to `most` characters, the last of them a mark. */
static void cut_sql_row(char *text, size_t most, bool has_utf8)
{
    const char *mark = has_utf8 ? "\xe2\x80\xa6" : ".";
    char *at = text;
    if (most < 2 || characters(text) <= most) return;
    for (size_t left = most - 1; left > 0; left--) {
        at++;
        while ((*at & 0xc0) == 0x80)
            at++;
    }
    if (strlen(at) >= strlen(mark))
        memcpy(at, mark, strlen(mark) + 1);
    else
        *at = 0;
}

/* The escaped text behind what is held; NULL when out of memory, which sticks. Not part of what is held before keep. */
static char *make_cell(cli_rows *rows, const char *text, size_t size)
{
    const size_t needed = hsd_escape(escape_of(rows), text, size, NULL, 0) + 4;
    if (rows->held_capacity - rows->held_bytes < needed) {
        const size_t wanted = (rows->held_bytes + needed) * 2;
        char *grown = realloc(rows->held, wanted);
        if (!grown) {
            if (rows->out->status == HSD_OK)
                rows->out->status = hsd_fail(&rows->out->error, HSD_E_NOMEM, "no memory to print a row");
            return NULL;
        }
        rows->held = grown;
        rows->held_capacity = wanted;
    }
    char *cell = rows->held + rows->held_bytes;
    hsd_escape(escape_of(rows), text, size, cell, needed);
    if (rows->screen.width > 0 && rows->form == CLI_ROWS_TABLE)
        cut_sql_row(cell, rows->screen.width, rows->screen.has_utf8);
    return cell;
}

static void widen(cli_rows *rows, unsigned column, const char *cell)
{
    const size_t width = characters(cell);
    if (width > rows->widths[column] && width <= WIDEST_COLUMN) rows->widths[column] = width;
}

static void put_spaces(cli_rows *rows, size_t count)
{
    static const char spaces[] = "                                ";
    for (; count > 0; count -= count < sizeof spaces - 1 ? count : sizeof spaces - 1)
        cli_out_format(rows->out, "%.*s", (int)(count < sizeof spaces - 1 ? count : sizeof spaces - 1), spaces);
}

static void put_cell(cli_rows *rows, unsigned column, const char *cell)
{
    const size_t size = characters(cell), width = rows->widths[column], space = size < width ? width - size : 0;
    const bool is_last = column + 1 == rows->columns;
    if (column > 0) put_spaces(rows, GAP);
    if (rows->are_numbers[column]) put_spaces(rows, space);
    cli_out_text(rows->out, cell);
    if (!rows->are_numbers[column] && !is_last) put_spaces(rows, space);
    if (is_last) cli_out_text(rows->out, "\n");
}

/* ---- a table */

static void hold_names(cli_rows *rows)
{
    for (unsigned i = 0; i < rows->columns; i++) {
        const char *name = hsd_sql_column_name(rows->sql, i);
        const char *cell = make_cell(rows, name, strlen(name));
        if (!cell) return;
        widen(rows, i, cell);
        rows->held_bytes += strlen(cell) + 1;
    }
}

/* What is held: names first, then rows. */
static void align(cli_rows *rows)
{
    const char *at = rows->held, *end = rows->held + rows->held_bytes;
    rows->is_aligned = true;
    for (unsigned column = 0; at < end; at += strlen(at) + 1) {
        put_cell(rows, column, at);
        column = column + 1 == rows->columns ? 0 : column + 1;
    }
    rows->held_bytes = 0;
}

static void put_table_row(cli_rows *rows)
{
    for (unsigned i = 0; i < rows->columns; i++) {
        const hsd_sql_value value = hsd_sql_get(rows->sql, i);
        const char *cell = make_cell(rows, value.text.data, value.text.size);
        if (!cell) return;
        if (rows->is_aligned) {
            put_cell(rows, i, cell);
            continue;
        }
        if (value.kind == HSD_SQL_TEXT || value.kind == HSD_SQL_BYTES) rows->are_numbers[i] = false;
        widen(rows, i, cell);
        rows->held_bytes += strlen(cell) + 1;
    }
    if (!rows->is_aligned && (rows->count >= HELD_ROWS || rows->held_bytes > HELD_BYTES)) align(rows);
}

/* ---- lines */

static void put_plain_row(cli_rows *rows)
{
    for (unsigned i = 0; i < rows->columns; i++) {
        const hsd_sql_value value = hsd_sql_get(rows->sql, i);
        if (i > 0) cli_out_text(rows->out, "\t");
        cli_out_escaped(rows->out, HSD_ESCAPE_TERMINAL, value.text.data, value.text.size);
    }
    cli_out_text(rows->out, "\n");
}

static bool is_number(const hsd_sql_value *value)
{
    return value->kind == HSD_SQL_INTEGER || value->kind == HSD_SQL_REAL;
}

static void put_csv_row(cli_rows *rows)
{
    for (unsigned i = 0; i < rows->columns; i++) {
        const hsd_sql_value value = hsd_sql_get(rows->sql, i);
        if (i > 0) cli_out_text(rows->out, ",");
        if (is_number(&value))
            cli_out_text(rows->out, value.text.data);
        else
            cli_out_escaped(rows->out, HSD_ESCAPE_CSV, value.text.data, value.text.size);
    }
    cli_out_text(rows->out, "\r\n");
}

/* ---- JSON */

static void put_json_text(cli_rows *rows, const char *text, size_t size)
{
    cli_out_text(rows->out, "\"");
    cli_out_escaped(rows->out, HSD_ESCAPE_JSON, text, size);
    cli_out_text(rows->out, "\"");
}

/* "Inf" is a number for SQLite and none for JSON. */
static void put_json_value(cli_rows *rows, const hsd_sql_value *value)
{
    const bool is_finite = value->kind != HSD_SQL_REAL || !memchr(value->text.data, 'I', value->text.size);
    if (value->kind == HSD_SQL_NULL || !is_finite)
        cli_out_text(rows->out, "null");
    else if (is_number(value))
        cli_out_text(rows->out, value->text.data);
    else
        put_json_text(rows, value->text.data, value->text.size);
}

static void put_json_row(cli_rows *rows)
{
    cli_out_text(rows->out, rows->count == 1 ? "\n    [" : ",\n    [");
    for (unsigned i = 0; i < rows->columns; i++) {
        const hsd_sql_value value = hsd_sql_get(rows->sql, i);
        if (i > 0) cli_out_text(rows->out, ", ");
        put_json_value(rows, &value);
    }
    cli_out_text(rows->out, "]");
}

/* ---- the heading */

static void begin_json(cli_rows *rows)
{
    cli_out_text(rows->out, "{\n  \"schema\": \"hsdiff.sql/1\",\n  \"columns\": [");
    for (unsigned i = 0; i < rows->columns; i++) {
        const char *name = hsd_sql_column_name(rows->sql, i);
        if (i > 0) cli_out_text(rows->out, ", ");
        put_json_text(rows, name, strlen(name));
    }
    cli_out_text(rows->out, "],\n  \"rows\": [");
}

static void put_names(cli_rows *rows, const char *first, const char *between, hsd_escape_form form, const char *end)
{
    for (unsigned i = 0; i < rows->columns; i++) {
        cli_out_text(rows->out, i == 0 ? first : between);
        cli_out_escaped(rows->out, form, hsd_sql_column_name(rows->sql, i), SIZE_MAX);
    }
    cli_out_text(rows->out, end);
}

bool cli_rows_begin(cli_rows *rows, cli_out *out, hsd_sql *sql, cli_rows_form form, cli_screen screen)
{
    *rows = (cli_rows){.out = out, .sql = sql, .form = form, .screen = screen, .columns = hsd_sql_column_count(sql)};
    rows->widths = calloc(rows->columns + 1, sizeof *rows->widths);
    rows->are_numbers = malloc(rows->columns + 1);
    if (!rows->widths || !rows->are_numbers) return false;
    memset(rows->are_numbers, true, rows->columns + 1);
    switch (form) {
    case CLI_ROWS_TABLE: hold_names(rows); break;
    case CLI_ROWS_PLAIN: put_names(rows, "# ", "\t", HSD_ESCAPE_TERMINAL, "\n"); break;
    case CLI_ROWS_JSON: begin_json(rows); break;
    case CLI_ROWS_CSV: put_names(rows, "", ",", HSD_ESCAPE_CSV, "\r\n"); break;
    }
    return true;
}

void cli_rows_put(cli_rows *rows)
{
    rows->count++;
    switch (rows->form) {
    case CLI_ROWS_TABLE: put_table_row(rows); break;
    case CLI_ROWS_PLAIN: put_plain_row(rows); break;
    case CLI_ROWS_JSON: put_json_row(rows); break;
    case CLI_ROWS_CSV: put_csv_row(rows); break;
    }
}

void cli_rows_end(cli_rows *rows, bool is_whole)
{
    if (is_whole && rows->form == CLI_ROWS_TABLE && !rows->is_aligned) align(rows);
    if (is_whole && rows->form == CLI_ROWS_JSON) cli_out_text(rows->out, rows->count == 0 ? "]\n}\n" : "\n  ]\n}\n");
    free(rows->widths);
    free(rows->are_numbers);
    free(rows->held);
    *rows = (cli_rows){0};
}
