/*
 * The rows of a statement as bytes: a table for people, tab-separated lines, JSON, CSV. Rows are written as they come;
 * only the first ones of a table are held back, so that its columns can be aligned, and what is longer later shifts its
 * line.
 */
#ifndef CLI_SQL_ROWS_H
#define CLI_SQL_ROWS_H

#include "out.h"
#include <hsdiff/sql.h>

typedef enum cli_rows_form { CLI_ROWS_TABLE, CLI_ROWS_PLAIN, CLI_ROWS_JSON, CLI_ROWS_CSV } cli_rows_form;

typedef struct cli_rows {
    cli_out *out;
    hsd_sql *sql;
    cli_rows_form form;
    cli_screen screen;
    unsigned columns;
    uint64_t count;
    /* a table: */
    bool is_aligned;   /* widths are settled, and rows are no longer held back */
    size_t *widths;    /* columns; characters */
    bool *are_numbers; /* columns; all values so far */
    char *held;        /* cells that are held back, NUL behind each */
    size_t held_bytes, held_capacity;
} cli_rows;

/* Of the statement that `sql` has prepared. False when out of memory. End it then, too. */
bool cli_rows_begin(cli_rows *rows, cli_out *out, hsd_sql *sql, cli_rows_form form, cli_screen screen);

/* The row that hsd_sql_next has just given. Failures stick in `out`. */
void cli_rows_put(cli_rows *rows);

/* Behind the last; `is_whole` false: only releases what it holds. */
void cli_rows_end(cli_rows *rows, bool is_whole);

#endif
