/*
 * hsdiff help [COMMAND]: everything on one page, or the page of one command.
 */
#include "help.h"
#include "report_error.h"

static int run_help(cli_app *cli)
{
    const cli_command *command = cli->input_count > 0 ? cli_command_find(cli->inputs[0]) : NULL;
    cli_out out;
    int result = CLI_DONE;
    if (cli->input_count > 0 && !command) {
        cli_complain("there is no command '%s'.", cli->inputs[0]);
        return CLI_USAGE;
    }
    if (!cli_out_open(&out, cli, &result)) return result;
    if (command)
        cli_print_command_help(&out, command);
    else
        cli_print_help(&out);
    return cli_out_close(&out, cli, CLI_DONE);
}

static const cli_example examples[] = {
    {"hsdiff help", "everything on one page"},
    {"hsdiff help import", "one command"},
    {"hsdiff --generate man > hsdiff.1", "the manual page"},
    {"hsdiff --generate complete-bash > ~/.local/share/bash-completion/completions/hsdiff",
     "completions"},
    {0},
};

const cli_command cli_command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "help on everything, or on one command",
    .description = "Prints help. --help and -h do the same and may stand anywhere.",
    .examples = examples,
    .bit = CLI_ON_HELP,
    .inputs_min = 0,
    .inputs_max = 1,
    .run = run_help,
};
