/*
 * The table of formats: what is read and what is written, and what each can say of a heap, from the registries of
 * importers and exporters. One text for the terminal and the manual.
 */
#ifndef CLI_HELP_FORMATS_H
#define CLI_HELP_FORMATS_H

#include "out.h"

/* Both tables, lines of at most 80 columns. */
void cli_print_format_tables(cli_out *out);

/* What the words of the tables mean: paragraphs, a blank line between them. */
extern const char cli_format_words[];

/* Each format with a sentence: name, "JVM heap dump (.hprof). Lacks: …". */
typedef void (*cli_format_fn)(cli_out *out, const char *name, const char *text);
void cli_each_import_format(cli_out *out, cli_format_fn tell);
void cli_each_export_format(cli_out *out, cli_format_fn tell);

#endif
