/*
 * What the program tells of itself, all of it from the tables of commands and options.
 */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include "out.h"

/* The twelve lines of a call without arguments. */
void cli_print_short_help(cli_out *out);

/* Help of the whole program, or of one command. */
void cli_print_help(cli_out *out);
void cli_print_command_help(cli_out *out, const cli_command *command);

/* The tables of formats, what their words mean, and each format in a sentence. */
void cli_print_formats_help(cli_out *out);

/* What each format of a report holds, and how names and numbers stand there. */
void cli_print_output_help(cli_out *out);

void cli_print_version(cli_out *out);

/* hsdiff.1 (NULL) or hsdiff-COMMAND.1, as roff. */
void cli_print_manual(cli_out *out, const cli_command *command);

/* hsdiff-formats.7, as roff. */
void cli_print_formats_manual(cli_out *out);

/* "complete-bash", "complete-zsh", "complete-fish". */
void cli_print_completion(cli_out *out, const char *shell);

/* "text", "json", … into a line: names of every row of the registries. */
void cli_print_formats(cli_out *out);

/* Wraps a paragraph to lines of `width` columns, each after `indent` blanks; the first continues at
 * column `at`. Lines that begin with two blanks stay as they are. */
void cli_print_wrapped(cli_out *out, const char *text, size_t at, size_t indent, size_t width);

bool cli_is_verbatim(const char *line);

typedef struct cli_row {
    const char *term, *text;
} cli_row;

/* Rows that help and manual share; each ends with a NULL term. */
extern const cli_row cli_words[], cli_exit_statuses[], cli_outputs[], cli_files[], cli_environment[];

#endif
