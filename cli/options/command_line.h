/*
 * The command line as a report tells it: what to type to get the same report.
 */
#ifndef CLI_OPTIONS_COMMAND_LINE_H
#define CLI_OPTIONS_COMMAND_LINE_H

#include "cli.h"

/*
 * The command, its inputs and the options that are told, in one canonical form; words are quoted for a POSIX shell
 * where they need it, and what stands there is harmless on a terminal. The caller frees it; NULL when there is no
 * memory.
 */
char *cli_command_line(const cli_app *cli);

#endif
