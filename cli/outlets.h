/*
 * Where the report of one answer goes: standard output or -o in the format of --format, and for each --also FORMAT=FILE
 * and for --html FILE a file more. All are opened before any work is done and get their names together at the end.
 */
#ifndef CLI_OUTLETS_H
#define CLI_OUTLETS_H

#include "out.h"

/* Which kind of answer a format must have a form for. */
typedef enum cli_holds { HSD_HOLDS_DIFF, HSD_HOLDS_SERIES, HSD_HOLDS_CHECK, HSD_HOLDS_TOP, HSD_HOLDS_PATHS } cli_holds;

typedef struct cli_outlets {
    cli_out out;
    const hsd_report_format *format;
    struct cli_outlet *also; /* as many as --also was given, and one for --html */
} cli_outlets;

/* The format of that name for that kind of answer; NULL after a message that lists those that there are. */
const hsd_report_format *cli_find_format(const char *option, const char *name, size_t name_bytes, cli_holds holds);

/* The file that the command is asked both to read and to replace, under whatever name; NULL when there is none. A
 * capture is not to be had again, so not even --force allows that. */
const char *cli_find_input_overwritten(const cli_app *cli);

/* The file that two outputs name; NULL when there is none. */
const char *cli_find_output_shared(const cli_app *cli);

/* False after a message; *exit_status is then set. */
bool cli_outlets_open(cli_outlets *outlets, const cli_app *cli, cli_holds holds, int *exit_status);

/* Options of a report: those of the screen, or of a file. */
hsd_report_options cli_report_options(const cli_app *cli, bool to_file);

typedef hsd_status (*cli_report_fn)(const hsd_report_format *format, const hsd_report_options *options,
                                    const void *what, hsd_write_fn write, void *context, hsd_error *err);

/* Writes `what` to each of them. */
hsd_status cli_outlets_write(cli_outlets *outlets, const cli_app *cli, cli_report_fn write, const void *what,
                             hsd_error *err);

/* As cli_out_close. */
int cli_outlets_close(cli_outlets *outlets, const cli_app *cli, int result);

/* What a command answers into its outlets; the exit status. */
typedef int (*cli_answer_fn)(cli_app *cli, cli_outlets *outlets);

/* Opens the outlets, has `answer` fill them, and closes them. The exit status: that of the answer, or of the outlet
 * that could not be opened or finished. */
int cli_outlets_run(cli_app *cli, cli_holds holds, cli_answer_fn answer);

#endif
