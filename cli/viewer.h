/*
 * The viewer as commands run it: it listens first, so that a page shows the progress of what is then opened, compared
 * and indexed on a thread of its own; and ends when it is told to, or nobody asks any more.
 */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include "input.h"

/* False after a message: inputs or options that cannot be viewed. */
bool cli_viewer_is_usable(const cli_app *cli);

/*
 * Shows the inputs of the command line. `captured` is a capture that was just taken and is shown in their place, the
 * caller's to close; else NULL. Exit status: that of the work, whoever ended the viewer; a signal while there was work
 * to do ends the process.
 */
int cli_viewer_run(cli_app *cli, cli_input *captured);

#endif
