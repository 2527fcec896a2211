/*
 * Results. Thin: buffering, names and modes are the library's; here errors stick and find their exit
 * status.
 */
#include "out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_error.h"
#include "term.h"

bool cli_out_open(cli_out *out, const cli_app *cli, int *exit_status)
{
    *out = (cli_out){.status = HSD_OK};
    hsd_error_init(&out->error);
    out->status = hsd_result_file_open(&out->file, cli->options.output ? cli->options.output : "-", cli->options.force,
                                       &out->error);
    if (out->status != HSD_OK) *exit_status = cli_report_error(cli, &out->error);
    return out->status == HSD_OK;
}

static void write_bytes(cli_out *out, const char *data, size_t size)
{
    if (out->status == HSD_OK) out->status = hsd_result_file_write(out->file, data, size, &out->error);
}

void cli_out_text(cli_out *out, const char *text) { write_bytes(out, text, strlen(text)); }

void cli_out_format(cli_out *out, const char *format, ...)
{
    char piece[2048];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (size < 0) return;
    write_bytes(out, piece, (size_t)size < sizeof piece ? (size_t)size : sizeof piece - 1);
}

void cli_out_escaped(cli_out *out, hsd_escape_form form, const char *text, size_t size)
{
    char small[1024];
    if (!text) return;
    if (size == SIZE_MAX) size = strlen(text);
    const size_t needed = hsd_escape(form, text, size, small, sizeof small);
    if (needed < sizeof small) {
        write_bytes(out, small, needed);
        return;
    }
    char *large = malloc(needed + 1);
    if (!large) {
        if (out->status == HSD_OK) out->status = hsd_fail(&out->error, HSD_E_NOMEM, "no memory to print a name");
        return;
    }
    hsd_escape(form, text, size, large, needed + 1);
    write_bytes(out, large, needed);
    free(large);
}

bool cli_is_answer(const hsd_result_file *file, int result)
{
    return result == CLI_DONE || result == CLI_FAILED || (result == CLI_DAMAGED && !hsd_result_file_is_empty(file));
}

int cli_out_close(cli_out *out, const cli_app *cli, int result)
{
    if (out->file && out->status == HSD_OK && cli_is_answer(out->file, result))
        out->status = hsd_result_file_finish(out->file, &out->error);
    hsd_result_file_close(out->file);
    out->file = NULL;
    return out->status == HSD_OK ? result : cli_report_error(cli, &out->error);
}

cli_screen cli_out_screen(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    const bool to_terminal = !options->output && cli_term_is_terminal(STDOUT_FILENO);
    return (cli_screen){
        .width = to_terminal && !options->wide ? cli_term_width(STDOUT_FILENO) : 0,
        .name_width = options->wide ? 0 : CLI_NAME_COLUMNS,
        .has_color = options->output ? options->color == CLI_COLOR_ALWAYS : cli_term_has_color(cli, STDOUT_FILENO),
        .has_utf8 = !to_terminal || cli_term_has_utf8(), /* a file looks the same whatever the locale */
    };
}

size_t cli_out_rows(const cli_app *cli, size_t by_default)
{
    if (cli->options.top == 0) return by_default;
    return cli->options.top > SIZE_MAX ? HSD_TOP_ALL : (size_t)cli->options.top;
}

void cli_out_tell_space(const cli_app *cli, uint64_t temp_bytes_peak)
{
    char size[HSD_NUMBER_CHARS];
    if (cli->options.verbose)
        fprintf(stderr, "  temporary data: %s at most\n", hsd_format_bytes(size, temp_bytes_peak));
}
