/*
 * What the commands about one capture share: the format that was asked for, and the options of a report.
 */
#ifndef CLI_SINGLE_H
#define CLI_SINGLE_H

#include "input.h"
#include <hsdiff/top_report.h>

/* The format of --format; false after a message. */
bool cli_single_format(const cli_app *cli, hsd_single_format *format);

/* Options of a report on standard output or into the file of -o. */
hsd_single_options cli_single_options(const cli_app *cli, const cli_input *input,
                                      hsd_single_format format);

#endif
