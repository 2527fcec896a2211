/*
 * What the commands about one capture share.
 */
#include "single.h"

#include <string.h>

#include "out.h"
#include "report_error.h"

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

hsd_single_options cli_single_options(const cli_app *cli, const cli_input *input,
                                      hsd_single_format format)
{
    const cli_options *options = &cli->options;
    const cli_screen screen = cli_out_screen(cli);
    return (hsd_single_options){
        .format = format,
        .top = cli_out_rows(cli, 0),
        .width = screen.width,
        .name_width = screen.name_width,
        .use_color = screen.has_color,
        .use_utf8 = screen.has_utf8,
        .exact_bytes = options->exact_bytes,
        .plain = options->plain,
        .command = options->quiet ? NULL : input->path,
        .is_foreign = input->is_foreign,
    };
}
