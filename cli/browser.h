/*
 * Showing an address in the browser of the desktop.
 */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <sys/types.h>

#include "cli.h"

typedef struct cli_browser {
    pid_t pid;   /* of the process that shows it; 0 = none, or it did */
    int address; /* where the process waits for it; -1 = nowhere */
} cli_browser;

/* Starts a process that waits for an address. To be called while there is one thread, and before the sandbox. */
void cli_browser_prepare(cli_browser *browser);

/* It starts the first of xdg-open, sensible-browser and open that there is, without a shell; nobody waits for it. Where
 * there is none a note says what to do. */
void cli_browser_open(cli_browser *browser, const cli_app *cli, const char *address);

/* There is no address: the process that waits ends. */
void cli_browser_forget(cli_browser *browser);

/* Has it failed? Then the same note. Does not wait. */
void cli_browser_look(cli_browser *browser, const cli_app *cli);

#endif
