/*
 * Telling of failure: what happened, where, the likely cause, the next command; and the exit status that
 * goes with it. Everything goes to standard error and is escaped for a terminal.
 */
#ifndef CLI_REPORT_ERROR_H
#define CLI_REPORT_ERROR_H

#include "cli.h"

/* The command that is talked about: a usage error ends with the page that explains it. NULL: hsdiff --help. */
void cli_set_topic(const cli_command *command);

/* "hsdiff: TEXT" and where help is to be found; for wrong usage, whose status is CLI_USAGE. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "hsdiff: TEXT": a note that -q silences. */
void cli_note(const cli_app *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Looks for an input that is not there, and for the file that may have been meant: in the sandbox no folder is read. */
void cli_look_for_absent(const cli_app *cli);

/*
 * Prints an error of the library and returns the exit status for it. A broken pipe prints nothing, a
 * cancelled operation neither: main ends by the signal that caused it.
 */
int cli_report_error(const cli_app *cli, const hsd_error *err);

/*
 * Lines that a hsdiff on another machine said on its standard error: "hsdiff: WHO: TEXT". Where it is no failure, -q
 * silences them. Advice on the usage of a command there is left out.
 */
void cli_relay_said(const cli_app *cli, const char *who, const char *said, bool is_failure);

/* Receiver of notes for hsd_run; context is the cli. */
void cli_take_note(void *context, hsd_note_level level, const char *text);

#endif
