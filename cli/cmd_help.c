/*
 * hsdiff help [COMMAND|formats]: everything on one page, or the page of one command, or the formats.
 */
#include <string.h>

#include "help/help.h"
#include "help/nearest.h"
#include "options/common.h"
#include "report_error.h"

static int run_help(cli_app *cli)
{
    const bool is_formats = cli->input_count > 0 && strcmp(cli->inputs[0], "formats") == 0;
    const cli_command *command = cli->input_count > 0 ? cli_command_find(cli->inputs[0]) : NULL;
    cli_out out;
    int result = CLI_DONE;
    if (cli->input_count > 0 && !command && !is_formats) {
        const cli_command *near = cli_command_near(cli->inputs[0]);
        if (near)
            cli_complain("there is no command '%s'; did you mean hsdiff help %s?", cli->inputs[0], near->name);
        else
            cli_complain("there is no command '%s'.", cli->inputs[0]);
        return CLI_USAGE;
    }
    if (!cli_out_open(&out, cli, &result)) return result;
    if (is_formats)
        cli_print_formats_help(&out);
    else if (command)
        cli_print_command_help(&out, command);
    else
        cli_print_help(&out);
    return cli_out_close(&out, cli, CLI_DONE);
}

static const cli_example examples[] = {
    {"hsdiff help", "everything on one page"},
    {"hsdiff help import", "one command"},
    {"hsdiff help formats", "what is read and written, and what each format can say of a heap"},
    {"hsdiff --generate man > hsdiff.1", "the manual page"},
    {"hsdiff --generate complete-bash > ~/.local/share/bash-completion/completions/hsdiff", "completions"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){
        .name = "generate",
        .value = "WHAT",
        .choices = "man|man-formats|complete-bash|complete-zsh|complete-fish",
        .kind = CLI_TEXT,
        .offset = CLI_FIELD(generate),
        .told = CLI_LEFT_OUT,
        .help =
            "print the manual page (of a command that follows), that of the formats, or the completions of a shell"},
    &cli_option_output,
    &cli_option_force,
    CLI_OPTIONS_OF_A_PAGE,
    NULL,
};

const cli_command cli_command_help = {
    .name = "help",
    .synopsis = "[COMMAND|formats]",
    .summary = "print help on everything, on one command, or on formats",
    .description = "Prints help. --help and -h do the same and may stand anywhere.",
    .examples = examples,
    .options = options,
    .shows_pages = true,
    .inputs_min = 0,
    .inputs_max = 1,
    .run = run_help,
};
