/*
 * Programs on other machines: ssh://[USER@]HOST[:PORT]/PID or /NAME.
 */
#ifndef CLI_CAPTURE_REMOTE_H
#define CLI_CAPTURE_REMOTE_H

#include "cli.h"
#include "out.h"

/* Is one of the inputs such an address? */
bool cli_is_remote(const cli_app *cli);

/* hsdiff capture ssh://…: exit status. */
int cli_capture_remote(const cli_app *cli);

/* Its other end: hsdiff capture --serve. */
int cli_capture_serve(const cli_app *cli, const hsd_live_options *options);

/* hsdiff ps ssh://…: what is told there, to `out`. */
int cli_list_remote(const cli_app *cli, cli_out *out);

#endif
