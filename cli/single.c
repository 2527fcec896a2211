/*
 * What the commands about one capture share.
 */
#include "single.h"

void cli_single_options(hsd_report_options *options, const cli_app *cli, const cli_input *input)
{
    options->before_command = cli->options.quiet ? NULL : input->path;
    options->before_is_foreign = input->is_foreign;
}
