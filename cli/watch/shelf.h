/*
 * The captures that hsdiff watch keeps. Each is two files: the capture itself, of which at most --keep stay, and its
 * sums, a baseline of some hundred kilobytes, which carry the trend. What is too much is thinned out: of those that
 * stand closest in time one goes, so that what stays covers the whole watch evenly. The first that counts and the last
 * always stay.
 *
 *      FOLDER/NAME-PID-0001.hs        the capture
 *      FOLDER/sums/NAME-PID-0001.hs   its sums: hsdiff series FOLDER/sums/ *.hs
 */
#ifndef CLI_WATCH_SHELF_H
#define CLI_WATCH_SHELF_H

#include "capture/names.h"

enum { CLI_MOST_SUMS = 200 };

typedef struct cli_shelved {
    char capture[CLI_PATH_BYTES]; /* "" = thinned out, its sums are here */
    char sums[CLI_PATH_BYTES];
    uint64_t taken_ns; /* of any clock that does not go back */
} cli_shelved;

typedef struct cli_shelf {
    cli_shelved *rows;           /* ascending by time; room for CLI_MOST_SUMS + 1 */
    size_t count, warmup;        /* rows[warmup] is the first that counts */
    uint64_t keep;               /* captures at most, at least 2 */
    uint64_t taken;              /* ever */
    char folder[CLI_PATH_BYTES]; /* ends in a slash */
} cli_shelf;

/* Makes the folder and that of the sums, for us alone. `asked` NULL: NAME-PID/ here, or NAME-PID-2/ and so on where
 * that is taken. False after a message, with the exit status in *result. */
bool cli_shelf_open(cli_shelf *shelf, const cli_app *cli, const hsd_process *process, const char *asked, int *result);
void cli_shelf_close(cli_shelf *shelf);

/* The names of the next capture and of its sums: the first number that is free in both folders. False after a message.
 */
bool cli_shelf_name(cli_shelf *shelf, const cli_app *cli, const hsd_process *process, cli_shelved *next);

/* Takes a capture whose files are there, and deletes what is now too much. */
void cli_shelf_add(cli_shelf *shelf, const cli_shelved *next);

/* The first capture that counts and the last, whole; false if there are no two. */
bool cli_shelf_ends(const cli_shelf *shelf, const char **first, const char **last);

#endif
