/*
 * The table of commands: to add one, write its cmd_*.c and add its name here.
 */
#include <string.h>

#include "options/options.h"

/* In the order in which help lists them; the first is the default. */
/* clang-format off */
#define COMMANDS(X)                                                                                                                                  \
    X(diff) X(check) X(series) X(baseline) X(fleet) X(capture) X(watch) X(ps) X(receive) X(symbolize) X(redact) X(unredact) X(sign) X(view) X(mcp) X(top) X(paths) X(sql) X(import) X(export) X(info) \
    X(dump) X(verify) X(salvage) X(demo) X(help)
/* clang-format on */

#define DECLARE(name) extern const cli_command cli_command_##name;
#define ROW(name)     &cli_command_##name,

COMMANDS(DECLARE)

static const cli_command *const commands[] = {COMMANDS(ROW)};

const cli_command *cli_command_get(size_t i) { return i < sizeof commands / sizeof commands[0] ? commands[i] : NULL; }

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

/* ---- their options ---- */

bool cli_command_takes(const cli_command *command, const cli_option *option)
{
    for (const cli_option *const *own = command->options; *own; own++)
        if (*own == option) return true;
    return false;
}

const cli_option *cli_command_option(const cli_command *command, const char *name, size_t size)
{
    for (const cli_option *const *own = command->options; *own; own++)
        if (strlen((*own)->name) == size && memcmp((*own)->name, name, size) == 0) return *own;
    return NULL;
}

static bool is_of_earlier(size_t command, const cli_option *option)
{
    for (size_t i = 0; i < command; i++)
        if (cli_command_takes(commands[i], option)) return true;
    return false;
}

const cli_option *cli_option_get(size_t i)
{
    size_t at = 0;
    for (size_t command = 0; command < sizeof commands / sizeof commands[0]; command++)
        for (const cli_option *const *own = commands[command]->options; *own; own++)
            if (!is_of_earlier(command, *own) && at++ == i) return *own;
    return NULL;
}
