/*
 * Showing an address in the browser of the desktop.
 */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <sys/types.h>

#include "cli.h"

typedef struct cli_browser {
    pid_t pid; /* of the program that was asked to show it; 0 = none, or it did */
} cli_browser;

/* Starts the first of xdg-open, sensible-browser and open that there is, without a shell, and does not wait for it.
 * Where there is none a note says what to do. */
void cli_browser_open(cli_browser *browser, const cli_app *cli, const char *address);

/* Has it failed? Then the same note. Does not wait. */
void cli_browser_look(cli_browser *browser, const cli_app *cli);

#endif
