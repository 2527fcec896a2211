/*
 * What the commands about one capture, top and paths, share: how the answer becomes a report.
 */
#ifndef CLI_SINGLE_H
#define CLI_SINGLE_H

#include "input.h"
#include "outlets.h"
#include <hsdiff/top.h>

typedef struct cli_single_answer {
    const hsd_top *top; /* one of the two */
    const hsd_paths *paths;
    const cli_input *input;
} cli_single_answer;

/* Writes it to all outlets: with the capture's name and what it is, for lines that say what to type next, and of top in
 * the order and with the table that were asked for. Tells how much temporary space it took. */
hsd_status cli_single_write(cli_outlets *outlets, cli_app *cli, const cli_single_answer *answer, hsd_error *err);

#endif
