/*
 * How values of options are read that are more than a text, a number, a size or a time. Each takes what stands behind
 * its option into `options`; false when it is none.
 */
#ifndef CLI_OPTIONS_VALUES_H
#define CLI_OPTIONS_VALUES_H

#include "options/options.h"

bool cli_set_top(cli_options *options, const char *value);
bool cli_set_dump(cli_options *options, const char *value);
bool cli_set_level(cli_options *options, const char *value);
bool cli_set_threads(cli_options *options, const char *value);
bool cli_set_key(cli_options *options, const char *value);
bool cli_set_label(cli_options *options, const char *value);
bool cli_set_also(cli_options *options, const char *value);
bool cli_set_html(cli_options *options, const char *value);
bool cli_set_symbols(cli_options *options, const char *value);
bool cli_set_pid(cli_options *options, const char *value);
bool cli_set_port(cli_options *options, const char *value);
bool cli_set_idle(cli_options *options, const char *value);
bool cli_set_budget(cli_options *options, const char *value);
bool cli_set_near(cli_options *options, const char *value);
bool cli_set_warmup(cli_options *options, const char *value);

#endif
