/*
 * What the commands about one capture share.
 */
#include "single.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report_error.h"
#include "term.h"

bool cli_single_format(const cli_app *cli, hsd_single_format *format)
{
    static const char *const names[] = {
        [HSD_SINGLE_TEXT] = "text", [HSD_SINGLE_JSON] = "json", [HSD_SINGLE_CSV] = "csv"};
    const char *wanted = cli->options.format ? cli->options.format : "text";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *format = (hsd_single_format)i;
        if (strcmp(names[i], wanted) == 0) return true;
    }
    cli_complain("--format takes text, json or csv, not '%s'.", wanted);
    return false;
}

size_t cli_single_rows(const cli_app *cli, size_t by_default)
{
    if (cli->options.top == 0) return by_default;
    return cli->options.top > SIZE_MAX ? HSD_TOP_ALL : (size_t)cli->options.top;
}

hsd_single_options cli_single_options(const cli_app *cli, const cli_input *input,
                                      hsd_single_format format)
{
    const cli_options *options = &cli->options;
    const bool to_terminal = !options->output && cli_term_is_terminal(STDOUT_FILENO);
    return (hsd_single_options){
        .format = format,
        .top = cli_single_rows(cli, 0),
        .width = to_terminal && !options->wide ? cli_term_width(STDOUT_FILENO) : 0,
        .use_color = options->output ? options->color == CLI_COLOR_ALWAYS
                                     : cli_term_has_color(cli, STDOUT_FILENO),
        .use_utf8 =
            !to_terminal || cli_term_has_utf8(), /* a file looks the same whatever the locale */
        .exact_bytes = options->exact_bytes,
        .plain = options->plain,
        .command = options->quiet ? NULL : input->path,
        .is_foreign = input->is_foreign,
    };
}

void cli_single_tell(const cli_app *cli, uint64_t temp_bytes_peak)
{
    char size[HSD_NUMBER_CHARS];
    if (cli->options.verbose)
        fprintf(stderr, "  temporary data: %s at most\n", hsd_format_bytes(size, temp_bytes_peak));
}
