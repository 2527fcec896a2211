/*
 * With --verbose: what stages took and what they could have taken, of all operations of a command, as one table at its
 * end; and what the machine can do, of the file that HSDIFF_LIMITS names.
 */
#ifndef CLI_STAGES_H
#define CLI_STAGES_H

#include "cli.h"

/* Sets what cli->run says of stages. False, and the user was told, where a file of limits cannot be used. */
bool cli_stages_begin(cli_app *cli);

/* Prints the table, if there were stages. */
void cli_stages_end(const cli_app *cli);

#endif
