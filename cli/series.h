/*
 * What the commands about many captures share: captures opened one at a time, foreign ones imported, the options of a series, and
 * the report of it.
 */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "input.h"
#include "outlets.h"
#include <hsdiff/series.h>

/* False after a message: too few or too many inputs, standard input twice, labels that do not fit. */
bool cli_series_is_usable(const cli_app *cli);

/* Adds up the inputs of the command line; `warmup` and `noise_bytes` as hsd_series_options has them. */
hsd_status cli_series_run(hsd_series **out, cli_app *cli, uint32_t warmup, uint64_t noise_bytes, hsd_error *err);

/* The whole of `hsdiff series`, and of `hsdiff` with more than two inputs. Exit status. */
int cli_run_series(cli_app *cli);

#endif
