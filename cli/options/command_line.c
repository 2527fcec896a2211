/*
 * The command line as a report tells it. Two command lines that ask for the same give the same text, whatever order
 * their options had:
 *
 *      hsdiff [COMMAND] INPUT… [--option [VALUE]]…                  options in the order of the command's list
 *      hsdiff [COMMAND] INPUT… [--option [VALUE]]… -- INPUT…        two groups
 *
 * What changes nothing in a report is left out (cli_told), so the text is the same for any number of threads and any
 * memory.
 */
#include "options/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "options/options.h"

/* Measured first, then written: without `data` only the size counts. */
typedef struct line {
    char *data;
    size_t size, capacity;
} line;

static void put_command_line(line *to, const char *text, size_t size)
{
    if (to->data) memcpy(to->data + to->size, text, size);
    to->size += size;
}

static void put_text(line *to, const char *text) { put_command_line(to, text, strlen(text)); }

static void put_quoted(line *to, const char *word)
{
    char *at = to->data ? to->data + to->size : NULL;
    to->size += hsd_quote_shell(at, at ? to->capacity - to->size : 0, word, strlen(word));
}

/* Behind an equals sign where it begins as an option does: quoting takes such a word for a file. */
static void put_value(line *to, const char *value)
{
    const size_t dashes = value[0] == '-' && value[1] ? strspn(value, "-") : 0;
    put_text(to, dashes > 0 ? "=" : " ");
    put_command_line(to, value, dashes);
    if (value[dashes] || dashes == 0) put_quoted(to, value + dashes);
}

static void put_options(line *to, const cli_app *cli)
{
    for (const cli_option *const *row = cli->command->options; *row; row++)
        for (size_t i = 0; i < cli->given_count; i++) {
            const cli_option *option = cli->given[i].option;
            if (option != *row) continue;
            put_text(to, " --");
            put_text(to, option->name);
            if (option->kind != CLI_FLAG) put_value(to, cli->given[i].value);
        }
}

static void put_inputs(line *to, const cli_app *cli, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        put_text(to, " ");
        put_quoted(to, cli->inputs[i]);
    }
}

/* The first of all commands needs no name, unless its first input is called like one. */
static bool needs_name(const cli_app *cli)
{
    return cli->command != cli_command_get(0) || (cli->input_count > 0 && cli_command_find(cli->inputs[0]));
}

static void put_line(line *to, const cli_app *cli)
{
    const size_t first = cli->first_group > 0 ? cli->first_group : cli->input_count;
    put_text(to, "hsdiff");
    if (needs_name(cli)) {
        put_text(to, " ");
        put_text(to, cli->command->name);
    }
    put_inputs(to, cli, 0, first);
    put_options(to, cli);
    if (first < cli->input_count) put_text(to, " --");
    put_inputs(to, cli, first, cli->input_count);
}

char *cli_command_line(const cli_app *cli)
{
    line to = {0};
    put_line(&to, cli);
    const size_t size = to.size;
    to = (line){.data = malloc(size + 1), .capacity = size + 1};
    if (!to.data) return NULL;
    put_line(&to, cli);
    to.data[size] = 0;
    return to.data;
}
