/*
 * hsdiff-huge: the same program with numbers of 64 bits for nodes (libdiff/base/node.h), for captures of more objects
 * than 32 bits can number. Who starts hsdiff gets it without being asked, where it is installed.
 */
#ifndef CLI_HUGE_H
#define CLI_HUGE_H

#include "cli.h"

/*
 * Where an input is a capture of more than HSD_MOST_WALKED objects, becomes hsdiff-huge with the same words, and does
 * not return. Returns where no input is one, where this is hsdiff-huge, or where there is none: then such captures are
 * compared by type, and what walks objects says why it cannot. To be called before the sandbox is entered.
 */
void cli_become_huge(const cli_app *cli);

#endif
