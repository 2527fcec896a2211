/*
 * Captures that arrive go into a store one after the other, on a thread of their own: whoever sends the next one does
 * not wait. A capture that is in the store is deleted, unless it is to be kept; one that is not stays where it is.
 *
 *      arriving ──put──► waiting ──thread: add, finish──► done ──tell──► one line each
 *                                  └ delete
 */
#ifndef CLI_FLEET_FEED_H
#define CLI_FLEET_FEED_H

#include "cli.h"

typedef struct cli_fleet_feed cli_fleet_feed;

/*
 * Opens the store, and makes it where there is none. `cli` has the labels and is borrowed until the end. NULL after a
 * message, with *exit_status set.
 */
cli_fleet_feed *cli_fleet_feed_begin(cli_app *cli, const char *store, bool keeps_captures, int *exit_status);

/* Takes a capture: a file that is whole. False without memory, after a message. */
bool cli_fleet_feed_put(cli_fleet_feed *feed, const char *path);

/* Says what became of those that are done: on standard error, with `as_json` one JSON object a line on standard output.
 * False when standard output failed. */
bool cli_fleet_feed_tell(cli_fleet_feed *feed, bool as_json);

/* Waits for all that were put, tells of them, and frees. Returns the exit status: that of the first one that could not
 * be added. NULL is accepted. */
int cli_fleet_feed_end(cli_fleet_feed *feed, bool as_json);

#endif
