/*
 * What the commands about many captures share: captures opened in turn, foreign ones imported, the options of a
 * series, and the report of it.
 */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "input.h"
#include "outlets.h"
#include <hsdiff/series.h>

/* False after a message: too few or too many inputs, standard input twice, labels that do not fit. */
bool cli_series_is_usable(const cli_app *cli);

/* Adds up the inputs of the command line; `warmup` and `noise_bytes` as hsd_series_options has them. What
 * cli_series_ask would import again stays open in `inputs` where it is small: the caller closes them. NULL: nothing
 * will be asked. */
hsd_status cli_series_run(hsd_series **out, cli_app *cli, uint32_t warmup, uint64_t noise_bytes, cli_input inputs[2],
                          hsd_error *err);

/*
 * Who holds what grows, by a diff of two of the captures, which are opened again into `inputs` if they are not open
 * there, and stay open: the caller closes them. Nothing happens where they cannot be (standard input, a pipe), or hold
 * no objects; a failure is a note to the user, since the series is right without. Returns HSD_OK, or what ended the
 * run: it was asked to stop, or memory is out.
 */
hsd_status cli_series_ask(hsd_series *series, cli_app *cli, cli_input inputs[2], hsd_error *err);

/* False for what can be read once alone: a pipe, a terminal. True if it is not there: that is said later. */
bool cli_can_be_read_again(const char *path);

/* The whole of `hsdiff series`, and of `hsdiff` with more than two inputs. Exit status. */
int cli_run_series(cli_app *cli);

#endif
