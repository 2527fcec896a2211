/*
 * What hsdiff BEFORE AFTER does with two inputs, for those who come to two captures by another way.
 */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "input.h"
#include "outlets.h"

/* Compares the two inputs of `cli` and writes the answer to all outlets, which stay open. Exit status. */
int cli_compare(cli_app *cli, cli_outlets *outlets);

/* Writes what came of it, by whatever way. */
hsd_status cli_compare_write(cli_app *cli, cli_outlets *outlets, const cli_input inputs[2], const hsd_diff *diff,
                             hsd_error *err);

#endif
