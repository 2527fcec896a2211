/*
 * What a descriptor is: a terminal or not, how wide, whether it shows colour and UTF-8.
 */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include "cli.h"

bool cli_term_is_terminal(int fd);

/* True if this process may write to the terminal without being in somebody's way. */
bool cli_term_is_foreground(int fd);

/* Columns, 80 when it does not say. */
unsigned cli_term_width(int fd);

/* Rows, 24 when it does not say. */
unsigned cli_term_height(int fd);

/* --color, NO_COLOR, TERM=dumb, and each stream by itself. */
bool cli_term_has_color(const cli_app *cli, int fd);

/* True unless the locale of the environment names another character set. */
bool cli_term_has_utf8(void);

#endif
