/*
 * hsdiff capture PID --view: one capture of one process, and then the viewer.
 */
#ifndef CLI_CAPTURE_VIEW_H
#define CLI_CAPTURE_VIEW_H

#include "cli.h"

/* Captures into the file of -o, else into one without a name, and shows it. Exit status. */
int cli_capture_view(cli_app *cli, const hsd_live_options *options);

#endif
