/*
 * Manual pages as roff, from the same tables as --help: hsdiff(1), and hsdiff-COMMAND(1) for each
 * command; and hsdiff-formats(7). Written with the man macros; CMake stores them beside the program.
 */
#include <string.h>

#include "help/formats.h"
#include "help/help.h"
#include "options/options.h"

/* Text with roff's own characters made plain; a line never begins with a dot or quote. */
static void put_bytes(cli_out *out, const char *text, size_t size)
{
    bool at_start = true;
    for (const char *end = text + size; text < end; text++) {
        if (at_start && (*text == '.' || *text == '\'')) cli_out_text(out, "\\&");
        at_start = *text == '\n';
        if (*text == '\\')
            cli_out_text(out, "\\e");
        else if (*text == '-')
            cli_out_text(out, "\\-");
        else
            cli_out_format(out, "%c", *text);
    }
}

static void put_man(cli_out *out, const char *text) { put_bytes(out, text, strlen(text)); }

/* Paragraphs, a blank line between them; lines that begin with two blanks stand as they are. */
static void put_paragraphs(cli_out *out, const char *text)
{
    bool is_verbatim = false;
    for (const char *line = text; *line;) {
        const size_t size = strcspn(line, "\n");
        if (cli_is_verbatim(line) != is_verbatim && size > 0) {
            is_verbatim = !is_verbatim;
            cli_out_text(out, is_verbatim ? ".nf\n" : ".fi\n");
        }
        if (size == 0) cli_out_text(out, ".PP");
        put_bytes(out, line, size);
        cli_out_text(out, "\n");
        line += size + (line[size] == '\n');
    }
    if (is_verbatim) cli_out_text(out, ".fi\n");
}

static void put_term(cli_out *out, const char *term, const char *text)
{
    cli_out_text(out, ".TP\n\\fB");
    put_man(out, term);
    cli_out_text(out, "\\fR\n");
    put_man(out, text);
    cli_out_text(out, ".\n");
}

static void put_rows(cli_out *out, const char *heading, const cli_row *rows)
{
    cli_out_format(out, ".SH %s\n", heading);
    for (; rows->term; rows++)
        put_term(out, rows->term, rows->text);
}

static void put_option(cli_out *out, const cli_option *option)
{
    cli_out_text(out, ".TP\n");
    if (option->letter) cli_out_format(out, "\\fB\\-%c\\fR, ", option->letter);
    cli_out_text(out, "\\fB\\-\\-");
    put_man(out, option->name);
    cli_out_text(out, "\\fR");
    if (option->value) {
        cli_out_text(out, " \\fI");
        put_man(out, option->value);
        cli_out_text(out, "\\fR");
    }
    cli_out_text(out, "\n");
    put_man(out, option->help);
    cli_out_text(out, ".\n");
}

static void put_options(cli_out *out, const cli_command *command)
{
    cli_out_text(out, ".SH OPTIONS\n");
    for (const cli_option *const *option = command->options; *option; option++)
        put_option(out, *option);
}

static void put_examples(cli_out *out, const cli_command *command)
{
    cli_out_text(out, ".SH EXAMPLES\n");
    for (const cli_example *example = command->examples; example && example->command; example++) {
        cli_out_text(out, ".TP\n\\fB");
        put_man(out, example->command);
        cli_out_text(out, "\\fR\n");
        put_man(out, example->what);
        cli_out_text(out, ".\n");
    }
}

static void put_heading(cli_out *out, const char *suffix, const char *section, const char *summary)
{
    cli_out_format(out, ".TH HSDIFF%s %s \"hsdiff %s\" \"User Commands\"\n.SH NAME\nhsdiff", suffix, section,
                   HSDIFF_VERSION);
    put_man(out, suffix);
    cli_out_text(out, " \\- ");
    put_man(out, summary);
    cli_out_text(out, "\n");
}

static void put_page_of_command(cli_out *out, const cli_command *command)
{
    char suffix[32] = "-";
    memcpy(suffix + 1, command->name, strnlen(command->name, sizeof suffix - 2) + 1);
    put_heading(out, suffix, "1 \"\"", command->summary);
    cli_out_text(out, ".SH SYNOPSIS\n\\fBhsdiff ");
    put_man(out, command->name);
    cli_out_text(out, "\\fR ");
    put_man(out, command->synopsis);
    cli_out_text(out, " [\\fIoptions\\fR]\n.SH DESCRIPTION\n");
    put_paragraphs(out, command->description);
    put_options(out, command);
    put_rows(out, "\"EXIT STATUS\"", cli_exit_statuses);
    put_examples(out, command);
    cli_out_text(out, ".SH \"SEE ALSO\"\n.BR hsdiff (1)\n");
}

static void put_commands(cli_out *out)
{
    cli_out_text(out, ".SH COMMANDS\n");
    for (size_t i = 0; cli_command_get(i); i++)
        put_term(out, cli_command_get(i)->name, cli_command_get(i)->summary);
}

static void put_see_also(cli_out *out)
{
    cli_out_text(out, ".SH \"SEE ALSO\"\n");
    for (size_t i = 0; cli_command_get(i); i++) {
        cli_out_text(out, ".BR \\%hsdiff\\-"); /* never broken at a line's end */
        cli_out_format(out, "%s (1),\n", cli_command_get(i)->name);
    }
    cli_out_text(out, ".BR \\%hsdiff\\-formats (7)\n");
}

static void put_main_page(cli_out *out)
{
    const cli_command *diff = cli_command_get(0);
    put_heading(out, "", "1 \"\"", "compare heap captures");
    cli_out_text(out, ".SH SYNOPSIS\n\\fBhsdiff\\fR \\fIBEFORE\\fR \\fIAFTER\\fR [\\fIoptions\\fR]\n.br\n"
                      "\\fBhsdiff\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIFILE\\fR...]\n.SH DESCRIPTION\n");
    put_paragraphs(out, diff->description);
    put_commands(out);
    put_options(out, diff);
    cli_out_text(out, ".SH \"HEAP DUMPS THAT ARE READ\"\n");
    for (size_t i = 0; hsd_importer_get(i); i++)
        put_term(out, hsd_importer_get(i)->name, hsd_importer_get(i)->summary);
    put_rows(out, "OUTPUT", cli_outputs);
    put_rows(out, "WORDS", cli_words);
    put_rows(out, "\"EXIT STATUS\"", cli_exit_statuses);
    put_rows(out, "FILES", cli_files);
    put_rows(out, "ENVIRONMENT", cli_environment);
    put_examples(out, diff);
    put_see_also(out);
}

void cli_print_manual(cli_out *out, const cli_command *command)
{
    if (command)
        put_page_of_command(out, command);
    else
        put_main_page(out);
}

void cli_print_formats_manual(cli_out *out)
{
    put_heading(out, "-formats", "7 \"\"", "what hsdiff reads and writes, and what each format can say of a heap");
    cli_out_text(out, ".SH DESCRIPTION\n.nf\n.ft CW\n");
    cli_print_format_tables(out);
    cli_out_text(out, ".ft\n.fi\n.PP\n");
    put_paragraphs(out, cli_format_words);
    cli_out_text(out, ".SH \"FORMATS THAT ARE READ\"\n");
    cli_each_import_format(out, put_term);
    cli_out_text(out, ".SH \"FORMATS THAT ARE WRITTEN\"\n");
    cli_each_export_format(out, put_term);
    cli_out_text(out, ".SH \"SEE ALSO\"\n.BR hsdiff\\-import (1),\n.BR hsdiff\\-export (1)\n");
}
