/*
 * "Did you mean": how far apart two short words are, and the command that a word may have been meant for.
 */
#ifndef CLI_HELP_NEAREST_H
#define CLI_HELP_NEAREST_H

#include "cli.h"

/* Letters to add, take away or replace to make `b` of the first `a_size` bytes of `a`; 99 where one is longer than 32
 * bytes. */
size_t cli_edits(const char *a, size_t a_size, const char *b);

/* NULL where no name of a command is near, at most two edits away and at most half of the word, and no other tool has
 * a command of that name for the same. */
const cli_command *cli_command_near(const char *word);

/* The one file beside `file`, which is not there, whose name is nearest, as it can be named; false where there is none,
 * or two that are as near: where files are numbered each is near to all. */
bool cli_file_near(char *out, size_t size, const char *file);

#endif
