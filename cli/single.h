/*
 * What the commands about one capture, top and paths, share: what they tell a report besides its options.
 */
#ifndef CLI_SINGLE_H
#define CLI_SINGLE_H

#include "input.h"
#include <hsdiff/report.h>

/* Adds the capture to the options of a report: its name and what it is, for lines that say what to type next. */
void cli_single_options(hsd_report_options *options, const cli_app *cli, const cli_input *input);

#endif
