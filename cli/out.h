/*
 * Where a command's result goes: standard output or the file of -o. A failed write is an error of the
 * command, whichever of the two it was.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include "cli.h"
#include <hsdiff/output.h>

typedef struct cli_out {
    hsd_result_file *file;
    hsd_status status; /* first failure; everything after it does nothing */
    hsd_error error;
} cli_out;

/* Opens the file of -o, or standard output. False after a message; *exit_status is then set. */
bool cli_out_open(cli_out *out, const cli_app *cli, int *exit_status);

void cli_out_text(cli_out *out, const char *text);
void cli_out_format(cli_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Foreign text, escaped; size SIZE_MAX = up to its NUL. */
void cli_out_escaped(cli_out *out, hsd_escape_form form, const char *text, size_t size);

/* True if a file may get its name: the command was done, or failed its check, or met damage and told something all the
 * same. */
bool cli_is_answer(const hsd_result_file *file, int result);

/* Gives the file its name and closes it. `result` is the exit status so far; returns it, or the one of a
 * failed write after a message. What is no answer is dropped. */
int cli_out_close(cli_out *out, const cli_app *cli, int result);

/* ---- what a report of captures is told ---- */

/* of a name where no terminal bounds it: longer ones are cut in the middle, but for --wide */
#define CLI_NAME_COLUMNS 160u

/* What can be seen where the result goes: standard output or the file of -o. */
typedef struct cli_screen {
    unsigned width;      /* columns; 0 = lines may be of any length */
    unsigned name_width; /* of a name then; 0 = names are not cut */
    bool has_color, has_utf8;
} cli_screen;

cli_screen cli_out_screen(const cli_app *cli);

/* --top as a number of rows; `by_default` without it. */
size_t cli_out_rows(const cli_app *cli, size_t by_default);

/* With --verbose: what the run took. */
void cli_out_tell_space(const cli_app *cli, uint64_t temp_bytes_peak);

#endif
