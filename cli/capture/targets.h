/*
 * Which processes are meant: pids and names, as words of the command line, and what a process has started.
 */
#ifndef CLI_CAPTURE_TARGETS_H
#define CLI_CAPTURE_TARGETS_H

#include "cli.h"

enum { CLI_MOST_TARGETS = 256 };

/*
 * Fills `pids` with those that the inputs mean, each once, in their order; a name means every process of that name.
 * False after a message: no process of a name, too many, a word that is neither.
 */
bool cli_find_targets(const cli_app *cli, long pids[CLI_MOST_TARGETS], size_t *count);

/* Are all inputs names, and none a pid? */
bool cli_are_names(const cli_app *cli);

/* Adds the living descendants of `ancestor` that are not yet among the `count` pids, by ascending pid. How many there
 * are now. */
size_t cli_add_descendants(long pids[CLI_MOST_TARGETS], size_t count, long ancestor);

/* --way names a row of the library's table, or is not given; false after a message. */
bool cli_knows_way(const cli_app *cli);

#endif
