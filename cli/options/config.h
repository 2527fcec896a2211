/*
 * The configuration of a check: the file of --config, else .hsdiff.yml in this folder, else the rules that are built
 * in.
 */
#ifndef CLI_OPTIONS_CONFIG_H
#define CLI_OPTIONS_CONFIG_H

#include "cli.h"
#include <hsdiff/check.h>

#define CLI_CONFIG_NAME ".hsdiff.yml"

/* *exit_status is set on failure, after a message: wrong configurations are wrong usage. */
bool cli_config_open(hsd_check_config **out, const cli_app *cli, bool is_series, int *exit_status);

/* The day on which allowances are looked at: today, or that of SOURCE_DATE_EPOCH. Days since 1970-01-01. */
int32_t cli_today(void);

#endif
