/*
 * How the files of captures are called.
 *
 *      -o FILE           that file, when there is one capture in all; else a number in front of its suffix, FILE-0001.hs;
 *                        of several processes the pid as well, FILE-PID-0001.hs
 *      -o FOLDER         FOLDER/NAME-PID-0001.hs; an existing folder, or a name that ends in / (made before)
 *      -o PATTERN        with %n the name of the process, %p its pid, %i the number, %% a percent sign
 *      nothing           NAME-PID-0001.hs here, with the first number that is free
 */
#ifndef CLI_CAPTURE_NAMES_H
#define CLI_CAPTURE_NAMES_H

#include "cli.h"

#define CLI_PATH_BYTES 4096

typedef enum cli_captures { CLI_CAPTURE_ALONE, CLI_CAPTURES_OF_ONE, CLI_CAPTURES_OF_SEVERAL } cli_captures;

/*
 * The file of capture `number` (from 1) of a process: the only one, one of a series, or one of several processes.
 * Characters of the process' name that are no letters, digits, dot, dash or underscore become underscores. False after
 * a message when it does not fit or the pattern is wrong.
 */
bool cli_capture_name(char path[CLI_PATH_BYTES], const cli_app *cli, const hsd_process *process, uint64_t number,
                      cli_captures among);

/* An existing folder, or a name that ends in /. `path` is not empty. */
bool cli_is_folder(const char *path);

/* The folder of -o, where its name ends in /: made, for us alone, before anything is started or waited for. An exit
 * status. */
int cli_make_folder(const cli_app *cli);

#endif
