/*
 * The table of commands: to add one, write its cmd_*.c and add its row here.
 */
#include <string.h>

#include "cli.h"

static const cli_command *const commands[] = {
    &cli_command_diff, &cli_command_check, &cli_command_series, &cli_command_baseline,
    &cli_command_capture, &cli_command_watch, &cli_command_ps, &cli_command_receive, &cli_command_symbolize,
    &cli_command_view, &cli_command_top,  &cli_command_paths,  &cli_command_sql, &cli_command_import, &cli_command_export,
    &cli_command_info, &cli_command_dump, &cli_command_verify, &cli_command_salvage,
    &cli_command_demo, &cli_command_help,
};

const cli_command *cli_command_get(size_t i)
{
    return i < sizeof commands / sizeof commands[0] ? commands[i] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}
